import { pointerToken } from "../reading/pointer.ts";
import { isEqual, membersOf } from "./json.ts";

/**
 * How a client writes down what the model said, learned from the rounds in which nothing went wrong: the reply as the provider would
 * have it appended, beside the elements that the client did append. What it leaves out, adds and rewrites there, it does everywhere.
 */

/** One healthy round: the writings of a reply, and the elements of the next request that stand for it. */
export interface Round {
  readonly writings: readonly (readonly unknown[])[];
  readonly elements: readonly unknown[];
  /** Something of the reply is lost here: what is gone proves no habit. */
  readonly isBroken?: boolean;
}

/** Writes a reply as this client would have. */
export type Form = (writings: readonly (readonly unknown[])[]) => readonly unknown[];

/** The provider's own form, for a client that the log does not show. */
export const plainForm: Form = (writings) => (writings[0] ?? []).map(plain);

/** Learns a client's form; `undefined` without any round. */
export function formOf(rounds: readonly Round[]): Form | undefined {
  if (rounds.length === 0) return undefined;
  const count = Math.max(...rounds.map(({ writings }) => writings.length));
  const habits = Array.from({ length: count }, (_, index) => {
    const habit = createHabit();
    for (const { writings, elements, isBroken = false } of rounds)
      habit.learn(writings[index] ?? writings[0] ?? [], elements, isBroken);
    let right = 0;
    let alike = 0;
    for (const { writings, elements } of rounds) {
      const written = habit.write(writings[index] ?? writings[0] ?? []);
      if (isEqual(comparable(written), comparable(elements))) right++;
      // So many elements more or fewer weigh less than a text that is right.
      alike += shared(textsOf(written), textsOf(elements)) - Math.abs(written.length - elements.length) * 0.1;
    }
    return { habit, index, right, alike };
  });
  const best = habits.reduce((a, b) =>
    b.right > a.right || (b.right === a.right && b.alike > a.alike) ? b : a,
  );
  return (writings) => best.habit.write(writings[best.index] ?? writings[0] ?? []);
}

/** What nobody has shown how to write: what says nothing is left out, as most clients do. */
function plain(element: unknown): unknown {
  const members = membersOf(element);
  if (!members) return element;
  return Object.fromEntries(
    Object.entries(members)
      .filter(
        ([key, value]) =>
          key === "content" || (value !== null && !(Array.isArray(value) && value.length === 0)),
      )
      .map(([key, value]) => [key, Array.isArray(value) ? withoutSilent(value) : value]),
  );
}

function withoutSilent(parts: readonly unknown[]): unknown[] {
  const telling = parts.filter((part) => !isSilent(part));
  return telling.length > 0 ? telling : [...parts];
}

/** A part that is nothing but an empty text. */
function isSilent(part: unknown): boolean {
  const members = membersOf(part);
  return members?.["text"] === "" && Object.keys(members).every((key) => key === "text" || key === "type");
}

/** Marks that clients move about; they say nothing about form. */
const volatile = new Set(["cache_control", "cachePoint"]);

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  const members = membersOf(value);
  if (!members) return value;
  return Object.fromEntries(
    Object.entries(members)
      .filter(([key]) => !volatile.has(key))
      .map(([key, inner]) => [key, comparable(inner)]),
  );
}

/** All texts in a value, to see which of two writings is nearer to it. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return Object.values(membersOf(value) ?? {}).flatMap(textsOf);
}

function shared(a: readonly string[], b: readonly string[]): number {
  const rest = [...b];
  return a.filter((text) => {
    const at = rest.indexOf(text);
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  }).length;
}

interface Habit {
  learn(from: readonly unknown[], to: readonly unknown[], isBroken: boolean): void;
  write(from: readonly unknown[]): unknown[];
}

/** What was seen to happen to the members of one kind of object. */
interface Kind {
  /** The order in which the client writes members. */
  order: string[];
  /** By member and by the form of its value in the reply: what the client made of it, and how often. */
  readonly outcomes: Map<string, Outcome[]>;
}

interface Outcome {
  readonly from: Shape;
  readonly does: "keep" | "drop" | "constant" | "wrap" | "unwrap" | "stringify" | "parse";
  /** For `constant` the value; for `wrap` the value with {@link hole} in place of the text. */
  readonly value?: unknown;
  count: number;
}

type Shape = "absent" | "null" | "empty" | "string" | "list" | "object" | "scalar";

const hole = "\u0000text\u0000";

