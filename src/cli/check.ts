import { type CheckOptions, type CheckResult, checkFiles } from "../check.ts";
import { containers } from "../containers/index.ts";
import { protocols } from "../protocols/index.ts";
import { counted } from "../reporters/numbers.ts";
import { text } from "../reporters/text.ts";
import { ruleTable } from "../rules/index.ts";
import { type ColorChoice, wantsColor } from "./color.ts";
import { complaint } from "./complaint.ts";
import { exitCode, type FailOn, hasTooManyWarnings } from "./exit.ts";
import { type Inputs, openInputs } from "./inputs.ts";
import { type Io, print, printPieces, widthOf, withFeeds } from "./io.ts";
import { refuseInput, writeOutput } from "./output.ts";
import type { Invocation } from "./parse.ts";
import { onlyErrors } from "./quiet.ts";
import { unreadSentence } from "./unread.ts";
import {
  choice,
  conversationName,
  exchangeRange,
  named,
  type ReportFormat,
  reportFormats,
  ruleSettings,
  wholeNumber,
} from "./values.ts";

interface Settings {
  readonly format: ReportFormat;
  readonly output: string | undefined;
  readonly failOn: FailOn;
  readonly maxWarnings: number | undefined;
  readonly isQuiet: boolean;
  readonly showsValues: boolean;
  readonly color: ColorChoice | undefined;
  readonly check: CheckOptions & { readonly separate: boolean };
}

/** `toollint check`: says its exit code. */
export async function check(invocation: Invocation, io: Io): Promise<number> {
  const settings = settingsOf(invocation);
  const note = (message: string) => print(io.stderr, complaint(message));
  const inputs = await openInputs(invocation.words.length > 0 ? invocation.words : ["."], io);
  try {
    const { output, format, showsValues } = settings;
    if (output !== undefined) refuseInput(output, io.cwd, inputs.files);
    for (const trouble of inputs.troubles) await note(trouble);
    if (inputs.files.length === 0) {
      for (const searched of inputs.searched) await note(`${searched} has no files that could be logs`);
      return 2;
    }
    if (showsValues) await warnOfValues(format, output, io, note);
    const result = await checkFiles(inputs.files, settings.check);
    const troubles = [...unreadNamed(inputs, result, settings), ...unmatched(result, settings)];
    for (const trouble of troubles) await note(trouble);
    for (const skipped of skippedNotes(inputs, result, settings)) await note(skipped);
    const hadTrouble = inputs.troubles.length + troubles.length > 0 || result.report.files.length === 0;
    await report(result, hadTrouble, inputs, settings, io);
    if (hasTooManyWarnings(result.report.summary, settings)) {
      await note(`too many warnings: \`--max-warnings\` allows ${settings.maxWarnings}`);
    }
    return exitCode(result.report, settings, hadTrouble);
  } finally {
    for (const { source } of inputs.files) source.close();
  }
}

async function warnOfValues(
  format: ReportFormat,
  output: string | undefined,
  io: Io,
  note: (message: string) => Promise<void>,
): Promise<void> {
  if (format !== "text") await note("`--show-values` has no effect on data: credentials stay masked in it");
  else if (output !== undefined) await note(`\`--show-values\`: ${output} holds credentials as they are`);
  else if (!io.isTTY)
    await note("`--show-values`: the output holds credentials as they are, and does not go to a terminal");
}

function settingsOf(invocation: Invocation): Settings {
  const container = named(invocation, "container", containers);
  const protocol = named(invocation, "protocol", protocols);
  const conversation = conversationName(invocation);
  const exchanges = exchangeRange(invocation);
  const output = invocation.one("output");
  return {
    format: choice(invocation, "format", reportFormats) ?? "text",
    output: output === "-" ? undefined : output,
    failOn: choice(invocation, "fail-on", ["error", "warning", "info", "never"]) ?? "error",
    maxWarnings: wholeNumber(invocation, "max-warnings"),
    isQuiet: invocation.has("quiet"),
    showsValues: invocation.has("show-values"),
    color: choice(invocation, "color", ["auto", "always", "never"]),
    check: {
      ...ruleSettings(invocation, ruleTable),
      isComplete: invocation.has("complete"),
      separate: invocation.has("separate"),
      ...(container && { container }),
      ...(protocol && { protocol }),
      ...(conversation !== undefined && { conversation }),
      ...(exchanges && { exchanges }),
    },
  };
}

