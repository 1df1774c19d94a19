import { createHash } from "node:crypto";
import { callText } from "../conversation/identity.ts";
import type { HttpRequest, HttpResponse } from "../http/send.ts";
import { Unreachable } from "../http/send.ts";
import { preparedDraft } from "../replay/replay.ts";
import { resultBook } from "../replay/results.ts";
import { type Outcome, type ReplayRun, replayRun, Unfit } from "../replay/rounds.ts";
import { httpRequestOf, type ReplayTarget } from "../replay/target.ts";
import { requestLine } from "./as-lines.ts";
import { callPass } from "./calls.ts";
import { notePass, settingPass } from "./members.ts";
import type { Cut, FailingLog, Objection, Oracle } from "./oracle.ts";
import { elementPass, roundPass } from "./rounds.ts";
import { type Judge, type Pass, type Stayed, swept } from "./sweep.ts";
import { firstHalfPass, openingPass, secondHalfPass } from "./texts.ts";
import { parameterPass, toolPass } from "./tools.ts";
import { Unshrinkable } from "./unshrinkable.ts";

export interface LiveOptions {
  readonly target: ReplayTarget;
  /** How often each request is sent at most; a cut counts if most of the replies are alike. */
  readonly times: number;
  /** Requests in all. */
  readonly maxRequests: number;
  /** Stops the work; the smallest log so far is the result. */
  readonly signal: AbortSignal;
  send(request: HttpRequest): Promise<HttpResponse>;
}

/** What a server does with a request, as far as it has to stay the same. */
export interface Behaviour {
  readonly outcome: Outcome;
  /** Of a refusal. */
  readonly status?: number;
  /** The server's words for a refusal, in their first wording. */
  readonly message?: string;
  /** The names of the tools that the model calls, sorted. */
  readonly tools: readonly string[];
}

/** A request as small as it gets while a server does the same with it. */
export interface LiveShrunk {
  readonly after: FailingLog;
  readonly url: string;
  readonly behaviour: Behaviour;
  readonly requests: number;
  /** How many cuts the server could not judge: it was busy, or broken. */
  readonly skipped: number;
  readonly stayed: readonly Stayed[];
  readonly isCutShort: boolean;
}

const insides: readonly Pass[] = [
  callPass,
  toolPass,
  settingPass,
  notePass,
  openingPass,
  parameterPass,
  firstHalfPass,
  secondHalfPass,
];

/** Each round makes room for the next one, and costs requests. */
const mostRounds = 4;

/**
 * Makes the request of a finding smaller as long as a server answers it in the same way: with the same status
 * and the same kind of message, or with the same calls. Starts with what is left after the offline work, if
 * the server does the same with it.
 *
 * @throws {Unshrinkable} if nothing fails there, or something else each time
 */
export async function shrinkLive(
  before: FailingLog,
  offline: FailingLog,
  oracle: Oracle,
  options: LiveOptions,
): Promise<LiveShrunk> {
  const whole = await requestAlone(before, oracle);
  const live = new LiveOracle(oracle, options);
  const behaviour = await live.open(whole);
  const small = await requestAlone(offline, oracle);
  const first = await live.judge(whole, small.file.source.read(0, small.file.source.size));
  let log = "is" in first ? whole : first;
  let stayed: Stayed[] = [];
  for (let round = 0; round < mostRounds; round++) {
    const start = log;
    stayed = [];
    log = await swept(roundPass, log, live, (unit, why) => void stayed.push({ name: unit.name, why }));
    log = await swept(elementPass, log, live);
    for (const pass of insides) log = await swept(pass, log, live);
    if (log === start || live.isExhausted) break;
  }
  return {
    after: log,
    url: live.url,
    behaviour,
    requests: live.requests,
    skipped: live.skipped,
    stayed,
    isCutShort: live.isExhausted,
  };
}

/** The request in which a finding is, in a log of its own. */
async function requestAlone(log: FailingLog, oracle: Oracle): Promise<FailingLog> {
  const { location } = log.subject;
  const exchange = log.file.exchanges.find(({ number }) => number === location.exchange);
  if (!exchange?.request || log.file.kind === "transcript")
    throw new Unshrinkable(`${log.file.path} has no request for this finding: there is nothing to send`);
  return oracle.read({ ...log, isConverted: true }, Buffer.from(requestLine(exchange)));
}

/** Judges cuts by what a server does with them. */
class LiveOracle implements Judge {
  readonly #oracle: Oracle;
  readonly #options: LiveOptions;
  readonly #known = new Map<string, FailingLog | Objection>();
  #wanted: Behaviour | undefined;
  #requests = 0;
  #skipped = 0;
  #url = "";

