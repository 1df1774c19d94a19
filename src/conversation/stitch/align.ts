import type { Change, Placed, Step } from "../conversation.ts";
import { isCall, isResult, placedItems, replyItems } from "../conversation.ts";
import type { History } from "../exchange.ts";
import { callText, contentOf, keyOf } from "../identity.ts";
import type { Item, Role, ToolCall } from "../item.ts";
import { longestIncreasingSubsequence } from "./longest-increasing-subsequence.ts";

/** How a history compares with what it should contain: the parent's history and reply. */
export interface Alignment {
  readonly kept: number;
  readonly added: Placed[];
  readonly missing: Placed[];
  readonly changed: Change[];
  readonly moved: { before: Placed; after: Placed }[];
  readonly echoes: { before: Placed; after: Placed }[];
  /** The parent's item for each item that was found again. */
  readonly partners: ReadonlyMap<Placed, Placed>;
  /**
   * How many items of the parent were found again, without kept ones and (shared by forks) system prompts.
   */
  readonly matched: number;
  /** How many history elements these occupy. */
  readonly matchedElements: number;
  /** How many of these come unchanged from the model or a tool. */
  readonly spoken: number;
}

/**
 * Compares the items after the common prefix: `expected` (the rest of the parent's history, then its reply)
 * with `actual`. Items match by content, then by id, then by text if ids are missing or made up.
 */
export function align(parent: Step, step: Step, history: History, kept: number): Alignment {
  const expected = [...placedItems(parent, parent.request?.history, kept), ...replyItems(parent)].filter(
    carriesMeaning,
  );
  const actual = [...placedItems(step, history, kept)].filter(carriesMeaning);
  const partner = new Map<Placed, Placed>();
  const taken = new Set<Placed>();
  const changed: Change[] = [];
  /** What no way found so far. */
  let [openBefore, openAfter] = [expected, actual];

  const meet = (before: Placed, after: Placed, what?: Change["what"]): void => {
    partner.set(after, before);
    taken.add(before);
    if (what) changed.push({ before, after, what });
  };
  const meetBy = (
    key: (placed: Placed) => string | undefined,
    what?: (before: Item, after: Item) => Change["what"] | undefined,
  ): void => {
    // Most histories match by content, so the other ways have little left to look at.
    openBefore = openBefore.filter((before) => !taken.has(before));
    openAfter = openAfter.filter((after) => !partner.has(after));
    if (openBefore.length === 0 || openAfter.length === 0) return;
    const waiting = new Map<string, Placed[]>();
    for (const before of openBefore) {
      const name = key(before);
      if (name === undefined) continue;
      const list = waiting.get(name);
      if (list) list.push(before);
      else waiting.set(name, [before]);
    }
    if (waiting.size === 0) return;
    // From the end: of several equal items, the newest are likeliest to remain.
    for (const after of openAfter.toReversed()) {
      const name = key(after);
      const before = name === undefined ? undefined : waiting.get(name)?.pop();
      if (before) meet(before, after, what?.(before.item, after.item));
    }
  };

  // Without ids only its call distinguishes one of several equal results, so calls match first.
  const areIdless = expected.some(lacksId) || actual.some(lacksId);
  const waiting = areIdless ? lastCalls(parent, kept) : [];
  const asked = areIdless ? answeredCalls(expected, waiting) : noCalls;
  const made = areIdless ? answeredCalls(actual, waiting) : noCalls;
  const shared = new Set(waiting);
  meetBy((placed) => (lacksId(placed) ? undefined : contentOf(placed.item)));
  const callOf = (placed: Placed): Placed | undefined => {
    const call = made.get(placed);
    return asked.get(placed) ?? (call && (shared.has(call) ? call : partner.get(call)));
  };
  if (areIdless) {
    const places = new Map([...waiting, ...expected].map((placed, index) => [placed, index]));
    meetBy((placed) => {
      const call = lacksId(placed) ? callOf(placed) : undefined;
      return call && `${places.get(call)}`;
    }, differenceOf);
  }
  /** Its call is matched already, so the result of another call is a different one. */
  const isSettled = (placed: Placed): boolean => {
    const call = lacksId(placed) ? made.get(placed) : undefined;
    return call !== undefined && (partner.has(call) || shared.has(call));
  };
  const unlessSettled = (key: (placed: Placed) => string | undefined) => (placed: Placed) =>
    isSettled(placed) ? undefined : key(placed);
  meetBy(unlessSettled((placed) => contentOf(placed.item)));
  meetBy(
    unlessSettled((placed) => keyOf(placed.item)),
    differenceOf,
  );
  meetBy(
    (placed) => ownId(placed.item),
    (_, after) => (after.kind === "reference" ? undefined : differenceOf(_, after)),
  );
  // Ids made up by the client, or missing on one side: the arguments identify the call, the text the result.
  meetBy(
    (placed) => (isCall(placed) ? callText(placed.item) : undefined),
    (before, after) => (bothIds(before, after) ? "id" : undefined),
  );
  const renamed = new Map(
    [...partner].flatMap(([after, before]) =>
      isCall(after) && isCall(before) ? [[after.item.id, before.item.id] as const] : [],
    ),
  );
  meetBy(
    unlessSettled((placed) => resultKey(placed, renamed)),
    (before, after) => (bothIds(before, after) ? "id" : undefined),
  );
  const isExpected = (placed: Placed): boolean => placed.step === parent;
  // Reasoning that lost its seal still has its text.
  meetBy(
    (placed) =>
      placed.item.kind === "reasoning" && (placed.item.seal !== undefined) === isExpected(placed)
        ? placed.item.text.trim() || undefined
        : undefined,
    () => "reasoning",
  );
  // The text identifies a result that lost its id on the way, or got one.
  const textOfResult = (placed: Placed, hasId: boolean): string | undefined =>
    isResult(placed) && !isSettled(placed) && (placed.item.callId !== undefined) === hasId
      ? placed.item.text.trim() || undefined
      : undefined;
  meetBy((placed) => textOfResult(placed, isExpected(placed)));
  meetBy((placed) => textOfResult(placed, !isExpected(placed)));
  // A doubled name (`readread`) is still the same tool.
  meetBy(
    ({ item }) =>
      item.kind === "call" && item.id === undefined
        ? callText({ ...item, name: undoubled(item.name) })
        : undefined,
    differenceOf,
  );
  meetByName(expected, actual, partner, taken, meet);
  meetTexts(expected, actual, partner, taken, meet);
  // Under a role that the API does not have, a message is still there.
  for (const isUnknown of [true, false])
    meetBy(({ item, step: holder }) =>
      item.kind === "message" && (item.role === "unknown") === ((holder === parent) === isUnknown)
        ? dense(item.text)
        : undefined,
    );

  const missing = expected.filter((before) => !taken.has(before));
  const added = actual.filter((after) => !partner.has(after));
  const echoes = actual.flatMap((after) => {
    const before = partner.get(after);
    return before?.part === "response" ? [{ before, after }] : [];
  });
  return {
    kept,
    added,
    missing,
    changed,
    moved: movedItems(expected, actual, partner),
    echoes,
    partners: partner,
    matched: [...partner.keys()].filter(({ item }) => item.role !== "system").length,
    matchedElements: new Set(
      [...partner.keys()].filter(({ item }) => item.role !== "system").map(({ element }) => element),
    ).size,
    spoken: spokenOf(partner, changed),
  };
}

