import { isEqual, membersOf } from "./json.ts";

/** What clients do with a member of an object when they write it to the history. */

export type Members = Readonly<Record<string, unknown>>;

/** What happened to the members of one kind of object. */
export interface MemberHabits {
  order: string[];
  /** Outcomes by member name. */
  readonly outcomes: Map<string, StyleOutcome[]>;
}

/** What the client did with a value of one shape, and how often. */
export interface StyleOutcome {
  readonly from: Shape;
  readonly does: "keep" | "drop" | "constant" | "wrap" | "unwrap" | "stringify" | "parse";
  /** The value for `constant`; for `wrap` the value with {@link hole} in place of the text. */
  readonly value?: unknown;
  count: number;
}

type Shape = "absent" | "null" | "empty" | "string" | "list" | "object" | "scalar";

const hole = "\u0000text\u0000";

export function outcomeSeen(shape: Shape, from: unknown, to: unknown): Pick<StyleOutcome, "does" | "value"> {
  if (shape === "absent") return { does: "constant", value: to };
  if (isEqual(from, to)) return { does: "keep" };
  const isInside = typeof to === "object" && to !== null;
  if (typeof from === "string" && from !== "" && isInside) {
    const value = withHole(to, from);
    return value === undefined ? { does: "parse" } : { does: "wrap", value };
  }
  if (typeof to === "string" && typeof from === "object" && from !== null && to !== "")
    return { does: joined(from) === to ? "unwrap" : "stringify" };
  const isReplaced =
    shape === "null" || shape === "empty" || to === null || to === "" || typeof from !== typeof to;
  return isReplaced ? { does: "constant", value: to } : { does: "keep" };
}

export function countOutcome(
  { outcomes }: MemberHabits,
  key: string,
  outcome: Omit<StyleOutcome, "count">,
): void {
  const all = outcomes.get(key) ?? [];
  outcomes.set(key, all);
  const known = all.find(
    ({ from, does, value }) =>
      from === outcome.from && does === outcome.does && isEqual(value, outcome.value),
  );
  if (known) known.count++;
  else all.push({ ...outcome, count: 1 });
}

/** The client's most frequent outcome for this shape; for an unknown shape, the member's only outcome. */
export function outcomeFor(habits: MemberHabits, key: string, shape: Shape): StyleOutcome | undefined {
  const outcomes = habits.outcomes.get(key) ?? [];
  const same = outcomes.filter(({ from }) => from === shape).sort((a, b) => b.count - a.count);
  const [best] = same;
  if (best) {
    // A member with a new value each time, such as an id, cannot be reproduced.
    const isMadeUp =
      best.does === "constant" &&
      best.count === 1 &&
      (same.length > 1 || namesAnId.test(key) || !isWord(best.value));
    return isMadeUp ? { ...best, does: "drop" } : best;
  }
  const dropped = outcomes.filter(({ from, does }) => from !== "absent" && does === "drop");
  const met = outcomes.filter(({ from }) => from !== "absent");
  return shape !== "absent" && met.length > 0 && dropped.length === met.length ? dropped[0] : undefined;
}

/** Names of members that contain ids, which may look like words. */
const namesAnId = /(?:^|_)id$|Id$/;

/** A value that belongs to the form, such as a type name or a flag; not an id or a time. */
function isWord(value: unknown): boolean {
  return typeof value === "string"
    ? /^[a-z_.-]{0,24}$/i.test(value)
    : typeof value !== "number" || value < 100;
}

export function shapeOf(members: Members, key: string): Shape {
  if (!Object.hasOwn(members, key)) return "absent";
  const value = members[key];
  if (value === null) return "null";
  // Empty arguments are a shape of their own: their outcome says nothing about other values.
  if (typeof value === "string") return value === "" || value === "{}" ? "empty" : "string";
  if (Array.isArray(value)) return value.length === 0 ? "empty" : "list";
  if (typeof value === "object") return Object.keys(value as object).length === 0 ? "empty" : "object";
  return "scalar";
}

/** Applies an outcome to a value; the caller handles `keep` and `drop`. */
export function applied({ does, value }: StyleOutcome, from: unknown): unknown {
  switch (does) {
    case "constant":
      return value;
    case "wrap":
      return typeof from === "string" ? filled(value, from) : from;
    case "unwrap":
      return joined(from) ?? from;
    case "stringify":
      return typeof from === "string" ? from : JSON.stringify(from);
    case "parse":
      return typeof from === "string" ? parsed(from) : from;
    default:
      return from;
  }
}

/** The text of content that consists only of text parts. */
function joined(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.map((part) => membersOf(part)?.["text"]);
  return texts.every((text) => typeof text === "string") ? texts.join("") : undefined;
}

/** A value with {@link hole} in place of `text`; `undefined` if it does not contain the text. */
function withHole(value: unknown, text: string): unknown {
  let isFound = false;
  const visit = (inner: unknown): unknown => {
    if (inner === text && !isFound) {
      isFound = true;
      return hole;
    }
    if (Array.isArray(inner)) return inner.map(visit);
    const members = membersOf(inner);
    if (!members) return inner;
    return Object.fromEntries(Object.entries(members).map(([key, each]) => [key, visit(each)]));
  };
  const made = visit(value);
  return isFound ? made : undefined;
}

function filled(value: unknown, text: string): unknown {
  if (value === hole) return text;
  if (Array.isArray(value)) return value.map((each) => filled(each, text));
  const members = membersOf(value);
  if (!members) return value;
  return Object.fromEntries(Object.entries(members).map(([key, each]) => [key, filled(each, text)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
