import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type CheckedLog, type FileSettings, openLog } from "../check.ts";
import { repairFiles } from "../fix/fix.ts";
import { writtenLog } from "../fix/written.ts";
import { type HeaderList, isFieldValue } from "../http/client.ts";
import { send as sendShot, Unreachable } from "../http/send.ts";
import { endpoints, providers } from "../protocols/endpoints.ts";
import { maskedHeaders, maskSecrets } from "../reading/secrets.ts";
import { type ByteSource, bytesSource } from "../reading/source.ts";
import { openJournal } from "../record/journal.ts";
import { endpointOf, Unsendable } from "../replay/history.ts";
import { outcomeLine, outcomeRows, outcomeSentence, roundLines } from "../replay/print.ts";
import { type Choice, chosen, type Histories, preparedDraft, replay as send } from "../replay/replay.ts";
import { Unfit } from "../replay/rounds.ts";
import { baseOf, keyVariables, shotOf, type Target } from "../replay/target.ts";
import { targetProtocols } from "../replay/translate.ts";
import { maskedJson } from "../reporters/masked-json.ts";
import { shellWord } from "../reporters/shell.ts";
import { printable, visible, visibleJson } from "../reporters/visible.ts";
import { answer } from "./ask.ts";
import { complaint } from "./complaint.ts";
import { configOf } from "./config.ts";
import { settingsByPath, typedSettings } from "./file-settings.ts";
import { openInputs } from "./inputs.ts";
import { type Io, print, printPieces, widthOf } from "./io.ts";
import { localServers } from "./local-servers.ts";
import type { Invocation } from "./parse.ts";
import { proxyFor } from "./proxies.ts";
import { reasonOf, systemTrouble, Trouble } from "./trouble.ts";
import { unreadSentence } from "./unread.ts";
import { choice, named, wholeNumber } from "./values.ts";

/** `toollint replay <log>`: says its exit code. */
export async function replay(invocation: Invocation, io: Io): Promise<number> {
  const settingsOf = await settingsByPath(await configOf(invocation, io), typedSettings(invocation), io);
  const [shown = ""] = invocation.words;
  const { files, troubles } = await openInputs([shown], io);
  try {
    if (troubles.length > 0) throw new Trouble(troubles.join("\n"));
    const [file] = files;
    if (!file || files.length > 1) throw new Trouble(`name one log: \`toollint replay run.log\``);
    const how = settingsOf(file.path);
    const recorded = await openLog(file, how);
    if (recorded.log.exchanges.length === 0)
      throw new Trouble(
        unreadSentence(shown, file.source, { command: "replay", ...how }, recorded.log.advice),
      );
    return await replayLog(invocation, shown, await historiesOf(recorded, file.source, how), io);
  } catch (error) {
    if (error instanceof Unsendable || error instanceof Unfit || error instanceof Unreachable)
      throw new Trouble(error.message);
    // What JavaScript says when it writes JSON that nests deeper than its stack.
    if (error instanceof RangeError && error.message.includes("call stack"))
      throw new Trouble("the request nests too deeply to be sent: no provider would take it");
    throw error;
  } finally {
    for (const { source } of files) source.close();
  }
}

