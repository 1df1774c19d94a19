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

/** Members that clients move about; they say nothing about style. */
export const volatileMembers: ReadonlySet<string> = new Set(["cache_control", "cachePoint"]);

/** A part that is nothing but an empty text. */
export function isSilent(part: unknown): boolean {
  const members = membersOf(part);
  return members?.["text"] === "" && Object.keys(members).every((key) => key === "text" || key === "type");
}

/** What one client does to the elements of a reply and to their members when it writes them down. */
export class StyleHabits {
  /** By the path to an object and by its make-up; `path*` for objects of every make-up. */
  private readonly members = new Map<string, MemberHabits>();
  /** By the path to an element of a list: how often it was written, and how often omitted. */
  private readonly fates = new Map<string, { kept: number; dropped: number }>();
  /** The round that is being learned from lost something, so what is missing in it proves nothing. */
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

  /** Where the client wrote this element, looking from `at` on; -1 where it did not. */
  private partnerOf(element: unknown, from: readonly unknown[], to: readonly unknown[], at: number): number {
    const isSameLength = from.length === to.length;
    const partner = to.findIndex((other, index) => index >= at && isAkin(element, other));
    // Lists of the same length are compared element by element, unless elements have changed places.
    const isTaken = from.some((other) => other !== element && isAkin(other, to[at]));
    if (partner >= 0 && (!isSameLength || partner === at || isTaken)) return partner;
    return isSameLength && !this.isBroken && !isTaken ? at : -1;
  }

  private learnValue(path: string, from: unknown, to: unknown): void {
    if (Array.isArray(from) && Array.isArray(to)) this.learnList(path, from, to);
    const before = membersOf(from);
    const after = membersOf(to);
    if (!before || !after) return;
    for (const key of this.learnMembers(path + makingOf(before), before, after))
      this.learnValue(`${path}/${pointerToken(key)}`, before[key], after[key]);
    // An object of a make-up that was never seen is still written by the same client.
    this.learnMembers(`${path}*`, before, after);
  }

  /** Learns what became of each member; returns the members that were kept. */
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
    // What always came back unchanged is data: its members keep their order.
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

  /** A member as the client writes it; `undefined` where it omits it. */
  private writeMember(
    habits: MemberHabits,
    key: string,
    members: Members,
    path: string,
    isExact: boolean,
  ): unknown {
    const shape = shapeOf(members, key);
    const known = outcomeFor(habits, key, shape);
    // Objects of another make-up show how things are written, not what is omitted.
    const isLoss = known?.does === "drop" || known?.does === "constant" || known?.does === "unwrap";
    const outcome = !isExact && isLoss && (shape === "string" || shape === "list") ? undefined : known;
    if (outcome?.does === "drop") return undefined;
    if (outcome && outcome.does !== "keep") return applied(outcome, members[key]);
    // Where a message says nothing, most clients state its content all the same.
    const isEmpty = shape === "absent" || (shape === "null" && key !== "content");
    return !outcome && isEmpty ? undefined : this.writeValue(path, members[key]);
  }
}

/** Something that the reply said is gone. */
function isLossOf({ from, does }: Pick<StyleOutcome, "from" | "does">): boolean {
  const wasNothing = from === "absent" || from === "null" || from === "empty";
  return (does === "drop" || does === "constant") && !wasNothing;
}

/** What an element of a list is: by its type or role, else by the member that sets it apart. */
function nameOf(value: unknown): string {
  const members = membersOf(value);
  if (!members) return typeof value;
  for (const key of ["type", "role"]) if (typeof members[key] === "string") return `${key}=${members[key]}`;
  const distinct = Object.keys(members).find((key) => membersOf(members[key]));
  if (distinct !== undefined) return distinct;
  const first = Object.keys(members)[0] ?? "";
  // Clients that keep texts leave empty ones out, and the reverse.
  return members[first] === "" ? `${first}=` : first;
}

/** What an object is made up of: messages with calls are written otherwise than messages without. */
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

/** Whether two elements may be the same one, written by two hands. */
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
