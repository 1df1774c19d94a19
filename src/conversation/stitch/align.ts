import type { Change, Placed, Step } from "../conversation.ts";
import { isCall, isResult, placedItems, replyItems } from "../conversation.ts";
import type { History } from "../exchange.ts";
import { callText, contentOf, keyOf } from "../identity.ts";
import type { Item } from "../item.ts";
import { IdlessResults, lacksId } from "./idless-results.ts";
import { longestIncreasingSubsequence } from "./longest-increasing-subsequence.ts";
import { Matching } from "./matching.ts";
import { dense, meetTexts } from "./text-matches.ts";

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
  const matching = new Matching(expected, actual);
  matchAll(matching, parent, new IdlessResults(matching, parent, kept));
  const { partners, taken, changed } = matching;
  const echoes = actual.flatMap((after) => {
    const before = partners.get(after);
    return before?.part === "response" ? [{ before, after }] : [];
  });
  const matched = [...partners.keys()].filter(({ item }) => item.role !== "system");
  return {
    kept,
    added: actual.filter((after) => !partners.has(after)),
    missing: expected.filter((before) => !taken.has(before)),
    changed,
    moved: movedItems(expected, actual, partners),
    echoes,
    partners,
    matched: matched.length,
    matchedElements: new Set(matched.map(({ element }) => element)).size,
    spoken: spokenOf(partners, changed),
  };
}

/** Goes all ways of matching, the surest first. */
function matchAll(matching: Matching, parent: Step, idless: IdlessResults): void {
  const unlessSettled = (key: (placed: Placed) => string | undefined) => (placed: Placed) =>
    idless.isSettled(placed) ? undefined : key(placed);
  const isExpected = (placed: Placed): boolean => placed.step === parent;
  matching.meetBy((placed) => (lacksId(placed) ? undefined : contentOf(placed.item)));
  if (idless.exist) matching.meetBy((placed) => idless.callKey(placed), differenceOf);
  matching.meetBy(unlessSettled((placed) => contentOf(placed.item)));
  matching.meetBy(
    unlessSettled((placed) => keyOf(placed.item)),
    differenceOf,
  );
  matching.meetBy(
    (placed) => ownId(placed.item),
    (before, after) => (after.kind === "reference" ? undefined : differenceOf(before, after)),
  );
  // Ids made up by the client, or missing on one side: the arguments identify the call, the text the result.
  const otherId = (before: Item, after: Item) => (bothIds(before, after) ? ("id" as const) : undefined);
  matching.meetBy((placed) => (isCall(placed) ? callText(placed.item) : undefined), otherId);
  const renamed = new Map(
    [...matching.partners].flatMap(([after, before]) =>
      isCall(after) && isCall(before) ? [[after.item.id, before.item.id] as const] : [],
    ),
  );
  matching.meetBy(
    unlessSettled((placed) => resultKey(placed, renamed)),
    otherId,
  );
  // Reasoning that lost its seal still has its text.
  matching.meetBy(
    (placed) =>
      placed.item.kind === "reasoning" && (placed.item.seal !== undefined) === isExpected(placed)
        ? placed.item.text.trim() || undefined
        : undefined,
    () => "reasoning",
  );
  // The text identifies a result that lost its id on the way, or got one.
  const textOfResult = (placed: Placed, hasId: boolean): string | undefined =>
    isResult(placed) && !idless.isSettled(placed) && (placed.item.callId !== undefined) === hasId
      ? placed.item.text.trim() || undefined
      : undefined;
  matching.meetBy((placed) => textOfResult(placed, isExpected(placed)));
  matching.meetBy((placed) => textOfResult(placed, !isExpected(placed)));
  // A doubled name (`readread`) is still the same tool.
  matching.meetBy(
    ({ item }) =>
      item.kind === "call" && item.id === undefined
        ? callText({ ...item, name: undoubled(item.name) })
        : undefined,
    differenceOf,
  );
  matching.meetByName();
  meetTexts(matching);
  // Under a role that the API does not have, a message is still there.
  for (const isUnknown of [true, false])
    matching.meetBy((placed) =>
      placed.item.kind === "message" &&
      (placed.item.role === "unknown") === (isExpected(placed) === isUnknown)
        ? dense(placed.item.text)
        : undefined,
    );
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
