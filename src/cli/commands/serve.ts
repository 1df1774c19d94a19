import picocolors from "picocolors";
import { profiles } from "../../protocols/profiles/index.ts";
import { clientVariables, knownClients, placeholderKeys } from "../../record/upstreams.ts";
import type { ModelServer } from "../../serve/model-server.ts";
import { type RunningServer, startModelServer } from "../../serve/serve.ts";
import { note as complain } from "../terminal/complaint.ts";
import { type Io, print, terminalWidth } from "../terminal/io.ts";
import { terminalStyle } from "../terminal/paint.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { judgeOf, portOf } from "../usage/values.ts";
import { listenTrouble, otherClients, runCommand, untilStopped } from "./client-command.ts";
import { isAsPlanned, missLine, refusalLine, type ServedRun, servedReport, verdict } from "./serve-report.ts";

/** Runs `toollint serve` and returns its exit code. */
export async function serveCommand(invocation: Invocation, io: Io): Promise<number> {
  const [command, ...args] = invocation.afterDashes;
  const log = invocation.words.slice(0, invocation.words.length - invocation.afterDashes.length);
  if (log.length > 0)
    throw new Trouble(
      `\`toollint serve\` does not expect \`${log[0]}\`: a command follows \`--\`, as in \`toollint serve -- npm test\``,
    );
  const profile = judgeOf(invocation)?.profile;
  const port = portOf(invocation);
  const host = invocation.one("host") ?? "127.0.0.1";
  const note = (message: string) => complain(io, message);
  const linesOn = (number: number): string[] => linesAbout(number, server.model);
  const server: RunningServer = await startModelServer({
    port,
    host,
    profile,
    isLenient: invocation.has("lenient"),
    ...(command === undefined && { onServed: ({ number }) => void print(io.stderr, linesOn(number)) }),
  }).catch((error) => {
    throw listenTrouble(error, host, port);
  });
  let exit = 0;
  try {
    await print(io.stdout, [JSON.stringify({ url: server.url, profile: (profile ?? profiles[0])?.name })]);
    if (command === undefined) await serveUntilStopped(server, note);
    else {
      const variables = { ...clientVariables(knownClients, server.url), ...placeholderKeys(io.env) };
      exit = await runCommand(command, args, variables, io);
    }
  } finally {
    await server.close();
  }
  const run = runOf(server.model);
  const { color } = terminalStyle(invocation, io, io.stderr === process.stderr && process.stderr.isTTY);
  const style = { paint: picocolors.createColors(color), width: terminalWidth(io) };
  await print(io.stderr, servedReport(run, style));
  if (run.requests === 0) await note(nobodyAsked(server.url, command !== undefined));
  await note(verdict(run));
  if (exit !== 0) return exit;
  return isAsPlanned(run) ? 0 : 1;
}

function runOf({ requests, refused, misses, warnings }: ModelServer): ServedRun {
  return { requests, refused, misses, warnings, notes: [] };
}

/** What to say at once about a request. */
function linesAbout(number: number, { refused, misses }: ModelServer): string[] {
  return [
    ...refused.filter(({ request }) => request === number).map(refusalLine),
    ...misses.filter(({ request }) => request === number).map(missLine),
  ];
}

function nobodyAsked(url: string, hadCommand: boolean): string {
  if (!hadCommand) return "nothing came by";
  return `the command's clients did not ask ${url.replace(/:\d+$/, "")}
${otherClients}`;
}

async function serveUntilStopped(
  { url }: RunningServer,
  note: (message: string) => Promise<void>,
): Promise<void> {
  const stopped = untilStopped();
  const variables = Object.entries(clientVariables(knownClients, url));
  await note(
    [
      `serving on ${url}, until Ctrl-C. Clients are led here by`,
      ...variables.map(([name, value]) => `export ${name}=${value}`),
    ].join("\n"),
  );
  await stopped;
}
