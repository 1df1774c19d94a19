import type { Conversation, Relation, Step } from "./conversation.ts";
import { callText } from "./identity.ts";
import type { Item, ToolResult } from "./item.ts";
import { openCalls } from "./pairing/pairing.ts";
import { keyOfRound, type Round, type Turn, turnsOf } from "./rounds.ts";
import { isLeftOut, resultKey } from "./same-result.ts";
import { isPoll, isReading, isStep } from "./tool-names.ts";

/** A round that occurs this often in one turn is a loop; no agent does that on purpose. */
export const loopLength = 3;

/** Rounds with equal calls and equal results. */
export interface Repeat {
  readonly rounds: readonly Round[];
}

/** A sequence of different rounds that recurs in the same order with the same results. */
interface Cycle {
  readonly rounds: readonly Round[];
  /** The number of rounds in one pass. */
  readonly period: number;
}

/** The loops of a turn; a round belongs to at most one. */
export interface Loops {
  readonly cycles: readonly Cycle[];
  readonly repeats: readonly Repeat[];
}

const known = new WeakMap<Turn, Loops>();

/** The loops of a turn and of the work before it that compactions interrupted, computed once. */
export function loopsOf(turn: Turn): Loops {
  let loops = known.get(turn);
  if (!loops) {
    loops = findLoops(turn);
    known.set(turn, loops);
  }
  return loops;
}

interface Seen {
  readonly round: Round;
  readonly key: string;
  readonly turn: Turn;
}

/** The rounds of a turn after those of the turns that it resumes. */
function roundsUpTo(turn: Turn): Seen[] {
  const parts: Turn[] = [turn];
  for (let before = turn.resumes; before; before = before.resumes) parts.push(before);
  return parts
    .reverse()
    .flatMap((part) => part.rounds.map((round) => ({ round, key: keyOfRound(round), turn: part })));
}

function findLoops(turn: Turn): Loops {
  const seen = turn.isResumed ? [] : roundsUpTo(turn);
  if (seen.length < loopLength) return { cycles: [], repeats: [] };
  const counts = new Map<string, number>();
  for (const { key } of seen) counts.set(key, (counts.get(key) ?? 0) + 1);
  // Rounds of a cycle recur as often as repeats do. Results are long, so compare them only for these.
  if (![...counts.values()].some((count) => count >= loopLength)) return { cycles: [], repeats: [] };
  const cycles = findCycles(seen);
  const inCycle = new Set(cycles.flatMap((cycle) => cycle.rounds));
  return { cycles, repeats: findRepeats(seen.filter(({ round }) => !inCycle.has(round))) };
}

const periods = [2, 3, 4] as const;

function findCycles(seen: readonly Seen[]): Cycle[] {
  const cycles: Cycle[] = [];
  let from = 0;
  while (from < seen.length) {
    const found = periods
      .map((period) => ({ period, end: cycleEnd(seen, from, period) }))
      .find(({ period, end }) => end - from >= loopLength * period);
    const members = found ? seen.slice(from, found.end) : [];
    if (found && members.slice(1, found.period).some(({ key }) => key !== members[0]?.key)) {
      const rounds = members.map(({ round }) => round);
      if (!rounds.some(isWaiting)) cycles.push({ rounds, period: found.period });
      from = found.end;
    } else from = Math.max(from + 1, (found?.end ?? 0) - 4);
  }
  return cycles;
}

/** The end of the rounds that equal the round `period` places before. */
function cycleEnd(seen: readonly Seen[], from: number, period: number): number {
  let end = from + period;
  while (end < seen.length && isSame(seen[end - period], seen[end])) end++;
  return end;
}

function isSame(before: Seen | undefined, after: Seen | undefined): boolean {
  if (!before || !after || before.key !== after.key) return false;
  return isOpen(after.round) || hasSameResults(before.round, after.round);
}