const noCalls: ReadonlyMap<Placed, Placed> = new Map();

/** A result without a call id. */
function lacksId({ item }: Placed): boolean {
  return item.kind === "result" && item.callId === undefined;
}

/** The newest calls of the common prefix, if results for some of them may come after it. */
function lastCalls(parent: Step, kept: number): readonly Placed[] {
  const history = parent.request?.history;
  let from = kept;
  while (history && from > 0 && history.role(from - 1) !== "assistant") {
    if (!history.items(from - 1).every((item) => item.kind === "result")) return [];
    from--;
  }
  while (history && from > 0 && history.role(from - 1) === "assistant") from--;
  const newest = [...placedItems(parent, history, from)].filter(({ element }) => element < kept);
  const answered = new Set(answeredCalls(newest).values());
  return newest.filter((placed) => isCall(placed) && !answered.has(placed));
}

/** The calls that results without ids answer: the first open one of their tool. */
function answeredCalls(
  items: readonly Placed[],
  waiting: readonly Placed[] = [],
): ReadonlyMap<Placed, Placed> {
  const answered = new Map<Placed, Placed>();
  const taken = new Set<Placed>();
  /** The calls of a tool, and of all tools, each from the first that may be open. */
  const queues = new Map<string | undefined, { readonly calls: Placed<ToolCall>[]; next: number }>();
  const wait = (call: Placed<ToolCall>): void => {
    for (const name of [undefined, call.item.name]) {
      const queue = queues.get(name) ?? { calls: [], next: 0 };
      queues.set(name, queue);
      queue.calls.push(call);
    }
  };
  const take = (name: string | undefined): Placed | undefined => {
    const queue = queues.get(name);
    for (; queue && queue.next < queue.calls.length; queue.next++) {
      const call = queue.calls[queue.next];
      if (call && !taken.has(call)) return call;
    }
    return undefined;
  };
  for (const call of waiting) if (isCall(call)) wait(call);
  for (const placed of items) {
    if (isCall(placed)) wait(placed);
    else if (placed.item.kind === "result" && lacksId(placed)) {
      const call = take(placed.item.name);
      if (!call) continue;
      taken.add(call);
      answered.set(placed, call);
    }
  }
  return answered;
}

