import { dirname } from "node:path";
import { groupBy } from "../reading/group-by.ts";
import { pushAll, smallest } from "../reading/lists.ts";
import { type EndHistory, type EndTurn, type FileEnds, mostEnds } from "./ends.ts";

/** How many runs of one directory to compare with a file: several conversations may be logged in parallel. */
const maxRuns = 8;

/**
 * Groups files into runs. A session and its sub-agents' files are one run, in any directories. In one
 * directory, files whose requests continue each other are one run: a file per request, or rotated logs, taken
 * in writing order (see {@link inOrderOfWriting}). A file joins a run if one of its first requests begins
 * with the whole history of one of the run's last requests, the model had spoken by then, and nothing else
 * continues from there. It also joins if it has a call of the run's last reply, or has the next number and
 * the same opening user message: then it lost something on the way. The parts of a rotated log are one run
 * whatever they hold.
 */
export function groupRuns<F>(files: readonly F[], endsOf: (file: F) => FileEnds): F[][] {
  const byEnds = new Map(files.map((file) => [endsOf(file), file]));
  return groupEnds([...byEnds.keys()]).map((run) => run.map((ends) => byEnds.get(ends) as F));
}

function groupEnds(files: readonly FileEnds[]): FileEnds[][] {
  const runs: FileEnds[][] = [];
  for (const folder of groupBy(files, ({ path }) => dirname(path)).values()) {
    /** The newest runs of the folder, the most recently extended last. */
    const growing: FileEnds[][] = [];
    for (const file of folder.length > 1 ? inOrderOfWriting(folder) : folder) {
      const at = growing.findLastIndex((run) => joins(run, file));
      const [run = []] = at < 0 ? [] : growing.splice(at, 1);
      if (run.length === 0) runs.push(run);
      run.push(file);
      growing.push(run);
      if (growing.length > maxRuns) growing.shift();
    }
  }
  // Report files in the given order.
  const order = new Map(files.map((file, index) => [file, index]));
  const placed = withSubAgents(runs).map((run) => ({
    run,
    place: smallest(run.map((file) => order.get(file) ?? 0)),
  }));
  return placed.sort((a, b) => a.place - b.place).map(({ run }) => run);
}

/**
 * By the time of their first request if all have one; else by name, with numbers compared as numbers. Rotated
 * files are older than the current one.
 */
function inOrderOfWriting(files: readonly FileEnds[]): FileEnds[] {
  const filled = files.filter(({ exchanges }) => exchanges > 0);
  const areTimed = filled.every(({ time }) => time !== undefined);
  const names = new Map(files.map((file) => [file, rotated(file.path)]));
  const byName = (a: FileEnds, b: FileEnds): number => {
    const [left, right] = [names.get(a), names.get(b)];
    if (left && right && left.log === right.log) return compareAges(left.age, right.age);
    return compareNames(left?.log ?? a.path, right?.log ?? b.path);
  };
  return [...files].sort((a, b) => (areTimed && (a.time ?? 0) - (b.time ?? 0)) || byName(a, b));
}

/** Made when first used: it takes longer than to compare a few names, and far less than to compare many. */
let collator: Intl.Collator | undefined;

function compareNames(a: string, b: string): number {
  collator ??= new Intl.Collator("en", { numeric: true });
  return collator.compare(a, b);
}

/**
 * Splits off the suffix of a rotated log: a count, whose highest is the oldest (`app.log.2`), or a date
 * (`app.log.2026-01-31`, `app.log-20260131`). Compressed or not.
 */
function rotated(path: string): { readonly log: string; readonly age: string } {
  const name = path.replace(/\.(?:gz|bz2|xz|zst)$/i, "");
  const [, log, age] = /^(.*\.[A-Za-z]\w*)[.-](\d{1,3}|\d{4}-?\d\d[-\d_.T:]*)$/.exec(name) ?? [];
  return log === undefined || age === undefined ? { log: name, age: "" } : { log, age };
}

/** Whether one of two files is an older part of the same log. */
function areOfOneLog(a: string, b: string): boolean {
  const [left, right] = [rotated(a), rotated(b)];
  return left.log === right.log && left.age !== right.age;
}