function createHabit(): Habit {
  const kinds = new Map<string, Kind>();
  /** Elements of a list by kind: how often they were written, and how often left out. */
  const fates = new Map<string, { kept: number; dropped: number }>();

  const kindAt = (path: string): Kind => {
    const known = kinds.get(path) ?? { order: [], outcomes: new Map() };
    kinds.set(path, known);
    return known;
  };
  let isBroken = false;
  const note = (kind: Kind, key: string, outcome: Omit<Outcome, "count">): void => {
    const isLoss = outcome.does === "drop" || outcome.does === "constant";
    const isNothing = outcome.from === "absent" || outcome.from === "null" || outcome.from === "empty";
    if (isBroken && isLoss && !isNothing) return;
    const outcomes = kind.outcomes.get(key) ?? [];
    kind.outcomes.set(key, outcomes);
    const known = outcomes.find(
      ({ from, does, value }) =>
        from === outcome.from && does === outcome.does && isEqual(value, outcome.value),
    );
    if (known) known.count++;
    else outcomes.push({ ...outcome, count: 1 });
  };

  const learnList = (path: string, from: readonly unknown[], to: readonly unknown[]): void => {
    let at = 0;
    for (const element of from) {
      const name = `${path}[${nameOf(element)}]`;
      const fate = fates.get(name) ?? { kept: 0, dropped: 0 };
      fates.set(name, fate);
      const partner = to.findIndex((other, index) => index >= at && isAkin(element, other));
      // A list as long as the other is taken element by element, unless they have changed places.
      const isTaken = from.some((other) => other !== element && isAkin(other, to[at]));
      const isInOrder = partner >= 0 && (from.length !== to.length || partner === at || isTaken);
      const isSameLength = from.length === to.length && !isBroken && !isTaken;
      const found = isInOrder ? partner : isSameLength ? at : -1;
      if (found < 0) {
        if (!isBroken || isSilent(element)) fate.dropped++;
        continue;
      }
      fate.kept++;
      if (found === at || from.length !== to.length) at = found + 1;
      learnValue(name, element, to[found]);
    }
  };

  const learnValue = (path: string, from: unknown, to: unknown): void => {
    const before = membersOf(from);
    const after = membersOf(to);
    if (Array.isArray(from) && Array.isArray(to)) learnList(path, from, to);
    if (!before || !after) return;
    learnMembers(kindAt(path + makingOf(before)), path, before, after, true);
    // What is put together in a way that was never seen is still written by the same hand.
    learnMembers(kindAt(`${path}*`), path, before, after, false);
  };

  const learnMembers = (
    kind: Kind,
    path: string,
    before: Readonly<Record<string, unknown>>,
    after: Readonly<Record<string, unknown>>,
    goesDeeper: boolean,
  ): void => {
    kind.order = mergedOrder(kind.order, Object.keys(after));
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (volatile.has(key)) continue;
      const shape = shapeOf(before, key);
      if (!Object.hasOwn(after, key)) note(kind, key, { from: shape, does: "drop" });
      else {
        const outcome = learnMember(kind, key, shape, before[key], after[key]);
        if (outcome === "keep" && goesDeeper)
          learnValue(`${path}/${pointerToken(key)}`, before[key], after[key]);
      }
    }
  };

  const learnMember = (
    kind: Kind,
    key: string,
    from: Shape,
    before: unknown,
    after: unknown,
  ): Outcome["does"] => {
    const outcome = outcomeSeen(from, before, after);
    note(kind, key, { from, ...outcome });
    return outcome.does;
  };

  const writeList = (path: string, from: readonly unknown[]): unknown[] =>
    from.flatMap((element) => {
      const name = `${path}[${nameOf(element)}]`;
      const fate = fates.get(name);
      return fate && fate.dropped > fate.kept ? [] : [writeValue(name, element)];
    });

  const writeValue = (path: string, from: unknown): unknown => {
    if (Array.isArray(from)) return writeList(path, from);
    const members = membersOf(from);
    const exact = members && kinds.get(path + makingOf(members));
    const kind = exact ?? kinds.get(`${path}*`);
    if (!members || !kind) return members ? mapped(members, path) : from;
    // What came back as it was is data: its members keep their order.
    const isData = [...kind.outcomes.values()].flat().every(({ does }) => does === "keep");
    if (isData) return mapped(members, path);
    const keys = [...kind.order, ...Object.keys(members).filter((key) => !kind.order.includes(key))];
    return Object.fromEntries(
      keys.flatMap((key): [string, unknown][] => {
        const shape = shapeOf(members, key);
        const known = outcomeFor(kind, key, shape);
        // From another making one learns how things are written, not what is left out.
        const isLoss = known?.does === "drop" || known?.does === "constant" || known?.does === "unwrap";
        const isGuess = !exact && isLoss && (shape === "string" || shape === "list");
        const outcome = isGuess ? undefined : known;
        const below = `${path}/${pointerToken(key)}`;
        if (!outcome) {
          // Where a message says nothing, most clients say so.
          const isEmpty = shape === "absent" || (shape === "null" && key !== "content");
          return isEmpty ? [] : [[key, writeValue(below, members[key])]];
        }
        const value = outcomeOf(outcome, members[key], below);
        return value === undefined ? [] : [[key, value]];
      }),
    );
  };

  const mapped = (members: Readonly<Record<string, unknown>>, path: string): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(members).map(([key, value]) => [key, writeValue(`${path}/${pointerToken(key)}`, value)]),
    );

  const outcomeOf = (outcome: Outcome, from: unknown, path: string): unknown => {
    switch (outcome.does) {
      case "drop":
        return undefined;
      case "constant":
        return outcome.value;
      case "keep":
        return writeValue(path, from);
      case "wrap":
        return typeof from === "string" ? filled(outcome.value, from) : from;
      case "unwrap":
        return joined(from) ?? from;
      case "stringify":
        return typeof from === "string" ? from : JSON.stringify(from);
      case "parse":
        return typeof from === "string" ? parsed(from) : from;
    }
  };

  return {
    learn(from, to, broken) {
      isBroken = broken;
      learnList("", from, to);
    },
    write: (from) => writeList("", from),
  };
}

