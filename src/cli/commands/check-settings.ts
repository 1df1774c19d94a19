import type { CheckSettings } from "../../check/check.ts";
import type { FailOn } from "../../findings/gate.ts";
import type { CheckReport } from "../../findings/report.ts";
import { shellWord } from "../../reporters/shell.ts";
import type { Tabulate } from "../../reporters/statistics.ts";
import type { ConfigFile } from "../config/file.ts";
import { type SettingsOf, settingsByPath, typedSettings } from "../config/file-settings.ts";
import {
  configuredOutput,
  fromCwd,
  type Outputs,
  openedPages,
  outputsOf,
  refusePageOnTerminal,
} from "../files/output.ts";
import type { Shard } from "../files/shards.ts";
import type { Io } from "../terminal/io.ts";
import { type TerminalStyle, terminalStyle } from "../terminal/paint.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { choice, conversationName, exchangeRange, wholeNumber } from "../usage/values.ts";

/** What the command line and the config file ask of a check. */
export interface Settings {
  readonly outputs: Outputs;
  /** Pages to open in the browser. */
  readonly opened: readonly string[];
  readonly failOn: FailOn;
  readonly maxWarnings: number | undefined;
  readonly isQuiet: boolean;
  /** Prints what is otherwise folded. */
  readonly isAll: boolean;
  readonly statistics: Tabulate | undefined;
  readonly style: TerminalStyle;
  readonly baseline: string | undefined;
  /** The part of the files to check; absent for all. */
  readonly shard?: Shard;
  /** What cannot be read is listed in the report, and fails nothing. */
  readonly keepGoing: boolean;
  /** At most so many threads; absent for as many as suit the machine and the files. */
  readonly jobs: number | undefined;
  readonly check: CheckSettings & { readonly settingsOf: SettingsOf };
}

/** The settings of a command line; the command line wins over the config file. */
export async function settingsOf(
  invocation: Invocation,
  file: ConfigFile | undefined,
  io: Io,
): Promise<Settings> {
  const check = await checkSettingsOf(invocation, file, io);
  const config = file?.config;
  const outputs = outputsOf(invocation, file, io);
  const shard = await shardOf(invocation, outputs, io);
  if (outputs.screen === "html")
    refusePageOnTerminal(`toollint check ${invocation.words.map(shellWord).join(" ")}`.trim(), io);
  return {
    outputs,
    opened: openedPages(invocation, outputs.files),
    failOn: choice(invocation, "fail-on", ["error", "warning", "info", "never"]) ?? config?.failOn ?? "error",
    maxWarnings: wholeNumber(invocation, "max-warnings") ?? config?.maxWarnings,
    isQuiet: invocation.has("quiet"),
    isAll: invocation.has("all"),
    statistics: invocation.has("statistics")
      ? (await import("../terminal/tables.ts")).numberTable
      : undefined,
    style: terminalStyle(invocation, io),
    ...(shard && { shard }),
    keepGoing: invocation.has("keep-going"),
    baseline: invocation.one("baseline") ?? (file && configuredBaseline(file, invocation, io)),
    jobs: wholeNumber(invocation, "jobs", 1),
    check,
  };
}

/** The shard of the command line. A blob is one of a shard, of which there may be only one. */
async function shardOf(invocation: Invocation, outputs: Outputs, io: Io): Promise<Shard | undefined> {
  const isBlob = [outputs.screen, ...outputs.files.map(({ format }) => format)].includes("blob");
  if (!isBlob && invocation.one("shard") === undefined) return undefined;
  return (await import("../usage/shard.ts")).shardOf(invocation, io.env);
}

/** How a command line and the config file say to read and judge the logs. */
export async function checkSettingsOf(
  invocation: Invocation,
  file: ConfigFile | undefined,
  io: Io,
): Promise<Settings["check"]> {
  const conversation = conversationName(invocation);
  const exchanges = exchangeRange(invocation);
  const typed = typedSettings(invocation);
  return {
    settingsOf: await settingsByPath(file, typed, io),
    separate: invocation.has("separate"),
    ...typed,
    ...(conversation !== undefined && { conversation }),
    ...(exchanges && { exchanges }),
  };
}

/** The baseline of a config file; it may stand elsewhere unless it is to be written. */
function configuredBaseline(file: ConfigFile, invocation: Invocation, io: Io): string | undefined {
  const { baseline } = file.config;
  if (baseline === undefined) return undefined;
  return invocation.has("update-baseline")
    ? configuredOutput(file, `"baseline": ${JSON.stringify(baseline)}`, baseline, io)
    : fromCwd(file, baseline, io);
}

/** Suppresses known and ignored findings. */
export interface SettingAside {
  /** Path of the baseline to be written. */
  readonly writes: string | undefined;
  from(report: CheckReport, hadTrouble: boolean): Promise<{ report: CheckReport; notes: readonly string[] }>;
}

/** Suppresses nothing. */
export const nothingAside: SettingAside = {
  writes: undefined,
  from: async (report) => ({ report, notes: [] }),
};

/** Reads the baseline, and says what to suppress by it and by the config file. */
export async function settingAside(
  invocation: Invocation,
  { baseline: shown, check: { conversation, exchanges } }: Settings,
  file: ConfigFile | undefined,
  io: Io,
): Promise<SettingAside> {
  const isUpdate = invocation.has("update-baseline");
  const isSelection = conversation !== undefined || exchanges !== undefined;
  if (isUpdate && shown === undefined)
    throw new Trouble(
      "`--update-baseline` needs a file: `--baseline toollint-baseline.json --update-baseline`",
    );
  if (isUpdate && isSelection)
    throw new Trouble("`--update-baseline` needs whole logs: leave out `--conversation` and `--exchange`");
  if (shown === undefined && !file?.config.ignore?.length) return nothingAside;
  const { setAside } = await import("../config/suppressions.ts");
  const suppress = await setAside({ baseline: shown, isUpdate, file, io });
  return {
    writes: isUpdate ? shown : undefined,
    async from(report, hadTrouble) {
      const { report: filtered, notes } = await suppress(report, hadTrouble);
      // A part of a log cannot show that a finding is gone.
      return { report: filtered, notes: isSelection ? [] : notes };
    },
  };
}
