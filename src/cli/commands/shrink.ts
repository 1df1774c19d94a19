import { Unmaskable } from "../../fix/written.ts";
import { Unreachable } from "../../http/send.ts";
import { Unsendable } from "../../replay/history.ts";
import { Unfit } from "../../replay/rounds.ts";
import { maskedJson } from "../../reporters/masked-json.ts";
import { type ShrinkReport, shrinkReport } from "../../shrink/report.ts";
import { type Shrunk, shrink } from "../../shrink/shrink.ts";
import { Unshrinkable } from "../../shrink/unshrinkable.ts";
import { type SettingsOf, settingsByPath, typedSettings } from "../config/file-settings.ts";
import { configOf } from "../config/find.ts";
import { writeWhole } from "../files/atomic.ts";
import { withLogs } from "../files/logs.ts";
import { refuseFolder, refuseInput } from "../files/output.ts";
import { bytesWithoutPrivateWords, redactLevel } from "../files/redacted-inputs.ts";
import { type Io, print, printBytes, printChunks } from "../terminal/io.ts";
import { terminalStyle } from "../terminal/paint.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { choice } from "../usage/values.ts";
import { choiceOf, withoutChosenRules, withoutFinding } from "./chosen-finding.ts";
import { shrinkLines } from "./shrink-lines.ts";
import { withLive } from "./shrink-live.ts";

/** Errors whose messages are written for the user. */
export const shrinkTroubles = [Unmaskable, Unshrinkable, Unsendable, Unfit, Unreachable];

/** Runs `toollint shrink <log>` and returns its exit code. */
export async function shrinkCommand(invocation: Invocation, io: Io): Promise<number> {
  const isJson = choice(invocation, "format", ["text", "json"]) === "json";
  const choose = choiceOf(invocation);
  const output = outputOf(invocation, isJson);
  const asLines = choice(invocation, "as", ["same", "jsonl"]) === "jsonl";
  const config = await configOf(invocation, io);
  const settingsOf = await settingsByPath(config, typedSettings(withoutChosenRules(invocation)), io);
  const [path = ""] = invocation.words;
  return withLogs([path], io, async (inputs) => {
    refuseInput(output, io.cwd, inputs.files, "-o", "name another file");
    if (output !== "-") refuseFolder(output, "small.jsonl", io);
    const level = redactLevel(invocation);
    const redacts = level !== undefined;
    const work = { settingsOf, redacts, asLines };
    const { result, shrunk } = await (invocation.has("live")
      ? withLive(invocation, path, io, (live) => shrink(inputs.files, choose, { ...work, live }))
      : shrink(inputs.files, choose, work));
    if (!shrunk) throw await withoutFinding(path, result, inputs, invocation, settingsOf);
    const report = shrinkReport(shrunk, output);
    const bytes = level === "all" ? await withoutWords(shrunk, settingsOf) : shrunk.written.bytes;
    if (output === "-") await printBytes(io.stdout, [bytes]);
    else await writeWhole(output, io.cwd, [bytes], { copyOf: [path] });
    await printReport(report, invocation, isJson, io);
    return (report.isSmaller || report.wasMinimal) && !report.isLostByMasking ? 0 : 1;
  }).catch((error: unknown) => {
    if (shrinkTroubles.some((kind) => error instanceof kind)) throw new Trouble((error as Error).message);
    throw error;
  });
}

/** The small log with every private word replaced, in its own form. */
function withoutWords({ after, written }: Shrunk, settingsOf: SettingsOf): Promise<Buffer> {
  return bytesWithoutPrivateWords(after.input.path, written.bytes, {
    settingsOf: settingsAfter(after.isConverted, settingsOf),
  });
}

/** The settings for a small log: what became JSON lines is no longer kept as the user said. */
export function settingsAfter(isConverted: boolean, settingsOf: SettingsOf): SettingsOf {
  if (!isConverted) return settingsOf;
  return (file) => {
    const { container: _, ...settings } = settingsOf(file);
    return settings;
  };
}

function outputOf(invocation: Invocation, isJson: boolean): string {
  const output = invocation.one("output");
  if (output === undefined)
    throw new Trouble("say where the small log goes: `-o small.jsonl`, or `-o -` for standard output");
  if (output === "-" && isJson)
    throw new Trouble("the log and the report would both go to standard output: `-o FILE --format json`");
  return output;
}

async function printReport(
  report: ShrinkReport,
  invocation: Invocation,
  isJson: boolean,
  io: Io,
): Promise<void> {
  if (isJson) {
    await printChunks(io.stdout, [`${maskedJson(report, 2)}\n`]);
    return;
  }
  const isAside = report.output.path === "-";
  const style = terminalStyle(invocation, io, !isAside && io.isTTY);
  await print(isAside ? io.stderr : io.stdout, shrinkLines(report, style));
}
