/** One event of server-sent events. Positions are UTF-16 offsets in the text that was split. */
export interface SseEvent {
  readonly event?: string;
  /** The `data:` lines, joined by line feeds. */
  readonly data: string;
  /** From the first data character to behind the last, field names between lines included. */
  readonly start: number;
  readonly end: number;
  /** `glued`: no blank line stands between this event and the one before, although each is whole. `open`: the text ended before the blank line. */
  readonly flaw?: "glued" | "open";
}

/**
 * Splits a text of server-sent events by the rules of the HTML standard, section 9.2.6, with two deviations that
 * damaged logs need: an event that lacks its blank line is kept, and events with nothing but one line end
 * between them are taken apart where each data line is a whole JSON value.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function splitEvents(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  let name: string | undefined;
  let lines: string[] = [];
  let start = 0;
  let end = 0;
  let isGlued = false;
  const flush = (flaw?: "open"): void => {
    if (lines.length > 0) {
      const flag = flaw ?? (isGlued ? "glued" : undefined);
      events.push({ ...(name !== undefined && { event: name }), data: lines.join("\n"), start, end, ...(flag && { flaw: flag }) });
    }
    name = undefined;
    lines = [];
    isGlued = false;
  };

  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  // Where the next CR stands, found once per CR: most texts have none, and looking for it in every line would be quadratic.
  let carriage = text.indexOf("\r");
  while (at < text.length) {
    if (carriage >= 0 && carriage < at) carriage = text.indexOf("\r", at);
    const feed = text.indexOf("\n", at);
    const lineEnd = feed < 0 ? text.length : feed;
    const stop = carriage >= at && carriage < lineEnd ? carriage : lineEnd;
    if (stop === at) flush();
    else {
      const colon = text.indexOf(":", at);
      const fieldEnd = colon < 0 || colon > stop ? stop : colon;
      const field = text.slice(at, fieldEnd);
      const from = Math.min(stop, fieldEnd + (text[fieldEnd + 1] === " " ? 2 : 1));
      if (field === "data") {
        if (lines.length > 0 && isWhole(lines) && startsValue(text, from)) {
          const previous = name;
          flush();
          isGlued = true;
          name = previous;
        }
        if (lines.length === 0) start = from;
        lines.push(text.slice(from, stop));
        end = stop;
      } else if (field === "event") {
        if (lines.length > 0) {
          flush();
          isGlued = true;
        }
        name = text.slice(from, stop);
      }
    }
    at = nextLine(text, stop);
  }
  flush(text.endsWith("\n") || text.endsWith("\r") ? undefined : "open");
  return events;
}

function nextLine(text: string, stop: number): number {
  return text[stop] === "\r" && text[stop + 1] === "\n" ? stop + 2 : stop + 1;
}

function isWhole(lines: readonly string[]): boolean {
  const data = lines.join("\n").trim();
  if (data === "[DONE]") return true;
  if (!data.startsWith("{") && !data.startsWith("[")) return false;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

function startsValue(text: string, at: number): boolean {
  return text[at] === "{" || text[at] === "[";
}
