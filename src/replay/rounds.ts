import { checkFiles } from "../check/check.ts";
import type { Exchange } from "../conversation/exchange.ts";
import { callText } from "../conversation/identity.ts";
import type { ToolCall } from "../conversation/item.ts";
import type { Reply } from "../conversation/reply.ts";
import type { FindingReport } from "../findings/report.ts";
import type { HeaderList } from "../http/client.ts";
import type { HttpRequest, HttpResponse } from "../http/send.ts";
import { openLog } from "../log/open.ts";
import { protocolNamed } from "../protocols/index.ts";
import { type Answer, supported } from "../protocols/protocol.ts";
import { memorySource } from "../reading/source.ts";
import { type Recorded, recordingLine } from "../record/line.ts";
import { continued, type RequestDraft } from "./history.ts";
import type { NearMiss, ResultBook } from "./results.ts";

/** How a run ended. */
export type Outcome = "answered" | "repeated-call" | "new-call" | "rejected" | "unfinished";

/** One request and its reply. */
export interface ReplayRound {
  readonly status: number;
  readonly calls: readonly ReplayCall[];
  readonly text: string;
  /** The provider's own spelling; absent when there was none. */
  readonly stopReason?: string;
  /** The provider's error message. */
  readonly error?: string;
  readonly durationMs: number;
  readonly tokens?: { readonly input?: number; readonly output?: number };
}

export interface ReplayCall {
  readonly name: string;
  /** The parsed value, where they are JSON; otherwise the text. */
  readonly arguments: unknown;
  /** The log's result was sent for it. */
  readonly isAnswered: boolean;
  /** The same call was made before. */
  readonly isRepeated: boolean;
  /** For a call that is not in the log: the most similar recorded call. */
  readonly nearest?: NearMiss;
}

/** One run: from the history to the model's answer, or to the point where it stops. */
export interface ReplayRun {
  readonly history: "repaired" | "broken";
  readonly rounds: readonly ReplayRound[];
  readonly outcome: Outcome;
  /** Findings about the replies. */
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
  /** Also mask credentials in bodies of the recorded traffic; never in what is sent. */
  readonly redacts?: boolean;
  /** The file name of the recording in findings. */
  readonly name: string;
  outgoingOf(draft: RequestDraft): HttpRequest;
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Called with each exchange, as a line of a recording, as soon as it is over. */
  onExchange?(line: string): void;
  /** Called when a round is over. */
  onRound(round: ReplayRound, number: number): void;
}

/** The server cannot serve the replay, for reasons other than the history: the message is a sentence. */
export class Unfit extends Error {}

/**
 * Sends a history and continues with the log's results until the model answers, repeats a call, makes a call
 * that the log does not know, or reaches the maximum of rounds.
 */
