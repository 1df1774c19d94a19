import { getHeapStatistics } from "node:v8";
import type { Worker } from "node:worker_threads";
import type { CheckedPart } from "../../check/part.ts";
import type { Part, PartChecker } from "../../check/parts.ts";
import type { InputTrouble } from "../files/inputs.ts";
import { programBundle } from "./bundle.ts";
import { bundleWorker, isOutOfMemory } from "./bundle-worker.ts";
import {
  answerOf,
  commandSettings,
  type PartAnswer,
  type PartCommand,
  type PartQuestion,
  type ThreadError,
} from "./part-worker.ts";

/** Threads that check parts of a check's files. */
export interface Pool extends PartChecker {
  /** The files that could not be checked, by path; `undefined` where another one's message says it all. */
  readonly failures: ReadonlyMap<string, InputTrouble | undefined>;
  close(): Promise<void>;
}

interface PoolOptions {
  readonly width: number;
  readonly separate: boolean;
  /** Told when files were checked. */
  onChecked(paths: readonly string[]): void;
}

/** Threads for a command. The source, which tests run, checks the same parts in this thread. */
export function startPool(command: PartCommand, { width, separate, onChecked }: PoolOptions): Pool {
  const failures = new Map<string, InputTrouble | undefined>();
  const bundle = programBundle();
  const { ask, close } = bundle ? threads(bundle, command, width) : thisThread(command);
  const check = async (part: Part): Promise<CheckedPart> => {
    const { inputs, runs } = part;
    const paths = inputs.map(({ path }) => path);
    try {
      const { checked, failed } = await ask({ paths, ...(runs && { runs }) });
      for (const trouble of failed) failures.set(trouble.path, trouble);
      onChecked(paths);
      return checked;
    } catch (error) {
      if (!isOutOfMemory(error) && !(error instanceof ThreadEnded)) throw error;
      if (inputs.length > 1 && !runs) return together(await Promise.all(inputs.map(checkAlone)));
      for (const path of paths) failures.set(path, undefined);
      const [first = ""] = paths;
      failures.set(first, troubleOf(paths, error));
      return { files: [], runs: [] };
    }
  };
  const checkAlone = (input: Part["inputs"][number]): Promise<CheckedPart> => check({ inputs: [input] });
  return { width, separate, failures, check, close };
}

function together(parts: readonly CheckedPart[]): CheckedPart {
  return { files: parts.flatMap(({ files }) => files), runs: parts.flatMap(({ runs }) => runs) };
}

/** A thread ended while it checked files, and nobody knows why. */
class ThreadEnded extends Error {}

function troubleOf([first = "", ...others]: readonly string[], error: unknown): InputTrouble {
  const limit = Math.round(getHeapStatistics().heap_size_limit / 2 ** 20);
  const what = others.length === 0 ? first : `${first} and ${others.length} files of its run`;
  const reason = isOutOfMemory(error)
    ? `that takes more memory than the ${limit} MB that Node.js allows; raise its limit: \`NODE_OPTIONS=--max-old-space-size=${2 * limit}\``
    : "the thread that checked it ended; `--jobs 1` may say why";
  return { path: first, reason, message: `cannot check ${what}: ${reason}` };
}

/** Answers questions, several at a time. */
interface Answering {
  ask(question: PartQuestion): Promise<PartAnswer>;
  close(): Promise<void>;
}

function thisThread(command: PartCommand): Answering {
  const settings = commandSettings(command);
  return {
    ask: async (question) => answerOf(question, await settings, command.cwd),
    close: async () => {},
  };
}

interface Asked {
  readonly question: PartQuestion;
  resolve(answer: PartAnswer): void;
  reject(error: unknown): void;
}

type Message = { readonly isReady: true } | { readonly answer: PartAnswer } | { readonly error: ThreadError };

/** At most `width` threads, started when there is work for them. */
function threads(bundle: URL, command: PartCommand, width: number): Answering {
  const waiting: Asked[] = [];
  const idle: Worker[] = [];
  const workers = new Set<Worker>();
  const work = new Map<Worker, Asked>();

  const giveTo = (worker: Worker): void => {
    const next = waiting.shift();
    if (next) {
      work.set(worker, next);
      worker.postMessage(next.question);
    } else idle.push(worker);
  };
  const start = (): void => {
    const worker = bundleWorker(bundle, "partWorker", command);
    workers.add(worker);
    worker.on("message", (message: Message) => {
      const asked = work.get(worker);
      work.delete(worker);
      if ("answer" in message) asked?.resolve(message.answer);
      else if ("error" in message) asked?.reject(revived(message.error));
      giveTo(worker);
    });
    const end = (error: unknown): void => {
      if (!workers.delete(worker)) return;
      const asked = work.get(worker);
      work.delete(worker);
      asked?.reject(error);
      // A thread that ends before it takes work would end again.
      const fatal = error instanceof ThreadEnded ? new Error(error.message) : error;
      if (!asked) for (const each of waiting.splice(0)) each.reject(fatal);
      else if (waiting.length > 0) start();
    };
    worker.on("error", end);
    worker.on("exit", (code) => end(new ThreadEnded(`a thread has ended with code ${code}`)));
  };
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        waiting.push({ question, resolve, reject });
        const free = idle.pop();
        if (free) giveTo(free);
        else if (workers.size < width) start();
      }),
    async close() {
      const all = [...workers];
      workers.clear();
      await Promise.all(all.map((worker) => worker.terminate()));
    },
  };
}

/** The error of a thread as this thread would have thrown it. */
function revived({ message, stack, code, syscall }: ThreadError): Error {
  return Object.assign(new Error(message), {
    ...(stack !== undefined && { stack }),
    ...(code !== undefined && { code }),
    ...(syscall !== undefined && { syscall }),
  });
}
