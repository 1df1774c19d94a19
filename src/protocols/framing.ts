import type { Reply, ReplyFlaw } from "../conversation/exchange.ts";
import { defectOf } from "../reading/json-defect.ts";
import type { Frame, Frames, StreamBody } from "../traffic/payload.ts";

/**
 * Decodes a stream and adds what is wrong with its frames themselves, in any protocol: an event that is not
 * whole, or no blank line between two events. The last event of a stream that breaks off may be half: the
 * reply is open then, or the recording is cut.
 */
export function decodedWithFraming(body: StreamBody, decode: (body: StreamBody) => Reply): Reply {
  const frames = new WatchedFrames(body.frames);
  const reply = decode({ ...body, frames });
  const flaws = frames.flaws(body.framing, body.isCut || reply.state === "open");
  return flaws.length === 0 ? reply : { ...reply, flaws: [...flaws, ...reply.flaws] };
}

const words = { sse: "an event", ndjson: "a line", array: "a chunk" } as const;

/** How an object begins that a program wrote. */
const member = /^\s*(?:\[\s*)?\{\s*"[\w.-]+"\s*:/;

/** Frames that are looked at as they pass: a long stream is read from the log again for each pass. */
class WatchedFrames implements Frames {
  readonly #frames: Frames;
  /** The first frame that is not whole, and the first one without a blank line before it. */
  #cut: Frame | undefined;
  #glued: Frame | undefined;
  /** The last frame, if it is not whole. */
  #cutAtEnd: Frame | undefined;
  /** Some event is plain text, so what begins with a brace may be text, too. */
  #holdsText = false;

  constructor(frames: Frames) {
    this.#frames = frames;
  }

  flaws(framing: StreamBody["framing"], mayEndCut: boolean): ReplyFlaw[] {
    const flaws: ReplyFlaw[] = [];
    const [cut, glued] = [this.#cut, this.#glued];
    const isExpected =
      (mayEndCut && cut === this.#cutAtEnd) || (this.#holdsText && !member.test(cut?.data ?? ""));
    if (cut && !isExpected) {
      const defect = defectOf(cut.data);
      const detail = defect?.isCutOff
        ? `${words[framing]} ends in the middle`
        : `${words[framing]} is not valid JSON: ${defect?.message ?? ""}`;
      flaws.push({ kind: "cut-frame", isHarmless: false, detail, pointer: "", extent: cut.extent });
    }
    if (glued)
      flaws.push({
        kind: "unseparated-frames",
        isHarmless: true,
        detail: "no blank line between events",
        pointer: "",
        extent: glued.extent,
      });
    return flaws;
  }

  #watched(frame: Frame): Frame {
    const isCut = frame.flaw === "cut";
    if (isCut) this.#cut ??= frame;
    else if (frame.value === undefined && /^\s*[^\s[]/.test(frame.data)) this.#holdsText = true;
    if (frame.flaw === "glued") this.#glued ??= frame;
    this.#cutAtEnd = isCut ? frame : undefined;
    return frame;
  }

  *entries(): Generator<[number, Frame]> {
    for (const [index, frame] of this.#frames.entries()) yield [index, this.#watched(frame)];
  }

  *[Symbol.iterator](): Generator<Frame> {
    for (const frame of this.#frames) yield this.#watched(frame);
  }

  get length(): number {
    return this.#frames.length;
  }

  at(index: number): Frame | undefined {
    return this.#frames.at(index);
  }

  some(predicate: (frame: Frame) => boolean): boolean {
    return this.#frames.some(predicate);
  }

  every(predicate: (frame: Frame) => boolean): boolean {
    return this.#frames.every(predicate);
  }

  map<T>(of: (frame: Frame, index: number) => T): T[] {
    return this.#frames.map(of);
  }
}
