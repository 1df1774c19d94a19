import { isUtf8 } from "node:buffer";
import type { ByteSource } from "../../reading/source.ts";
import { wholeView } from "../../reading/view.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { level } from "../../traffic/certainty.ts";
import type { Container, Defect, Recording } from "../../traffic/container.ts";
import type { Frame } from "../../traffic/payload.ts";
import type { PayloadPlace } from "../../traffic/place.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import type { RecordContext } from "../../traffic/record-context.ts";
import { cutStreams } from "../payloads/adjacent-streams.ts";
import { codedFrames, looksCoded, looksLikeEvents, sseFrames } from "../payloads/frames.ts";
import { noContext } from "../payloads/record-context.ts";
import { streamPlace } from "../payloads/slice.ts";
import { invalidByte, lostEvents } from "../payloads/unread-json.ts";

/** Raw server-sent events, such as the output of `curl -N` or a browser's "copy response". */
export const sse: Container = {
  name: "sse",
  // The text is read as one string, which V8 limits to this length.
  maxSize: 2 ** 29 - 24,
  summary:
    "raw server-sent events: the output of curl -N, a copied response; also lines with a code before a colon",
  signs: "lines that begin with data: or event:, or with 0: and the like",
  recognize(head) {
    const text = head.toString("utf8");
    if (looksCoded(text)) return level.strong;
    if (!looksLikeEvents(text)) return 0;
    const lines = text
      .replace(/^\uFEFF/, "")
      .split(/\r\n|\r|\n/)
      .slice(0, -1);
    const own = lines.filter((line) => line === "" || /^(data|event|id|retry)?:/.test(line));
    return own.length === lines.length
      ? level.nearlyCertain
      : own.length > lines.length * 0.95
        ? level.possible
        : 0;
  },
  read: readEvents,
};

function readEvents(source: ByteSource, recognizer: Recognizer): Recording {
  const defects: Defect[] = [];
  return { container: "sse", kind: "requests", candidates: candidates(), defects, skipped: [] };

  function* candidates(): Generator<PayloadCandidate> {
    const bytes = source.read(0, source.size);
    const text = bytes.toString("utf8");
    const isCoded = looksCoded(text.slice(0, 4096));
    const frames = isCoded ? codedFrames(text) : sseFrames(text);
    const place = streamPlace({ view: wholeView(source), start: 0, end: source.size, level: 0 });
    let index = 0;
    const lost: Frame[] = [];
    const record = (): RecordContext => ({ ...noContext, index: index++ });
    yield* cutStreams(frames, recognizer, place, record, false, (frame) => lost.push(frame));
    const defect = lostEvents(lost, place);
    if (defect) defects.push(defect);
    if (!isUtf8(bytes)) {
      const at = invalidByte(bytes);
      const origin = { source, start: at, end: Math.min(bytes.length, at + 1) };
      defects.push({ kind: "lax", origin, message: "a byte that is no UTF-8" });
    }
    if (!isCoded) reportOtherLines(text, place);
  }

  /** Reports lines that are no field of an event, if they hold data or a page. */
  function reportOtherLines(text: string, place: PayloadPlace): void {
    for (const { 0: line, index } of text.matchAll(otherLine)) {
      if (!/"[\w.-]+"\s*:|^\s*<(?:!doctype|html)\b/i.test(line)) continue;
      defects.push({
        kind: "broken",
        origin: place.locateAt({ start: index, end: index + line.length }),
        message: "the line is no field of an event",
        half: "reply",
      });
    }
  }
}

const otherLine = /^(?!(?:data|event|id|retry)?:|\uFEFF)[^\r\n]*[^\s][^\r\n]*/gm;
