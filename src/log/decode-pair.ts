import type { Pair } from "../containers/payloads/pairing.ts";
import type { Exchange, Request } from "../conversation/exchange.ts";
import { holdsOnlyResults, isHistoryAlone, isOfRecord, namedSession } from "../conversation/history-alone.ts";
import type { Reply } from "../conversation/reply.ts";
import { decodedWithFraming } from "../protocols/framing.ts";
import { asBrokenOff, asPart } from "../protocols/lone-streams.ts";
import { purposeBesideTurns } from "../protocols/paths.ts";
import { printsObjects } from "../protocols/printed-objects.ts";
import { type Judgement, judgement, type NamedProfile } from "../protocols/profiles/judge.ts";
import { type Protocol, type RequestBody, supported } from "../protocols/protocol.ts";
import { decodeBareReply } from "../protocols/reported/bare-reply.ts";
import { reportedDemands } from "../protocols/reported/index.ts";
import { createFormReader } from "../protocols/request-schema.ts";
import type { Mutable } from "../reading/mutable.ts";
import type { Origin } from "../reading/origin.ts";
import { maskedHeaders } from "../secrets/masks.ts";
import { threshold } from "../traffic/certainty.ts";
import type { RecordContext } from "../traffic/record-context.ts";

/** A request and its reply as an exchange, before it is numbered. */
export interface Draft {
  readonly start: number;
  /** The enclosing span of a trace. */
  readonly spanId?: string;
  /** Whether its span says that it is a call of a model. */
  readonly isModelCall?: boolean;
  readonly by?: NonNullable<Pair["by"]>;
  /** The file that contains the reply, according to the log. */
  readonly replyFile?: string;
  /** A reply without a request, in a form that many other programs use. */
  readonly isVague: boolean;
  /** A message that stands alone: a reply only in a file without anything else. */
  readonly isLone: boolean;
  /** The body of its response, if no protocol knows it. */
  readonly unknownReply?: Origin;
  /** Made for this draft alone: the log that takes it completes it. */
  readonly exchange: Mutable<Exchange>;
  readonly body: RequestBody | undefined;
}

/** Validates requests against their protocols' schemas, loading only those that the log needs. */
export async function formReader(
  drafts: readonly Draft[],
  protocols: ReadonlyMap<string, Protocol>,
): Promise<(draft: Draft) => Exchange["form"]> {
  const names = new Set(
    drafts.flatMap(({ exchange, body }) => (body && exchange.fidelity === "wire" ? [exchange.protocol] : [])),
  );
  const readers = new Map<string, ReturnType<typeof createFormReader>>();
  for (const name of names) {
    const protocol = protocols.get(name);
    const validators = await supported(protocol?.loadSchema)?.();
    if (protocol && validators) readers.set(name, createFormReader(validators, protocol));
  }
  return ({ exchange, body }) => {
    const reader = readers.get(exchange.protocol);
    return reader && body && exchange.request && exchange.fidelity === "wire"
      ? reader(body, exchange.request, exchange.demands)
      : undefined;
  };
}

/** Shared, as a log may have a hundred thousand exchanges without headers. */
const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

interface DecodeOptions {
  readonly judge?: NamedProfile;
  readonly keepsReplies?: boolean;
}

