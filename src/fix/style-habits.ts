import { pointerToken } from "../reading/pointer.ts";
import { membersOf } from "./json.ts";
import {
  applied,
  countOutcome,
  type MemberHabits,
  type Members,
  outcomeFor,
  outcomeSeen,
  type StyleOutcome,
  shapeOf,
} from "./style-outcomes.ts";

/** Members that clients move around; they are not evidence of style. */
export const volatileMembers: ReadonlySet<string> = new Set(["cache_control", "cachePoint"]);

/** A part that contains only an empty text. */
export function isSilent(part: unknown): boolean {
  const members = membersOf(part);
  return members?.["text"] === "" && Object.keys(members).every((key) => key === "text" || key === "type");
}

/** What one client does to a reply's elements and their members when it writes them to the history. */
export class StyleHabits {
  /** Keyed by the path to an object and its shape; `path*` for objects of any shape. */
  private readonly members = new Map<string, MemberHabits>();
  /** How often a list element was written or omitted, by its path. */
  private readonly fates = new Map<string, { kept: number; dropped: number }>();
  /** The current round lost something, so an absent element is not evidence. */
  private isBroken = false;

  learn(from: readonly unknown[], to: readonly unknown[], isBroken: boolean): void {
    this.isBroken = isBroken;
    this.learnList("", from, to);
  }

  write(from: readonly unknown[]): unknown[] {
    return this.writeList("", from);
  }

  private learnList(path: string, from: readonly unknown[], to: readonly unknown[]): void {
    let at = 0;
    for (const element of from) {
      const name = `${path}[${nameOf(element)}]`;
      const fate = this.fates.get(name) ?? { kept: 0, dropped: 0 };
      this.fates.set(name, fate);
      const found = this.partnerOf(element, from, to, at);
      if (found < 0) {
        if (!this.isBroken || isSilent(element)) fate.dropped++;
        continue;
      }
      fate.kept++;
      if (found === at || from.length !== to.length) at = found + 1;
      this.learnValue(name, element, to[found]);
    }
  }

  /** The index at or after `at` where the client wrote this element; -1 if it did not. */
  private partnerOf(element: unknown, from: readonly unknown[], to: readonly unknown[], at: number): number {
    const isSameLength = from.length === to.length;
    let partner = at;
    while (partner < to.length && !isAkin(element, to[partner])) partner++;
    if (partner >= to.length) partner = -1;
    if (partner >= 0 && (!isSameLength || partner === at)) return partner;
    // Lists of equal length are compared by index, unless elements changed places.
    const isTaken = from.some((other) => other !== element && isAkin(other, to[at]));
    if (partner >= 0 && isTaken) return partner;
    return isSameLength && !this.isBroken && !isTaken ? at : -1;
  }

  private learnValue(path: string, from: unknown, to: unknown): void {
    if (Array.isArray(from) && Array.isArray(to)) this.learnList(path, from, to);
    const before = membersOf(from);
    const after = membersOf(to);
    if (!before || !after) return;
    for (const key of this.learnMembers(path + makingOf(before), before, after))
      this.learnValue(`${path}/${pointerToken(key)}`, before[key], after[key]);
    // Objects of an unknown shape follow the habits of the same path.
    this.learnMembers(`${path}*`, before, after);
  }

