import { readdirSync, readFileSync, readlinkSync, statSync, unlinkSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { nodeCrypto } from "../../reading/node-modules.ts";
import { codeOf } from "../trouble.ts";

/**
 * Files that are being written, next to their destination. A draft is removed when its writing fails and when
 * a signal ends the program; what `kill -9` or a power cut leaves is removed by a later run.
 */

/** Names the processes that a process number is unique among: this machine, or this container. */
function systemName(): string {
  const hash = nodeCrypto().createHash("sha256").update(`${hostname()} ${processSpace()}`);
  return hash.digest("hex").slice(0, 8);
}

const open = new Set<string>();

/** Reserves a name for a draft in a folder. Short, so that it fits where the final name fits. */
export function newDraft(folder: string): string {
  removeLeftovers(folder);
  if (open.size === 0) for (const signal of endings) process.on(signal, onEnding);
  const own = nodeCrypto().randomUUID().slice(0, 8);
  const draft = path.join(folder, `.toollint-${systemName()}-${process.pid}-${own}.tmp`);
  open.add(draft);
  return draft;
}

/** Forgets a draft that was moved to its destination. */
export function keepDraft(draft: string): void {
  open.delete(draft);
  if (open.size === 0) for (const signal of endings) process.removeListener(signal, onEnding);
}

/** Removes a draft, if it is there. */
export function dropDraft(draft: string): void {
  unlinkIfThere(draft);
  keepDraft(draft);
}

const endings = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function onEnding(signal: NodeJS.Signals): void {
  for (const draft of open) dropDraft(draft);
  // Without another listener the signal ends the program as if nobody had listened.
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}

const searched = new Set<string>();

/** Removes the drafts of processes of this machine that no longer run; once for each folder. */
function removeLeftovers(folder: string): void {
  if (searched.has(folder)) return;
  searched.add(folder);
  const left = new RegExp(`^\\.toollint-${systemName()}-(\\d+)-[0-9a-f]{8}\\.tmp$`);
  for (const name of namesIn(folder)) {
    const pid = left.exec(name)?.[1];
    if (pid !== undefined && !isBeingWritten(path.join(folder, name), Number(pid)))
      unlinkIfThere(path.join(folder, name));
  }
}

/** The names in a folder; none in one that does not exist or may not be listed, but perhaps written to. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Nothing is written for so long; in milliseconds. */
const maxAge = 24 * 3600 * 1000;
/** What clocks may differ by, in milliseconds. */
const clockError = 2000;

/** Whether the process of a draft still runs. Its number may belong to another one by now. */
function isBeingWritten(draft: string, pid: number): boolean {
  if (pid === process.pid) return open.has(draft);
  if (!isRunning(pid)) return false;
  try {
    const written = statSync(draft).mtimeMs;
    const started = startOf(pid);
    return started === undefined ? Date.now() - written < maxAge : started < written + clockError;
  } catch {
    return true;
  }
}

/** When a process started, in milliseconds since the epoch; `undefined` where the system has no `/proc`. */
function startOf(pid: number): number | undefined {
  try {
    // The second field is the program's name in parentheses, which may itself hold some.
    const [, rest = ""] = /^.*\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
    const uptime = Number.parseFloat(readFileSync("/proc/uptime", "latin1"));
    const started = Date.now() - uptime * 1000 + Number(rest.split(" ")[19]) * (1000 / ticks);
    return Number.isFinite(started) ? started : undefined;
  } catch {
    return undefined;
  }
}

/** The unit of times in `/proc`, in ticks a second: Linux has no other for programs. */
const ticks = 100;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

/** Removes a file; a draft that cannot be removed does no harm, and another run may remove it. */
function unlinkIfThere(file: string): void {
  try {
    unlinkSync(file);
  } catch {}
}

/** Containers number their processes by themselves and may share a host name and a volume. */
function processSpace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}
