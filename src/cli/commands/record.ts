import path from "node:path";
import { type RecordingProxy, startProxy } from "../../record/proxy.ts";
import { clientVariables, type Upstream, upstreamNames, upstreamsOf } from "../../record/upstreams.ts";
import { counted } from "../../reporters/numbers.ts";
import { note as complain } from "../terminal/complaint.ts";
import { type Io, print } from "../terminal/io.ts";
import { reasonOf, Trouble } from "../trouble.ts";
import { didYouMean } from "../usage/nearest.ts";
import { type Invocation, parse } from "../usage/parse.ts";
import { portOf } from "../usage/values.ts";
import { listenTrouble, otherClients, runCommand, untilStopped } from "./client-command.ts";
import { liveCheck } from "./live-check.ts";
import { proxyFor } from "./proxies.ts";
import { gateOf } from "./record-gate.ts";
import { exchangeKeeper, openRecording, prepareRecording } from "./recording-file.ts";

/** Runs `toollint record` and returns its exit code. */
export async function recordCommand(invocation: Invocation, io: Io): Promise<number> {
  const output = invocation.one("output");
  if (output === undefined || output === "-")
    throw new Trouble("`toollint record` needs a file: `toollint record -o run.jsonl -- npm test`");
  const named = addressesOf(invocation.all("upstream"));
  const upstreams = upstreamsOf(io.env, named);
  const port = portOf(invocation);
  const full = path.resolve(io.cwd, output);
  const note = (message: string) => complain(io, message);
  const [command, ...args] = invocation.words;
  const gate = await gateOf(invocation, command === undefined, io);
  prepareRecording(output, invocation, io.cwd);
  const journal = await openRecording(output, io.cwd);
  const live = invocation.has("live")
    ? liveCheck(full, output, (lines) => print(io.stderr, lines))
    : undefined;
  const keeper = exchangeKeeper(journal, {
    redacts: invocation.has("redact"),
    added: () => live?.exchangeAdded(),
    failed: (error) =>
      void note(`cannot write ${output}: ${reasonOf(error)}; traffic is passed on and not recorded`),
  });
  let hasUnrecorded = false;
  const proxy = await startProxy({
    upstreams,
    port,
    proxyFor,
    ...(gate && { judge: gate.judge }),
    onExchange: keeper.keep,
    onUnrecorded: (what) => {
      hasUnrecorded = true;
      void note(what);
    },
  }).catch(async (error) => {
    await journal.close();
    throw listenTrouble(error, "127.0.0.1", port);
  });
  let exit: number;
  try {
    exit =
      command === undefined
        ? await serve(proxy, upstreams, output, note)
        : await runCommand(command, args, clientVariables(upstreams, proxy.address), io);
  } finally {
    await proxy.close();
    await journal.close();
    await live?.finish();
  }
  const { count, hasFailed } = keeper;
  if (count === 0) await note(nothingRecorded(proxy.address, command !== undefined, hasUnrecorded));
  else if (!hasFailed) {
    await note(`${counted(count, "exchange")} recorded in ${output}; next: \`toollint check ${output}\``);
  }
  await gate?.report();
  if (exit !== 0) return exit;
  if (hasFailed) return 2;
  const checked =
    invocation.has("check") && count > 0 ? await checkRecording(output, command !== undefined, io) : 0;
  return checked === 0 && gate?.hasRefused ? 1 : checked;
}

/** Parses `--upstream NAME=URL`, or `--upstream URL` for all. */
function addressesOf(values: readonly string[]): Map<string, URL> {
  return new Map(
    values.map((value) => {
      const [, name = "", text = ""] = /^(?:([a-z][a-z-]*)=)?(.*)$/s.exec(value) ?? [];
      if (name !== "" && !upstreamNames.includes(name)) {
        throw new Trouble(
          `there is no upstream \`${name}\`${didYouMean(name, upstreamNames) || `: there are ${upstreamNames.join(", ")}`}`,
        );
      }
      if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
        throw new Trouble(
          `\`--upstream\` needs an address such as \`http://127.0.0.1:8000/v1\` or \`openai=https://gateway.example/v1\`, not \`${value}\``,
        );
      }
      return [name, new URL(text)] as const;
    }),
  );
}

/** Serves until Ctrl-C. */
async function serve(
  { address }: RecordingProxy,
  upstreams: readonly Upstream[],
  output: string,
  note: (message: string) => Promise<void>,
): Promise<number> {
  const stopped = untilStopped();
  const variables = Object.entries(clientVariables(upstreams, address)).map(
    ([name, value]) => `export ${name}=${value}`,
  );
  const others = upstreams
    .filter((upstream) => upstream.variables.length === 0)
    .map(({ name, path }) => `${name}: ${address}/${name}${path}`);
  await note(
    [
      `recording to ${output} on ${address}, until Ctrl-C. Clients are led here by`,
      ...variables,
      ...(others.length > 0 ? [`and others by their base URL: ${others.join(", ")}`] : []),
    ].join("\n"),
  );
  await stopped;
  return 0;
}

function nothingRecorded(address: string, hadCommand: boolean, hasUnrecorded: boolean): string {
  if (hasUnrecorded) {
    return `no exchange was recorded: the clients used WebSockets, which are passed on and not recorded
Where a client has a setting for it, let it ask over HTTP.`;
  }
  if (!hadCommand) return "no request came: no exchange was recorded";
  return `no exchange was recorded: the command's clients did not ask ${address}
${otherClients}`;
}

async function checkRecording(output: string, isComplete: boolean, io: Io): Promise<number> {
  const invocation = await parse(["check", ...(isComplete ? ["--complete"] : []), "--", output]);
  if ("wants" in invocation) throw new Error("a check was asked for");
  return (await import("./check.ts")).checkCommand(invocation, io);
}
