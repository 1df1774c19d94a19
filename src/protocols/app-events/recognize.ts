import { level } from "../../traffic/certainty.ts";
import { callIdIn, toolNameIn } from "../../traffic/vocabulary.ts";
import type { Peek, Recognition } from "../protocol.ts";
import { type Fields, fields, string } from "../wire.ts";
import { eventText, readEvent } from "./events.ts";

/** Members allowed next to name and data. With others, it is a log record, perhaps around a real payload. */
const frameKeys = new Set(["event", "data", "id", "seq", "ts", "timestamp", "index"]);

/** Members of data that reveal another API's payload. */
const payloadKeys = [
  "choices",
  "candidates",
  "messages",
  "request",
  "body",
  "headers",
  "url",
  "payload",
  "object",
];

/** Types of providers' own events. */
const providerType = /^(message|content_block|response|ping|error)/;

/**
 * Names specific to a stream to a browser. Shorter ones ("message", "error", "start") are common in logs of
 * any kind: they are understood inside a stream, but do not identify one.
 */
const ownName =
  /^(tool_(call_|use_)?(start|input|args|delta|execute|executing|result|output|end|complete)|tool_(call|use)|(text|content|message)_(start|delta|end|stop)|content_block_(start|delta|stop)|text)$/;

export function recognize(peek: Peek): Recognition | undefined {
  const isFrame = peek.kind("event") === "string";
  if (
    isFrame
      ? peek.kind("data") !== "object" || !peek.keys.every((key) => frameKeys.has(key))
      : peek.event === undefined
  ) {
    return undefined;
  }
  const value: Fields = isFrame
    ? { event: peek.value("event"), data: peek.value("data") }
    : Object.fromEntries(peek.keys.map((key) => [key, peek.value(key)]));
  const event = readEvent({ ...(peek.event !== undefined && { event: peek.event }), value });
  if (!event || payloadKeys.some((key) => Object.hasOwn(event.data, key))) return undefined;
  if (providerType.test(string(event.data["type"]) ?? "")) return undefined;
  const certainty = certaintyOf(event.name.replaceAll(/[-.:]/g, "_"), event.data, isFrame);
  return certainty === undefined ? undefined : { part: "event", certainty };
}

function certaintyOf(name: string, data: Fields, isFrame: boolean): number | undefined {
  if (!ownName.test(name)) {
    // `{"event": "done", "data": {}}`: the end of such a stream, if its beginning was seen.
    return isFrame && /^(done|end|message_end)$/.test(name) && Object.keys(fields(data)).length === 0
      ? level.weak
      : undefined;
  }
  if (name.startsWith("tool")) {
    const hasCall = callIdIn(data) !== undefined || toolNameIn(data) !== undefined;
    return hasCall ? (isFrame ? level.fairlyLikely : level.fairlyPlausible) : undefined;
  }
  if (/_(start|end|stop)$/.test(name)) return isFrame ? level.even : undefined;
  return eventText(data) === undefined ? undefined : isFrame ? level.possible : level.doubtful;
}
