import { type CheckResult, type CheckSettings, checkFiles } from "../../check/check.ts";
import { exitCode, type FailOn, hasTooManyWarnings } from "../../findings/gate.ts";
import type { CheckReport } from "../../findings/report.ts";
import { counted } from "../../reporters/numbers.ts";
import { shellWord } from "../../reporters/shell.ts";
import type { Tabulate } from "../../reporters/statistics.ts";
import { reportText } from "../../reporters/text.ts";
import { type CheckVerdict, verdictOn } from "../../reporters/verdict.ts";
import { ruleTable } from "../../rules/index.ts";
import type { ConfigFile } from "../config/file.ts";
import { type SettingsOf, settingsByPath, typedSettings, unmatched } from "../config/file-settings.ts";
import { configOf } from "../config/find.ts";
import { writeWhole } from "../files/atomic.ts";
import type { Inputs } from "../files/inputs.ts";
import { nothingUnderstood, unreadNamed, withAnyLogs } from "../files/logs.ts";
import {
  configuredOutput,
  fromCwd,
  type Outputs,
  openedPages,
  outputsOf,
  refuseInput,
  refusePageOnTerminal,
} from "../files/output.ts";
import { onlyErrors } from "../quiet.ts";
import { note } from "../terminal/complaint.ts";
import { type Io, print, printChunks, terminalWidth, withFeeds } from "../terminal/io.ts";
import { paintFor, type TerminalStyle, terminalStyle } from "../terminal/paint.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { choice, conversationName, exchangeRange, type ReportFormat, wholeNumber } from "../usage/values.ts";

interface Settings {
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
  readonly check: CheckSettings & { readonly settingsOf: SettingsOf };
}

/** Runs `toollint check` and returns its exit code. */
export async function checkCommand(invocation: Invocation, io: Io): Promise<number> {
  const config = await configOf(invocation, io);
  const settings = await settingsOf(invocation, config, io);
  const setAside = await settingAside(invocation, settings, config, io);
  return withAnyLogs(invocation.words.length > 0 ? invocation.words : ["."], io, async (inputs) => {
    for (const { file } of settings.outputs.files) refuseInput(file, io.cwd, inputs.files);
    if (setAside.writes !== undefined) refuseInput(setAside.writes, io.cwd, inputs.files, "--baseline");
    await note(io, ...inputs.troubles);
    if (settings.style.showValues) await note(io, ...warningsOfValues(settings.outputs, io));
    const all = await checkFiles(inputs.files, settings.check);
    const missed = unmatched(all, settings.check);
    const troubles = [
      ...unreadNamed("check", inputs, all, settings.check.settingsOf),
      ...missed,
      ...unspoken(all, settings),
    ];
    await note(io, ...troubles, ...skippedNotes(inputs, all, settings));
    const failures = [
      ...inputs.troubles,
      ...troubles,
      ...(all.report.files.length === 0 ? [nothingUnderstood(inputs)] : []),
    ];
    const hadTrouble = failures.length > 0;
    if (invocation.has("explain-input")) {
      const { explainInput } = await import("./explain-input.ts");
      await print(io.stdout, explainInput(all, { ...paintFor(invocation, io), width: terminalWidth(io) }));
      return hadTrouble ? 2 : 0;
    }
    const { report: filtered, notes } = await setAside.from(all.report, hadTrouble);
    const result = { ...all, report: filtered };
    if (!settings.isQuiet) await note(io, ...notes);
    // A clean report about nothing would mislead. Programs get their JSON in any case.
    const isOfNothing = all.report.files.length === 0 || missed.length > 0;
    const verdict = verdictOn(filtered, settings, failures);
    await report(result, { hadTrouble, isOfNothing, verdict }, inputs, settings, io);
    if (settings.outputs.screen !== "text" && hasTooManyWarnings(filtered.summary, settings)) {
      await note(io, `too many warnings: \`--max-warnings\` allows ${settings.maxWarnings}`);
    }
    return exitCode(result.report, settings, hadTrouble);
  });
}

/** Warnings to show before credentials are printed. */
function* warningsOfValues({ screen, files }: Outputs, io: Io): Generator<string> {
  const isData = (screen !== undefined && screen !== "text") || files.some(({ format }) => format !== "text");
  if (isData) yield "`--show-values` has no effect on data: credentials stay masked in it";
  for (const { file } of files.filter(({ format }) => format === "text"))
    yield `\`--show-values\`: ${file} holds credentials as they are`;
  if (screen === "text" && !io.isTTY)
    yield "`--show-values`: the output holds credentials as they are, and does not go to a terminal";
}

