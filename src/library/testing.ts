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
import { namedProfile } from "../protocols/profiles/named.ts";
import { clientVariables, knownClients, placeholderKeys } from "../record/upstreams.ts";
import { type AnswerSource, shortAnswers } from "../serve/answers/answer-source.ts";
import { scriptOf } from "../serve/answers/script.ts";
import { parseScript } from "../serve/answers/script-file.ts";
import { scriptedAnswers } from "../serve/answers/scripted.ts";
import type { ModelServer } from "../serve/model-server.ts";
import { startModelServer } from "../serve/serve.ts";
import type { TestRefusal, TestServer } from "./testing-matcher.ts";

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
  /** Answer what the provider would refuse, and warn. */
  readonly lenient?: boolean;
  /** Default: any free port. */
  readonly port?: number;
}

/**
 * Starts a model server on this machine. No key is needed, and nothing leaves the machine.
 * @throws `RangeError` for an unknown profile, `ScriptError` for a wrong script, with file and line; file
 * system and port errors.
 */
export async function serve({
  profile: name,
  script,
  lenient = false,
  port = 0,
}: TestServerOptions = {}): Promise<TestServer> {
  const judge = name === undefined ? undefined : namedProfile(name, "profile");
  if (name !== undefined && !judge) throw new RangeError(`no profile is called \`${name}\``);
  const { model, url, close } = await startModelServer({
    port,
    profile: judge?.profile,
    isLenient: lenient,
    answers: answersOf(script),
  });
  return {
    url,
    env: { ...clientVariables(knownClients, url), ...placeholderKeys({}) },
    baseUrl(provider) {
      const client = knownClients.find((each) => each.name === provider);
      if (!client) {
        const names = knownClients.map((each) => each.name).join(", ");
        throw new RangeError(`no provider is called \`${provider}\`: there are ${names}`);
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
      return model.warnings.map(({ finding }) => finding.message);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function answersOf(script: string | object | undefined): AnswerSource {
  if (script === undefined) return shortAnswers;
  return scriptedAnswers(
    typeof script === "string"
      ? parseScript(readFileSync(script, "utf8"), script)
      : scriptOf(script, "the script"),
  );
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
