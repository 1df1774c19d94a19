import { type Diffed, diffLogs, diffSteps } from "../../diff/diff.ts";
import { diffJson, successionJson } from "../../diff/json.ts";
import { diffMarkdown } from "../../diff/markdown.ts";
import type { DiffReport } from "../../diff/report.ts";
import { printedSuccession } from "../../diff/successive-text.ts";
import { printed } from "../../diff/text.ts";
import { settingsByPath, typedSettings } from "../config/file-settings.ts";
import { configOf } from "../config/find.ts";
import { type Inputs, openInputs } from "../files/inputs.ts";
import { notUnderstood } from "../files/logs.ts";
import { wantsColor } from "../terminal/color.ts";
import { complaint } from "../terminal/complaint.ts";
import { type Io, print, printPieces, widthOf } from "../terminal/io.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { choice, conversationName, wholeNumber } from "../usage/values.ts";

/** `toollint diff <failing> <passing>`: says its exit code. */
export async function diff(invocation: Invocation, io: Io): Promise<number> {
  const settings = await settingsOf(invocation, io);
  const [failing = "", passing = "", ...more] = invocation.words;
  if (invocation.has("steps")) return steps(invocation, settings, io);
  if (passing === "") {
    throw new Trouble(
      `\`toollint diff\` needs two logs, the failing one first: \`toollint diff ${failing} passing.log\`
To compare the requests of one log with each other: \`toollint diff --steps ${failing}\``,
    );
  }
  if (more.length > 0)
    throw new Trouble(`\`toollint diff\` compares two logs, and these are ${more.length + 2}`);
  const inputs = [await oneLog(failing, io), await oneLog(passing, io)] as const;
  try {
    const { ofFile, conversation } = settings;
    const [left, right] = inputs.map(({ files: [file] }) => file && { ...file, settings: ofFile(file.path) });
    if (!left || !right) throw new Trouble("a log is missing");
    const diffed = await diffLogs(left, right, {
      isStrict: invocation.has("strict"),
      ...(settings.context !== undefined && { context: settings.context }),
      ...(conversation !== undefined && { conversation }),
    });
    const report = understood(diffed, settings);
    await write(report, diffed, invocation, settings, io);
    return report.same ? 0 : 1;
  } finally {
    for (const { files } of inputs) for (const { source } of files) source.close();
  }
}

type Settings = Awaited<ReturnType<typeof settingsOf>>;

async function settingsOf(invocation: Invocation, io: Io) {
  const step = wholeNumber(invocation, "step");
  if (step === 0) throw new Trouble("`--step` counts from 1");
  return {
    format: choice(invocation, "format", ["text", "json", "markdown"]) ?? "text",
    color: choice(invocation, "color", ["auto", "always", "never"]),
    /** How each of the logs is read and judged. */
    ofFile: await settingsByPath(await configOf(invocation, io), typedSettings(invocation), io),
    conversation: conversationName(invocation),
    context: wholeNumber(invocation, "context"),
    step,
  };
}

/** One log, not a directory of them. */
async function oneLog(path: string, io: Io): Promise<Inputs> {
  const inputs = await openInputs([path], io);
  const { files, troubles, searched } = inputs;
  if (troubles.length > 0) throw new Trouble(troubles.join("\n"));
  const [first] = files;
  if (!first) throw new Trouble(`${path} has no files that could be logs`);
  if (files.length > 1 || searched.length > 0) {
    for (const { source } of files) source.close();
    throw new Trouble(
      `${path} is not one log but ${files.length} file${files.length === 1 ? "" : "s"}: name one, such as ${first.path}`,
    );
  }
  return inputs;
}

function understood({ report, left, right }: Diffed, { ofFile, conversation, step }: Settings): DiffReport {
  const unread = [left, right].filter(({ log }) => log.exchanges.length === 0);
  if (!report) {
    throw new Trouble(unread.map(({ path, log }) => notUnderstood("diff", log, ofFile(path))).join("\n"));
  }
  refuseConversation(left, conversation);
  const numbers = report.steps.map((one) => (one.left ?? one.right)?.step ?? 0);
  if (step !== undefined && !numbers.includes(step))
    throw new Trouble(`there is no step ${step}: the last one is ${Math.max(...numbers)}`);
  return report;
}

async function write(
  report: DiffReport,
  { diagnoses }: Diffed,
  invocation: Invocation,
  { format, color, step }: Settings,
  io: Io,
): Promise<void> {
  const showValues = invocation.has("show-values");
  if (showValues && format !== "text")
    await print(io.stderr, complaint("`--show-values` has no effect on data: credentials stay masked in it"));
  if (format === "json") await printPieces(io.stdout, diffJson(report));
  else if (format === "markdown") await printPieces(io.stdout, diffMarkdown(report, diagnoses));
  else {
    const style = {
      color: wantsColor(color, io.env, io.isTTY),
      width: widthOf(io),
      showValues,
      showsIgnored: invocation.has("show-ignored"),
      ...(step !== undefined && { step }),
    };
    await print(io.stdout, printed(report, diagnoses, style));
  }
}

/** `toollint diff --steps run.log`. */
async function steps(invocation: Invocation, settings: Settings, io: Io): Promise<number> {
  const { format, ofFile, conversation, color } = settings;
  const [path = "", second] = invocation.words;
  if (second !== undefined)
    throw new Trouble(
      `\`toollint diff --steps\` looks at one log: leave out \`--steps\` to compare ${path} with ${second}`,
    );
  if (format === "markdown")
    throw new Trouble("`--format markdown` does not go with `--steps`: it is text or json");
  const { files } = await oneLog(path, io);
  try {
    const [file] = files;
    if (!file) throw new Trouble("a log is missing");
    const own = ofFile(file.path);
    const { report, log } = await diffSteps(
      { ...file, settings: own },
      conversation === undefined ? {} : { conversation },
    );
    if (log.log.exchanges.length === 0) {
      throw new Trouble(notUnderstood("diff --steps", log.log, own));
    }
    refuseConversation(log, conversation);
    if (format === "json") await printPieces(io.stdout, successionJson(report));
    else {
      const style = {
        color: wantsColor(color, io.env, io.isTTY),
        width: widthOf(io),
        showValues: invocation.has("show-values"),
        isFull: false,
      };
      await print(io.stdout, printedSuccession(report, style));
    }
    return report.same ? 0 : 1;
  } finally {
    for (const { source } of files) source.close();
  }
}

function refuseConversation({ path, conversations }: Diffed["left"], conversation: string | undefined): void {
  if (conversation === undefined || conversations.some(({ name }) => name === conversation)) return;
  const last = conversations.at(-1)?.name;
  throw new Trouble(
    `there is no conversation ${conversation} in ${path}: ${conversations.length === 1 ? `the only one is ${last}` : `they are c1 to ${last}`}`,
  );
}
