import type { Reply, ReplyFlaw } from "../conversation/reply.ts";
import { defectOf, hasEllipsis } from "../reading/json-defect.ts";
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

/** The same behind other characters, or its rest without the brace. */
const laterMember = /(?:^|\{)\s*"[\w.-]+"\s*:/;

/** A member behind more characters than these may be quoted by a text. */
const longestLead = 200;

/** How many names of events are kept. */
const mostNames = 64;

/** Whether somebody wrote this for an event and left out its data: `{json object}`, `{"choices": [...]}`. */
function isPlaceholder(data: string): boolean {
  if (/^\s*\{[\w \t-]{1,60}\}\s*$/.test(data)) return true;
  return hasEllipsis(data);
}

/** Frames that are looked at as they pass: a long stream is read from the log again for each pass. */
class WatchedFrames implements Frames {
  readonly #frames: Frames;
  /** The first frame that is not whole, and the first one without a blank line before it. */
  #cut: Frame | undefined;
  #glued: Frame | undefined;
  /** The last frame, if it is not whole. */
  #cutAtEnd: Frame | undefined;
  /** The frames that hold JSON behind other characters: the first of each name. */
  readonly #led = new Map<string | undefined, Frame>();
  /** The names of the events that are JSON. */
  readonly #names = new Set<string | undefined>();
  /** Some event is plain text, so what begins with a brace may be text, too. */
  #holdsText = false;

  constructor(frames: Frames) {
    this.#frames = frames;
  }

  flaws(framing: StreamBody["framing"], mayEndCut: boolean): ReplyFlaw[] {
    const flaws: ReplyFlaw[] = [];
    const glued = this.#glued;
    const cut = this.#unexpected(mayEndCut) ?? this.#behindWords();
    if (cut) {
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

  /** The first frame that is not whole, unless the stream may end there or its events may be plain text. */
  #unexpected(mayEndCut: boolean): Frame | undefined {
    const cut = this.#cut;
    const isExpected =
      (mayEndCut && cut === this.#cutAtEnd) || (this.#holdsText && !member.test(cut?.data ?? ""));
    return isExpected ? undefined : cut;
  }

  /** The first frame whose JSON stands behind other characters, although all others of its name are JSON. */
  #behindWords(): Frame | undefined {
    if (this.#holdsText) return undefined;
    for (const [name, frame] of this.#led) if (this.#names.has(name)) return frame;
    return undefined;
  }

  #watched(frame: Frame): Frame {
    const isCut = frame.flaw === "cut" && !isPlaceholder(frame.data);
    if (frame.value !== undefined) {
      if (this.#names.size < mostNames) this.#names.add(frame.event);
    } else if (frame.flaw === "cut") {
      if (isCut) this.#cut ??= frame;
    } else if (laterMember.test(frame.data.slice(0, longestLead))) {
      if (this.#led.size < mostNames && !this.#led.has(frame.event)) this.#led.set(frame.event, frame);
    } else if (/^\s*[^\s[]/.test(frame.data)) this.#holdsText = true;
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
