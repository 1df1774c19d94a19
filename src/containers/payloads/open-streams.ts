import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import type { ReplyCandidate } from "./copies.ts";
import type { Claim } from "./waiting-requests.ts";

/** A stream that is under way: what came of it so far, in the order of the log. */
export interface OpenStream<Part> {
  readonly parts: [Part, ...Part[]];
  /**
   * What it answers was waiting when it began: later requests may stand in the log before its end is known.
   */
  readonly claim: Claim | undefined;
  /** Empty until a part says it. */
  protocol: string;
  /** The reply that it is, as soon as a part says so. */
  replyId: string | undefined;
  /** By which other records are known to belong to it. */
  ids: ReadonlyMap<string, string>;
  isEnded: boolean;
}

/** A stream that is over, and what it makes; no reply where no protocol knows it. */
export interface EndedStream {
  readonly first: PayloadCandidate;
  readonly reply: ReplyCandidate | undefined;
  readonly claim: Claim | undefined;
}

/** How many streams may be under way at once; real clients have a dozen. */
const maxOpen = 64;

/**
 * Puts streams together whose parts stand in records of their own, several of them mixed. (Where a text
 * holds the frames one behind the other, streams.ts only has to cut them apart.) Parts are of two kinds,
 * because their ends are known differently: an event is whole, so that the last one ends its stream at
 * once; a segment is cut anywhere, and the rest of the last event may come in the next record.
 */
export abstract class OpenStreams<Part extends PayloadCandidate> {
  protected readonly recognizer: Recognizer;
  protected readonly open = new Set<OpenStream<Part>>();

  constructor(recognizer: Recognizer) {
    this.recognizer = recognizer;
  }

  /**
   * Adds a part to the stream that it goes on with; `false` when there is none. `isAwaited`: its record has
   * an id of a waiting request.
   */
  abstract goOn(part: Part, isAwaited: boolean): boolean;

  /** Opens the stream that begins with a part, where one can. */
  abstract begin(part: Part, claim: Claim | undefined): void;

  protected abstract join(parts: OpenStream<Part>["parts"]): ReplyCandidate | undefined;

  end(which: (stream: OpenStream<Part>) => boolean): EndedStream[] {
    const ended = [...this.open].filter(which);
    return ended.map((stream) => {
      this.open.delete(stream);
      return { first: stream.parts[0], reply: this.join(stream.parts), claim: stream.claim };
    });
  }

  /** A stream that never ends does not stay open for ever. */
  endOldest(): EndedStream[] {
    const [oldest] = this.open;
    return this.open.size > maxOpen ? this.end((stream) => stream === oldest) : [];
  }
}
