import { rangeAround } from "../../reading/lists.ts";
import type { Origin } from "../../reading/origin.ts";
import { scanJson } from "../../reading/scan.ts";
import { createPool } from "../../reading/shared.ts";
import type { ByteSource } from "../../reading/source.ts";
import { type SseEvent, splitEvents } from "../../reading/sse.ts";
import { invalidByte } from "../../reading/utf8.ts";
import { isFields } from "../../reading/values.ts";
import { wholeView } from "../../reading/view.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { level } from "../../traffic/certainty.ts";
import type { Container, Defect, Recording } from "../../traffic/container.ts";
import type { Frame } from "../../traffic/payload.ts";
import type { PayloadPlace } from "../../traffic/place.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { cutStreams } from "../payloads/adjacent-streams.ts";
import { EventWindows, type WindowText } from "../payloads/event-windows.ts";
import { codedFrames, looksCoded, looksLikeEvents, sseFrames } from "../payloads/frames.ts";
import { noContext } from "../payloads/record-context.ts";
import { payloadSearch } from "../payloads/search.ts";
import { streamPlace } from "../payloads/slice.ts";
import { DeepEvents, LostEvents } from "../payloads/unread-events.ts";

/** Raw server-sent events, such as the output of `curl -N` or a browser's "copy response". */
export const sse: Container = {
  name: "sse",
  summary:
    "raw server-sent events: the output of curl -N, a copied response; also lines with a code before a colon",
  signs: "lines that begin with data: or event:, or with 0: and similar",
  recognize(head) {
    const text = head.toString("utf8");
    if (looksCoded(text)) return level.strong;
    if (!looksLikeEvents(text)) return 0;
    const lines = text
      .replace(/^\uFEFF/, "")
      .split(/\r\n|\r|\n/)
      .slice(0, -1);
    const own = lines.filter((line) => line === "" || /^(data|event|id|retry)?:/.test(line)).length;
    if (own === lines.length) return level.nearlyCertain;
    // JSON that is laid out over several lines has lines that are not fields.
    const laidOut = splitEvents(text).reduce((sum, { data }) => sum + data.split("\n").length - 1, 0);
    return own + laidOut > lines.length * 0.95 ? level.possible : 0;
  },
  read: readEvents,
};

function readEvents(source: ByteSource, recognizer: Recognizer): Recording {
  const defects: Defect[] = [];
  return { container: "sse", kind: "requests", candidates: candidates(), defects, skipped: [] };

  function* candidates(): Generator<PayloadCandidate> {
    const view = wholeView(source);
    const isCoded = looksCoded(
      source.read(0, Math.min(source.size, headSize)).toString("utf8").slice(0, 4096),
    );
    const windows = isCoded
      ? new EventWindows(view, codedFrames, ["\n"])
      : new EventWindows(view, sseFrames, ["\n\n", "\r\n\r\n", "\r\r"]);
    const whole = streamPlace({ view, start: 0, end: source.size, level: 0 });
    const place: PayloadPlace = {
      span: whole.span,
      origin: whole.origin,
      locate: (pointer) => whole.locate(pointer),
      locateAt: (extent) => windows.locateAt(extent),
    };
    const lost = new LostEvents();
    let wrongIn: WindowText | undefined;
    let index = 0;
    const frames = windows.frames((part) => {
      if (part.isBroken) wrongIn ??= part;
      if (!isCoded) reportOtherLines(part, place);
    });
    const deep = new DeepEvents();
    const wrapped: Frame[] = [];
    for (const stream of cutStreams(deep.among(frames), recognizer, {
      place,
      record: () => ({ index: index++, ...noContext }),
      onLost(frame) {
        lost.add(frame);
        if (index === 0 && isFields(frame.value) && wrapped.length < maxWrapped) wrapped.push(frame);
      },
      again: (range) => windows.between(range),
    }))
      yield stream;
    if (index === 0) yield* within(wrapped.map(({ extent }) => place.locateAt(extent)));
    for (const defect of [lost.defect(place), deep.defect(place)]) if (defect) defects.push(defect);
    if (wrongIn) {
      const { start, end } = wrongIn.window;
      const at = start + invalidByte(source.read(start, end));
      const origin = { source, start: at, end: Math.min(source.size, at + 1) };
      defects.push({ kind: "lax", origin, message: "a byte that is not UTF-8" });
    }
  }

  /** What events hold that are none of a provider's: a gateway wraps what it passes on in its own. */
  function* within(events: readonly Origin[]): Generator<PayloadCandidate> {
    const view = wholeView(source);
    const search = payloadSearch(recognizer, createPool());
    for (const [index, { start, end }] of events.entries()) {
      const bytes = source.read(start, end);
      const node = scanJson(bytes, 0, bytes.length, 0, search.hints(start));
      const at = { view, bytes, shift: start, level: 0 } as const;
      if (node?.state !== "complete") continue;
      // Whole messages are what a framework streams; a session's reader knows it.
      yield* search.searchNode(at, node, noContext, index).filter(({ part }) => part === "event");
    }
  }

  /** Reports lines that are not a field of an event, if they hold data or a page. */
  function reportOtherLines({ text, window }: WindowText, place: PayloadPlace): void {
    let events: readonly SseEvent[] | undefined;
    for (const { 0: line, index: at } of text.matchAll(otherLine)) {
      if (!/"[\w.-]+"\s*:|^\s*<(?:!doctype|html)\b/i.test(line)) continue;
      events ??= splitEvents(text);
      if (rangeAround(events, at)) continue;
      defects.push({
        kind: "broken",
        origin: place.locateAt({ start: window.units + at, end: window.units + at + line.length }),
        message: "the line is not a field of an event",
        half: "reply",
      });
    }
  }
}

/** More events in a row without one of a provider are another program's. */
const maxWrapped = 20_000;

/** Enough for the first lines. */
const headSize = 16 << 10;

const otherLine = /^(?!(?:data|event|id|retry)?:|\uFEFF)[^\r\n\u2028\u2029]*[^\s][^\r\n]*/gm;
