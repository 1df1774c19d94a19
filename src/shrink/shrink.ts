import type { CheckResult, CheckSettings } from "../check/check.ts";
import type { LogSource } from "../log/read.ts";
import { exchangePass } from "./exchanges.ts";
import { notePass, replyPass, settingPass } from "./members.ts";
import { type FailingLog, type Objection, Oracle } from "./oracle.ts";
import { elementPass, roundPass } from "./rounds.ts";
import { sessionPass } from "./sessions.ts";
import { type Choice, chosenFinding } from "./subject.ts";
import { type Pass, selectedUnits, swept, type Unit } from "./sweep.ts";
import { firstHalfPass, openingPass, secondHalfPass } from "./texts.ts";
import { parameterPass, toolPass } from "./tools.ts";
import { maskedCut, type WrittenCut } from "./written.ts";

/** A unit that stays, and why. */
export interface Stayed {
  readonly name: string;
  readonly why: Objection;
}

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
}

export interface ShrinkSettings extends CheckSettings {
  /** Masks credentials in bodies, too. */
  readonly redacts?: boolean;
}

/** Units go first by what the finding names. */
const selections: readonly Pass[] = [exchangePass, sessionPass, roundPass];
/** What goes inside units. */
const insides: readonly Pass[] = [
  replyPass,
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

/** Each pass over everything makes room for the next one; there are never many. */
const mostRounds = 8;

/** Makes the smallest log that still shows the chosen finding; `undefined` if the log has no such finding. */
export async function shrink(
  inputs: readonly LogSource[],
  choice: Choice | ((result: CheckResult) => Choice),
  { redacts = false, ...settings }: ShrinkSettings,
): Promise<{ readonly result: CheckResult; readonly shrunk: Shrunk | undefined }> {
  const oracle = new Oracle(settings);
  const { result, shown } = await oracle.open(inputs, (found) =>
    chosenFinding(found, typeof choice === "function" ? choice(found) : choice),
  );
  return { result, shrunk: shown && (await shrunkFrom(shown, oracle, redacts)) };
}

async function shrunkFrom(before: FailingLog, oracle: Oracle, redacts: boolean): Promise<Shrunk> {
  let log = before;
  let stayed: Stayed[] = [];
  for (let round = 0; round < mostRounds; round++) {
    const start = log;
    stayed = [];
    const stays = (unit: Unit, why: Objection): void => void stayed.push({ name: unit.name, why });
    for (const pass of selections) log = await selectedUnits(pass, log, oracle);
    for (const pass of insides) log = await swept(pass, log, oracle);
    for (const pass of unitPasses) log = await swept(pass, log, oracle, stays);
    log = await swept(elementPass, log, oracle);
    if (log === start) break;
  }
  const written = await maskedCut(log, oracle, redacts);
  return { before, after: log, checks: oracle.checks, stayed, isCutShort: oracle.isExhausted, written };
}
