import { statSync, truncateSync } from "node:fs";
import path from "node:path";
import { type Journal, openJournal } from "../../record/journal.ts";
import { type Recorded, recordingLine } from "../../record/line.ts";
import { codeOf, systemTrouble, Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";

/**
 * Makes sure that a recording can begin: the file must not exist, unless `--append` or `--overwrite` is
 * given.
 */
export function prepareRecording(file: string, invocation: Invocation, cwd: string): void {
  if (invocation.has("append") && invocation.has("overwrite"))
    throw new Trouble("`--append` and `--overwrite` exclude each other: give one of the two");
  const stats = statSync(path.resolve(cwd, file), { throwIfNoEntry: false });
  if (!stats || stats.size === 0 || invocation.has("append")) return;
  if (stats.isDirectory()) throw new Trouble(`cannot write ${file}: it is a directory`);
  if (!invocation.has("overwrite")) {
    throw new Trouble(
      `${file} is there already: add \`--append\` to go on in it, or \`--overwrite\` to begin it anew`,
    );
  }
  try {
    truncateSync(path.resolve(cwd, file));
  } catch (error) {
    throw systemTrouble(error, `cannot write ${file}`);
  }
}

export function openRecording(file: string, cwd: string): Promise<Journal> {
  return openJournal(path.resolve(cwd, file)).catch((error) => {
    if (codeOf(error) === "ENOENT")
      throw new Trouble(`cannot write ${file}: there is no directory ${path.dirname(file)}`);
    throw systemTrouble(error, `cannot write ${file}`);
  });
}

/** Writes exchanges into a journal as they end. */
export interface ExchangeKeeper {
  readonly count: number;
  /** A line could not be written. */
  readonly hasFailed: boolean;
  keep(recorded: Recorded): void;
}

interface KeeperOptions {
  /** Masks credentials in bodies, too. */
  readonly redacts: boolean;
  /** Called when an exchange is on disk. */
  added?(): void;
  /** Called with the first failure. */
  failed(error: unknown): void;
}

export function exchangeKeeper(journal: Journal, { redacts, added, failed }: KeeperOptions): ExchangeKeeper {
  let count = 0;
  let hasFailed = false;
  return {
    get count() {
      return count;
    },
    get hasFailed() {
      return hasFailed;
    },
    keep(recorded) {
      count++;
      journal.add(recordingLine(recorded, redacts)).then(
        () => added?.(),
        (error) => {
          if (!hasFailed) failed(error);
          hasFailed = true;
        },
      );
    },
  };
}