export async function replayRun(options: ReplayRunOptions): Promise<ReplayRun> {
  const { results, maxRounds, name, onRound } = options;
  const lines: string[] = [];
  const rounds: ReplayRound[] = [];
  const made = new Set(options.made);
  let { draft } = options;
  let outcome: Outcome = "unfinished";
  while (rounds.length < maxRounds) {
    const { line, response, exchange } = await ask(draft, rounds.length + 1, options);
    lines.push(line);
    const { reply } = exchange;
    const error = failureOf(response, reply);
    if (error !== undefined) refuseUnfit(response.status, error, options.outgoingOf(draft));
    const asked =
      error === undefined
        ? ((reply?.items ?? []).filter((item) => item.kind === "call" && !item.isHosted) as ToolCall[])
        : [];
    const calls = asked.map((call) => ({
      call,
      isRepeated: made.has(callText(call)),
      result: results.answer(call),
    }));
    // A new call next to a repeated one is progress.
    const isStuck = calls.length > 0 && calls.every(({ isRepeated }) => isRepeated);
    const isNew = calls.some(({ result }) => result === undefined);
    const goesOn = calls.length > 0 && !isStuck && !isNew;
    const round: ReplayRound = {
      status: response.status,
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
      durationMs: response.durationMs,
      ...(reply?.usage && { tokens: usageOf(reply.usage) }),
    };
    rounds.push(round);
    onRound(round, rounds.length);
    outcome = outcomeOf(response, reply, { isStuck, isNew, error, hasCalls: calls.length > 0 });
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
  readonly response: HttpResponse;
  readonly exchange: Exchange;
}

/** Sends one request and reads its reply. A reply that breaks off is requested once more. */
async function ask(
  draft: RequestDraft,
  number: number,
  { outgoingOf, send, onExchange, redacts = false }: ReplayRunOptions,
): Promise<Asked> {
  for (let attempt = 0; ; attempt++) {
    const request = outgoingOf(draft);
    const response = await send(request);
    const recorded: Recorded = {
      number,
      time: response.time,
      durationMs: response.durationMs,
      request: {
        method: "POST",
        url: request.url.href,
        headers: request.headers,
        body: Buffer.from(request.body),
      },
      response: { status: response.status, headers: response.headers, body: response.body },
      ...(response.isCut && { aborted: "server" as const }),
    };
    const line = recordingLine(recorded, false);
    const exchange = await exchangeOf(line);
    const isWhole = !response.isCut && exchange?.reply?.state !== "open";
    if (!isWhole && attempt === 0) continue;
    const kept = redacts ? recordingLine(recorded, true) : line;
    onExchange?.(kept);
    if (!isWhole)
      throw new Unfit(
        `${request.url.host} interrupted its reply twice: try again, or disable streaming (\`--no-stream\`)`,
      );
    if (!exchange?.reply) {
      const error = failureOf(response, undefined);
      if (error !== undefined) refuseUnfit(response.status, error, request);
      throw new Unfit(
        `${request.url.origin} is not a model API for ${draft.protocol}: POST ${request.url.pathname} returned status ${response.status} without a model's reply`,
      );
    }
    // The history continues with the unmasked reply.
    return { line: kept, response, exchange };
  }
}

async function exchangeOf(line: string): Promise<Exchange | undefined> {
  const source = memorySource("replay", Buffer.from(line));
  const { exchanges } = await openLog({ path: "replay", source });
  return exchanges[0];
}

const unfit: Readonly<Record<number, string>> = {
  401: "rejects this key",
  402: "requires payment",
  403: "denies access with this key",
  404: "does not have this model or this path",
  408: "took too long",
  409: "reports a conflict with another request",
  429: "rate-limits requests",
};

/** Where a redirect leads. It is not followed: the key is for the host that the user named. */
function locationOf(headers: HeaderList): string | undefined {
  const location = headers.find(([name]) => name.toLowerCase() === "location")?.[1];
  return location && `to ${location.slice(0, 300)}; use that address if it is right`;
}

/** A status that is not about the history ends the replay. */
function refuseUnfit(status: number, error: string, { url }: HttpRequest): void {
  const kind = status >= 500 ? "failed" : status >= 300 && status < 400 ? "redirects the request" : undefined;
  const what = Object.hasOwn(unfit, status) ? unfit[status] : kind;
  if (what !== undefined) throw new Unfit(`${url.host} ${what} (status ${status}): ${error}`);
}

/** The provider's error message; `undefined` on success. */
function failureOf({ status, headers, body }: HttpResponse, reply: Reply | undefined): string | undefined {
  if (status >= 300 && status < 400) return locationOf(headers) ?? "without saying where";
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
  // An error in a stream that began as a success is also a rejection.
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

/** Findings about the replies, and about the requests that the replay itself added. */
async function findingsOf(name: string, lines: readonly string[]): Promise<FindingReport[]> {
  const source = memorySource(name, Buffer.from(lines.join("")));
  const { report } = await checkFiles([{ path: name, source }]);
  return report.findings.filter(
    ({ rule, location }) =>
      // Without a following request, it is the replay that ended.
      rule !== "unclosed-loop" && (location.part === "response" || (location.exchange ?? 1) > 1),
  );
}
