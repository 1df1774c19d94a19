import { dirname } from "node:path";
import type { Exchange, History } from "../conversation/exchange.ts";
import { commonElements, contentOf } from "../conversation/identity.ts";
import { groupBy } from "../reading/group-by.ts";
import type { LogFile } from "./read.ts";

/** So many requests at the end of a run and at the beginning of a file are compared: side requests stand between those that go on. */
const mostBeginnings = 3;
const mostEnds = 4;
/** Runs of one directory that a file is compared with: they are kept side by side where several conversations were logged at once. */
const mostRuns = 8;

/**
 * Files of one run stay together. A session and the files of its sub-agents are one run, in whatever directories they are. Files of one
 * directory whose requests continue each other are one run: one file a request, rotated logs. They are taken in the order in which they
 * were written (see {@link inOrderOfWriting}). A file joins a run when one of its first requests begins with the whole history of one of
 * the run's last requests, and the model had spoken by then, and nothing else goes on from there; or when it has a call of the run's last
 * reply, or is the next one by its number and begins with the same words of the user: then it has lost something on the way.
 */
export function groupRuns(files: readonly LogFile[]): LogFile[][] {
  const runs: LogFile[][] = [];
  for (const folder of groupBy(files, ({ path }) => dirname(path)).values()) {
    /** The runs of the folder, the one that grew last at the end. */
    const growing: LogFile[][] = [];
    for (const file of folder.length > 1 ? inOrderOfWriting(folder) : folder) {
      const at = growing.findLastIndex(
        (run, index) => index >= growing.length - mostRuns && joins(run, file),
      );
      const [run = []] = at < 0 ? [] : growing.splice(at, 1);
      if (run.length === 0) runs.push(run);
      run.push(file);
      growing.push(run);
    }
  }
  joinSubAgents(runs);
  // Files are reported in the order in which they were given.
  const order = new Map(files.map((file, index) => [file, index]));
  const placeOf = (run: readonly LogFile[]): number => Math.min(...run.map((file) => order.get(file) ?? 0));
  return runs.sort((a, b) => placeOf(a) - placeOf(b));
}

/**
 * By the time of their first request where all of them know it; else by their names, numbers as numbers. What a logger has put aside is
 * older than what it writes to now.
 */
function inOrderOfWriting(files: readonly LogFile[]): LogFile[] {
  const begin = ({ exchanges }: LogFile): number | undefined => exchanges[0]?.time;
  const told = files.filter(({ exchanges }) => exchanges.length > 0);
  const areTimed = told.every((file) => begin(file) !== undefined);
  const names = new Map(files.map((file) => [file, rotated(file.path)]));
  const byName = (a: LogFile, b: LogFile): number => {
    const [left, right] = [names.get(a), names.get(b)];
    if (left && right && left.log === right.log) return compareAges(left.age, right.age);
    return compareNames(left?.log ?? a.path, right?.log ?? b.path);
  };
  return [...files].sort((a, b) => (areTimed && (begin(a) ?? 0) - (begin(b) ?? 0)) || byName(a, b));
}

function compareNames(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}

/**
 * A log and what stands behind its name once it was put aside: a count, of which the highest is the oldest (`app.log.2`), or a date
 * (`app.log.2026-01-31`, `app.log-20260131`). Packed or not.
 */
function rotated(path: string): { readonly log: string; readonly age: string } {
  const name = path.replace(/\.(?:gz|bz2|xz|zst)$/i, "");
  const [, log, age] = /^(.*\.[A-Za-z]\w*)[.-](\d{1,3}|\d{4}-?\d\d[-\d_.T:]*)$/.exec(name) ?? [];
  return log === undefined || age === undefined ? { log: name, age: "" } : { log, age };
}

/** The log that is written to now stands last, behind what was put aside: counts from the highest on, dates from the first on. */
function compareAges(a: string, b: string): number {
  if (a === "" || b === "") return Number(a === "") - Number(b === "");
  return a.length <= 3 && b.length <= 3 ? Number(b) - Number(a) : compareNames(a, b);
}

