import { plainSpan, type Span } from "../../reading/place.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { Frame } from "../../traffic/payload.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { looksLikeEvents, recognizeFrames, sseFrames } from "./frames.ts";
import { joinedText } from "./segmented-text.ts";
import { streamPlace } from "./slice.ts";

type StreamCandidate = Extract<PayloadCandidate, { part: "stream" }>;
type PieceCandidate = StreamCandidate | Extract<PayloadCandidate, { part: "segment" }>;

/** A stream of which pieces stand in records of their own, in the order of the log. */
export interface PiecedStream<Claim> {
  readonly pieces: [PieceCandidate, ...PieceCandidate[]];
  /** What was waiting when it began. */
  readonly claimed: Claim | undefined;
  /** The ids that all its records carry with the same value. */
  ids: ReadonlyMap<string, string>;
  /** The reply that it is, as soon as a piece says so. */
  reply: string | undefined;
  /** `""` until a piece says it. */
  protocol: string;
  isEnded: boolean;
}

export function isPiece(candidate: PayloadCandidate): candidate is PieceCandidate {
  return candidate.part === "segment" || (candidate.part === "stream" && candidate.isSegment === true);
}

/** What a piece says of the stream that it belongs to. */
interface Told {
  readonly frames: readonly Frame[];
  readonly reply: string | undefined;
  readonly isDone: boolean;
  /** A field line comes first, so that it was cut between two events, if at all. */
  readonly isWhole: boolean;
}

/**
 * Adds a piece to the stream that it continues, which is returned; `undefined` when it continues none. `isAwaited`: its record carries an id
 * of a request that waits.
 */
export function continued<Claim>(
  streams: readonly PiecedStream<Claim>[],
  piece: PieceCandidate,
  recognizer: Recognizer,
  isAwaited: boolean,
): PiecedStream<Claim> | undefined {
  const told = tell(piece, recognizer);
  const stream = streamOf(streams, piece, told, isAwaited);
  if (!stream) return undefined;
  const { ids } = piece.record;
  stream.pieces.push(piece);
  stream.ids = new Map([...stream.ids].filter(([key, value]) => ids.get(key) === value));
  stream.reply ??= told.reply;
  stream.protocol ||= piece.protocol;
  stream.isEnded ||= endsIn(told, recognizer, stream.protocol);
  return stream;
}

/** The stream that begins with a piece; `undefined` when none can. */
export function begun<Claim>(
  piece: PieceCandidate,
  claimed: Claim | undefined,
  recognizer: Recognizer,
): PiecedStream<Claim> | undefined {
  const told = tell(piece, recognizer);
  if (piece.part === "segment" && !told.isWhole) return undefined;
  return {
    pieces: [piece],
    claimed,
    ids: piece.record.ids,
    reply: told.reply,
    protocol: piece.protocol,
    isEnded: endsIn(told, recognizer, piece.protocol),
  };
}

/** A record with its pieces put together, each stream where it begins. */
export function withWholeStreams(
  record: readonly PayloadCandidate[],
  recognizer: Recognizer,
): PayloadCandidate[] {
  if (!record.some(isPiece)) return [...record];
  const streams: PiecedStream<never>[] = [];
  const parts = record.flatMap((candidate): (PayloadCandidate | PiecedStream<never>)[] => {
    if (!isPiece(candidate)) return [candidate];
    if (continued(streams, candidate, recognizer, false)) return [];
    const stream = begun<never>(candidate, undefined, recognizer);
    if (!stream) return [];
    streams.push(stream);
    return [stream];
  });
  return parts.flatMap((part) => ("pieces" in part ? (joined(part, recognizer) ?? []) : part));
}

/** The pieces as one stream. */
export function joined<Claim>(
  { pieces }: PiecedStream<Claim>,
  recognizer: Recognizer,
): StreamCandidate | undefined {
  const [first] = pieces;
  if (pieces.length === 1) return first.part === "stream" ? first : undefined;
  const { view, bytes } = joinedText(pieces.map((piece) => piece.place.span as Span));
  const frames = sseFrames(bytes.toString("utf8"));
  const recognition = recognizeFrames(recognizer, frames, first.record.url);
  if (!recognition) return undefined;
  return {
    ...recognition,
    record: first.record,
    start: first.start,
    place: streamPlace({ view, start: 0, end: bytes.length, level: 0 }),
    isCut: pieces.at(-1)?.isCut ?? false,
    part: "stream",
    frames,
    framing: "sse",
  };
}

function tell(piece: PieceCandidate, recognizer: Recognizer): Told {
  const { view, start, end } = plainSpan(piece.place.span as Span);
  const text = view.read(start, end).toString("utf8");
  const frames = piece.part === "stream" ? piece.frames : sseFrames(text);
  const ids = frames.map((frame) =>
    piece.protocol === "" ? undefined : recognizer.replyId(piece.protocol, frame),
  );
  return {
    frames,
    reply: ids.find((each) => each !== undefined),
    isDone: frames.length > 0 && frames.every(({ data }) => data.trim() === "[DONE]"),
    isWhole: looksLikeEvents(text),
  };
}

function endsIn({ frames, isDone }: Told, recognizer: Recognizer, protocol: string): boolean {
  // Of an event that is cut, only the name may be there: its data follow in the next piece.
  return (
    isDone || frames.some((frame) => frame.value !== undefined && recognizer.isTerminal(protocol, frame))
  );
}

/** The stream with the same reply id; else that whose records share an id with this one; else the newest. */
function streamOf<Claim>(
  streams: readonly PiecedStream<Claim>[],
  { protocol, record: { ids } }: PieceCandidate,
  { reply, isDone, isWhole }: Told,
  isAwaited: boolean,
): PiecedStream<Claim> | undefined {
  const fits = streams.filter(
    (stream) => protocol === "" || stream.protocol === "" || protocol === stream.protocol,
  );
  if (reply !== undefined) {
    const same = fits.find((stream) => stream.reply === reply);
    if (same) return same;
  }
  // Behind the end comes only what says nothing by itself, and what ends are cut into.
  const open = fits.filter(
    (stream) =>
      (!stream.isEnded || isDone || !isWhole) && (reply === undefined || stream.reply === undefined),
  );
  const sharing = open.findLast((stream) => [...stream.ids].some(([key, value]) => ids.get(key) === value));
  if (sharing) return sharing;
  if (isAwaited && isWhole) return undefined;
  const newest = open.at(-1);
  const isElsewhere =
    newest &&
    newest.pieces.length > 1 &&
    [...newest.ids].some(([key, value]) => ids.has(key) && ids.get(key) !== value);
  return isElsewhere ? undefined : newest;
}