export function decodePair(
  pair: Pair,
  protocols: ReadonlyMap<string, Protocol>,
  { judge, keepsReplies = false }: DecodeOptions,
): Draft | undefined {
  const { request, reply } = pair;
  const candidate = request ?? reply;
  const isCount = reply?.part === "reply" && reply.isCount === true;
  // Without a request, it may count anything.
  if (!candidate || (isCount && !request)) return undefined;
  const protocol = protocols.get(leadingOf(pair, candidate).protocol);
  if (!protocol) return undefined;
  const sent = sentIn(pair, candidate);
  const { status, url, headers, record } = sent;
  const decodedReply = reply && decodeReply(reply, protocol, protocols, { status, keepsReplies, request });
  const decodedRequest = request && asRecorded(protocol.decodeRequest(request.body), request.body);
  const isLone = reply?.part === "reply" && reply.isLone === true;
  if (isLone && !saysAnything(decodedReply)) return undefined;
  const isAlone = isHistoryAlone({ request: decodedRequest, reply: decodedReply, url, status, headers });
  const isReported =
    candidate.fidelity === "reported" ||
    (!judge && isAlone && isOnlyRecord(protocol, request, decodedRequest)) ||
    (decodedRequest !== undefined && printsObjects(decodedRequest.history.run));
  const fidelity = isReported ? "reported" : (protocol.fidelity ?? "wire");
  const { demands, profile, provider, judgedBy, isOwnProvider } =
    fidelity === "reported"
      ? reported
      : judgement(cluesOf(sent, protocol, reply, { request: decodedRequest, reply: decodedReply }), judge);
  // A log may have a hundred thousand of these, and what is spread into an object makes it slow to build.
  const exchange: Mutable<Exchange> = {
    number: 0,
    file: "",
    position: 0,
    protocol: protocol.name,
    fidelity,
    demands,
    isOwnProvider,
    request: decodedRequest && requestOf(decodedRequest, request, isAlone),
    reply: decodedReply,
    headers: Object.keys(headers).length === 0 ? noHeaders : maskedHeaders(headers),
    isAborted: record.isAborted === true,
    isCut: reply?.isCut === true,
  };
  // What was read of a stored reply, without a request of its own, is a turn's reply.
  const besideTurns = request && purposeBesideTurns(protocols.values(), url, protocol);
  const purpose = besideTurns ?? (isCount ? "count" : undefined);
  if (profile !== undefined) exchange.profile = profile;
  if (provider !== undefined) exchange.provider = provider;
  if (judgedBy !== undefined) exchange.judgedBy = judgedBy;
  if (purpose) exchange.purpose = purpose;
  if (url !== undefined) exchange.url = url;
  if (record.part !== undefined) exchange.part = record.part;
  if (status !== undefined) exchange.status = status;
  if (record.time !== undefined) exchange.time = record.time;
  if (record.durationMs !== undefined) exchange.durationMs = record.durationMs;
  return draftOf(pair, candidate, record, { isLone, exchange });
}

/**
 * The half whose protocol both have: a certain reply outranks a vague request (`{model, messages}` has three
 * protocols), and errors prove nothing.
 */
function leadingOf({ request, reply }: Pair, candidate: Half): Half {
  const isLedByReply =
    request?.fidelity === "wire" &&
    reply &&
    reply.certainty > request.certainty &&
    reply.certainty >= threshold.leading;
  return isLedByReply ? reply : candidate;
}

type Half = NonNullable<Pair["request"] | Pair["reply"]>;