/** What became of a value. */
function outcomeSeen(shape: Shape, from: unknown, to: unknown): Pick<Outcome, "does" | "value"> {
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

/** What the client most often makes of a member in this form; where it never met the form, what it makes of the member at all. */
function outcomeFor(kind: Kind, key: string, shape: Shape): Outcome | undefined {
  const outcomes = kind.outcomes.get(key) ?? [];
  const same = outcomes.filter(({ from }) => from === shape).sort((a, b) => b.count - a.count);
  const [best] = same;
  if (best) {
    // A member that is made up anew every time cannot be made up here.
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

/** Members that hold ids, which may look like words. */
const namesAnId = /(?:^|_)id$|Id$/;

/** A value that belongs to the form: a name of a kind, a switch; not an id or a time. */
function isWord(value: unknown): boolean {
  return typeof value === "string"
    ? /^[a-z_.-]{0,24}$/i.test(value)
    : typeof value !== "number" || value < 100;
}

function shapeOf(members: Readonly<Record<string, unknown>>, key: string): Shape {
  if (!Object.hasOwn(members, key)) return "absent";
  const value = members[key];
  if (value === null) return "null";
  // Arguments of a call without any are as good as nothing: what a client makes of them, it makes of no others.
  if (typeof value === "string") return value === "" || value === "{}" ? "empty" : "string";
  if (Array.isArray(value)) return value.length === 0 ? "empty" : "list";
  if (typeof value === "object") return Object.keys(value as object).length === 0 ? "empty" : "object";
  return "scalar";
}

/** What an element of a list is: by its type or role, else by the member that sets it apart. */
function nameOf(value: unknown): string {
  const members = membersOf(value);
  if (!members) return typeof value;
  for (const key of ["type", "role"]) if (typeof members[key] === "string") return `${key}=${members[key]}`;
  const telling = Object.keys(members).find((key) => membersOf(members[key]));
  if (telling !== undefined) return telling;
  const first = Object.keys(members)[0] ?? "";
  // Clients that keep texts leave empty ones out, and the reverse.
  return members[first] === "" ? `${first}=` : first;
}

/** What an object is put together from: messages with calls are written otherwise than messages without. */
function makingOf(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .flatMap(([key, value]) =>
      Array.isArray(value) && value.length > 0
        ? [`+${key}:${[...new Set(value.map(nameOf))].sort().join(",")}`]
        : [],
    )
    .sort()
    .join("");
}

/** The text of content that is nothing but text parts. */
function joined(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.map((part) => membersOf(part)?.["text"]);
  return texts.every((text) => typeof text === "string") ? texts.join("") : undefined;
}

/** Two elements that may be the same one, written by two hands. */
function isAkin(a: unknown, b: unknown): boolean {
  if (nameOf(a) === nameOf(b)) return true;
  const [left, right] = [membersOf(a), membersOf(b)];
  if (!left || !right) return false;
  if (left["role"] !== undefined && left["role"] === right["role"] && right["content"] !== undefined)
    return true;
  return Object.keys(left).some((key) => membersOf(left[key]) && membersOf(right[key]));
}

/** One order that keeps to both. */
function mergedOrder(known: readonly string[], seen: readonly string[]): string[] {
  const merged = [...known];
  for (const [index, key] of seen.entries()) {
    if (merged.includes(key)) continue;
    const before = seen.slice(0, index).findLast((other) => merged.includes(other));
    merged.splice(before === undefined ? 0 : merged.indexOf(before) + 1, 0, key);
  }
  return merged;
}

/** A value with the hole where it has this text; `undefined` when it has it nowhere. */
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
