import { profiles } from "../../protocols/profiles/index.ts";
import { clientVariables, knownClients, placeholderKeys } from "../../record/upstreams.ts";
import type { AnswerSource } from "../../serve/answers/answer-source.ts";
import type { ModelServer } from "../../serve/model-server.ts";
import { recordedExchange } from "../../serve/recorded.ts";
import { type RunningServer, type ServedExchange, startModelServer } from "../../serve/serve.ts";
import { refuseInput } from "../files/output.ts";
import { type Noter, noter } from "../terminal/complaint.ts";
import { type Io, print } from "../terminal/io.ts";
import { errorStyle } from "../terminal/paint.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { allowedOriginsOf, judgeOf, portOf } from "../usage/values.ts";
import { listenTrouble, otherClients, runCommand, untilStopped } from "./client-command.ts";
import { type ExchangeKeeper, exchangeKeeper, openRecording, recordedSentence } from "./recording-file.ts";
import { plannedFaults, withAnswers } from "./serve-answers.ts";
import {
  isAsPlanned,
  missLine,
  otherRequestNotes,
  refusalLine,
  type ServedRun,
  servedReport,
  verdict,
} from "./serve-report.ts";

/** Runs `toollint serve` and returns its exit code. */
export function serveCommand(invocation: Invocation, io: Io): Promise<number> {
  return withAnswers(invocation, io, (answers) => serve(invocation, io, answers));
}

async function serve(invocation: Invocation, io: Io, answers: AnswerSource | undefined): Promise<number> {
  const [command, ...args] = invocation.afterDashes;
  const { profile, model } = judgeOf(invocation) ?? {};
  const port = portOf(invocation);
  const host = invocation.one("host");
  const note = noter(io);
  const faults = await plannedFaults(invocation);
  const journal = await openJournalOf(invocation, io, note);
  const server: RunningServer = await startModelServer({
    port,
    host,
    profile,
    model,
    ...(answers && { answers }),
    faults,
    isLenient: invocation.has("lenient"),
    allowedOrigins: allowedOriginsOf(invocation),
    onStranger: note.once,
    onServed(exchange) {
      journal?.keep(exchange, server.url);
      if (command === undefined) void print(io.stderr, linesAbout(exchange, server.model));
    },
  }).catch(async (error) => {
    await journal?.close();
    throw listenTrouble(error, host ?? "127.0.0.1", port);
  });
  if (host !== undefined && !isLoopback(host))
    await note(`\`--host ${host}\`: others on the network can reach this server`);
  let exit = 0;
  try {
    const begin = async () => journal?.begin();
    if (command === undefined) await begin();
    await print(io.stdout, [JSON.stringify({ url: server.url, profile: (profile ?? profiles[0])?.name })]);
    if (command === undefined) await serveUntilStopped(server, note);
    else {
      const variables = { ...clientVariables(knownClients, server.url), ...placeholderKeys(io.env) };
      exit = await runCommand(command, args, variables, io, begin);
    }
  } finally {
    await server.close();
    await journal?.close();
  }
  const run = runOf(server.model, answers);
  await print(io.stderr, servedReport(run, errorStyle(invocation, io)));
  if (run.requests === 0) await note(nobodyAsked(server.url, command !== undefined));
  if (journal && journal.count > 0) await note(recordedSentence(journal, journal.file));
  await note(verdict(run, exit));
  if (exit !== 0) return exit;
  if (journal && journal.failures > 0) return 2;
  return isAsPlanned(run) ? 0 : 1;
}

interface ServedJournal extends Omit<ExchangeKeeper, "keep"> {
  readonly file: string;
  keep(exchange: ServedExchange, url: string): void;
  /** The server is ready: an earlier journal may go. */
  begin(): Promise<void>;
  close(): Promise<void>;
}

/** The journal that `--journal` names. */
async function openJournalOf(
  invocation: Invocation,
  { cwd }: Io,
  note: Noter,
): Promise<ServedJournal | undefined> {
  const { words, afterDashes } = invocation;
  const file = invocation.one("journal");
  if (file === undefined) {
    const idle = ["append", "overwrite"].find((name) => invocation.has(name));
    if (idle !== undefined)
      throw new Trouble(`\`--${idle}\` works only with a journal: add \`--journal FILE\``);
    return undefined;
  }
  if (file === "-") throw new Trouble("`--journal` needs a file: `--journal run.jsonl`");
  const answers = [...words.slice(0, words.length - afterDashes.length), ...invocation.all("script")];
  refuseInput(
    file,
    cwd,
    answers.map((each) => ({ path: each })),
    "--journal",
  );
  const { journal, begin } = await openRecording(file, invocation, cwd, note.once);
  const keeper = exchangeKeeper(journal, { file, redacts: false, note: note.once });
  return {
    file,
    get count() {
      return keeper.count;
    },
    get failures() {
      return keeper.failures;
    },
    keep: (exchange, url) => keeper.keep(recordedExchange(exchange, url)),
    begin,
    close: () => journal.close(),
  };
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(host);
}

function runOf(
  { requests, turns, refused, misses, warnings, otherRequests, notes, faults }: ModelServer,
  answers: AnswerSource | undefined,
): ServedRun {
  const own = [...notes, ...otherRequestNotes(otherRequests)];
  const all = [...own, ...faults.notes(turns), ...(answers?.notes?.() ?? [])];
  const faulty = new Set(faults.applied.map(({ request }) => request)).size;
  return { requests, refused, misses, warnings, faults: faulty, notes: all };
}

/** What to say at once about an exchange. */
function linesAbout({ number }: ServedExchange, { refused, misses }: ModelServer): string[] {
  return [
    ...refused.filter(({ request }) => request === number).map(refusalLine),
    ...misses.filter(({ request }) => request === number).map(missLine),
  ];
}

function nobodyAsked(url: string, hadCommand: boolean): string {
  if (!hadCommand) return "no request arrived";
  return `the command sent no request to ${url}
${otherClients}`;
}

async function serveUntilStopped({ url }: RunningServer, note: Noter): Promise<void> {
  const stopped = untilStopped();
  const variables = Object.entries(clientVariables(knownClients, url));
  await note(
    [
      `serving on ${url}, until Ctrl-C. Any API key works. Point clients here with`,
      ...variables.map(([name, value]) => `export ${name}=${value}`),
    ].join("\n"),
  );
  await stopped;
}