function findRepeats(seen: readonly Seen[]): Repeat[] {
  const repeats: { rounds: Round[] }[] = [];
  const current = new Map<string, { rounds: Round[] }>();
  let inARow: Round[] = [];
  for (const [index, { round, key, turn }] of seen.entries()) {
    const before = seen[index - 1];
    if (before && before.turn !== turn) {
      // After a compaction a model looks again at what it has forgotten. It is in a loop only if the same
      // call stands before the compaction and after it.
      const goesOn = before.key === key ? current.get(key) : undefined;
      current.clear();
      if (goesOn) current.set(key, goesOn.rounds.length < loopLength ? { rounds: [...inARow] } : goesOn);
      const resumed = current.get(key);
      if (resumed && resumed !== goesOn) repeats.push(resumed);
    }
    if (before?.key !== key) inARow = [];
    inARow.push(round);
    const repeat = current.get(key);
    const last = repeat?.rounds.at(-1);
    if (repeat && last && (isOpen(round) || hasSameResults(last, round))) repeat.rounds.push(round);
    else {
      if (!repeat && mayChangeThings(round)) current.clear();
      const begun = { rounds: [round] };
      current.set(key, begun);
      repeats.push(begun);
    }
  }
  return repeats.filter(({ rounds }) => rounds.length >= loopLength && !rounds.some(isWaiting));
}

/** The first round, in each of several turns, of a set of calls that fails alike in all of them. */
export function failuresAcrossTurns(turns: readonly Turn[]): Repeat[] {
  const found: Round[][] = [];
  const current = new Map<string, Round[]>();
  const keyed = roundsByTurn(turns);
  const counts = new Map<string, number>();
  for (const { key } of keyed.flat()) counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const rounds of keyed) {
    const failed = new Set<string>();
    for (const { round, key } of rounds) {
      // Whether a round failed stands in its results, which may have to be read from the file.
      if (current.size > 0 && mayChangeThings(round)) current.clear();
      if ((counts.get(key) ?? 0) < loopLength || failed.has(key)) continue;
      if (!round.calls.every(({ result }) => result && hasFailed(result.item))) continue;
      failed.add(key);
      const earlier = current.get(key);
      const last = earlier?.at(-1);
      if (earlier && last && hasSameResults(last, round)) earlier.push(round);
      else {
        const begun = [round];
        current.set(key, begun);
        found.push(begun);
      }
    }
  }
  return found
    .filter((alike) => alike.length >= loopLength && !alike.some(isWaiting))
    .map((alike) => ({ rounds: alike }));
}

/** The rounds of each turn with their keys. Branches share their first rounds, which count once. */
function roundsByTurn(turns: readonly Turn[]): { readonly round: Round; readonly key: string }[][] {
  const seen = new Set<Item | undefined>();
  return turns.map(({ rounds }) =>
    rounds
      .filter(({ calls }) => {
        const first = calls[0]?.call.item;
        return !seen.has(first) && seen.add(first);
      })
      .map((round) => ({ round, key: keyOfRound(round) })),
  );
}

/** The round did more than read, and succeeded: earlier calls may be repeated, like a test after an edit. */
function mayChangeThings({ calls }: Round): boolean {
  return calls.some(
    ({ call, result }) => result !== undefined && !isReading(call.item) && !hasFailed(result.item),
  );
}