function joins(run: readonly LogFile[], file: LogFile): boolean {
  const last = run.at(-1);
  if (!last || !areOfOneKind(last, file)) return false;
  const newest = run.flatMap(({ exchanges }) => exchanges.slice(-mostEnds)).slice(-mostEnds);
  const ends = newest.filter((end, index) => !newest.slice(index + 1).some((later) => continues(end, later)));
  const oldest = file.exchanges.slice(0, mostBeginnings);
  const beginnings = oldest.filter(
    (first, index) => !oldest.slice(0, index).some((earlier) => continues(earlier, first)),
  );
  return (
    ends.reverse().some((end) => beginnings.some((first) => continues(end, first))) || goesOn(last, file)
  );
}

function areOfOneKind(before: LogFile, after: LogFile): boolean {
  if (before.kind === "transcript" || after.kind === "transcript") return false;
  return before.container === after.container || (before.isLogOfProgram && after.isLogOfProgram);
}

/** What sub-agents did stands behind the session that called them. Where two files claim to be that session, nobody knows which. */
function joinSubAgents(runs: LogFile[][]): void {
  const keyOf = ({ container, session }: LogFile): string => `${container} ${session?.id}`;
  const mains = new Map<string, LogFile[][]>();
  for (const run of runs) {
    const [first] = run;
    if (first?.session?.isPart === false) mains.set(keyOf(first), [...(mains.get(keyOf(first)) ?? []), run]);
  }
  for (const run of [...runs]) {
    const [part] = run;
    const found = part?.session?.isPart ? (mains.get(keyOf(part)) ?? []) : [];
    if (found.length !== 1) continue;
    found[0]?.push(...run);
    runs.splice(runs.indexOf(run), 1);
  }
}

function continues(last: Exchange, first: Exchange): boolean {
  if (!last.request || !first.request || last.protocol !== first.protocol) return false;
  const links = first.request.links.previousReply;
  if (links !== undefined) return links === last.reply?.id;
  const { history } = first.request;
  const length = last.request.history.length;
  if (length === 0 || history.length <= length || commonElements(last.request.history, history) < length)
    return false;
  return hasSpeech(last.request.history) || carriesReply(last, history);
}

/** Whether a file goes on where the one before it ended, although not all of its history came along. */
function goesOn(before: LogFile, after: LogFile): boolean {
  const last = before.exchanges.at(-1);
  const first = after.exchanges[0];
  if (!last?.request || !first?.request || last.protocol !== first.protocol) return false;
  const { history } = first.request;
  if (holdsCallOf(last, history)) return true;
  const asked = firstOfUser(history);
  return (
    before.exchanges.length === 1 &&
    isNextByName(before.path, after.path) &&
    asked >= 0 &&
    hasSpeech(history) &&
    commonElements(last.request.history, history) > asked
  );
}

function firstOfUser(history: History): number {
  for (let index = 0; index < history.length; index++) if (history.role(index) === "user") return index;
  return -1;
}

/** Whether two names differ in one number only, and count on: `request-2.json`, `request-3.json`. */
function isNextByName(before: string, after: string): boolean {
  const [left, right] = [before.match(/\d+|\D+/g) ?? [], after.match(/\d+|\D+/g) ?? []];
  const others = left.filter((part, index) => part !== right[index]);
  const place = left.findIndex((part, index) => part !== right[index]);
  return (
    left.length === right.length && others.length === 1 && Number(right[place]) === Number(left[place]) + 1
  );
}

/** Ids that servers hand out; shorter ones, or counted ones, are written by tests and double. */
const ownId = /^(?=.*[A-Za-z])(?=.*\d)[\w-]{12,}$/;

function holdsCallOf({ reply }: Exchange, history: History): boolean {
  const ids = new Set(
    (reply?.items ?? []).flatMap((item) =>
      item.kind === "call" && ownId.test(item.id ?? "") ? [item.id] : [],
    ),
  );
  for (let index = 0; index < history.length; index++)
    for (const item of history.items(index))
      if ((item.kind === "call" && ids.has(item.id)) || (item.kind === "result" && ids.has(item.callId)))
        return true;
  return false;
}

function hasSpeech(history: History): boolean {
  for (let index = 0; index < history.length; index++) if (history.role(index) === "assistant") return true;
  return false;
}

function carriesReply({ reply }: Exchange, history: History): boolean {
  const said = new Set((reply?.items ?? []).map(contentOf));
  for (let index = 0; index < history.length; index++)
    if (history.items(index).some((item) => said.has(contentOf(item)))) return true;
  return false;
}