/** What the log says of a request and its reply besides their bodies. */
interface Sent {
  readonly record: RecordContext;
  readonly status: number | undefined;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

function sentIn({ request, reply }: Pair, candidate: Half): Sent {
  const record: RecordContext = request && reply ? { ...reply.record, ...request.record } : candidate.record;
  return {
    record,
    status: reply?.record.status ?? request?.record.status,
    url: request?.record.url ?? reply?.record.url,
    headers: record.headers ?? noHeaders,
  };
}

function saysAnything(reply: Reply | undefined): boolean {
  const isSaid = (item: Reply["items"][number]): boolean =>
    item.kind === "call" || (item.kind === "message" && item.role === "assistant" && item.text !== "");
  return reply?.items.some(isSaid) === true;
}

/**
 * Whether messages that stand alone are a record of another program or of a data set: they do so next to
 * other members, but no model, or to members that no API takes. Messages with nothing beside them are a
 * history as a client keeps it. A target says where either will go.
 */
function isOnlyRecord(protocol: Protocol, request: Pair["request"], decoded: Request | undefined): boolean {
  const hasMembers = !protocol.namesModelInPath && Object.keys(request?.body.fields ?? {}).length > 0;
  return hasMembers || decoded?.isOfRecord === true;
}

/** What shows which provider a request went to. */
function cluesOf(
  { url, headers }: Sent,
  protocol: Protocol,
  reply: Pair["reply"],
  decoded: { readonly request: Request | undefined; readonly reply: Reply | undefined },
): Parameters<typeof judgement>[0] {
  const error = decoded.reply?.error;
  return {
    protocol: protocol.name,
    url,
    host: headers["host"],
    model: decoded.request?.model ?? decoded.reply?.model,
    reply: reply && firstValue(reply),
    refusal: error && `${error.message} ${error.detail ?? ""}`,
  };
}

function draftOf(
  { request, reply, by }: Pair,
  { start }: Half,
  { spanId, isModelCall, replyFile }: RecordContext,
  { isLone, exchange }: Pick<Draft, "isLone" | "exchange">,
): Draft {
  const draft: Mutable<Draft> = {
    start,
    body: request?.body,
    isVague: !request && reply !== undefined && isVague(reply),
    isLone,
    exchange,
  };
  if (spanId !== undefined) draft.spanId = spanId;
  if (isModelCall !== undefined) draft.isModelCall = isModelCall;
  if (request?.unknownReply && !reply) draft.unknownReply = request.unknownReply;
  if (by) draft.by = by;
  if (replyFile !== undefined) draft.replyFile = replyFile;
  return draft;
}

const reported: Judgement = { demands: reportedDemands, isOwnProvider: false };

function asRecorded(decoded: Request, { fields = {} }: RequestBody): Request {
  const [isKept, session] = [isOfRecord(fields), namedSession(fields)];
  if (!isKept && session === undefined) return decoded;
  return { ...decoded, ...(isKept && { isOfRecord: true }), ...(session !== undefined && { session }) };
}

/** A request with what the log says of it. */
function requestOf(
  decoded: Request,
  { body, isCut, copies }: NonNullable<Pair["request"]>,
  isAlone: boolean,
): Request {
  const { isBare, gaps } = body;
  // Nobody sends results alone: what was before them is not in the log.
  const isPart = (isBare || isAlone) && holdsOnlyResults(decoded);
  if (!isBare && !isCut && !copies && !isPart) return decoded;
  return {
    ...decoded,
    ...(isBare && { historyPointer: "", isBare: true }),
    ...(isPart && { isCut: true }),
    ...(isCut && { isCut: true, ...(gaps && { gaps }) }),
    ...(copies && { copies }),
  };
}

/** `{error: …}` with other members and no message in it. */
function isVague({ certainty, ...reply }: NonNullable<Pair["reply"]>): boolean {
  if (certainty >= threshold.leading || reply.part !== "reply" || reply.record.url !== undefined)
    return false;
  const { value } = reply;
  if (typeof value !== "object" || value === null || !("error" in value)) return false;
  const { error } = value;
  const hasMessage = typeof error === "object" && error !== null && "message" in error;
  return !hasMessage && Object.keys(value).length > 1;
}

/** The part of a reply that identifies its server: the body, or the first event. */
function firstValue(reply: NonNullable<Pair["reply"]>): unknown {
  return reply.part === "reply" ? reply.value : reply.frames.at(0)?.value;
}

interface ReplyOptions {
  readonly status: number | undefined;
  readonly keepsReplies: boolean;
  readonly request: Pair["request"];
}

function decodeReply(
  reply: NonNullable<Pair["reply"]>,
  protocol: Protocol,
  protocols: ReadonlyMap<string, Protocol>,
  { status, keepsReplies, request }: ReplyOptions,
): Reply {
  // Decode a stream of another protocol than the request's (an application's own events) by its own.
  const own = reply.certainty >= threshold.leading ? (protocols.get(reply.protocol) ?? protocol) : protocol;
  const isKept = keepsReplies && own === protocol;
  if (reply.part === "reply" && reply.isBare) return decodeBareReply(own, reply.value, reply.place);
  if (reply.part === "reply") {
    const body = { value: reply.value, place: reply.place, status };
    const decoded = own.decodeReply(body);
    // A gateway's errors may differ in form from the API it serves.
    const said = protocols.get(reply.protocol);
    const isSaid = decoded.error !== undefined || decoded.items.length > 0 || !said || said === own;
    return isSaid ? (isKept ? { ...decoded, received: body } : decoded) : said.decodeReply(body);
  }
  const { frames, place, framing, isCut } = reply;
  const body = { frames, place, status, framing, isCut };
  const whole = decodedWithFraming(body, (stream) => own.decodeStream(stream));
  const { excerpt, record } = reply;
  const isExcerpt =
    excerpt === "blocks" || (excerpt === "record" && (!request || request.record.index === record.index));
  const lack = isExcerpt ? "others" : excerpt === "mixed" ? "last" : undefined;
  const decoded = !request || isExcerpt ? asPart(whole, body, lack, own) : asBrokenOff(whole, body);
  const isList = framing === "array";
  if (!isList && !isKept) return decoded;
  return { ...decoded, ...(isList && { isList }), ...(isKept && { received: body }) };
}
