import type { CheckResult } from "../../check/check.ts";
import { readPasted } from "../../explain/pasted.ts";
import { type ErrorPlace, findErrorPlace } from "../../explain/place.ts";
import { placeInSession } from "../../explain/session.ts";
import type { FindingReport } from "../../findings/report.ts";
import { Unmaskable } from "../../fix/written.ts";
import { Unreachable } from "../../http/send.ts";
import { Unsendable } from "../../replay/history.ts";
import { Unfit } from "../../replay/rounds.ts";
import { maskedJson } from "../../reporters/masked-json.ts";
import { ruleTable } from "../../rules/index.ts";
import { type ShrinkReport, shrinkReport } from "../../shrink/report.ts";
import { shrink } from "../../shrink/shrink.ts";
import type { Choice } from "../../shrink/subject.ts";
import { Unshrinkable } from "../../shrink/unshrinkable.ts";
import { settingsByPath, typedSettings } from "../config/file-settings.ts";
import { configOf } from "../config/find.ts";
import { writeWhole } from "../files/atomic.ts";
import type { Inputs } from "../files/inputs.ts";
import { refuseUnread, withLogs } from "../files/logs.ts";
import { refuseInput } from "../files/output.ts";
import { type Io, print, printBytes, printChunks } from "../terminal/io.ts";
import { terminalStyle } from "../terminal/paint.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { choice, unknownRule } from "../usage/values.ts";
import { shrinkLines } from "./shrink-lines.ts";
import { withLive } from "./shrink-live.ts";

/** Errors whose messages are written for the user. */
const sentences = [Unmaskable, Unshrinkable, Unsendable, Unfit, Unreachable];

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
    const redacts = invocation.has("redact");
    const work = { settingsOf, redacts, asLines };
    const { result, shrunk } = await (invocation.has("live")
      ? withLive(invocation, path, io, (live) => shrink(inputs.files, choose, { ...work, live }))
      : shrink(inputs.files, choose, work));
    if (!shrunk) throw withoutFinding(path, result, inputs, invocation, settingsOf);
    const report = shrinkReport(shrunk, output);
    const { bytes } = shrunk.written;
    if (output === "-") await printBytes(io.stdout, [bytes]);
    else await writeWhole(output, io.cwd, [bytes]);
    await printReport(report, invocation, isJson, io);
    return report.isSmaller && !report.isLostByMasking ? 0 : 1;
  }).catch((error: unknown) => {
    if (sentences.some((kind) => error instanceof kind)) throw new Trouble((error as Error).message);
    throw error;
  });
}

function outputOf(invocation: Invocation, isJson: boolean): string {
  const output = invocation.one("output");
  if (output === undefined)
    throw new Trouble("say where the small log goes: `-o small.jsonl`, or `-o -` for standard output");
  if (output === "-" && isJson)
    throw new Trouble("the log and the report would both go to standard output: `-o FILE --format json`");
  return output;
}

type Chooser = Choice | ((result: CheckResult) => Choice);

/** The finding that the options name; throws {@link Trouble} if they name several. */
function choiceOf(invocation: Invocation): Chooser {
  const finding = invocation.one("finding");
  const rules = chosenRules(invocation);
  const error = invocation.one("error");
  const given = [finding, rules[0], error].filter((each) => each !== undefined);
  if (given.length > 1)
    throw new Trouble("`--finding`, `--rule` and `--error` each name a finding: give one of them");
  if (error !== undefined) return (result) => ofErrorText(error, result);
  return { ...(finding !== undefined && { finding }), ...(rules.length > 0 && { rules }) };
}

/** `--rule ID` names a finding here; `--rule ID:LEVEL` sets a level, as everywhere. */
function chosenRules(invocation: Invocation): string[] {
  const names = ruleTable.map(({ name }) => name);
  const chosen = invocation.all("rule").filter((value) => !/[:=]/.test(value));
  for (const name of chosen) if (!names.includes(name)) throw unknownRule(name, names);
  return chosen;
}

function withoutChosenRules(invocation: Invocation): Invocation {
  return {
    ...invocation,
    all: (name) => {
      const values = invocation.all(name);
      return name === "rule" ? values.filter((value) => /[:=]/.test(value)) : values;
    },
  };
}

/** The finding that a provider's text is about: the one in its place, else one of the rule that it means. */
function ofErrorText(text: string, { report, runs }: CheckResult): Choice {
  const error = readPasted(text);
  const conversations = runs.flatMap((run) => run.conversations);
  const isSession = report.files.every(({ kind }) => kind === "transcript");
  const found = isSession
    ? placeInSession(error, conversations, report.findings)?.finding
    : causeOf(findErrorPlace(error, conversations, report.findings));
  if (found) return { finding: found.id };
  // No finding is of a rule that has no name.
  return { rules: [error.match?.rule ?? ""] };
}

function causeOf(place: ErrorPlace | undefined): FindingReport | undefined {
  return place?.cause ?? place?.finding;
}

function withoutFinding(
  path: string,
  { report, runs }: CheckResult,
  inputs: Inputs,
  invocation: Invocation,
  settingsOf: Parameters<typeof refuseUnread>[2],
): Trouble {
  if (report.files.length === 0) {
    if (inputs.files.length === 1) refuseUnread("shrink", runs, settingsOf);
    return new Trouble(`no conversation was understood in ${path}: see \`toollint formats\``);
  }
  const [first] = report.findings;
  if (!first) return new Trouble(`${path} has no findings: there is nothing to keep while it shrinks`);
  const asked = ["finding", "rule", "error"].find((name) => invocation.one(name) !== undefined);
  const value = asked === "error" ? "that this error text is about" : `\`${invocation.one(asked ?? "")}\``;
  const names = `f1 to f${report.findings.length}`;
  return new Trouble(
    `${path} has no finding ${value}: there ${report.findings.length === 1 ? "is f1" : `are ${names}`}, which \`toollint check --format json\` lists`,
  );
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
