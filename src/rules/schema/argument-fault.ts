/** Something about arguments that the tool's schema does not allow. */
export interface ArgumentFault {
  /** `form`: none of several forms fits. `limit`: too small, too long, not like the pattern. */
  readonly kind: "type" | "missing" | "unknown" | "value" | "limit" | "form";
  /**
   * The path of the value within the arguments, `city` or `days[2].name`; `""` for the arguments themselves.
   */
  readonly path: string;
  /** What the schema wants, for messages. */
  readonly wanted: string;
  /** The value seen, as JSON; absent for a missing one. */
  readonly seen?: string;
  /** Clients that convert scalars, read JSON inside of text, or take `null` for nothing, get on with it. */
  readonly isConvertible: boolean;
}

/** A value for messages. */
export function valueWords(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return JSON.stringify(typeof value === "string" ? value.slice(0, 100) : value) ?? "nothing";
}