/** The result itself reports failure. */
function hasFailed({ isError, text }: ToolResult): boolean {
  return (
    isError === true ||
    /^\W*(?:error|failed|failure|exception|traceback|invalid|cannot|unable)\b|^\{\s*"(?:error|is_?error)"/i.test(
      text.slice(0, 200),
    )
  );
}

/** Repeating the call is its purpose: it polls, pages on, or was asked to wait. */
function isWaiting({ calls }: Round): boolean {
  return calls.some(
    ({ call, result }) =>
      isPoll(call.item) || isStep(call.item) || (result !== undefined && isUnfinished(result.item)),
  );
}

const unfinished =
  "pending|queued|scheduled|in[ _-]?progress|running|processing|provisioning|deploying|building|compiling|starting|initiali[sz]ing|waiting";
const unfinishedState = new RegExp(`^(?:${unfinished})"`, "i");
const unfinishedWords = new RegExp(
  `^(?:${unfinished}|not (?:yet )?(?:ready|finished|complete|done))\\b`,
  "i",
);

/** Characters that hold any of these words and the quote after it. */
const longestState = 16;

/*
 * What stands before the words is matched apart: V8 compiles what follows an optional part once for each
 * length of the part, and the list of words is long.
 */
const stateKey = /"(?:status|state|phase|stage)"\s{0,3}:\s{0,3}"/gi;
const beforeWords = /^\W{0,3}(?:(?:job|task|build|run|it|state|status)\W{1,3}(?:is\s)?)?(?:still\s)?/i;

/** The result says that the work goes on, so asking again is right. */
function isUnfinished(result: ToolResult): boolean {
  if (hasFailed(result)) return false;
  const text = result.text.slice(0, 2000);
  for (const { 0: key, index } of text.matchAll(stateKey)) {
    const start = index + key.length;
    if (unfinishedState.test(text.slice(start, start + longestState))) return true;
  }
  return text.length <= 200 && unfinishedWords.test(text.trim().replace(beforeWords, ""));
}

function isOpen({ calls }: Round): boolean {
  return calls.every(({ result }) => result === undefined);
}

/** A resent request gets the same calls again; these are not repeats. */
const resent: ReadonlySet<Relation> = new Set(["retry", "repeat", "branch"]);

/** Rounds that replies of a conversation made more than once, with any results; the most frequent first. */
export function repeatedRounds(conversation: Conversation): readonly (readonly Round[])[] {
  const answered = new Map<Step, Round>();
  for (const { rounds } of turnsOf(conversation))
    for (const round of rounds) if (!answered.has(round.step)) answered.set(round.step, round);
  const groups = new Map<string, Round[]>();
  for (const step of conversation.steps) {
    const calls = openCalls(step);
    if (calls.length === 0 || resent.has(step.relation)) continue;
    const round = answered.get(step);
    // A step may also carry the round of a reply that the log lacks.
    const own = round?.calls[0]?.call.part === "response" ? round : unansweredRound(step);
    const key = keyOfRound(own);
    const group = groups.get(key);
    if (group) group.push(own);
    else groups.set(key, [own]);
  }
  return [...groups.values()].filter((group) => group.length > 1).sort((a, b) => b.length - a.length);
}

function unansweredRound(step: Step): Round {
  return { calls: openCalls(step).map((call) => ({ call, result: undefined })), step };
}

/** How many different results rounds with the same calls got; 0 if the log has none. */
export function differentResults(rounds: readonly Round[]): number {
  return new Set(rounds.flatMap((round) => keyOfResults(round) ?? [])).size;
}

/** Both rounds got results that say the same. What a log left out is not known to be the same. */
export function hasSameResults(before: Round, after: Round): boolean {
  if (after.calls.some(({ result }) => result && isLeftOut(result.item))) return false;
  const isEqual =
    before.calls.length === after.calls.length &&
    before.calls.every(({ call, result }, index) => {
      const other = after.calls[index];
      return (
        result !== undefined &&
        (result.item.text !== "" || !result.item.hasMedia) &&
        result.item.text === other?.result?.item.text &&
        call.item.argumentsText === other.call.item.argumentsText &&
        call.item.name === other.call.item.name
      );
    });
  // Most repeats get the very same text; spare them the comparison.
  if (isEqual) return true;
  const key = keyOfResults(before);
  return key !== undefined && key === keyOfResults(after);
}

const resultKeys = new WeakMap<Round, string>();

/** Equal for rounds with equal results; absent if one is missing or is an image (not comparable). */
function keyOfResults(round: Round): string | undefined {
  const known = resultKeys.get(round);
  if (known !== undefined) return known;
  const answered = round.calls.map(({ call, result }) => ({ call: call.item, result: result?.item }));
  if (!answered.every(({ result }) => result && (result.text !== "" || !result.hasMedia))) return undefined;
  const key = answered
    .map(({ call, result }) => `${callText(call)}\n${result ? resultKey(result, isReading(call)) : ""}`)
    .sort()
    .join("\n\n");
  resultKeys.set(round, key);
  return key;
}
