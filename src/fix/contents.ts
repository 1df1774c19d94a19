import type { CheckedRun } from "../check/check.ts";
import type { Step } from "../conversation/conversation.ts";
import type { Exchange, History } from "../conversation/exchange.ts";
import { callText, commonElements } from "../conversation/identity.ts";
import type { Item } from "../conversation/item.ts";
import type { Finding } from "../findings/finding.ts";
import { pushAll } from "../reading/lists.ts";
import { type FixState, protocolsByName } from "./fixed-request.ts";
import type { FixedState } from "./proposal.ts";
import { type FixReason, historyWith } from "./target.ts";

/** Rules whose safe repair replaces a text, or leaves out what is there twice. */
const replacing: ReadonlySet<string> = new Set([
  "invalid-request",
  "text-tool-call",
  "duplicate-call-id",
  "duplicate-tool-result",
  "result-kind-mismatch",
  "malformed-tool-result",
  "misencoded-arguments",
  "incomplete-arguments",
  "mixed-protocols",
  "lost-fragments",
  "rewritten-history",
  "dropped-reasoning",
  "refused-reasoning",
  "resent-items",
  "unresolvable-reference",
]);

/** How often something occurs. */
type Counts = Map<string, number>;

/**
 * What repairs lose or double, by position. A repair moves, restores and renames; unless its finding says
 * so, each text, call and result of the recorded request remains, and none occurs more often than the log
 * shows it as new.
 */
export function faultsInContents(
  run: CheckedRun,
  { states, conversations }: FixedState,
): { readonly why: string; readonly position: number }[] {
  const faults: { readonly why: string; readonly position: number }[] = [];
  for (const { steps } of conversations) {
    let counts: Counts | undefined;
    const shown = (): Counts => {
      counts ??= shownIn(steps, run.exchanges);
      return counts;
    };
    for (const { exchange } of steps) {
      const state = states.get(exchange.position);
      const recorded = run.exchanges[exchange.position - 1];
      if (!state || !recorded?.request) continue;
      const why = faultIn(recorded, state, shown);
      if (why !== undefined) faults.push({ why, position: exchange.position });
    }
  }
  return faults;
}

function faultIn(exchange: Exchange, state: FixState, shown: () => Counts): string | undefined {
  const protocol = protocolsByName.get(exchange.protocol);
  const before = exchange.request?.history;
  if (!protocol || !before) return undefined;
  if (before.length > 0 && state.entries.length === 0) return "the repaired history would be empty";
  const after = historyWith(state.entries, protocol);
  const kept = new Set<number>();
  const gained: Item[] = [];
  const whys: FixReason[] = [...state.removals];
  for (const [index, { recorded, element, whys: own }] of state.entries.entries()) {
    if (recorded !== undefined && before.element(recorded) === element) {
      kept.add(recorded);
      continue;
    }
    pushAll(gained, after.items(index));
    if (recorded !== undefined) pushAll(whys, own);
  }
  const lost: Item[] = [];
  for (let index = 0; index < before.length; index++)
    if (!kept.has(index)) pushAll(lost, before.items(index));
  return (
    (whys.some(({ finding }) => mayReplace(finding)) ? undefined : lossIn(lost, gained)) ??
    doubleIn(gained, lost, before, shown) ??
    repeatIn(state, after)
  );
}

function mayReplace({ rule, fix }: Finding): boolean {
  return fix?.safety !== "safe" || replacing.has(rule);
}

function lossIn(lost: readonly Item[], gained: readonly Item[]): string | undefined {
  const counts = new Map<string, number>();
  for (const item of gained) add(counts, textKey(item), 1);
  const texts = gained.map(textKey).join("\n");
  for (const item of lost) {
    const key = textKey(item);
    if (key === "") continue;
    const left = counts.get(key) ?? 0;
    counts.set(key, left - 1);
    if (left <= 0 && !texts.includes(key)) return `the repair would lose ${described(item)}`;
  }
  return undefined;
}

