import { hasTooManyWarnings } from "../../findings/gate.ts";
import { reportText } from "../../reporters/text.ts";
import { configOf } from "../config/find.ts";
import type { Inputs, Threading } from "../files/inputs.ts";
import { messagesOf, withAnyLogs, withoutFiles } from "../files/logs.ts";
import { type Outputs, refuseInput } from "../files/output.ts";
import { asAsked, redactLevel } from "../files/redacted-inputs.ts";
import type { Share } from "../files/shards.ts";
import { writeReport } from "../files/written-report.ts";
import { programBundle } from "../jobs/bundle.ts";
import { onlyErrors } from "../quiet.ts";
import { note } from "../terminal/complaint.ts";
import { type Io, print, printChunks, terminalWidth, withFeeds } from "../terminal/io.ts";
import { paintFor, type TerminalStyle } from "../terminal/paint.ts";
import { progressOn } from "../terminal/progress.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import type { ReportFormat } from "../usage/values.ts";
import { type CheckedInputs, checkInputs, judged, textContext } from "./check-once.ts";
import { nothingAside, type Settings, settingAside, settingsOf } from "./check-settings.ts";

/** Runs `toollint check` and returns its exit code. */
export async function checkCommand(invocation: Invocation, io: Io): Promise<number> {
  const isRedacted = redactLevel(invocation) === "all";
  if (isRedacted) refuseWithWords(invocation);
  const config = await configOf(invocation, io);
  const settings = await settingsOf(invocation, config, io);
  const setAside = await settingAside(invocation, settings, config, io);
  if (invocation.has("watch")) {
    const bundle = io.stdout === process.stdout && !io.watch ? programBundle() : undefined;
    return bundle
      ? (await import("./watch-thread.ts")).watchInThread(bundle, process.argv.slice(2), io)
      : (await import("./watch.ts")).watchCommand(invocation, settings, setAside, io);
  }
  const isAboutInput = invocation.has("explain-input");
  const needsLogs =
    isAboutInput ||
    settings.outputs.screen === "html" ||
    settings.outputs.files.some(({ format }) => format === "html");
  const work = async (given: Inputs, share?: Share): Promise<number> => {
    const inputs = { ...given, files: await asAsked(given.files, invocation, settings.check) };
    for (const { file } of settings.outputs.files) refuseInput(file, io.cwd, inputs.files);
    if (setAside.writes !== undefined) refuseInput(setAside.writes, io.cwd, inputs.files, "--baseline");
    const progress = progressOn(io, settings.isQuiet);
    if (inputs.threads !== undefined) {
      const { checkInThreads } = await import("../jobs/check-in-threads.ts");
      const command = { args: invocation.args, cwd: io.cwd, env: { ...io.env } };
      const isSeparate = settings.check.separate === true;
      const found = await checkInThreads(inputs, command, isSeparate, progress).finally(() => progress.end());
      if (found.inputs.files.length === 0 && !share) return withoutFiles(found.inputs, io);
      await noteBefore(found.inputs);
      return finish(await judged(found.inputs, found.outcome, settings, setAside), found.inputs, share);
    }
    await noteBefore(inputs);
    const checked = await checkInputs(
      progress.reading(inputs),
      settings,
      isAboutInput ? nothingAside : setAside,
      progress,
    ).finally(() => progress.end());
    if (!isAboutInput || !checked.withLogs) return finish(checked, inputs, share);
    await note(io, ...checked.notes);
    const { explainInput } = await import("./explain-input.ts");
    const look = { ...paintFor(invocation, io), width: terminalWidth(io) };
    await print(io.stdout, explainInput(checked.withLogs, look));
    return checked.failures.length > 0 ? 2 : 0;
  };
  const noteBefore = async (inputs: Inputs): Promise<void> => {
    await note(io, ...messagesOf(inputs));
    if (settings.style.showValues) await note(io, ...warningsOfValues(settings.outputs, io));
  };
  const finish = async (checked: CheckedInputs, inputs: Inputs, share?: Share): Promise<number> => {
    await note(io, ...checked.notes);
    if (!settings.isQuiet) await note(io, ...checked.asideNotes);
    const blob = async (): Promise<Iterable<string>> => {
      if (!share) throw new Error("a blob without a list of files");
      const { askedFor, blobChunks } = await import("./check-blob.ts");
      return blobChunks(checked, inputs, settings, share, askedFor(invocation, config));
    };
    await report(checked, inputs, settings, blob, io);
    if (settings.outputs.screen !== "text" && hasTooManyWarnings(checked.result.report.summary, settings)) {
      await note(io, `too many warnings: \`--max-warnings\` allows ${settings.maxWarnings}`);
    }
    return checked.exit;
  };
  const paths = invocation.words.length > 0 ? invocation.words : ["."];
  const threading: Threading = (sizes) => threadsFor(sizes, settings.jobs, needsLogs || isRedacted);
  if (!settings.shard) return withAnyLogs(paths, io, work, threading);
  return (await import("./check-shard.ts")).withShare(paths, settings.shard, settings, io, work, threading);
}

