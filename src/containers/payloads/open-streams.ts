import { emptyList } from "../../reading/lists.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import type { ReplyCandidate } from "./copies.ts";
import type { Claim } from "./waiting-requests.ts";

/** A stream in progress. Its parts are in the order of the log. */
export interface OpenStream<Part> {
  readonly parts: [Part, ...Part[]];
  /** The request that waited when the stream began; later requests may precede its end in the log. */
  readonly claim: Claim | undefined;
  /** Empty until a part reveals it. */
  protocol: string;
  /** The id of the reply, once a part states it. */
  replyId: string | undefined;
  /** Ids that all its records share. */
  ids: ReadonlyMap<string, string>;
  isEnded: boolean;
}

/** A finished stream; `reply` is absent if no protocol recognizes it. */
export interface EndedStream {
  readonly first: PayloadCandidate;
  readonly reply: ReplyCandidate | undefined;
  readonly claim: Claim | undefined;
}

/** How many streams may be in progress at once; real clients have a dozen. */
const maxOpen = 64;

/**
 * Joins streams whose parts have records of their own, even interleaved. (streams.ts cuts apart streams
 * whose frames are adjacent.) There are two kinds of parts, because their ends differ: an event is whole, so
 * the last one ends its stream at once; a segment may end within an event that the next record completes.
 */
export abstract class OpenStreams<Part extends PayloadCandidate> {
  protected readonly recognizer: Recognizer;
  protected readonly open = new Set<OpenStream<Part>>();

  constructor(recognizer: Recognizer) {
    this.recognizer = recognizer;
  }

  /** Adds a part to its stream; `false` without one. `isAwaited`: a waiting request has its record's id. */
  abstract goOn(part: Part, isAwaited: boolean): boolean;

  /** Opens a stream with its first part, if it can be one. */
  abstract begin(part: Part, claim: Claim | undefined): void;

  protected abstract join(parts: OpenStream<Part>["parts"]): ReplyCandidate | undefined;

  get areOpen(): boolean {
    return this.open.size > 0;
  }

  end(which: (stream: OpenStream<Part>) => boolean): readonly EndedStream[] {
    if (this.open.size === 0) return emptyList;
    const ended = [...this.open].filter(which);
    return ended.map((stream) => {
      this.open.delete(stream);
      return { first: stream.parts[0], reply: this.join(stream.parts), claim: stream.claim };
    });
  }

  /** Ends the oldest stream if too many are open; some streams have no end. */
  endOldest(): readonly EndedStream[] {
    if (this.open.size <= maxOpen) return emptyList;
    const [oldest] = this.open;
    return this.end((stream) => stream === oldest);
  }
}
