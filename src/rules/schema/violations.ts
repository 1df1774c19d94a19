import { type ArgumentFault, valueWords } from "./argument-fault.ts";

/** The place of a value within the arguments; absent for the arguments themselves. */
export type Place = Within | undefined;

interface Within {
  readonly outer: Place;
  readonly key: string | number;
}

/** A value that a schema rejects, before it is put into words. */
export type Violation = WrongType | OtherViolation;

interface WrongType {
  readonly kind: "type";
  readonly place: Place;
  readonly value: unknown;
  /** The types that would do. */
  readonly types: readonly string[];
}

interface OtherViolation {
  readonly kind: Exclude<ArgumentFault["kind"], "type">;
  readonly place: Place;
  /** Absent for what is missing. */
  readonly value?: unknown;
  readonly wanted: string;
  readonly isConvertible?: boolean;
}

const maxFaults = 20;

/** The first faults of arguments: one for each kind and place. */
export function argumentFaultsOf(violations: readonly Violation[]): readonly ArgumentFault[] {
  const faults = new Map<string, ArgumentFault>();
  for (const violation of violations) {
    const fault = faultOf(violation);
    const key = `${fault.kind} ${fault.path}`;
    if (!faults.has(key)) faults.set(key, fault);
    if (faults.size >= maxFaults) break;
  }
  return [...faults.values()];
}

function faultOf(violation: Violation): ArgumentFault {
  const { kind, place, value } = violation;
  const wanted = kind === "type" ? violation.types.join(" or ") : violation.wanted;
  const isConvertible =
    kind === "type"
      ? violation.types.some((type) => canBecome(value, type))
      : (violation.isConvertible ?? false);
  return {
    kind,
    path: pathOf(place),
    wanted,
    ...(kind !== "missing" && { seen: valueWords(value) }),
    isConvertible,
  };
}

/**
 * What is wrong with a value that fits none of several forms. If only one form has other than type errors of
 * the value itself, it was probably meant, and its errors remain. Otherwise one error replaces them, with the
 * possible types if only types are wrong.
 */
export function withoutForms(
  forms: readonly (readonly Violation[])[],
  place: Place,
  value: unknown,
): readonly Violation[] {
  const others = forms
    .map((form) => form.filter((one) => one.place !== place || one.kind !== "type"))
    .filter((form) => form.length > 0);
  const [meant, ...further] = others;
  if (meant)
    return further.length === 0 ? meant : [{ kind: "form", place, value, wanted: "one of several forms" }];
  const types = new Set(forms.flat().flatMap((one) => (one.kind === "type" ? one.types : [])));
  return [{ kind: "type", place, value, types: [...types] }];
}

function canBecome(value: unknown, type: string): boolean {
  if (type === "string") return typeof value === "number" || typeof value === "boolean";
  if (typeof value !== "string") return type === "integer" && typeof value === "number";
  if (type === "number" || type === "integer") return value.trim() !== "" && Number.isFinite(Number(value));
  if (type === "boolean") return /^(?:true|false)$/i.test(value);
  return (type === "object" || type === "array") && /^\s{0,10}[[{]/.test(value);
}

/** The usual notation of a place: `days[2].name`. */
function pathOf(place: Place): string {
  const keys: string[] = [];
  for (let at = place; at; at = at.outer) keys.push(cut(String(at.key)));
  return keys.reduceRight(
    (path, key) => (/^\d+$/.test(key) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`),
    "",
  );
}

/** Names are for people. */
const maxName = 200;

function cut(text: string): string {
  return text.length > maxName ? `${text.slice(0, maxName)}…` : text;
}

/** The first few of a list of names. */
export function firstNames(names: readonly string[]): string {
  return names.slice(0, 5).map(cut).join(", ") + (names.length > 5 ? ", …" : "");
}