/** Pseudonyms differ from run to run, so nothing can be compared with another run. */
function refuseWithWords(invocation: Invocation): void {
  const name = ["watch", "baseline", "shard"].find(
    (each) => invocation.has(each) || invocation.one(each) !== undefined,
  );
  if (name !== undefined)
    throw new Trouble(
      `\`--redact=all\` and \`--${name}\` cannot be combined: the pseudonyms differ from run to run. Write the redacted logs first: \`toollint redact LOGS -o DIR --key FILE\``,
    );
}

/** How many threads are to check files of these sizes; none where this one has to read the logs itself. */
async function threadsFor(
  sizes: readonly number[],
  jobs: number | undefined,
  needsLogs: boolean,
): Promise<number> {
  if (needsLogs || (jobs === undefined && !isMuch(sizes))) return 1;
  const { availableParallelism } = await import("node:os");
  return Math.min(jobs ?? Math.min(mostThreads, availableParallelism()), sizes.length);
}

const mostThreads = 8;

/** Whether files take much longer to check than threads take to start. */
function isMuch(sizes: readonly number[]): boolean {
  return sizes.length >= muchFiles || sizes.reduce((sum, size) => sum + size, 0) >= muchBytes;
}

const muchFiles = 200;
const muchBytes = 24 << 20;

/** Warnings to show before credentials are printed. */
function* warningsOfValues({ screen, files }: Outputs, io: Io): Generator<string> {
  const isData = (screen !== undefined && screen !== "text") || files.some(({ format }) => format !== "text");
  if (isData) yield "`--show-values` has no effect on data formats: they always mask credentials";
  for (const { file } of files.filter(({ format }) => format === "text"))
    yield `\`--show-values\`: ${file} contains unmasked credentials`;
  if (screen === "text" && !io.isTTY)
    yield "`--show-values`: the output contains unmasked credentials and does not go to a terminal";
}

/** Writes the reports: into their files, and on the screen. */
async function report(
  checked: CheckedInputs,
  inputs: Inputs,
  settings: Settings,
  blob: () => Promise<Iterable<string>>,
  io: Io,
): Promise<void> {
  const { result, withLogs, failures, isOfNothing, verdict } = checked;
  const { outputs, isQuiet } = settings;
  const hadTrouble = failures.length > 0;
  const visible = isQuiet ? onlyErrors(result.report) : result.report;
  const lines = (look: TerminalStyle) =>
    reportText(result.report, textContext(checked, inputs, settings, look));
  const plain = { ...settings.style, color: false, width: 100 };
  const chunksOf = async (format: Exclude<ReportFormat, "text">): Promise<Iterable<string>> => {
    if (format === "blob") return blob();
    if (format !== "html")
      return (await import("../reports.ts")).reportChunks(format, visible, { hadTrouble, verdict }, io);
    if (!withLogs) throw new Error("a page was asked for, and the logs were read in other threads");
    const { checkPage } = await import("../../page/page.ts");
    return checkPage({ ...withLogs, report: visible }, inputs.files, verdict);
  };
  for (const { format, file } of outputs.files) {
    const chunks = format === "text" ? withFeeds(lines(plain)) : await chunksOf(format);
    await writeReport(file, chunks, io, isQuiet);
  }
  for (const page of settings.opened) await (await import("../terminal/browser.ts")).openInBrowser(page, io);
  if (outputs.screen === undefined) return;
  if (outputs.screen === "text") {
    if (!isOfNothing) await print(io.stdout, lines(settings.style));
    return;
  }
  await printChunks(io.stdout, await chunksOf(outputs.screen));
  if (outputs.screen === "github") await (await import("../reports.ts")).summarize(visible, verdict, io);
}
