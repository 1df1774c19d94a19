import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { FileSettings } from "../../check/check.ts";
import type { Exchange } from "../../conversation/exchange.ts";
import { fixLogs } from "../../fix/fix.ts";
import type { FixedLogs } from "../../fix/fixed-logs.ts";
import { writtenLog } from "../../fix/written.ts";
import { send as sendRequest, Unreachable } from "../../http/send.ts";
import type { LogSource } from "../../log/log-file.ts";
import { openLog, type Run } from "../../log/open.ts";
import { bytesSource } from "../../reading/source.ts";
import { openJournal } from "../../record/journal.ts";
import { endpointOf, Unsendable } from "../../replay/history.ts";
import { outcomeLine, outcomeRows, outcomeSentence, roundLines } from "../../replay/print.ts";
import {
  chosen,
  type ExchangeChoice,
  type Histories,
  preparedDraft,
  replay as send,
} from "../../replay/replay.ts";
import { Unfit } from "../../replay/rounds.ts";
import { httpRequestOf } from "../../replay/target.ts";
import { targetProtocols } from "../../replay/translate.ts";
import { maskedJson } from "../../reporters/masked-json.ts";
import { shellWord } from "../../reporters/shell.ts";
import { printable, visible, visibleJson } from "../../reporters/visible.ts";
import { maskedHeaders, maskSecrets } from "../../secrets/masks.ts";
import { settingsFor } from "../config/file-settings.ts";
import { writeTrouble } from "../files/atomic.ts";
import { refuseUnread, withLogs } from "../files/logs.ts";
import { type OneOutput, oneOutput, refuseOutput, writeOutput } from "../files/one-output.ts";
import { refuseInput } from "../files/output.ts";
import { bytesWithoutPrivateWords, redactLevel } from "../files/redacted-inputs.ts";
import { answer } from "../terminal/ask.ts";
import { note } from "../terminal/complaint.ts";
import { type Io, print, printChunks } from "../terminal/io.ts";
import { type TerminalStyle, terminalStyle } from "../terminal/paint.ts";
import { reasonOf, Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { choice, wholeNumber } from "../usage/values.ts";
import { isInteractive, targetOf } from "./replay-target.ts";

/** Runs `toollint replay <log>` and returns its exit code. */
export async function replayCommand(invocation: Invocation, io: Io): Promise<number> {
  const settingsOf = await settingsFor(invocation, io);
  const [shown = ""] = invocation.words;
  try {
    return await withLogs([shown], io, async ({ files: [file, ...others] }) => {
      if (!file || others.length > 0) throw new Trouble("name one log: `toollint replay run.log`");
      const how = settingsOf(file.path);
      const repaired = await fixLogs([file], how);
      await refuseUnread("replay", repaired.checked.runs, settingsOf);
      return replayLog(invocation, shown, await historiesOf(repaired, file, how), io);
    });
  } catch (error) {
    if (error instanceof Unsendable || error instanceof Unfit || error instanceof Unreachable)
      throw new Trouble(error.message);
    // JavaScript's error for JSON that nests deeper than its stack.
    if (error instanceof RangeError && error.message.includes("call stack"))
      throw new Trouble("the request is nested too deeply to send: no provider would accept it");
    throw error;
  }
}

async function replayLog(
  invocation: Invocation,
  shown: string,
  histories: Histories,
  io: Io,
): Promise<number> {
  const plan = await planOf(invocation, shown, histories, io);
  if (invocation.has("dry-run")) return showRequest(plan, invocation, io);
  const style = terminalStyle(invocation, io);
  const report = pageOutput(invocation, shown, io);
  const output = recordingFile(invocation, report);
  const log = [{ path: shown }];
  refuseOutput(report, log, io);
  if (output !== undefined) refuseInput(output, io.cwd, log, "-o");
  const json = report.format === "json";
  // A page on standard output stands there alone.
  const isData = json || (report.format === "html" && report.file === undefined);
  const say = async (lines: Iterable<string>): Promise<void> => {
    if (!isData) await print(io.stdout, lines);
  };
  const { draft, outgoing, lost } = await outgoingFrom(
    plan,
    plan.isProof ? histories.recorded : sentFirst(plan),
  );
  const model = plan.target.model ?? draft.model;
  const safe = (text: string): string => printable(text, style.showValues);
  await say([
    `${visible(shown)} · request ${plan.exchange.number}, ${howOf(plan)} → POST ${safe(outgoing.url.href)}${model ? ` · ${safe(model)}` : ""}`,
  ]);
  if (!isData) await noteLost(lost, io);
  if (!invocation.has("yes") && io.isTTY && isInteractive(io)) await confirm(plan, outgoing.body, io);
  // Before anything is sent: what cannot be kept afterwards was paid for in vain.
  const kept = output === undefined ? undefined : await keeper(output, invocation, io);
  const { report: outcome, runs } = await sent(plan, invocation, { output, kept, say }, io);
  const failure = await kept?.end();
  if (json) await printChunks(io.stdout, [`${maskedJson(outcome, 2)}\n`]);
  else await say(await outcomeLines(runs, style));
  if (report.format === "html") {
    const { replayPage } = await import("../../page/page.ts");
    await writeOutput(report, replayPage(plan.histories.recorded, outcome), io);
  }
  const rules = [...new Set(outcome.findings.map(({ rule }) => rule))];
  await say(verdictLines(outcome.verdict === "passes", rules, output));
  if (failure !== undefined) throw failure;
  return outcome.verdict === "passes" ? 0 : 1;
}

/** The report; `-o` is the file of a page, and otherwise that of the recording. */
function pageOutput(invocation: Invocation, shown: string, io: Io): OneOutput<"text" | "json" | "html"> {
  const typed = `toollint replay ${shellWord(shown)}`;
  const report = oneOutput(invocation, ["text", "json", "html"], typed, io);
  if (report.format !== "html" && invocation.one("format")?.includes("="))
    throw new Trouble("only a page goes to a file of its own: `--format html=report.html`");
  return report;
}

/** The file of the recording; absent if there is none. */
function recordingFile(invocation: Invocation, report: OneOutput<string>): string | undefined {
  const output = invocation.one("output");
  if (report.format === "html" && (output === "-" || report.file === output)) return undefined;
  if (output === "-") throw new Trouble("the recording of a replay needs a file: `-o replay.jsonl`");
  return output;
}

/** What to send, where to, and how often. */
interface Plan {
  readonly histories: Histories;
  readonly exchange: Exchange;
  readonly target: Awaited<ReturnType<typeof targetOf>>;
  readonly to: string | undefined;
  readonly asRecorded: boolean;
  readonly isProof: boolean;
  readonly times: number;
  readonly maxRounds: number;
  readonly toolResults: ReadonlyMap<string, string>;
}

async function planOf(invocation: Invocation, shown: string, histories: Histories, io: Io): Promise<Plan> {
  const asRecorded = invocation.has("as-recorded");
  const isProof = invocation.has("prove");
  if (asRecorded && isProof) throw new Trouble("`--prove` sends both histories: remove `--as-recorded`");
  const exchange = chosen(histories, choiceOf(invocation));
  const times = atLeastOne(invocation, "times", isProof ? 3 : 1);
  const maxRounds = atLeastOne(invocation, "max-rounds", 8);
  const toolResults = toolResultsOf(invocation.all("tool-result"), io.cwd);
  const to = choice(invocation, "to", targetProtocols);
  const spoken = to ?? exchange.protocol;
  endpointOf(spoken);
  const target = await targetOf(invocation, spoken, shown, io);
  if (to !== undefined && to !== exchange.protocol && target.model === undefined)
    throw new Trouble(`\`--to ${to}\` needs a model for that protocol: name it with \`--model\``);
  return { histories, exchange, target, to, asRecorded, isProof, times, maxRounds, toolResults };
}

function isRepaired({ histories, exchange, asRecorded }: Plan): boolean {
  return !asRecorded && histories.broken.includes(exchange.number);
}

function sentFirst(plan: Plan): Run {
  return isRepaired(plan) ? plan.histories.repaired : plan.histories.recorded;
}

function howOf(plan: Plan): string {
  if (plan.asRecorded) return "as recorded";
  if (plan.isProof) return "broken and repaired";
  return isRepaired(plan) ? "repaired" : "as recorded: it needs no repair";
}

/** The request as it would be sent with a log's history; `lost` is what its protocol cannot express. */
async function outgoingFrom(
  { exchange, target, to }: Plan,
  log: Run,
): Promise<{
  readonly draft: Awaited<ReturnType<typeof preparedDraft>>["draft"];
  readonly outgoing: ReturnType<typeof httpRequestOf>;
  readonly lost: readonly string[];
}> {
  const { draft, lost } = await preparedDraft(log, exchange.number, { target, to });
  return { draft, lost, outgoing: httpRequestOf(draft, target, exchange.headers) };
}

async function showRequest(plan: Plan, invocation: Invocation, io: Io): Promise<number> {
  const { outgoing, lost } = await outgoingFrom(plan, sentFirst(plan));
  await noteLost(lost, io);
  if (plan.target.keyless !== undefined)
    await note(io, `the request is shown without a key: ${plan.target.keyless}`);
  await printChunks(io.stdout, dryRun(outgoing, invocation.has("show-values")));
  return 0;
}

async function confirm({ times, isProof, maxRounds }: Plan, body: string, io: Io): Promise<void> {
  const count = times * (isProof ? 2 : 1);
  const go = await answer(
    io,
    `Send ${Math.round(Buffer.byteLength(body) / 100) / 10} kB, ${count === 1 ? "once" : `${count} times`}, each with up to ${maxRounds} rounds? [y/N] `,
  );
  if (!/^y(?:es)?$/i.test(go.trim())) throw new Trouble("nothing was sent");
}

/** Where what is sent and received goes. */
interface Reporting {
  /** The name of the recording. */
  readonly output: string | undefined;
  readonly kept: Keeper | undefined;
  say(lines: Iterable<string>): Promise<void>;
}

/** Sends the requests; reports each round, and keeps each exchange, as soon as it is over. */
async function sent(
  { histories, exchange, target, to, asRecorded, isProof, times, maxRounds, toolResults }: Plan,
  invocation: Invocation,
  { output, kept, say }: Reporting,
  io: Io,
): ReturnType<typeof send> {
  const style = terminalStyle(invocation, io);
  const timeout = atLeastOne(invocation, "timeout", 300);
  const patienceMs = timeout * 1000;
  const maxMs = atLeastOne(invocation, "max-time", timeout * 10) * 1000;
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once("SIGINT", onSignal);
  let said: Promise<void> = Promise.resolve();
  const later = (lines: Iterable<string>) => {
    said = said.then(() => say(lines));
  };
  try {
    const outcome = await send(histories, exchange.number, {
      target,
      to,
      maxRounds,
      redacts: redactLevel(invocation) !== undefined,
      times,
      histories: isProof ? ["broken", "repaired"] : [asRecorded ? "broken" : "repaired"],
      toolResults,
      name: output ?? "replay",
      ...(kept && { onExchange: kept.add }),
      send: (one) =>
        sendRequest(one, {
          patienceMs,
          maxMs,
          retries: 4,
          signal: stop.signal,
          wait: async (ms, signal) => void (await wait(ms, undefined, signal ? { signal } : {})),
          onRetry: (why, ms) => void note(io, `${why}: again in ${(ms / 1000).toFixed(1)} s`),
        }),
      onRun: (history, number) => later(["", `${history}${times > 1 ? ` ${number} of ${times}` : ""}`]),
      onRound: (round, number) => later(roundLines(round, number, style)),
    });
    await said;
    return outcome;
  } catch (error) {
    await said;
    const failure = await kept?.end();
    if (failure) await note(io, failure.message);
    if (stop.signal.aborted) throw new Trouble("stopped: nothing more will be sent");
    throw error;
  } finally {
    process.off("SIGINT", onSignal);
  }
}

async function noteLost(lost: readonly string[], io: Io): Promise<void> {
  if (lost.length > 0) await note(io, ["lost in the translation:", ...lost].join("\n"));
}

/** The outcome of a single run, or a table of several. */
async function outcomeLines(
  runs: Awaited<ReturnType<typeof send>>["runs"],
  { width, showValues }: TerminalStyle,
): Promise<string[]> {
  const [only] = runs;
  if (runs.length === 1 && only) return [outcomeLine(only), ""];
  const { table } = await import("../terminal/tables.ts");
  const rows = outcomeRows(runs).map((row) => row.map((cell) => printable(cell, showValues)));
  return ["", ...table(rows, width), "", printable(outcomeSentence(runs), showValues)];
}

function verdictLines(passes: boolean, rules: readonly string[], output: string | undefined): string[] {
  const more = rules.length > 0 ? `; found in its replies: ${rules.join(", ")}` : "";
  const where = output === undefined ? "" : `: \`toollint check ${shellWord(output)}\``;
  return [
    passes
      ? `passes: the model makes progress${more}${more && where}`
      : `fails: the model makes no progress${more}${more && where}`,
  ];
}

function atLeastOne(invocation: Invocation, name: string, otherwise: number): number {
  const number = wholeNumber(invocation, name) ?? otherwise;
  if (number < 1) throw new Trouble(`\`--${name}\` must be at least 1`);
  return number;
}

/** The log as recorded, and with the safe fixes of `fix`. */
async function historiesOf(repairs: FixedLogs, file: LogSource, how: FileSettings): Promise<Histories> {
  const recorded = repairs.checked.runs[0] as Run;
  const broken = repairs.runs.flatMap(({ requests }) => requests.map(({ exchange }) => exchange.number));
  if (broken.length === 0) return { recorded, repaired: recorded, broken };
  const { bytes } = writtenLog(repairs, file.path, file.source);
  const repaired = await openLog({ ...file, source: bytesSource(file.path, bytes) }, how);
  return { recorded, repaired, broken: broken.sort((a, b) => a - b) };
}

function choiceOf(invocation: Invocation): ExchangeChoice {
  const number = wholeNumber(invocation, "exchange");
  if (number !== undefined && invocation.has("last"))
    throw new Trouble("`--last` and `--exchange` cannot be combined: use one of them");
  if (invocation.has("last")) return "last";
  return number === undefined ? "first-broken" : { exchange: number };
}

function toolResultsOf(values: readonly string[], cwd: string): Map<string, string> {
  return new Map(
    values.map((value) => {
      const equals = value.indexOf("=");
      if (equals < 1)
        throw new Trouble(
          `\`--tool-result\` needs a tool and a file, such as \`read_file=result.txt\`, not \`${value}\``,
        );
      const file = value.slice(equals + 1);
      try {
        return [value.slice(0, equals), readFileSync(path.resolve(cwd, file), "utf8")] as const;
      } catch (error) {
        throw new Trouble(`cannot read ${file}: ${reasonOf(error)}`);
      }
    }),
  );
}

/** The exact request. Credentials are masked, in its body only unless values may be shown. */
function* dryRun(
  { url, headers, body }: ReturnType<typeof httpRequestOf>,
  showValues: boolean,
): Generator<string> {
  yield `POST ${visible(maskSecrets(url.href))}\n`;
  for (const [name, value] of Object.entries(maskedHeaders(Object.fromEntries(headers))))
    yield `${visible(name)}: ${visible(value)}\n`;
  yield "\n";
  const sent: unknown = JSON.parse(body);
  yield `${showValues ? visibleJson(JSON.stringify(sent, undefined, 2)) : maskedJson(sent, 2)}\n`;
}

/** The lines of a recording with every private word replaced. */
async function withoutWords(lines: readonly string[], path: string): Promise<readonly string[]> {
  const written = await bytesWithoutPrivateWords(path, Buffer.from(lines.join("")));
  return written
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `${line}\n`);
}

/** Keeps the traffic of a replay. */
interface Keeper {
  add(line: string): void;
  /** Resolves when all lines are on disk, with what went wrong first. */
  end(): Promise<Trouble | undefined>;
}

async function keeper(output: string, invocation: Invocation, io: Io): Promise<Keeper> {
  let failure: Trouble | undefined;
  const failed = (error: unknown): void => {
    failure ??= error instanceof Trouble ? error : writeTrouble(error, output);
  };
  const journal = await openJournal(path.resolve(io.cwd, output)).catch((error) => {
    throw writeTrouble(error, output);
  });
  const add = (line: string): void => void journal.add(line).catch(failed);
  // Words are equal over a whole recording, so all of it has to be there before they are replaced.
  const held: string[] = [];
  const holds = redactLevel(invocation) === "all";
  return {
    add: (line) => (holds ? void held.push(line) : add(line)),
    async end() {
      if (held.length > 0)
        await withoutWords(held, output)
          .then((lines) => lines.forEach(add))
          .catch(failed);
      await journal.close().catch(failed);
      return failure;
    },
  };
}