/** Named files in which nothing was understood: a sentence each. */
function unreadNamed(
  { files }: Inputs,
  { unread }: CheckResult,
  { check: { container, protocol } }: Settings,
): string[] {
  const paths = new Set(unread);
  return files
    .filter(({ path, isNamed }) => isNamed && paths.has(path))
    .map(({ path, source }) =>
      unreadSentence(path, source, {
        command: "check",
        container: container?.name,
        protocol: protocol?.name,
      }),
    );
}

/** A conversation or exchanges that no file has: to find nothing there would look like a clean log. */
function unmatched(
  { logs, report }: CheckResult,
  { check: { conversation, exchanges } }: Settings,
): string[] {
  if (report.files.length === 0) return [];
  const troubles: string[] = [];
  const names = logs.flatMap(({ conversations }) => conversations.map(({ name }) => name));
  if (conversation !== undefined && !names.includes(conversation)) {
    troubles.push(`there is no conversation ${conversation}: ${listOf(names)}`);
  }
  const most = Math.max(...report.files.map((file) => file.exchanges));
  if (exchanges && exchanges.from > most)
    troubles.push(`there is no exchange ${exchanges.from}: the last one is ${most}`);
  return troubles;
}

function listOf(names: readonly string[]): string {
  return names.length === 1 ? `the only one is ${names[0]}` : `they are ${names[0]} to ${names.at(-1)}`;
}

/** What was found but not understood, in one line; where nothing at all was understood, that is the sentence. */
function skippedNotes(
  { files, searched, binaries }: Inputs,
  { unread, report }: CheckResult,
  { format, isQuiet, output }: Settings,
): string[] {
  const paths = new Set(unread);
  const skipped = files.filter(({ path, isNamed }) => !isNamed && paths.has(path)).length;
  const binary = binaries > 0 ? `${binaries} binary` : "";
  if (report.files.length === 0 && searched.length > 0) {
    return [
      `no conversation was understood in ${searched.join(", ")} (${counted(skipped, "file")} read${binary && `, ${binary} not`}): see \`toollint formats\``,
    ];
  }
  // The text report says it by itself.
  if (skipped === 0 || isQuiet || (format === "text" && output === undefined)) return [];
  return [
    `${counted(skipped, "file")} skipped: no conversation was understood in ${skipped === 1 ? "it" : "them"}`,
  ];
}

async function report(
  result: CheckResult,
  hadTrouble: boolean,
  inputs: Inputs,
  settings: Settings,
  io: Io,
): Promise<void> {
  const { format, output, isQuiet } = settings;
  const terminal: Look = { color: wantsColor(settings.color, io.env, io.isTTY), width: widthOf(io) };
  const told = isQuiet ? onlyErrors(result.report) : result.report;
  const lines = (look: Look) => textLines(result, inputs, settings, look);
  // A clean bill for nothing would mislead; programs get their JSON in any case.
  const isEmpty = result.report.files.length === 0;
  if (output === undefined) {
    if (format === "text") {
      if (!isEmpty) await print(io.stdout, lines(terminal));
      return;
    }
    const { summarize, written } = await import("./reports.ts");
    await printPieces(io.stdout, await written(format, told, hadTrouble, io));
    if (format === "github") await summarize(told, io);
    return;
  }
  const plain = { color: false, width: 100 };
  const pieces =
    format === "text"
      ? withFeeds(lines(plain))
      : await (await import("./reports.ts")).written(format, told, hadTrouble, io);
  await writeOutput(output, io.cwd, pieces);
  // Whoever keeps a report for programs still wants to read what was found.
  if (format !== "text" && !isEmpty) await print(io.stdout, lines(terminal));
}

interface Look {
  readonly color: boolean;
  readonly width: number;
}

function textLines(
  { report, unread }: CheckResult,
  { files }: Inputs,
  settings: Settings,
  look: Look,
): Iterable<string> {
  const summaries = new Map(ruleTable.map(({ name, summary }) => [name, summary]));
  return text(report, {
    ...look,
    sources: new Map(files.map(({ path, source }) => [path, source])),
    showValues: settings.showsValues,
    quiet: settings.isQuiet,
    pageSummary: (rule) => summaries.get(rule),
    skippedFiles: files.filter(({ path, isNamed }) => !isNamed && unread.includes(path)).length,
  });
}