/** Oldest first: descending counts, ascending dates, and the current log last. */
function compareAges(a: string, b: string): number {
  if (a === "" || b === "") return Number(a === "") - Number(b === "");
  return a.length <= 3 && b.length <= 3 ? Number(b) - Number(a) : compareNames(a, b);
}

function joins(run: readonly FileEnds[], file: FileEnds): boolean {
  const last = run.at(-1);
  if (!last || !areOfOneKind(last, file)) return false;
  if (last.isLogOfProgram && file.isLogOfProgram && areOfOneLog(last.path, file.path)) return true;
  const newest = newestTurns(run);
  const ends = newest.filter((end, index) => !newest.slice(index + 1).some((later) => continues(end, later)));
  const beginnings = file.oldest.filter(
    (first, index) => !file.oldest.slice(0, index).some((earlier) => continues(earlier, first)),
  );
  return (
    ends.reverse().some((end) => beginnings.some((first) => continues(end, first))) ||
    continuesRun(last, file)
  );
}

/** The last turns of a run, in order. Only its last files are looked at: a run may have thousands. */
function newestTurns(run: readonly FileEnds[]): EndTurn[] {
  let newest: EndTurn[] = [];
  for (let at = run.length - 1; at >= 0 && newest.length < mostEnds; at--)
    newest = [...(run[at]?.newest ?? []), ...newest].slice(-mostEnds);
  return newest;
}

function areOfOneKind(before: FileEnds, after: FileEnds): boolean {
  if (before.kind === "transcript" || after.kind === "transcript") return false;
  return before.container === after.container || (before.isLogOfProgram && after.isLogOfProgram);
}

/** Places sub-agent files after the calling session, unless two files claim to be that session. */
function withSubAgents(runs: readonly FileEnds[][]): FileEnds[][] {
  const keyOf = ({ container, session }: FileEnds): string => `${container} ${session?.id}`;
  const mains = groupBy(
    runs.filter(([first]) => first?.session?.isSubAgent === false),
    ([first]) => keyOf(first as FileEnds),
  );
  return runs.filter((run) => {
    const [part] = run;
    const found = part?.session?.isSubAgent ? (mains.get(keyOf(part)) ?? []) : [];
    if (found.length === 1 && found[0]) pushAll(found[0], run);
    return found.length !== 1;
  });
}

function continues(last: EndTurn, first: EndTurn): boolean {
  if (!last.history || !first.history || last.protocol !== first.protocol) return false;
  if (first.previousReply !== undefined) return first.previousReply === last.replyId;
  const { length } = last.history;
  if (length === 0 || first.history.length <= length || commonElements(last.history, first.history) < length)
    return false;
  return last.history.hasSpeech || carriesReply(last, first.history);
}

/** Whether a file continues the previous one, even if part of the history was lost on the way. */
function continuesRun(before: FileEnds, after: FileEnds): boolean {
  const { last } = before;
  const { first } = after;
  if (!last?.history || !first?.history || last.protocol !== first.protocol) return false;
  const { history } = first;
  if (holdsCallOf(last, history)) return true;
  const asked = history.firstOfUser;
  return (
    before.exchanges === 1 &&
    isNextByName(before.path, after.path) &&
    asked >= 0 &&
    history.hasSpeech &&
    commonElements(last.history, history) > asked
  );
}

/** The length of the common beginning of two histories, in elements. */
function commonElements({ elements: a }: EndHistory, { elements: b }: EndHistory): number {
  let common = 0;
  while (common < a.length && common < b.length && a[common] === b[common]) common++;
  return common;
}

/** Whether two names differ in one number only, which grows by one: `request-2.json`, `request-3.json`. */
function isNextByName(before: string, after: string): boolean {
  const [left, right] = [before.match(/\d+|\D+/g) ?? [], after.match(/\d+|\D+/g) ?? []];
  const others = left.filter((part, index) => part !== right[index]);
  const place = left.findIndex((part, index) => part !== right[index]);
  return (
    left.length === right.length && others.length === 1 && Number(right[place]) === Number(left[place]) + 1
  );
}

function holdsCallOf({ calls }: EndTurn, history: EndHistory): boolean {
  if (calls.length === 0) return false;
  const ids = new Set(calls);
  return history.calls.some((id) => ids.has(id));
}

function carriesReply({ said }: EndTurn, { items }: EndHistory): boolean {
  const own = new Set(said);
  return items.some((item) => own.has(item));
}
