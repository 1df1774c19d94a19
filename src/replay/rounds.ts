import { checkFiles } from "../check/check.ts";
import type { Exchange, Reply } from "../conversation/exchange.ts";
import { callText } from "../conversation/identity.ts";
import type { ToolCall } from "../conversation/item.ts";
import type { FindingReport } from "../findings/report.ts";
import type { HttpRequest, HttpResponse } from "../http/send.ts";
import { openLog } from "../log/open.ts";
import { protocolNamed } from "../protocols/index.ts";
import { type Answer, supported } from "../protocols/protocol.ts";
import { memorySource } from "../reading/source.ts";
import { type Recorded, recordingLine } from "../record/line.ts";
import { continued, type RequestDraft } from "./history.ts";
import type { NearMiss, ResultBook } from "./results.ts";

/** How one way through ended. */
export type Outcome = "answered" | "repeated-call" | "new-call" | "rejected" | "unfinished";

/** One request and its reply. */
export interface ReplayRound {
  readonly status: number;
  readonly calls: readonly ReplayCall[];
  readonly text: string;
  /** The provider's own word; absent when it said none. */
  readonly stopReason?: string;
  /** What the provider says of a failure. */
  readonly error?: string;
  readonly durationMs: number;
  readonly tokens?: { readonly input?: number; readonly output?: number };
}

export interface ReplayCall {
  readonly name: string;
  /** Parsed, where they are JSON. */
  readonly arguments: unknown;
  /** The log's result was sent for it. */
  readonly isAnswered: boolean;
  /** The same call was made before. */
  readonly isRepeated: boolean;
  /** Where the log does not know the call: the recorded one that is nearest to it. */
  readonly nearest?: NearMiss;
}

/** One way through: from the history to the model's answer, or to where it does not get on. */
export interface ReplayRun {
  readonly history: "repaired" | "broken";
  readonly rounds: readonly ReplayRound[];
  readonly outcome: Outcome;
  /** What the rules say of the replies. */
  readonly findings: readonly FindingReport[];
  /** The traffic, as lines of a recording. */
  readonly lines: readonly string[];
}

export interface ReplayRunOptions {
  readonly history: ReplayRun["history"];
  readonly draft: RequestDraft;
  /** Calls that were made before ({@link callText}). */
  readonly made: ReadonlySet<string>;
  readonly results: ResultBook;
  readonly maxRounds: number;
  /** Credentials in bodies are masked, too, in the traffic that is kept; never in what is sent. */
  readonly redacts?: boolean;
  /** What the findings call the recording. */
  readonly name: string;
  shotOf(draft: RequestDraft): HttpRequest;
  send(shot: HttpRequest): Promise<HttpResponse>;
  /** Called when a round is over. */
  onRound(round: ReplayRound, number: number): void;
}

/** The place that was asked cannot do the work, whatever the history: the message is a sentence. */
export class Unfit extends Error {}

/** Sends a history and goes on with the log's results until the model answers, repeats itself, asks for something new, or the cap. */
export async function replayRun(options: ReplayRunOptions): Promise<ReplayRun> {
  const { results, maxRounds, name, onRound } = options;
  const lines: string[] = [];
  const rounds: ReplayRound[] = [];
  const made = new Set(options.made);
  let { draft } = options;
  let outcome: Outcome = "unfinished";
  while (rounds.length < maxRounds) {
    const { line, landed, exchange } = await ask(draft, rounds.length + 1, options);
    lines.push(line);
    const { reply } = exchange;
    const error = failureOf(landed, reply);
    if (error !== undefined) refuseUnfit(landed.status, error, options.shotOf(draft));
    const asked =
      error === undefined
        ? ((reply?.items ?? []).filter((item) => item.kind === "call" && !item.isHosted) as ToolCall[])
        : [];
    const calls = asked.map((call) => ({
      call,
      isRepeated: made.has(callText(call)),
      result: results.answer(call),
    }));
    // A model that asks for something new beside what it has is getting on.
    const isStuck = calls.length > 0 && calls.every(({ isRepeated }) => isRepeated);
    const isNew = calls.some(({ result }) => result === undefined);
    const goesOn = calls.length > 0 && !isStuck && !isNew;
    const round: ReplayRound = {
      status: landed.status,
      calls: calls.map(({ call, isRepeated, result }) => ({
        name: call.name,
        arguments: call.arguments === undefined ? call.argumentsText : call.arguments,
        isAnswered: goesOn,
        isRepeated,
        ...(result === undefined && nearestOf(results, call)),
      })),
      text: textOf(reply),
      ...(reply?.finish && { stopReason: reply.finish.reason }),
      ...(error !== undefined && { error }),
      durationMs: landed.durationMs,
      ...(reply?.usage && { tokens: usageOf(reply.usage) }),
    };
    rounds.push(round);
    onRound(round, rounds.length);
    outcome = outcomeOf(landed, reply, { isStuck, isNew, error, hasCalls: calls.length > 0 });
    if (!goesOn) break;
    for (const { call } of calls) made.add(callText(call));
    const answers = calls.map(({ call, result }): Answer => ({ call, text: "", ...result }));
    draft = continued(draft, [
      ...(reply?.writings?.[0] ?? []),
      ...(supported(protocolNamed(draft.protocol)?.answers)?.(answers) ?? []),
    ]);
  }
  return { history: options.history, rounds, outcome, findings: await findingsOf(name, lines), lines };
}