function spokenOf(partner: ReadonlyMap<Placed, Placed>, changed: readonly Change[]): number {
  const edited = new Set(changed.map((change) => change.after));
  return [...partner.keys()].filter(
    (after) =>
      !edited.has(after) &&
      (after.item.role === "assistant" || after.item.kind === "result") &&
      isUnderstood(after.item),
  ).length;
}

/** Two items of which nothing could be read are not known to say the same. */
export function isUnderstood(item: Item): boolean {
  switch (item.kind) {
    case "message":
      return item.text.trim() !== "";
    case "reasoning":
      return item.text.trim() !== "" || item.seal !== undefined || item.id !== undefined;
    case "call":
      return item.name !== "" || item.id !== undefined;
    default:
      return true;
  }
}

/** Empty messages carry nothing; clients add and drop them at will. */
export function carriesMeaning({ item }: Pick<Placed, "item">): boolean {
  return item.kind === "call" || (item.kind === "message" && item.hasMedia) || isUnderstood(item);
}

/** The text identifies a result whose call's id was made up or lost on the way. */
function resultKey(
  placed: Placed,
  renamed: ReadonlyMap<string | undefined, string | undefined>,
): string | undefined {
  if (placed.item.kind !== "result") return undefined;
  const { callId, text } = placed.item;
  const id = placed.part === "request" && renamed.has(callId) ? renamed.get(callId) : callId;
  return id === undefined || callId === undefined ? text.trim() : `${id} ${text.trim()}`;
}

function ownId(item: Item): string | undefined {
  if (item.kind === "reference") return item.id;
  if (item.kind === "call" || item.kind === "message") return item.itemId;
  return item.kind === "reasoning" || item.kind === "opaque" ? item.id : undefined;
}

function bothIds(before: Item, after: Item): boolean {
  if (before.kind === "call" && after.kind === "call")
    return before.id !== undefined && after.id !== undefined && before.id !== after.id;
  if (before.kind === "result" && after.kind === "result")
    return before.callId !== undefined && after.callId !== undefined && before.callId !== after.callId;
  return false;
}

function differenceOf(before: Item, after: Item): Change["what"] | undefined {
  if (before.kind !== after.kind) return "kind";
  if (before.kind === "call" && after.kind === "call") {
    if (before.name !== after.name) return "name";
    return callText(before) === callText(after) ? undefined : "arguments";
  }
  if (before.kind === "result" && after.kind === "result")
    return before.text.trim() === after.text.trim() ? undefined : "result";
  if (before.kind === "reasoning") return "reasoning";
  return "text";
}

/** Halves a name that a client doubled. */
function undoubled(name: string): string {
  const half = name.slice(0, name.length / 2);
  return half.repeat(2) === name ? half : name;
}

/** Calls without ids and with different arguments: matched in order if both sides have as many per tool. */
function meetByName(
  expected: readonly Placed[],
  actual: readonly Placed[],
  partner: ReadonlyMap<Placed, Placed>,
  taken: ReadonlySet<Placed>,
  meet: (before: Placed, after: Placed, what?: Change["what"]) => void,
): void {
  const open = (list: readonly Placed[], isDone: (placed: Placed) => boolean): Map<string, Placed[]> => {
    const byName = new Map<string, Placed[]>();
    for (const placed of list) {
      if (isDone(placed) || !isCall(placed)) continue;
      const calls = byName.get(placed.item.name);
      if (calls) calls.push(placed);
      else byName.set(placed.item.name, [placed]);
    }
    return byName;
  };
  if (taken.size === expected.length || partner.size === actual.length) return;
  const before = open(expected, (placed) => taken.has(placed));
  const after = open(actual, (placed) => partner.has(placed));
  for (const [name, calls] of before) {
    const same = after.get(name) ?? [];
    const lacksIds = [...calls, ...same].some((placed) => isCall(placed) && placed.item.id === undefined);
    if (!lacksIds || same.length !== calls.length) continue;
    for (const [index, call] of calls.entries()) {
      const other = same[index];
      if (other) meet(call, other, "arguments");
    }
  }
}

