/** Protocol names for a report, without `plain`: an agent's own form, which the container's name covers. */
export function protocolNames(protocols: readonly string[]): string[] {
  const names = protocols.filter((name) => name !== "plain");
  return names.length > 0 ? [names.join(", ")] : [];
}