async function settingsOf(invocation: Invocation, file: ConfigFile | undefined, io: Io): Promise<Settings> {
  const conversation = conversationName(invocation);
  const exchanges = exchangeRange(invocation);
  const typed = typedSettings(invocation);
  const config = file?.config;
  const outputs = outputsOf(invocation, file, io);
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
    baseline: invocation.one("baseline") ?? (file && configuredBaseline(file, invocation, io)),
    check: {
      settingsOf: await settingsByPath(file, typed, io),
      separate: invocation.has("separate"),
      ...typed,
      ...(conversation !== undefined && { conversation }),
      ...(exchanges && { exchanges }),
    },
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
interface SettingAside {
  /** Path of the baseline to be written. */
  readonly writes: string | undefined;
  from(report: CheckReport, hadTrouble: boolean): Promise<{ report: CheckReport; notes: readonly string[] }>;
}

async function settingAside(
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
  if (shown === undefined && !file?.config.ignore?.length)
    return { writes: undefined, from: async (report) => ({ report, notes: [] }) };
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

/** Reports a profile that judged nothing, because it speaks none of the log's protocols. */
function unspoken({ report: { files } }: CheckResult, { check: { judge } }: Settings): string[] {
  const wasUsed = files.some(({ judgedFor = [] }) => judgedFor.some(({ by }) => by === "profile"));
  if (judge?.as !== "profile" || wasUsed || files.length === 0) return [];
  const { name, protocols: spoken } = judge.profile;
  const [first] = files;
  return [
    `the requests of ${files.length === 1 ? first?.path : "these logs"} cannot have gone to ${name}: it speaks ${Object.keys(spoken).join(", ")}, and they are ${[...new Set(files.flatMap((file) => file.protocols))].join(", ")}\nWould they be accepted there? \`--target ${name}\``,
  ];
}

/** One line about files that were not understood; if no file was, that is the error. */
function skippedNotes(
  inputs: Inputs,
  { unread, report }: CheckResult,
  { outputs, isQuiet }: Settings,
): string[] {
  const { files, searched } = inputs;
  const paths = new Set(unread);
  const skipped = files.filter(({ path, isNamed }) => !isNamed && paths.has(path)).length;
  if (report.files.length === 0 && searched.length > 0) return [nothingUnderstood(inputs)];
  // The text report already says so.
  if (skipped === 0 || isQuiet || outputs.screen === "text") return [];
  return [
    `${counted(skipped, "file")} skipped: no conversation was understood in ${skipped === 1 ? "it" : "them"}`,
  ];
}

/** How the whole check went. */
interface Outcome {
  readonly hadTrouble: boolean;
  /** Nothing of the log was judged. */
  readonly isOfNothing: boolean;
  readonly verdict: CheckVerdict;
}

async function report(
  result: CheckResult,
  { hadTrouble, isOfNothing, verdict }: Outcome,
  inputs: Inputs,
  settings: Settings,
  io: Io,
): Promise<void> {
  const { outputs, isQuiet } = settings;
  const visible = isQuiet ? onlyErrors(result.report) : result.report;
  const lines = (look: TerminalStyle) => textLines(result, inputs, settings, { ...look, verdict });
  const plain = { ...settings.style, color: false, width: 100 };
  const chunksOf = async (format: Exclude<ReportFormat, "text">): Promise<Iterable<string>> => {
    if (format !== "html")
      return (await import("../reports.ts")).reportChunks(format, visible, hadTrouble, io);
    const { checkPage } = await import("../../page/page.ts");
    return checkPage({ ...result, report: visible }, inputs.files, verdict);
  };
  for (const { format, file } of outputs.files) {
    await writeWhole(file, io.cwd, format === "text" ? withFeeds(lines(plain)) : await chunksOf(format));
  }
  for (const page of settings.opened) await (await import("../terminal/browser.ts")).openInBrowser(page, io);
  if (outputs.screen === undefined) return;
  if (outputs.screen === "text") {
    if (!isOfNothing) await print(io.stdout, lines(settings.style));
    return;
  }
  await printChunks(io.stdout, await chunksOf(outputs.screen));
  if (outputs.screen === "github") await (await import("../reports.ts")).summarize(visible, io);
}

function textLines(
  { report, unread }: CheckResult,
  { files }: Inputs,
  { isQuiet, isAll, statistics }: Settings,
  look: TerminalStyle & { readonly verdict: CheckVerdict },
): Iterable<string> {
  const summaries = new Map(ruleTable.map(({ name, summary }) => [name, summary]));
  return reportText(report, {
    ...look,
    sources: new Map(files.map(({ path, source }) => [path, source])),
    quiet: isQuiet,
    all: isAll,
    ...(statistics && { statistics }),
    pageSummary: (rule) => summaries.get(rule),
    fixCommand: "toollint fix",
    skippedFiles: files.filter(({ path, isNamed }) => !isNamed && unread.includes(path)).length,
  });
}
