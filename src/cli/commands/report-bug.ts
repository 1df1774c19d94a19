import path from "node:path";
import { bytesSource } from "../../reading/source.ts";
import { type Redacted, redact } from "../../redact/redact.ts";
import { redactReport } from "../../redact/report.ts";
import { Unredactable } from "../../redact/unredactable.ts";
import { shrinkReport } from "../../shrink/report.ts";
import { type Shrunk, shrink } from "../../shrink/shrink.ts";
import { sameFinding } from "../../shrink/subject.ts";
import { type SettingsOf, settingsByPath, typedSettings } from "../config/file-settings.ts";
import { configOf } from "../config/find.ts";
import { writeWhole } from "../files/atomic.ts";
import { withLogs } from "../files/logs.ts";
import { refuseFolder, refuseInput } from "../files/output.ts";
import { keyIn } from "../files/private.ts";
import { note } from "../terminal/complaint.ts";
import { type Io, print } from "../terminal/io.ts";
import { terminalStyle } from "../terminal/paint.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { choiceOf, withoutChosenRules, withoutFinding } from "./chosen-finding.ts";
import { redactLines } from "./redact-lines.ts";
import { type BugFacts, bugReport } from "./report-bug-lines.ts";
import { settingsAfter, shrinkTroubles } from "./shrink.ts";

/** A log of more bytes is no longer pasted: trackers take about 65,000 characters in all. */
const mostPasted = 60_000;

/** What it costs to redact a log, as checks of it. */
const checksOfRedacting = 3;

/** Runs `toollint report-bug <log>` and returns its exit code. */
export async function reportBugCommand(invocation: Invocation, io: Io): Promise<number> {
  const choose = choiceOf(invocation);
  const output = invocation.one("output");
  const config = await configOf(invocation, io);
  const settingsOf = await settingsByPath(config, typedSettings(withoutChosenRules(invocation)), io);
  const [typed = ""] = invocation.words;
  return withLogs([typed], io, async (inputs) => {
    if (output !== undefined && output !== "-") {
      refuseInput(output, io.cwd, inputs.files, "-o", "name another file");
      refuseFolder(output, "bug.md", io);
    }
    const { result, shrunk } = await shrink(inputs.files, choose, {
      settingsOf,
      laterChecks: checksOfRedacting,
    });
    if (!shrunk) throw await withoutFinding(typed, result, inputs, invocation, settingsOf);
    const keyFile = invocation.one("key");
    const key = keyFile === undefined ? undefined : await keyIn(keyFile, io);
    if (key?.isNew)
      await note(io, `created the key ${keyFile}: keep it private, and use it for the next report`);
    const redacted = await withoutWords(shrunk, invocation, settingsOf, key?.key);
    if (redacted.differences.length > 0) {
      const style = terminalStyle(invocation, io, false);
      const lines = redactLines(
        redactReport(redacted, () => undefined),
        redacted,
        style,
      );
      await print(io.stderr, lines);
      return 1;
    }
    await write(factsOf(shrunk, redacted), output, io);
    return 0;
  }).catch((error: unknown) => {
    if (error instanceof Unredactable || shrinkTroubles.some((kind) => error instanceof kind))
      throw new Trouble((error as Error).message);
    throw error;
  });
}

function withoutWords(
  { after, written }: Shrunk,
  invocation: Invocation,
  settingsOf: SettingsOf,
  key: Buffer | undefined,
): Promise<Redacted> {
  const { path: file } = after.input;
  return redact([{ path: file, source: bytesSource(file, written.bytes) }], {
    settingsOf: settingsAfter(after.isConverted, settingsOf),
    hidesNames: invocation.has("names"),
    ...(key && { key }),
  });
}

function factsOf(shrunk: Shrunk, redacted: Redacted): BugFacts {
  const { after } = shrunk;
  const [made] = redacted.files;
  if (!made) throw new Error("a log was redacted");
  const again = redacted.reportAfter;
  // Its words are others now; its place is the same.
  const { rule, kind, location } = after.subject;
  const finding =
    again.findings.find(
      (each) => each.rule === rule && each.kind === kind && each.location.line === location.line,
    ) ?? sameFinding(again, after.subject);
  const { input, output, wasMinimal } = shrinkReport(shrunk, "-");
  return {
    rule,
    finding,
    others: again.findings.filter((each) => each !== finding && each.cause === null),
    protocols: again.files.flatMap(({ protocols }) => protocols),
    input,
    output,
    wasMinimal,
    replaced: redacted.replaced.size,
    comparesRepairs: redacted.comparesRepairs,
    log: made.content,
  };
}

async function write(facts: BugFacts, output: string | undefined, io: Io): Promise<void> {
  const isLarge = facts.log.length > mostPasted;
  if (output === undefined || output === "-") {
    if (isLarge)
      throw new Trouble(
        `the small log is too large to paste (${Math.round(facts.log.length / 1000)} kB): \`-o bug.md\` writes it next to the report`,
      );
    await print(io.stdout, bugReport(facts, undefined));
    return;
  }
  const beside = isLarge ? besideOf(output, facts.output.container) : undefined;
  if (beside !== undefined) await writeWhole(beside, io.cwd, [facts.log]);
  await writeWhole(output, io.cwd, [`${bugReport(facts, beside && path.basename(beside)).join("\n")}\n`]);
  const where = beside === undefined ? output : `${output}, and ${beside} to attach`;
  await print(io.stdout, [`wrote ${where}; nothing was sent: read it before you post it`]);
}

function besideOf(output: string, container: string): string {
  const { dir, name } = path.parse(output);
  return path.join(dir, `${name}.log.${endings[container] ?? "txt"}`);
}

const endings: Readonly<Record<string, string>> = { jsonl: "jsonl", json: "json", har: "har", vcr: "yaml" };
