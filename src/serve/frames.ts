import type { Framing, ServedEvent } from "../protocols/server-side.ts";

/** The media type of a stream. */
export const mediaTypes: Readonly<Record<Framing, string>> = {
  sse: "text/event-stream; charset=utf-8",
  lines: "application/x-ndjson",
  array: "application/json; charset=UTF-8",
};

/** The events as they go over the wire, one frame each. An array needs one more that closes it. */
export function framesOf(events: readonly ServedEvent[], framing: Framing): string[] {
  return events.map(({ name, value, before = "" }, place) => {
    const data = typeof value === "string" ? value : JSON.stringify(value);
    if (framing === "lines") return `${before}${data}\n`;
    if (framing === "array") return `${place === 0 ? "[" : ",\r\n"}${data}\n`;
    return `${before}${name === undefined ? "" : `event: ${name}\n`}data: ${data}\n\n`;
  });
}

/** What follows the last event of a stream. */
export function closingFrames(events: readonly ServedEvent[], framing: Framing): string[] {
  if (framing !== "array") return [];
  return [events.length === 0 ? "[]\n" : "]\n"];
}
