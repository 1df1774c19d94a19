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
 * by name, when its first request begins with the whole history of that file's last request and the model had spoken by then.
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
      if (last && continues(last.log, file.log)) run.push(file);
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
