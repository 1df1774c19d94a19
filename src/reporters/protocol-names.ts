/**
 * Protocols as reports name them, in one text or none: messages in a form of an agent's own (`plain`) are in no protocol's words, and the
 * container's name says whose they are.
 */
export function protocolNames(protocols: readonly string[]): string[] {
  const names = protocols.filter((name) => name !== "plain");
  return names.length > 0 ? [names.join(", ")] : [];
}
