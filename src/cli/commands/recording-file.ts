import path from "node:path";
import { type Journal, type Meddling, openJournal } from "../../record/journal.ts";
import { type Recorded, type RecordedMessage, recordingLine } from "../../record/line.ts";
import { counted } from "../../reporters/numbers.ts";
import { writeTrouble } from "../files/atomic.ts";
import { statsOf } from "../files/output.ts";
import { reasonOf, Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";

/** A recording that is about to be made. */
export interface RecordingFile {
  readonly journal: Journal;
  /**
   * Call this when all is ready and the recording begins. Only now `--overwrite` empties the file: what
   * cannot be recorded takes no earlier recording away.
   */
  begin(): Promise<void>;
}

/**
 * Opens the file of a recording. It must not have content, unless `--append` or `--overwrite` is given;
 * either way nothing in it changes yet.
 * @param note tells the user what other programs do to the file meanwhile
 */
export async function openRecording(
  file: string,
  invocation: Invocation,
  cwd: string,
  note: (message: string) => void,
): Promise<RecordingFile> {
  if (invocation.has("append") && invocation.has("overwrite"))
    throw new Trouble("`--append` and `--overwrite` cannot be combined: use one of them");
  const full = path.resolve(cwd, file);
  const stats = statsOf(full);
  if (stats?.isDirectory()) throw new Trouble(`cannot write ${file}: it is a directory`);
  if (stats && stats.size > 0 && !invocation.has("append") && !invocation.has("overwrite")) {
    throw new Trouble(
      `${file} already exists: add \`--append\` to continue it, or \`--overwrite\` to replace it`,
    );
  }
  const known = new Set<Meddling>();
  const journal = await openJournal(full, (how) => {
    if (!known.has(how)) note(meddlings[how](file));
    known.add(how);
  }).catch((error) => {
    throw writeTrouble(error, file);
  });
  return {
    journal,
    async begin() {
      if (!invocation.has("overwrite")) return;
      await journal.clear().catch((error) => {
        throw writeTrouble(error, file);
      });
    },
  };
}

const meddlings: Readonly<Record<Meddling, (file: string) => string>> = {
  moved: (file) =>
    `${file} was moved or removed during the recording: the recording continues in a new ${file}, without the earlier exchanges`,
  changed: (file) => `another program changes ${file} during the recording: give each recorder its own file`,
};

/** Writes exchanges into a journal as they end. */
export interface ExchangeKeeper {
  readonly count: number;
  /** How many of them could not be written. */
  readonly failures: number;
  keep(recorded: Recorded): void;
}

interface KeeperOptions {
  readonly file: string;
  /** Masks credentials in bodies, too. */
  readonly redacts: boolean;
  /** Called when an exchange is on disk. */
  added?(): void;
  /** Tells the user what is not recorded. */
  note(message: string): void;
}

export function exchangeKeeper(
  journal: Journal,
  { file, redacts, added, note }: KeeperOptions,
): ExchangeKeeper {
  let count = 0;
  let failures = 0;
  const failed = (error: unknown): void => {
    if (failures++ === 0)
      note(`cannot write ${file}: ${reasonOf(error)}; traffic is forwarded but not recorded`);
  };
  return {
    get count() {
      return count;
    },
    get failures() {
      return failures;
    },
    keep(recorded) {
      count++;
      const { line, isWhole } = lineOf(recorded, redacts);
      if (!isWhole)
        note(
          `request ${recorded.number}: bodies this long are forwarded completely but recorded only in part`,
        );
      journal.add(line).then(() => added?.(), failed);
    },
  };
}

/** The line of an exchange; without its bodies where they are more than a line can hold. */
function lineOf(recorded: Recorded, redacts: boolean): { readonly line: string; readonly isWhole: boolean } {
  const { request, response } = recorded;
  try {
    const isWhole = request.omitted === undefined && response?.omitted === undefined;
    return { line: recordingLine(recorded, redacts), isWhole };
  } catch {
    const emptied = <T extends RecordedMessage>(message: T): T => ({
      ...message,
      body: Buffer.alloc(0),
      omitted: message.body.length + (message.omitted ?? 0) || undefined,
    });
    const bare = { ...recorded, request: emptied(request), ...(response && { response: emptied(response) }) };
    return { line: recordingLine(bare, redacts), isWhole: false };
  }
}

/** What a run of so many exchanges, some of which could not be written, left in its file. */
export function recordedSentence(
  { count, failures }: Pick<ExchangeKeeper, "count" | "failures">,
  file: string,
): string {
  return failures === 0
    ? `${counted(count, "exchange")} recorded in ${file}`
    : `${failures} of ${counted(count, "exchange")} could not be written to ${file}`;
}
