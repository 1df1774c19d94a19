import { hasTooManyWarnings } from "../../findings/gate.ts";
import { reportText } from "../../reporters/text.ts";
import { configOf } from "../config/find.ts";
import { writeWhole } from "../files/atomic.ts";
import type { Inputs } from "../files/inputs.ts";
import { messagesOf, withAnyLogs } from "../files/logs.ts";
import { type Outputs, refuseInput } from "../files/output.ts";
import type { Share } from "../files/shards.ts";
import { onlyErrors } from "../quiet.ts";
import { note } from "../terminal/complaint.ts";
import { type Io, print, printChunks, terminalWidth, withFeeds } from "../terminal/io.ts";
import { paintFor, type TerminalStyle } from "../terminal/paint.ts";
import { progressOn } from "../terminal/progress.ts";
import type { Invocation } from "../usage/parse.ts";
import type { ReportFormat } from "../usage/values.ts";
import { type CheckedInputs, checkInputs, textContext } from "./check-once.ts";
import { nothingAside, type Settings, settingAside, settingsOf } from "./check-settings.ts";

/** Runs `toollint check` and returns its exit code. */
export async function checkCommand(invocation: Invocation, io: Io): Promise<number> {
  const config = await configOf(invocation, io);
  const settings = await settingsOf(invocation, config, io);
  const setAside = await settingAside(invocation, settings, config, io);
  if (invocation.has("watch"))
    return (await import("./watch.ts")).watchCommand(invocation, settings, setAside, io);
  const paths = invocation.words.length > 0 ? invocation.words : ["."];
  const work = async (inputs: Inputs, share?: Share): Promise<number> => {
    for (const { file } of settings.outputs.files) refuseInput(file, io.cwd, inputs.files);
    if (setAside.writes !== undefined) refuseInput(setAside.writes, io.cwd, inputs.files, "--baseline");
    await note(io, ...messagesOf(inputs));
    if (settings.style.showValues) await note(io, ...warningsOfValues(settings.outputs, io));
    const isAboutInput = invocation.has("explain-input");
    const progress = progressOn(io, settings.isQuiet);
    const checked = await checkInputs(
      progress.reading(inputs),
      settings,
      isAboutInput ? nothingAside : setAside,
      progress,
    ).finally(() => progress.end());
    await note(io, ...checked.notes);
    if (isAboutInput) {
      const { explainInput } = await import("./explain-input.ts");
      const look = { ...paintFor(invocation, io), width: terminalWidth(io) };
      await print(io.stdout, explainInput(checked.whole, look));
      return checked.failures.length > 0 ? 2 : 0;
    }
    if (!settings.isQuiet) await note(io, ...checked.asideNotes);
    const blob = async (): Promise<Iterable<string>> => {
      if (!share) throw new Error("a blob without a list of files");
      const { blobChunks, settingsHash } = await import("./check-blob.ts");
      return blobChunks(checked, inputs, settings, share, settingsHash(invocation, config));
    };
    await report(checked, inputs, settings, blob, io);
    if (settings.outputs.screen !== "text" && hasTooManyWarnings(checked.result.report.summary, settings)) {
      await note(io, `too many warnings: \`--max-warnings\` allows ${settings.maxWarnings}`);
    }
    return checked.exit;
  };
  if (!settings.shard) return withAnyLogs(paths, io, work);
  return (await import("./check-shard.ts")).withShare(paths, settings.shard, settings, io, work);
}

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
  const { result, failures, isOfNothing, verdict } = checked;
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
  if (outputs.screen === "github") await (await import("../reports.ts")).summarize(visible, verdict, io);
}
