import type { Conversation, Step } from "../conversation/conversation.ts";
import type { Exchange, Request } from "../conversation/exchange.ts";
import { callText } from "../conversation/identity.ts";
import type { FindingReport } from "../findings/report.ts";
import type { HttpRequest, HttpResponse } from "../http/send.ts";
import type { Run as LogRun } from "../log/open.ts";
import { draftOf, endpointOf, type RequestDraft, recordedBody, Unsendable } from "./history.ts";
import { selfContained } from "./inline.ts";
import { resultBook } from "./results.ts";
import { type ReplayRound, type ReplayRun, replayRun } from "./rounds.ts";
import { httpRequestOf, type ReplayTarget } from "./target.ts";
import { type Translated, translate } from "./translate.ts";

/** A log as recorded, and the same log repaired. */
export interface Histories {
  readonly recorded: LogRun;
  /** The same exchanges with the same numbers, after all fixes. */
  readonly repaired: LogRun;
  /** The numbers of the exchanges whose requests were repaired, ascending. */
  readonly broken: readonly number[];
}

/** Which request of a log to send. */
export type ExchangeChoice =
  | { readonly exchange: number }
  /** The last request of the log. */
  | "last"
  /** The first repaired request; the last request where none was repaired. */
  | "first-broken";

export interface ReplayOptions {
  readonly target: ReplayTarget;
  /** Translate the history into this protocol first. */
  readonly to?: string | undefined;
  readonly maxRounds: number;
  /** Also mask credentials in bodies of the recorded traffic; never in what is sent. */
  readonly redacts?: boolean;
  /** How often each history is sent. */
  readonly times: number;
  /** Which histories to send, in turn in this order. */
  readonly histories: readonly ReplayRun["history"][];
  /** Results by tool name; they take precedence over the log's. */
  readonly toolResults: ReadonlyMap<string, string>;
  /** The file name of the replay's recording in findings. */
  readonly name: string;
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Called with each exchange, as a line of a recording, as soon as it is over. */
  onExchange?(line: string): void;
  onRun?(history: ReplayRun["history"], number: number): void;
  onRound?(round: ReplayRound, number: number): void;
}

/** The result of a replay: the contract of `replay --format json` (`schemas/replay.schema.json`). */
export interface ReplayReport {
  readonly schemaVersion: "1.0";
  readonly exchange: number;
  readonly protocol: string;
  readonly url: string;
  readonly model?: string;
  readonly runs: readonly Omit<ReplayRun, "lines" | "findings">[];
  readonly verdict: "passes" | "fails";
  /** What the translation lost, a sentence each; absent without a translation. */
  readonly lost?: readonly string[];
  readonly findings: readonly FindingReport[];
}

/** The chosen exchange; throws {@link Unsendable} when there is none. */
export function chosen(
  { recorded, broken }: Histories,
  choice: ExchangeChoice,
): Exchange & { readonly request: Request } {
  const requests = recorded.exchanges.filter(hasRequest);
  const last = requests.at(-1);
  if (!last)
    throw new Unsendable(`${recorded.files[0].path} has no request bodies: there is nothing to send`);
  if (choice === "last") return last;
  const number = choice === "first-broken" ? broken[0] : choice.exchange;
  if (number === undefined) return last;
  const found = requests.find((exchange) => exchange.number === number);
  if (found) return found;
  throw new Unsendable(
    `${recorded.files[0].path} has no request ${number}: it has ${requests.length === 1 ? `one, number ${last.number}` : `${requests.length}, up to number ${last.number}`}`,
  );
}

function hasRequest(exchange: Exchange): exchange is Exchange & { readonly request: Request } {
  return exchange.request !== undefined;
}

/** A request of a log as it would be sent, and what its translation loses. */
export async function preparedDraft(
  log: LogRun,
  number: number,
  { target, to }: Pick<ReplayOptions, "target" | "to">,
): Promise<Translated> {
  const draft = draftFor(log, number, target);
  return to === undefined ? { draft, lost: [] } : await translate(draft, to, target.model ?? draft.model);
}

