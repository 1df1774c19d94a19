import { dirname } from "node:path";
import type { Exchange, History } from "./conversation/exchange.ts";
import { commonElements, contentOf } from "./conversation/identity.ts";
import type { LogFile } from "./read.ts";

interface Opened {
  readonly path: string;
  readonly log: LogFile;
}

/**
 * Files of one run stay together. A session and the files of its sub-agents are one run, in whatever directories they are. Files of one directory whose requests continue each other are one run: one file a request, rotated logs. A file joins the one before it,
 * by name, when its first request begins with the whole history of that file's last request and the model had spoken by then;
 * or when it has a call of that file's last reply, or is the next one by its number and begins with the same words of the user: then it
 * has lost something on the way.
 */
export function runsOf<T extends Opened>(files: readonly T[]): T[][] {
  const byFolder = new Map<string, T[]>();
  for (const file of files) {
    const folder = dirname(file.path);
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), file]);
  }
  const runs: T[][] = [];
  for (const folder of byFolder.values()) {
    const sorted =
      folder.length > 1
        ? [...folder].sort((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }))
        : folder;
    let run: T[] = [];
    for (const file of sorted) {
      const last = run.at(-1);
      if (last && (continues(last.log, file.log) || goesOn(last, file))) run.push(file);
      else {
        run = [file];
        runs.push(run);
      }
    }
  }
  joinSubAgents(runs);
  // Files are reported in the order in which they were given.
  const order = new Map(files.map((file, index) => [file, index]));
  return runs.sort((a, b) => (order.get(a[0] as T) ?? 0) - (order.get(b[0] as T) ?? 0));
}

/** What sub-agents did stands behind the session that called them. Where two files claim to be that session, nobody knows which. */
function joinSubAgents<T extends Opened>(runs: T[][]): void {
  const keyOf = ({ log }: Opened): string => `${log.container} ${log.session?.id}`;
  const mains = new Map<string, T[][]>();
  for (const run of runs) {
    const [first] = run;
    if (first?.log.session?.isPart === false)
      mains.set(keyOf(first), [...(mains.get(keyOf(first)) ?? []), run]);
  }
  for (const run of [...runs]) {
    const [part] = run;
    const found = part?.log.session?.isPart ? (mains.get(keyOf(part)) ?? []) : [];
    if (found.length !== 1) continue;
    found[0]?.push(...run);
    runs.splice(runs.indexOf(run), 1);
  }
}

function continues(before: LogFile, after: LogFile): boolean {
  if (before.container !== after.container || before.kind !== after.kind || before.kind === "transcript")
    return false;
  const last = before.exchanges.at(-1);
  const first = after.exchanges[0];
  if (!last?.request || !first?.request || last.protocol !== first.protocol) return false;
  const links = first.request.links.previousReply;
  if (links !== undefined) return links === last.reply?.id;
  const { history } = first.request;
  const length = last.request.history.length;
  if (length === 0 || history.length <= length || commonElements(last.request.history, history) < length)
    return false;
  return hasSpeech(last.request.history) || carriesReply(last, history);
}

/** Whether a file goes on where the one before it ended, although not all of its history came along. */
function goesOn(before: Opened, after: Opened): boolean {
  const last = before.log.exchanges.at(-1);
  const first = after.log.exchanges[0];
  if (before.log.container !== after.log.container || before.log.kind === "transcript") return false;
  if (!last?.request || !first?.request || last.protocol !== first.protocol) return false;
  const { history } = first.request;
  if (holdsCallOf(last, history)) return true;
  const asked = firstOfUser(history);
  return (
    before.log.exchanges.length === 1 &&
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