function doubleIn(
  gained: readonly Item[],
  lost: readonly Item[],
  before: History,
  shown: () => Counts,
): string | undefined {
  const more: Counts = new Map();
  for (const item of gained) for (const key of keysOf(item)) add(more, key, 1);
  for (const item of lost) for (const key of keysOf(item)) add(more, key, -1);
  const grown = new Set([...more].flatMap(([key, count]) => (count > 0 ? [key] : [])));
  if (grown.size === 0) return undefined;
  const now: Counts = new Map([...grown].map((key) => [key, more.get(key) ?? 0]));
  for (let index = 0; index < before.length; index++)
    for (const item of before.items(index))
      for (const key of keysOf(item)) if (grown.has(key)) add(now, key, 1);
  const most = shown();
  const isTooMany = (key: string): boolean => (now.get(key) ?? 0) > Math.max(1, most.get(key) ?? 0);
  const doubled = gained.find((item) => {
    const keys = keysOf(item);
    return keys.length > 0 && keys.every((key) => grown.has(key) && isTooMany(key));
  });
  return doubled && `the repair would write ${described(doubled)} twice`;
}

/** An inserted message beside the same one, which the log may have under another role. */
function repeatIn({ entries }: FixState, after: History): string | undefined {
  const words = (index: number): string =>
    index >= 0 && index < after.length && after.items(index).every(({ kind }) => kind === "message")
      ? after.items(index).map(textKey).join("\n")
      : "";
  for (const [index, { recorded }] of entries.entries()) {
    const own = recorded === undefined ? words(index) : "";
    if (own === "") continue;
    for (const near of [index - 1, index + 1])
      if (entries[near]?.recorded !== undefined && words(near) === own)
        return `the repair would write the text \`${excerpt(own)}\` twice`;
  }
  return undefined;
}

/**
 * How often each item occurs in a conversation as something new: in a reply, or in a request that has more
 * of it than the request that it continues and the reply to that one.
 */
function shownIn(steps: readonly Step[], exchanges: readonly Exchange[]): Counts {
  const total: Counts = new Map();
  const recorded = (step: Step | undefined): Exchange | undefined =>
    step && exchanges[step.exchange.position - 1];
  for (const step of steps) {
    const own = recorded(step);
    for (const item of own?.reply?.items ?? []) for (const key of keysOf(item)) add(total, key, 1);
    const history = own?.request?.history;
    if (!history) continue;
    const earlier = recorded(step.parent)?.request?.history;
    const from = earlier ? commonElements(earlier, history) : 0;
    const fresh = countsFrom(history, from);
    if (earlier) for (const [key, count] of countsFrom(earlier, from)) add(fresh, key, -count);
    const said = recorded(step.parent)?.reply?.items ?? [];
    for (const item of said) for (const key of keysOf(item)) add(fresh, key, -1);
    for (const [key, count] of fresh) if (count > 0) add(total, key, count);
  }
  return total;
}

function countsFrom(history: History, from: number): Counts {
  const counts: Counts = new Map();
  for (let index = from; index < history.length; index++)
    for (const item of history.items(index)) for (const key of keysOf(item)) add(counts, key, 1);
  return counts;
}

function add(counts: Counts, key: string, count: number): void {
  if (key !== "") counts.set(key, (counts.get(key) ?? 0) + count);
}

/** What an item says, whoever says it: a wrong role or id makes it no other item. */
function textKey(item: Item): string {
  if (item.kind === "call") return callText(item);
  if (item.kind === "reasoning") return item.seal ?? item.text.trim();
  return item.kind === "message" || item.kind === "result" ? item.text.trim() : "";
}

/** The names of an item: by what it says, and by its id. It occurs too often only under all of them. */
function keysOf(item: Item): string[] {
  const text = textKey(item);
  if (text === "") return [];
  const id = item.kind === "call" ? item.id : item.kind === "result" ? item.callId : undefined;
  return id === undefined ? [`${item.kind} ${text}`] : [`${item.kind} ${text}`, `${item.kind} ${id} ${text}`];
}

/** An item in a sentence of the report. */
function described(item: Item): string {
  if (item.kind === "call") return `the call to \`${excerpt(item.name)}\``;
  const text = textKey(item);
  return item.kind === "result" ? `the result \`${excerpt(text)}\`` : `the text \`${excerpt(text)}\``;
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 40 ? `${line.slice(0, 40)}…` : line;
}