function draftFor(log: LogRun, number: number, target: ReplayTarget): RequestDraft {
  const { exchanges } = log;
  const exchange = exchanges.find((candidate) => candidate.number === number);
  if (!exchange || !hasRequest(exchange))
    throw new Unsendable(`${log.files[0].path} has no request ${number}`);
  const own = (one: Exchange): RequestDraft => {
    if (!one.request) throw new Unsendable(`the request of exchange ${one.number} is not in the log`);
    return draftOf(one, one.request, recordedBody(one.request));
  };
  const draft = selfContained(exchange, exchanges, own);
  return isSameHost(exchange, target) ? draft : withoutForeignIds(draft);
}

/** Item ids are valid only on the server that issued them. */
function withoutForeignIds(draft: RequestDraft): RequestDraft {
  const { stored } = endpointOf(draft.protocol);
  const history = draft.body[draft.historyKey];
  if (!stored || !Array.isArray(history)) return draft;
  return { ...draft, body: { ...draft.body, [draft.historyKey]: history.flatMap(stored.portable) } };
}

function isSameHost({ url }: Exchange, { base }: ReplayTarget): boolean {
  return url !== undefined && URL.canParse(url) && new URL(url).host === base.host;
}

/** Sends a request of a log for each history and repetition, and continues with the log's own results. */
export async function replay(
  histories: Histories,
  number: number,
  options: ReplayOptions,
): Promise<{ readonly report: ReplayReport; readonly runs: readonly ReplayRun[] }> {
  const { target } = options;
  const runs: ReplayRun[] = [];
  const logs = { repaired: histories.repaired, broken: histories.recorded };
  const drafts = new Map<ReplayRun["history"], RequestDraft>();
  const lost = new Set<string>();
  for (const history of options.histories) {
    const ready = await preparedDraft(logs[history], number, options);
    drafts.set(history, ready.draft);
    for (const what of ready.lost) lost.add(what);
  }
  const recorded = chosen(histories, { exchange: number });
  for (let time = 0; time < options.times; time++) {
    for (const history of options.histories) {
      options.onRun?.(history, time + 1);
      const log = logs[history];
      runs.push(
        await replayRun({
          history,
          draft: drafts.get(history) as RequestDraft,
          made: callsBefore(log.conversations, number),
          results: resultBook(histories.repaired.conversations, options.toolResults),
          maxRounds: options.maxRounds,
          ...(options.redacts && { redacts: true }),
          name: options.name,
          outgoingOf: (draft) => httpRequestOf(draft, target, recorded.headers),
          send: options.send,
          ...(options.onExchange && { onExchange: options.onExchange }),
          onRound: (round, at) => options.onRound?.(round, at),
        }),
      );
    }
  }
  const [draft] = drafts.values();
  const model = target.model ?? draft?.model;
  const judged = runs.filter(
    ({ history }) => history === (options.histories.includes("repaired") ? "repaired" : "broken"),
  );
  const findings = judged.flatMap((one) => one.findings);
  const isPassed = judged.every(passes);
  return {
    runs,
    report: {
      schemaVersion: "1.0",
      exchange: number,
      protocol: draft?.protocol ?? recorded.protocol,
      url: draft ? httpRequestOf(draft, target, {}).url.href : target.base.href,
      ...(model !== undefined && { model }),
      runs: runs.map(({ history, rounds, outcome }) => ({ history, rounds, outcome })),
      verdict: isPassed ? "passes" : "fails",
      ...(options.to !== undefined && { lost: [...lost] }),
      findings,
    },
  };
}

/** The model made progress: it answered or made a new call, and its replies break no rule. */
function passes({ outcome, findings }: ReplayRun): boolean {
  const isStuck = outcome === "rejected" || outcome === "repeated-call";
  return !isStuck && !findings.some(({ severity, cause }) => severity === "error" && cause === null);
}

/** The calls that the model made before a request, and those in the request itself. */
function callsBefore(conversations: readonly Conversation[], number: number): Set<string> {
  const made = new Set<string>();
  const step = conversations.flatMap(({ steps }) => steps).find(({ exchange }) => exchange.number === number);
  const history = step?.request?.history;
  for (let index = 0; history && index < history.length; index++) addCalls(history.items(index), made);
  for (let at: Step | undefined = step?.parent; at; at = at.parent) addCalls(at.reply?.items ?? [], made);
  return made;
}

function addCalls(items: NonNullable<Exchange["reply"]>["items"], made: Set<string>): void {
  for (const item of items) if (item.kind === "call" && !item.isHosted) made.add(callText(item));
}
