/**
 * A model server for tests, which refuses what the provider refuses, and a matcher for what it saw.
 *
 * @example
 * import { serve } from "toollint/testing";
 *
 * const server = await serve({ profile: "anthropic", script: { replies: [{ text: "It rains." }] } });
 * const client = new Anthropic({ baseURL: server.baseUrl("anthropic"), apiKey: "test" });
 * …
 * await server.close();
 * expect(server).toHaveAcceptedEveryHistory();
 *
 * @packageDocumentation
 */
import { readFileSync } from "node:fs";
import { openLogs } from "../log/open.ts";
import { profiles } from "../protocols/profiles/index.ts";
import type { NamedProfile } from "../protocols/profiles/judge.ts";
import { namedProfile } from "../protocols/profiles/named.ts";
import { openJournal } from "../record/journal.ts";
import { recordingLine } from "../record/line.ts";
import { clientVariables, knownClients, placeholderKeys } from "../record/upstreams.ts";
import { nearest } from "../rules/requests/nearest.ts";
import { type AnswerSource, shortAnswers } from "../serve/answers/answer-source.ts";
import { recordedAnswers } from "../serve/answers/recorded.ts";
import { scriptOf } from "../serve/answers/script.ts";
import { parseScript } from "../serve/answers/script-file.ts";
import { scriptedAnswers } from "../serve/answers/scripted.ts";
import { parseFault } from "../serve/faults/parse.ts";
import type { ModelServer } from "../serve/model-server.ts";
import { recordedExchange } from "../serve/recorded.ts";
import { type RunningServer, startModelServer } from "../serve/serve.ts";
import { type LogInput, sourceOf } from "./log-inputs.ts";
import type { TestRefusal, TestServer } from "./testing-matcher.ts";
import { notUnderstoodIn } from "./unread.ts";

export {
  type TestMiss,
  type TestRefusal,
  type TestServer,
  toHaveAcceptedEveryHistory,
} from "./testing-matcher.ts";

export interface TestServerOptions {
  /** The provider to be, `mistral` for instance; default: for each API its own provider. */
  readonly profile?: string;
  /** What the model says: the path of a script, or its content. Default: one short text for every turn. */
  readonly script?: string | object;
  /** A recorded run whose replies the model gives again, in place of a script. */
  readonly log?: LogInput;
  /** What goes wrong, as `--fault` takes it: `2:429,retry-after=1`. */
  readonly faults?: readonly string[];
  /** A file for the traffic, as a log that `check` reads. Exchanges are added to a file that is there. */
  readonly journal?: string;
  /** Answer what the provider would refuse, and warn. */
  readonly lenient?: boolean;
  /** Default: any free port. */
  readonly port?: number;
}

/**
 * Starts a model server on this machine. No key is needed, and nothing leaves the machine.
 * @throws `TypeError` for an option that does not exist, `RangeError` for an unknown profile, `ScriptError`
 * and `FaultError` for a wrong script or fault, with the place, `NotUnderstoodError` for a log without a
 * readable conversation; file system and port errors.
 */
export async function serve(options: TestServerOptions = {}): Promise<TestServer> {
  refuseUnknown(options);
  const { profile: name, lenient = false, port = 0 } = options;
  const judge = name === undefined ? undefined : judgeNamed(name);
  const faults = (options.faults ?? []).map(parseFault);
  const answers = await answersOf(options);
  const journal = options.journal === undefined ? undefined : await openJournal(options.journal);
  let failure: unknown;
  const server = await startModelServer({
    port,
    profile: judge?.profile,
    model: judge?.model,
    isLenient: lenient,
    answers,
    faults,
    onServed(exchange) {
      journal?.add(recordingLine(recordedExchange(exchange, server.url), false)).catch((error) => {
        failure ??= error;
      });
    },
  }).catch(async (error) => {
    await journal?.close();
    throw error;
  });
  return testServer(server, async () => {
    await server.close();
    await journal?.close();
    if (failure) throw failure;
  });
}

const optionNames: Readonly<Record<keyof TestServerOptions, true>> = {
  profile: true,
  script: true,
  log: true,
  faults: true,
  journal: true,
  lenient: true,
  port: true,
};

/** A misspelt option would leave a test without its script, and green. */
function refuseUnknown(options: TestServerOptions): void {
  const names = Object.keys(optionNames);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`serve() has no option \`${unknown}\`${meantOf(unknown, names)}`);
}

function judgeNamed(name: string): NamedProfile {
  const judge = namedProfile(name, "profile");
  if (judge) return judge;
  const names = profiles.map((profile) => profile.name);
  throw new RangeError(`no profile is called \`${name}\`${meantOf(name, names)}`);
}

function meantOf(word: string, names: readonly string[]): string {
  const meant = nearest(word, names);
  return meant === undefined ? `; choose one of ${names.join(", ")}` : `; did you mean \`${meant}\`?`;
}

function testServer({ url, model }: RunningServer, close: () => Promise<void>): TestServer {
  return {
    url,
    env: { ...clientVariables(knownClients, url), ...placeholderKeys({}) },
    baseUrl(provider) {
      const client = knownClients.find((each) => each.name === provider);
      if (!client) {
        const names = knownClients.map((each) => each.name);
        throw new RangeError(`no provider is called \`${provider}\`${meantOf(provider, names)}`);
      }
      return `${url}/${provider}${client.path}`;
    },
    get requests() {
      return model.requests;
    },
    get refusals() {
      return refusalsOf(model);
    },
    get misses() {
      return model.misses.map(({ request, why }) => ({ request, why }));
    },
    get warnings() {
      return model.warnings.map(({ message }) => message);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function answersOf({ script, log }: TestServerOptions): Promise<AnswerSource> {
  if (script !== undefined && log !== undefined)
    throw new TypeError("serve() takes a script or a log, not both");
  if (typeof script === "string") return scriptedAnswers(parseScript(readFileSync(script, "utf8"), script));
  if (script !== undefined) return scriptedAnswers(scriptOf(script, "the script"));
  if (log === undefined) return shortAnswers;
  const source = sourceOf(log, "the log");
  const runs = await openLogs([{ path: source.name, source }], { keepsReplies: true });
  if (runs.every(({ exchanges }) => exchanges.length === 0))
    throw notUnderstoodIn(source, {}, runs[0]?.files[0].advice);
  return recordedAnswers(runs);
}

function refusalsOf({ refused }: ModelServer): TestRefusal[] {
  return refused.map(({ request, profile, error, rule, pointer }) => ({
    request,
    profile,
    status: error.status,
    message: error.message,
    ...(rule !== undefined && { rule }),
    ...(pointer !== undefined && { pointer }),
  }));
}