  constructor(oracle: Oracle, options: LiveOptions) {
    this.#oracle = oracle;
    this.#options = options;
  }

  get requests(): number {
    return this.#requests;
  }

  get skipped(): number {
    return this.#skipped;
  }

  get url(): string {
    return this.#url;
  }

  get isExhausted(): boolean {
    const { maxRequests, signal } = this.#options;
    return signal.aborted || this.#requests >= maxRequests;
  }

  /** Sends the request as it is, to learn what has to stay. */
  async open(log: FailingLog): Promise<Behaviour> {
    const seen: Behaviour[] = [];
    while (seen.length < this.#options.times && !this.isExhausted) {
      seen.push(await this.#sent(log));
      const found = seen.find((one) => isMost(one, seen, this.#options.times));
      if (!found) continue;
      if (found.outcome === "answered")
        throw new Unshrinkable("nothing fails there: the model answers the request");
      this.#wanted = found;
      return found;
    }
    throw new Unshrinkable(
      `the server did something else each time (${seen.length} requests): there is nothing to keep`,
    );
  }

  async judge(before: FailingLog, bytes: Cut): Promise<FailingLog | Objection> {
    if ("why" in bytes) return { is: "unwritable", why: bytes.why };
    const key = createHash("sha256").update(bytes).digest("hex");
    const known = this.#known.get(key);
    if (known) return known;
    const log = await this.#oracle.read(before, bytes);
    if (!log.file.exchanges[0]?.request) return { is: "unreadable" };
    const judged = await this.#judged(log);
    // What was skipped may be tried again.
    if (!("is" in judged) || judged.is === "gone") this.#known.set(key, judged);
    return judged;
  }

  async #judged(log: FailingLog): Promise<FailingLog | Objection> {
    const { times } = this.#options;
    const seen: boolean[] = [];
    while (seen.length < times) {
      if (this.isExhausted) return { is: "budget" };
      try {
        seen.push(isLike(await this.#sent(log), this.#wanted));
      } catch (error) {
        if (!(error instanceof Unfit || error instanceof Unreachable) && !this.#options.signal.aborted)
          throw error;
        this.#skipped++;
        return { is: "skipped", why: error instanceof Error ? error.message : String(error) };
      }
      const alike = seen.filter(Boolean).length;
      if (alike * 2 > times) return log;
      if ((seen.length - alike) * 2 >= times) return { is: "gone" };
    }
    return { is: "gone" };
  }

  async #sent(log: FailingLog): Promise<Behaviour> {
    const { target, send } = this.#options;
    const [exchange] = log.file.exchanges;
    const made = new Set<string>();
    const history = exchange?.request?.history;
    for (let index = 0; history && index < history.length; index++)
      for (const item of history.items(index)) if (item.kind === "call") made.add(callText(item));
    const { draft } = await preparedDraft(log.run, exchange?.number ?? 1, { target, to: undefined });
    this.#requests++;
    const run = await replayRun({
      history: "broken",
      draft,
      made,
      results: resultBook([], new Map()),
      maxRounds: 1,
      name: "live",
      outgoingOf: (one) => {
        const request = httpRequestOf(one, target, exchange?.headers ?? {});
        this.#url = request.url.href;
        return request;
      },
      send,
      onRound: () => {},
    });
    return behaviourOf(run);
  }
}

function behaviourOf({ outcome, rounds }: ReplayRun): Behaviour {
  const [round] = rounds;
  const tools = (round?.calls ?? []).map(({ name }) => name).sort();
  if (outcome !== "rejected" || !round) return { outcome, tools };
  return { outcome, tools, status: round.status, message: round.error ?? "" };
}

function isMost(one: Behaviour, seen: readonly Behaviour[], times: number): boolean {
  return seen.filter((other) => isLike(other, one)).length * 2 > times;
}

function isLike(one: Behaviour, other: Behaviour | undefined): boolean {
  return (
    other !== undefined &&
    one.outcome === other.outcome &&
    one.status === other.status &&
    one.tools.join() === other.tools.join() &&
    wordsOf(one.message) === wordsOf(other.message)
  );
}

/** A message without ids, indexes and numbers, which change with every cut. */
function wordsOf(message = ""): string {
  return message.replace(/\[[^\]]{0,200}\]|(?<![\w-])[a-zA-Z_-]*\d[\w-]*/g, "#").replace(/\s+/g, " ");
}
