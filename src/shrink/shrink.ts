import type { CheckResult, CheckSettings } from "../check/check.ts";
import type { LogSource } from "../log/log-file.ts";
import { entryName } from "../reading/entries.ts";
import { asLines, isOneBlock } from "./as-lines.ts";
import { callPass, namedCallPass } from "./calls.ts";
import { eventPass } from "./events.ts";
import { exchangePass, halvesOf } from "./exchanges.ts";
import { type LiveOptions, type LiveShrunk, shrinkLive } from "./live.ts";
import { notePass, replyPass, settingPass } from "./members.ts";
import { type FailingLog, type Objection, Oracle } from "./oracle.ts";
import { elementPass, roundPass } from "./rounds.ts";
import { sessionPass, sessionRecordPass } from "./sessions.ts";
import { type Choice, chosenFinding } from "./subject.ts";
import { halved, type Pass, type Stayed, selectedUnits, swept, type Unit } from "./sweep.ts";
import { firstHalfPass, openingPass, secondHalfPass } from "./texts.ts";
import { parameterPass, toolPass } from "./tools.ts";
import { Unshrinkable } from "./unshrinkable.ts";
import { maskedCut, type WrittenCut } from "./written.ts";

/** A log as small as it gets. */
export interface Shrunk {
  /** The log as it was, and as it is now. */
  readonly before: FailingLog;
  readonly after: FailingLog;
  readonly checks: number;
  readonly stayed: readonly Stayed[];
  /** The work came to its bound before all was tried. */
  readonly isCutShort: boolean;
  /** The log as it is to be written, with credentials masked. */
  readonly written: WrittenCut;
  /** What a server does with the request; absent where only the log was checked. */
  readonly live?: LiveShrunk;
}

export interface ShrinkSettings extends CheckSettings {
  /** Masks credentials in bodies, too. */
  readonly redacts?: boolean;
  /** Writes JSON lines, whatever the log is kept in. */
  readonly asLines?: boolean;
  /** As many checks as the caller goes on to make of the small log, so that less is spent on shrinking it. */
  readonly laterChecks?: number;
  /** Keeps what a server does with the request of the finding; called when the request is known. */
  readonly live?: (log: FailingLog) => Promise<LiveOptions>;
}

/** Units go first by what the finding names. */
const selections: readonly Pass[] = [
  exchangePass,
  sessionPass,
  sessionRecordPass,
  roundPass,
  namedCallPass,
  elementPass,
];
/** What goes inside units. */
const insides: readonly Pass[] = [
  replyPass,
  callPass,
  toolPass,
  settingPass,
  notePass,
  openingPass,
  parameterPass,
  firstHalfPass,
  secondHalfPass,
];
/** Units that go alone, until none of them can. */
export const unitPasses: readonly Pass[] = [exchangePass, sessionPass, roundPass];

/** Parts of units, which go alone, too; events of streams when few streams are left, as each has many. */
const parts: readonly Pass[] = [eventPass, elementPass, sessionRecordPass];

/** Each pass over everything makes room for the next one; there are never many. */
const mostRounds = 8;

/** Makes the smallest log that still shows the chosen finding; `undefined` if the log has no such finding. */
export async function shrink(
  inputs: readonly LogSource[],
  choice: Choice | ((result: CheckResult) => Choice),
  { redacts = false, asLines: isForLines = false, laterChecks, live, ...settings }: ShrinkSettings,
): Promise<{ readonly result: CheckResult; readonly shrunk: Shrunk | undefined }> {
  const oracle = new Oracle(settings, laterChecks);
  const { result, shown } = await oracle.open(inputs, (found) =>
    chosenFinding(found, typeof choice === "function" ? choice(found) : choice),
  );
  if (!shown) return { result, shrunk: undefined };
  const start = await startFrom(shown, oracle, isForLines);
  const own = await shrunkFrom(start, oracle);
  // What is left may have its exchanges in one record, from which only lines can part them.
  const lines = await startFrom(own.after, oracle, isForLines);
  const shrunk = lines === own.after ? own : await shrunkFrom(lines, oracle);
  if (live) {
    const smaller = await shrinkLive(shown, shrunk.after, oracle, await live(shown));
    const { after, stayed, isCutShort } = smaller;
    const written = await maskedCut(after, oracle, redacts, "live");
    return {
      result,
      shrunk: { before: shown, after, checks: oracle.checks, stayed, isCutShort, written, live: smaller },
    };
  }
  return {
    result,
    shrunk: { ...shrunk, before: shown, written: await maskedCut(shrunk.after, oracle, redacts) },
  };
}

/**
 * The log in the form in which it can be shrunk: its own, where something can be taken out of it.
 *
 * @throws {Unshrinkable}
 */
async function startFrom(log: FailingLog, oracle: Oracle, isForLines: boolean): Promise<FailingLog> {
  const { file, run } = log;
  if (file.kind === "transcript") {
    if (isForLines)
      throw new Unshrinkable(`${file.path} is a transcript: it has no requests to write as JSON lines`);
    return log;
  }
  const isLines = file.container === "jsonl" && run.files.length === 1;
  if (!isOneBlock(log) && (!isForLines || isLines)) return log;
  const lines = await asLines(log, oracle);
  if (!("is" in lines)) return lines;
  if (isForLines)
    throw new Unshrinkable("as JSON lines, the log does not show the finding: leave out `--as jsonl`");
  if (run.files.length + run.sidecars.length > 1)
    throw new Unshrinkable("the finding needs several files, and as JSON lines in one file it is gone");
  return log;
}

/** Whether its exchanges stand in files of an archive or in rows of a table: nothing can be written there. */
function isPacked({ file }: FailingLog): boolean {
  return file.exchanges.flatMap(halvesOf).some(({ origin: { source } }) => entryName(source) !== undefined);
}

async function shrunkFrom(
  start: FailingLog,
  oracle: Oracle,
): Promise<Pick<Shrunk, "after" | "checks" | "stayed" | "isCutShort">> {
  let log = start;
  let stayed: Stayed[] = [];
  if (isPacked(start)) return { after: log, checks: oracle.checks, stayed, isCutShort: oracle.isExhausted };
  for (let round = 0; round < mostRounds; round++) {
    const before = log;
    stayed = [];
    const stays = (unit: Unit, why: Objection): void => void stayed.push({ name: unit.name, why });
    for (const pass of selections) {
      log = await selectedUnits(pass, log, oracle);
      if (unitPasses.includes(pass)) log = await halved(pass, log, oracle);
    }
    for (const pass of insides) log = await swept(pass, log, oracle);
    for (const pass of unitPasses) log = await swept(pass, log, oracle, stays);
    for (const pass of parts) log = await swept(pass, log, oracle);
    if (log === before) break;
  }
  return { after: log, checks: oracle.checks, stayed, isCutShort: oracle.isExhausted };
}