interface Asked {
  readonly line: string;
  readonly landed: HttpResponse;
  readonly exchange: Exchange;
}

/** One request and what it came to; a stream that ends without its end is asked for once more. */
async function ask(
  draft: RequestDraft,
  number: number,
  { shotOf, send, redacts = false }: ReplayRunOptions,
): Promise<Asked> {
  for (let attempt = 0; ; attempt++) {
    const shot = shotOf(draft);
    const landed = await send(shot);
    const recorded: Recorded = {
      number,
      time: landed.time,
      durationMs: landed.durationMs,
      request: { method: "POST", url: shot.url.href, headers: shot.headers, body: Buffer.from(shot.body) },
      response: { status: landed.status, headers: landed.headers, body: landed.body },
      ...(landed.isCut && { aborted: "server" as const }),
    };
    const line = recordingLine(recorded, false);
    const exchange = await exchangeOf(line);
    const isWhole = !landed.isCut && exchange?.reply?.state !== "open";
    if (!isWhole && attempt === 0) continue;
    if (!isWhole)
      throw new Unfit(
        `${shot.url.host} broke off its reply twice: try again, or without a stream (\`--no-stream\`)`,
      );
    if (!exchange?.reply) {
      throw new Unfit(
        `${shot.url.origin} is no model API that speaks ${draft.protocol}: POST ${shot.url.pathname} was answered with status ${landed.status} and no reply of a model`,
      );
    }
    // The history goes on with what was said, not with its masks.
    return { line: redacts ? recordingLine(recorded, true) : line, landed, exchange };
  }
}

async function exchangeOf(line: string): Promise<Exchange | undefined> {
  const source = memorySource("replay", Buffer.from(line));
  const { exchanges } = await openLog({ path: "replay", source });
  return exchanges[0];
}

const unfit: Readonly<Record<number, string>> = {
  401: "wants another key",
  402: "wants to be paid",
  403: "does not let this key in",
  404: "does not have that model, or not at that address",
  408: "took too long",
  409: "is busy with something else",
  429: "lets no more requests through for now",
};

/** A status that says nothing about the history ends the replay. */
function refuseUnfit(status: number, error: string, { url }: HttpRequest): void {
  const what = Object.hasOwn(unfit, status) ? unfit[status] : status >= 500 ? "failed" : undefined;
  if (what !== undefined) throw new Unfit(`${url.host} ${what} (status ${status}): ${error}`);
}

/** What the provider says of a failure; `undefined` when it was none. */
function failureOf({ status, body }: HttpResponse, reply: Reply | undefined): string | undefined {
  if (reply?.error) return reply.error.message;
  return status >= 400 ? body.toString("utf8", 0, 500).trim() || `status ${status}` : undefined;
}

function outcomeOf(
  { status }: HttpResponse,
  reply: Reply | undefined,
  seen: {
    readonly isStuck: boolean;
    readonly isNew: boolean;
    readonly error: string | undefined;
    readonly hasCalls: boolean;
  },
): Outcome {
  // An error inside a stream that had begun as a success is a refusal, too.
  if (seen.error !== undefined)
    return status >= 400 || (reply?.items.length ?? 0) === 0 ? "rejected" : "unfinished";
  if (seen.isStuck) return "repeated-call";
  if (seen.isNew) return "new-call";
  if (seen.hasCalls) return "unfinished";
  const meaning = reply?.finish?.meaning;
  const hasSaid = textOf(reply).trim() !== "" || meaning === "refusal";
  return hasSaid && (meaning === undefined || meaning === "answer" || meaning === "refusal")
    ? "answered"
    : "unfinished";
}

function nearestOf(results: ResultBook, call: ToolCall): { nearest?: NearMiss } {
  const nearest = results.nearest(call);
  return nearest ? { nearest } : {};
}

function textOf(reply: Reply | undefined): string {
  return (reply?.items ?? []).flatMap((item) => (item.kind === "message" ? [item.text] : [])).join("");
}

function usageOf({ input, output }: NonNullable<Reply["usage"]>): NonNullable<ReplayRound["tokens"]> {
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) };
}

/** What the rules say of the replies, and of the requests that the replay itself went on with. */
async function findingsOf(name: string, lines: readonly string[]): Promise<FindingReport[]> {
  const source = memorySource(name, Buffer.from(lines.join("")));
  const { report } = await checkFiles([{ path: name, source }]);
  return report.findings.filter(
    ({ rule, location }) =>
      // Where no request follows, it is the replay that ended.
      rule !== "unclosed-loop" && (location.part === "response" || (location.exchange ?? 1) > 1),
  );
}