/** Matches texts that were joined, split, trimmed or edited. */
function meetTexts(
  expected: readonly Placed[],
  actual: readonly Placed[],
  partner: ReadonlyMap<Placed, Placed>,
  taken: Set<Placed>,
  meet: (before: Placed, after: Placed, what?: Change["what"]) => void,
): void {
  if (taken.size === expected.length) return;
  let order: ReturnType<typeof orderOf> | undefined;
  const keepsOrder = (before: Placed, after: Placed): boolean => {
    order ??= orderOf(expected, actual, partner);
    return order(before, after);
  };
  for (const role of ["assistant", "user", "system"] as const) {
    const lost = expected.filter((before) => !taken.has(before) && isMessageOf(before, role));
    if (lost.length === 0) continue;
    const own = actual.filter((placed) => isMessageOf(placed, role));
    const texts = own.map((placed) => ({ placed, words: dense(textOf(placed)) }));
    const holderOf = firstHolder(texts.map(({ words }) => words));
    const loose = texts.filter(({ placed }) => !partner.has(placed));
    const all = loose.map(({ words }) => words).join("");
    for (const before of lost) {
      const text = dense(textOf(before));
      const holder = texts[holderOf(text)]?.placed;
      if (holder && !partner.has(holder)) meet(before, holder);
      else if (holder || (text.length > 0 && all.includes(text))) taken.add(before);
      else {
        const similar = loose.find(
          ({ placed, words }) =>
            !partner.has(placed) && isSimilar(words, text, role) && keepsOrder(before, placed),
        );
        if (similar) meet(before, similar.placed, "text");
      }
    }
  }
}

/**
 * An edited text keeps its position. A text that resembles an older one, but follows that one's successors,
 * is new: where the log lacks replies, the newest answer resembles the oldest one that a window dropped.
 */
function orderOf(
  expected: readonly Placed[],
  actual: readonly Placed[],
  partner: ReadonlyMap<Placed, Placed>,
): (before: Placed, after: Placed) => boolean {
  const places = new Map(expected.map((placed, index) => [placed, index]));
  /** How far matching has got in `expected` before each item of `actual`. */
  const reached = new Map<Placed, number>();
  let furthest = -1;
  for (const placed of actual) {
    reached.set(placed, furthest);
    const met = partner.get(placed);
    if (met) furthest = Math.max(furthest, places.get(met) ?? -1);
  }
  return (before, after) => (reached.get(after) ?? -1) < (places.get(before) ?? 0);
}

function isMessageOf({ item }: Placed, role: Role): boolean {
  return item.kind === "message" && item.role === role;
}

/**
 * Finds the first of some texts without white space that contains another one; past the last for none. One
 * search through all of them is far faster than one for each.
 */
function firstHolder(texts: readonly string[]): (part: string) => number {
  const joined = texts.join("\n");
  /** Where each text ends in `joined`. */
  const ends: number[] = [];
  let end = -1;
  for (const text of texts) {
    end += text.length + 1;
    ends.push(end);
  }
  return (part) => {
    const at = joined.indexOf(part);
    return at < 0 ? texts.length : firstIndex(ends.length, (index) => (ends[index] ?? 0) >= at);
  };
}

/** The first index for which a condition holds that holds from some index on. */
function firstIndex(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function textOf(placed: Placed): string {
  return placed.item.kind === "message" ? placed.item.text : "";
}

function dense(text: string): string {
  return text.replace(/\s+/g, "");
}

/** A user's questions often differ in one word; a reminder that changes its date is longer. */
const minEdited = 120;

/** The same text, edited: one contains the other, or half of the shorter one is a common prefix or suffix. */
function isSimilar(a: string, b: string, role: Role): boolean {
  const shorter = Math.min(a.length, b.length);
  if (shorter < 4) return false;
  if (a.includes(b) || b.includes(a)) return true;
  if (role === "user" && shorter < minEdited) return false;
  let head = 0;
  while (head < shorter && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  return (head + tail) * 2 >= shorter;
}

/** Items that changed places: those outside the longest subsequence in the old order. */
function movedItems(
  expected: readonly Placed[],
  actual: readonly Placed[],
  partner: ReadonlyMap<Placed, Placed>,
): { before: Placed; after: Placed }[] {
  const order = new Map(expected.map((placed, index) => [placed, index]));
  const found = actual.flatMap((after) => {
    const before = partner.get(after);
    return before ? [{ before, after, at: order.get(before) ?? 0 }] : [];
  });
  const inOrder = found.every((entry, index) => index === 0 || entry.at > (found[index - 1]?.at ?? -1));
  if (inOrder) return [];
  const stay = new Set(longestIncreasingSubsequence(found.map((entry) => entry.at)));
  return found.flatMap(({ before, after }, index) => (stay.has(index) ? [] : [{ before, after }]));
}