async function replayLog(
  invocation: Invocation,
  shown: string,
  histories: Histories,
  io: Io,
): Promise<number> {
  const { recorded } = histories;
  const asRecorded = invocation.has("as-recorded");
  const isProof = invocation.has("prove");
  if (asRecorded && isProof) throw new Trouble("`--prove` sends both histories: leave out `--as-recorded`");
  const exchange = chosen(histories, choiceOf(invocation));
  const times = atLeastOne(invocation, "times", isProof ? 3 : 1);
  const maxRounds = atLeastOne(invocation, "max-rounds", 8);
  const toolResults = toolResultsOf(invocation.all("tool-result"), io.cwd);
  const to = choice(invocation, "to", targetProtocols);
  const spoken = to ?? exchange.protocol;
  endpointOf(spoken);
  const target = await targetOf(invocation, spoken, shown, io);
  if (to !== undefined && to !== exchange.protocol && target.model === undefined)
    throw new Trouble(`\`--to ${to}\` needs a model that speaks it: name it with \`--model\``);
  const isRepaired = !asRecorded && histories.broken.includes(exchange.number);
  const first = isProof || asRecorded || !isRepaired ? histories.recorded : histories.repaired;
  const { draft, lost } = await preparedDraft(asRecorded ? recorded : first, exchange.number, { target, to });
  const shot = shotOf(draft, target, exchange.headers);
  const style = { width: widthOf(io), showValues: invocation.has("show-values") };
  const json = choice(invocation, "format", ["text", "json"]) === "json";
  const note = (message: string) => print(io.stderr, complaint(message));
  if (invocation.has("dry-run")) {
    const ready = await preparedDraft(asRecorded ? recorded : histories.repaired, exchange.number, {
      target,
      to,
    });
    await noteLost(ready.lost, note);
    await printPieces(io.stdout, dryRun(shotOf(ready.draft, target, exchange.headers), style.showValues));
    return 0;
  }
  const say = async (lines: Iterable<string>): Promise<void> => {
    if (!json) await print(io.stdout, lines);
  };
  const how = asRecorded
    ? "as recorded"
    : isProof
      ? "broken and repaired"
      : isRepaired
        ? "repaired"
        : "as recorded: it needs no repair";
  const safe = (text: string): string => printable(text, style.showValues);
  const head = `${visible(shown)} · request ${exchange.number}, ${how} → POST ${safe(shot.url.href)}${(target.model ?? draft.model) ? ` · ${safe(target.model ?? draft.model ?? "")}` : ""}`;
  await say([head]);
  if (!json) await noteLost(lost, note);
  if (!invocation.has("yes") && io.isTTY && isInteractive(io)) {
    const count = times * (isProof ? 2 : 1);
    const go = await answer(
      io,
      `Send ${Math.round(Buffer.byteLength(shot.body) / 100) / 10} kB, ${count === 1 ? "once" : `${count} times`}, each with up to ${maxRounds} rounds? [y/N] `,
    );
    if (!/^y(?:es)?$/i.test(go.trim())) throw new Trouble("nothing was sent");
  }
  const patienceMs = atLeastOne(invocation, "timeout", 300) * 1000;
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once("SIGINT", onSignal);
  let said: Promise<void> = Promise.resolve();
  const later = (lines: Iterable<string>) => {
    said = said.then(() => say(lines));
  };
  try {
    const output = invocation.one("output");
    const { report, runs } = await send(histories, exchange.number, {
      target,
      to,
      maxRounds,
      redacts: invocation.has("redact"),
      times,
      histories: isProof ? ["broken", "repaired"] : [asRecorded ? "broken" : "repaired"],
      toolResults,
      name: output ?? "replay",
      send: (one) =>
        sendShot(one, {
          patienceMs,
          retries: 4,
          signal: stop.signal,
          wait: async (ms, signal) => void (await wait(ms, undefined, signal ? { signal } : {})),
          onRetry: (why, ms) => void note(`${why}: again in ${(ms / 1000).toFixed(1)} s`),
        }),
      onRun: (history, number) => later(["", `${history}${times > 1 ? ` ${number} of ${times}` : ""}`]),
      onRound: (round, number) => later(roundLines(round, number, style)),
    });
    await said;
    if (output !== undefined)
      await keep(
        output,
        runs.flatMap(({ lines }) => lines),
        io,
      );
    if (json) await printPieces(io.stdout, [`${maskedJson(report, 2)}\n`]);
    const [only] = runs;
    if (runs.length === 1 && only) await say([outcomeLine(only), ""]);
    else {
      const { table } = await import("./tables.ts");
      await say([
        "",
        ...table(
          outcomeRows(runs).map((row) => row.map((cell) => printable(cell, style.showValues))),
          style.width,
        ),
        "",
        printable(outcomeSentence(runs), style.showValues),
      ]);
    }
    await say(
      verdictLines(
        report.verdict === "passes",
        [...new Set(report.findings.map(({ rule }) => rule))],
        output,
      ),
    );
    return report.verdict === "passes" ? 0 : 1;
  } catch (error) {
    await said;
    if (stop.signal.aborted) throw new Trouble("stopped: nothing more is sent");
    throw error;
  } finally {
    process.off("SIGINT", onSignal);
  }
}

async function noteLost(lost: readonly string[], note: (message: string) => Promise<void>): Promise<void> {
  if (lost.length > 0) await note(["not carried into the other protocol:", ...lost].join("\n"));
}

function verdictLines(passes: boolean, rules: readonly string[], output: string | undefined): string[] {
  const more = rules.length > 0 ? `; found in its replies: ${rules.join(", ")}` : "";
  const where = output === undefined ? "" : `: \`toollint check ${shellWord(output)}\``;
  return [
    passes
      ? `passes: the model gets on${more}${more && where}`
      : `fails: the model does not get on${more}${more && where}`,
  ];
}

function atLeastOne(invocation: Invocation, name: string, otherwise: number): number {
  const number = wholeNumber(invocation, name) ?? otherwise;
  if (number < 1) throw new Trouble(`\`--${name}\` goes from 1`);
  return number;
}

/** The log as it is, and with the safe repairs that `fix` makes. */
async function historiesOf(recorded: CheckedLog, source: ByteSource, how: FileSettings): Promise<Histories> {
  const repairs = await repairFiles([{ path: recorded.path, source }], how);
  const broken = repairs.runs.flatMap(({ requests }) => requests.map(({ exchange }) => exchange.number));
  if (broken.length === 0) return { recorded, repaired: recorded, broken };
  const { bytes } = await writtenLog(repairs, recorded.path, source);
  const repaired = await openLog({ path: recorded.path, source: bytesSource(recorded.path, bytes) }, how);
  return { recorded, repaired, broken: broken.sort((a, b) => a - b) };
}

