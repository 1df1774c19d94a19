/** A violation of a tool's schema by the arguments of a call. */
export interface ArgumentFault {
  /** `form`: no alternative matches. `limit`: too small, too long, or not like the pattern. */
  readonly kind: "type" | "missing" | "unknown" | "value" | "limit" | "form";
  /** The path of the value within the arguments: `city`, `days[2].name`; `""` for all arguments. */
  readonly path: string;
  /** What the schema requires, for messages. */
  readonly wanted: string;
  /** The actual value as JSON; absent if it is missing. */
  readonly seen?: string;
  /** Lenient clients can repair it: they convert scalars, parse JSON in strings, or ignore `null`. */
  readonly isConvertible: boolean;
}

/** A value as text for messages. */
export function valueWords(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return JSON.stringify(typeof value === "string" ? value.slice(0, 100) : value) ?? "nothing";
}
