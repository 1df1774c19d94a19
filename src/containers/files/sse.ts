import type { ByteSource } from "../../reading/source.ts";
import { wholeView } from "../../reading/view.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { level } from "../../traffic/certainty.ts";
import type { Container, Recording } from "../../traffic/container.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { cutStreams } from "../payloads/adjacent-streams.ts";
import { codedFrames, looksCoded, looksLikeEvents, sseFrames } from "../payloads/frames.ts";
import { noContext } from "../payloads/record-context.ts";
import { streamPlace } from "../payloads/slice.ts";

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
  return { container: "sse", kind: "requests", candidates: candidates(), defects: [], skipped: [] };

  function* candidates(): Generator<PayloadCandidate> {
    const text = source.read(0, source.size).toString("utf8");
    const frames = looksCoded(text.slice(0, 4096)) ? codedFrames(text) : sseFrames(text);
    const place = streamPlace({ view: wholeView(source), start: 0, end: source.size, level: 0 });
    let index = 0;
    yield* cutStreams(frames, recognizer, place, () => ({ ...noContext, index: index++ }));
  }
}