function choiceOf(invocation: Invocation): Choice {
  const number = wholeNumber(invocation, "exchange");
  if (number !== undefined && invocation.has("last"))
    throw new Trouble("`--last` and `--exchange` exclude each other");
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

/** Where the user wants it sent. What only the log names is never asked. */
async function targetOf(invocation: Invocation, protocol: string, log: string, io: Io): Promise<Target> {
  const provider = providerOf(invocation, protocol);
  const typed = invocation.one("base-url");
  const base = typed === undefined ? provider?.base : urlOf(typed);
  const found = base ?? (await askForTarget(protocol, log, io));
  const keyName = invocation.one("api-key-env");
  const variables =
    provider && typed === undefined && keyName === undefined ? provider.keys : keyVariables(found, keyName);
  const holder = variables.find((name) => io.env[name]?.trim());
  // A key that was read from a file has a line feed at its end.
  const key = holder === undefined ? undefined : io.env[holder]?.trim();
  if (holder !== undefined && !isFieldValue(key ?? ""))
    throw new Trouble(`${holder} holds characters that no header can carry: set it to the key alone`);
  if (key === undefined && variables.length > 0) {
    throw new Trouble(
      `${found.host} wants a key: set ${variables.join(" or ")}, or name another variable with \`--api-key-env\``,
    );
  }
  const model = invocation.one("model");
  const isStreaming = invocation.has("stream") ? true : invocation.has("no-stream") ? false : undefined;
  return {
    base: found,
    proxyFor,
    headers: invocation.all("header").map(headerOf),
    ...(key !== undefined && { key }),
    ...(model !== undefined && { model }),
    ...(isStreaming !== undefined && { isStreaming }),
  };
}

function providerOf(
  invocation: Invocation,
  protocol: string,
): { base: URL; keys: readonly string[] } | undefined {
  const provider = named(invocation, "provider", providers);
  if (!provider) return undefined;
  const base = baseOf(provider, protocol);
  if (base) return { base, keys: provider.keys };
  const speakers = providers.filter((one) => baseOf(one, protocol)).map(({ name }) => name);
  throw new Trouble(
    `${provider.name} does not speak ${protocol}, which the log does: ${speakers.join(", ")} do; \`--to\` translates the history into another protocol`,
  );
}

function urlOf(typed: string): URL {
  if (URL.canParse(typed) && /^https?:$/.test(new URL(typed).protocol)) return new URL(typed);
  throw new Trouble(`\`--base-url\` needs an address such as \`http://127.0.0.1:8000/v1\`, not \`${typed}\``);
}

function headerOf(text: string): HeaderList[number] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined || !isFieldValue(value))
    throw new Trouble(`\`--header\` needs a name and a value, such as \`'X-Team: agents'\`, not \`${text}\``);
  return [name, value];
}

function isInteractive(io: Io): boolean {
  return (io.stdin as { isTTY?: boolean }).isTTY === true;
}

/** On a terminal: which of the servers on this machine? Elsewhere: what to type. */
async function askForTarget(protocol: string, log: string, io: Io): Promise<URL> {
  const speakers = providers
    .filter((one) => baseOf(one, protocol) && one.keys.length > 0)
    .map(({ name }) => name);
  const [speaker = "openai"] = speakers;
  const typeNext = `where to? Type \`toollint replay ${shellWord(log)} --provider ${speaker}\`${speakers.length > 1 ? ` (or ${speakers.slice(1).join(", ")})` : ""}, or \`--base-url http://127.0.0.1:11434${endpoints[protocol]?.basePath ?? ""}\` for a server of your own`;
  if (!io.isTTY || !isInteractive(io)) throw new Trouble(typeNext);
  const servers = await localServers(protocol);
  if (servers.length === 0)
    throw new Trouble(`nothing answers on this machine that speaks ${protocol}. So ${typeNext}`);
  const lines = servers.map(({ name, base }, at) => `  ${at + 1}  ${name} at ${base.href}`);
  const said = await answer(
    io,
    `${["These answer on this machine:", ...lines, `Which one? [1${servers.length > 1 ? `-${servers.length}` : ""}] `].join("\n")}`,
  );
  const server = servers[Number(said.trim() || "1") - 1];
  if (!server) throw new Trouble("nothing was sent");
  return server.base;
}

/** The exact request; credentials are masked, in its body unless values may be shown. */
function* dryRun({ url, headers, body }: ReturnType<typeof shotOf>, showValues: boolean): Generator<string> {
  yield `POST ${visible(maskSecrets(url.href))}\n`;
  for (const [name, value] of Object.entries(maskedHeaders(Object.fromEntries(headers))))
    yield `${visible(name)}: ${visible(value)}\n`;
  yield "\n";
  const sent: unknown = JSON.parse(body);
  yield `${showValues ? visibleJson(JSON.stringify(sent, undefined, 2)) : maskedJson(sent, 2)}\n`;
}

async function keep(output: string, lines: readonly string[], io: Io): Promise<void> {
  try {
    const journal = await openJournal(path.resolve(io.cwd, output));
    for (const line of lines) await journal.add(line);
    await journal.close();
  } catch (error) {
    throw systemTrouble(error, `cannot write ${output}`);
  }
}
