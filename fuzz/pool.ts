import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { atFile, type Found, type Message, type Task } from "./messages.ts";

/** Seconds at one mutant after which a worker hangs; generous, as machines are shared. */
const patience = 60;

/** Memory of a worker, in MiB. */
const heap = 1024;

/** What happened while a worker was at a mutant. */
export interface Death {
  readonly number: number;
  readonly kind: string;
}

export interface PoolEvents {
  onFound(found: Found): void;
  onDeath(death: Death): void;
}

/** What a task came to. */
export interface Done {
  /** Mutants that were made. */
  readonly made: number;
  /** Seconds of CPU time. */
  readonly cpu: number;
  readonly fails: boolean;
}

/** A worker process, which is replaced when it dies or hangs. */
export class Worker {
  #process: ChildProcess | undefined;
  readonly #start: () => ChildProcess;
  readonly #events: PoolEvents;
  readonly #folder: string;

  constructor(script: string, plan: string, folder: string, events: PoolEvents) {
    mkdirSync(folder, { recursive: true });
    this.#events = events;
    this.#folder = folder;
    this.#start = () =>
      fork(script, [plan, folder], {
        execArgv: [
          `--max-old-space-size=${heap}`,
          // Mutants leave much behind that dies young: a larger nursery saves a tenth of the time.
          "--max-semi-space-size=32",
          // All mutants differ, so little code stays hot: optimising less saves a quarter.
          "--interrupt-budget=1000000",
          // What is compiled without optimising costs little, and runs faster than what is interpreted.
          "--always-sparkplug",
        ],
        serialization: "advanced",
        // What it writes would stand between our lines.
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      });
  }

  /** Does a task; a mutant that kills the worker is reported and stepped over. */
  async does(task: Task): Promise<Done> {
    let made = 0;
    let rest = task;
    for (;;) {
      const outcome = await this.#attempt(rest);
      if ("made" in outcome) return { ...outcome, made: made + outcome.made };
      if (task.does === "again") return { made: 1, cpu: 0, fails: outcome.died === task.kind };
      const from = rest.does === "try" ? rest.from : 0;
      const at = Math.max(from, this.#at());
      this.#events.onDeath({ number: at, kind: outcome.died });
      made += at - from + 1;
      if (at + 1 >= task.to) return { made, cpu: 0, fails: true };
      rest = { does: "try", from: at + 1, to: task.to };
    }
  }

  /** The number of the mutant at which the worker is, or was when it ended. */
  #at(): number {
    try {
      return Number(readFileSync(join(this.#folder, atFile), "utf8"));
    } catch {
      // It did not begin.
      return 0;
    }
  }

  #attempt(task: Task): Promise<Done | { died: string }> {
    return new Promise((resolve) => {
      const isNew = this.#process === undefined;
      this.#process ??= this.#start();
      const child = this.#process;
      let hangs = false;
      let last = this.#at();
      const watchdog = setInterval(() => {
        const at = this.#at();
        hangs = at === last;
        last = at;
        if (hangs) child.kill("SIGKILL");
      }, patience * 1000);
      const end = (outcome: Done | { died: string }): void => {
        clearInterval(watchdog);
        child.removeAllListeners();
        resolve(outcome);
      };
      child.on("message", (message: Message) => {
        if (message.says === "ready") child.send(task);
        else if (message.says === "failed") this.#events.onFound(message.found);
        else end({ ...message, fails: message.fails ?? false });
      });
      child.on("exit", (code, signal) => {
        this.#process = undefined;
        end({ died: hangs ? `hangs for ${patience} s` : `ends the process (${signal ?? code})` });
      });
      if (!isNew) child.send(task);
    });
  }

  stop(): void {
    this.#process?.removeAllListeners();
    this.#process?.kill("SIGKILL");
  }
}

/** Workers in folders of their own. */
export function workers(
  jobs: number,
  script: string,
  plan: string,
  folder: string,
  events: PoolEvents,
): Worker[] {
  return Array.from(
    { length: jobs },
    (_, index) => new Worker(script, plan, join(folder, `worker-${index}`), events),
  );
}
