import type { ByteSource } from "../../reading/source.ts";
import { printable } from "../../reporters/visible.ts";
import { cut, cutMiddle } from "../../reporters/width.ts";
import type { Inputs } from "../files/inputs.ts";
import type { Io } from "./io.ts";

/** Shorter work needs no progress line, in milliseconds. */
const patienceMs = 500;
/** How often the line is written at most, in milliseconds. */
const everyMs = 100;
/** Narrower than any terminal in use: a line that wraps could not be erased. */
const width = 72;
const pathWidth = 40;

const clear = "\r\u001b[K";

/** A line on standard error that says how far long work has come. Writes nothing for short work. */
export interface ProgressLine {
  /** The same inputs; what is read of them moves the line. */
  reading(inputs: Inputs): Inputs;
  /** Logs are checked one by one after all are read. */
  checking(log: number, logs: number): void;
  /** Erases the line. Nothing else may be printed before. */
  end(): void;
}

/**
 * The progress of long work for somebody who waits at a terminal; elsewhere one that writes nothing. The work
 * blocks the event loop, so each step of it looks at the clock.
 */
export function progressOn(io: Io, isQuiet: boolean): ProgressLine {
  const { env, isErrorTTY, clock: given } = io;
  const isCi = env["CI"] !== undefined && env["CI"] !== "" && env["CI"] !== "false";
  if (!isErrorTTY || isCi || isQuiet || env["TERM"] === "dumb") return silent;
  // Node loads a module for the first use of its clock.
  const clock = given ?? performance;
  const start = clock.now();
  let shownAt: number | undefined;
  let say = (): string => "reading …";
  const step = (next = say): void => {
    say = next;
    const now = clock.now();
    if (now - start < patienceMs || now - (shownAt ?? 0) < everyMs) return;
    shownAt = now;
    io.stderr.write(`${clear}${cut(say(), width)}`);
  };
  return {
    reading: (inputs) => counted(inputs, step),
    checking: (log, logs) => step(() => (logs === 1 ? "checking …" : `checking log ${log} of ${logs} …`)),
    end() {
      if (shownAt !== undefined) io.stderr.write(clear);
      shownAt = undefined;
    },
  };
}

const silent: ProgressLine = { reading: (inputs) => inputs, checking: () => {}, end: () => {} };

/** Inputs that say how much of them was read. */
function counted(inputs: Inputs, step: (say?: () => string) => void): Inputs {
  const total = inputs.files.reduce((sum, { source }) => sum + source.size, 0);
  let before = 0;
  const measured = (source: ByteSource): ByteSource => {
    let furthest = 0;
    const reach = (end: number): void => {
      const next = Math.min(end, source.size);
      // Logs are read again while they are judged.
      if (next <= furthest) {
        step();
        return;
      }
      before += next - furthest;
      furthest = next;
      step(() => {
        const share = Math.floor((100 * before) / Math.max(1, total));
        return `reading ${cutMiddle(printable(source.name, false), pathWidth)} · ${share} % of ${sizeOf(total)}`;
      });
    };
    return {
      ...source,
      read(start, end) {
        reach(end);
        return source.read(start, end);
      },
      copy(target, at, start) {
        const count = source.copy(target, at, start);
        reach(start + count);
        return count;
      },
    };
  };
  return { ...inputs, files: inputs.files.map((file) => ({ ...file, source: measured(file.source) })) };
}

function sizeOf(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${Math.round(bytes / 1e6)} MB`;
}