  /** Learns what happened to each member; returns the members that were kept. */
  private learnMembers(path: string, before: Members, after: Members): string[] {
    const habits = this.members.get(path) ?? { order: [], outcomes: new Map() };
    this.members.set(path, habits);
    habits.order = mergedOrder(habits.order, Object.keys(after));
    const kept: string[] = [];
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (volatileMembers.has(key)) continue;
      const from = shapeOf(before, key);
      const seen = Object.hasOwn(after, key)
        ? outcomeSeen(from, before[key], after[key])
        : ({ does: "drop" } as const);
      const outcome = { from, ...seen };
      if (!this.isBroken || !isLossOf(outcome)) countOutcome(habits, key, outcome);
      if (seen.does === "keep") kept.push(key);
    }
    return kept;
  }

  private writeList(path: string, from: readonly unknown[]): unknown[] {
    return from.flatMap((element) => {
      const name = `${path}[${nameOf(element)}]`;
      const fate = this.fates.get(name);
      return fate && fate.dropped > fate.kept ? [] : [this.writeValue(name, element)];
    });
  }

  private writeValue(path: string, from: unknown): unknown {
    if (Array.isArray(from)) return this.writeList(path, from);
    const members = membersOf(from);
    if (!members) return from;
    const exact = this.members.get(path + makingOf(members));
    const habits = exact ?? this.members.get(`${path}*`);
    // Objects that always came back unchanged are data, and keep their member order.
    const isData = !habits || [...habits.outcomes.values()].flat().every(({ does }) => does === "keep");
    const order = isData ? [] : habits.order;
    const keys = [...order, ...Object.keys(members).filter((key) => !order.includes(key))];
    return Object.fromEntries(
      keys.flatMap((key): [string, unknown][] => {
        const below = `${path}/${pointerToken(key)}`;
        const value = isData
          ? this.writeValue(below, members[key])
          : this.writeMember(habits, key, members, below, exact !== undefined);
        return value === undefined ? [] : [[key, value]];
      }),
    );
  }

  /** A member as the client writes it; `undefined` if the client omits it. */
  private writeMember(
    habits: MemberHabits,
    key: string,
    members: Members,
    path: string,
    isExact: boolean,
  ): unknown {
    const shape = shapeOf(members, key);
    const known = outcomeFor(habits, key, shape);
    // Objects of another shape show how values are written, but not which are omitted.
    const isLoss = known?.does === "drop" || known?.does === "constant" || known?.does === "unwrap";
    const outcome = !isExact && isLoss && (shape === "string" || shape === "list") ? undefined : known;
    if (outcome?.does === "drop") return undefined;
    if (outcome && outcome.does !== "keep") return applied(outcome, members[key]);
    // Most clients write the content of an empty message explicitly.
    const isEmpty = shape === "absent" || (shape === "null" && key !== "content");
    return !outcome && isEmpty ? undefined : this.writeValue(path, members[key]);
  }
}

/** Whether an outcome loses content of the reply. */
function isLossOf({ from, does }: Pick<StyleOutcome, "from" | "does">): boolean {
  const wasNothing = from === "absent" || from === "null" || from === "empty";
  return (does === "drop" || does === "constant") && !wasNothing;
}

/** The kind of a list element: its type or role, otherwise its distinctive member. */
function nameOf(value: unknown): string {
  const members = membersOf(value);
  if (!members) return typeof value;
  for (const key of ["type", "role"]) if (typeof members[key] === "string") return `${key}=${members[key]}`;
  const distinct = Object.keys(members).find((key) => membersOf(members[key]));
  if (distinct !== undefined) return distinct;
  const first = Object.keys(members)[0] ?? "";
  // Clients that keep texts may omit empty ones, and the reverse.
  return members[first] === "" ? `${first}=` : first;
}

/** The shape of an object: messages with calls are written differently from messages without. */
function makingOf(members: Members): string {
  return Object.entries(members)
    .flatMap(([key, value]) =>
      Array.isArray(value) && value.length > 0
        ? [`+${key}:${[...new Set(value.map(nameOf))].sort().join(",")}`]
        : [],
    )
    .sort()
    .join("");
}

/** Whether two elements may be two writings of the same one. */
function isAkin(a: unknown, b: unknown): boolean {
  if (nameOf(a) === nameOf(b)) return true;
  const [left, right] = [membersOf(a), membersOf(b)];
  if (!left || !right) return false;
  if (left["role"] !== undefined && left["role"] === right["role"] && right["content"] !== undefined)
    return true;
  return Object.keys(left).some((key) => membersOf(left[key]) && membersOf(right[key]));
}

/** One order that agrees with both. */
function mergedOrder(known: readonly string[], seen: readonly string[]): string[] {
  const merged = [...known];
  for (const [index, key] of seen.entries()) {
    if (merged.includes(key)) continue;
    const before = seen.slice(0, index).findLast((other) => merged.includes(other));
    merged.splice(before === undefined ? 0 : merged.indexOf(before) + 1, 0, key);
  }
  return merged;
}
