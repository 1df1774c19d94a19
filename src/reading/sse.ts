import { isJson } from "./parse.ts";

/** One server-sent event. Positions are UTF-16 offsets in the text that was split. */
export interface SseEvent {
  readonly event?: string;
  /** The `data:` lines, joined by line feeds. */
  readonly data: string;
  /** From the first data character to the end of the last, including field names between lines. */
  readonly start: number;
  readonly end: number;
  /** `glued`: no blank line before it, after a complete event. `open`: the final blank line is missing. */
  readonly flaw?: "glued" | "open";
}

/**
 * Splits a text into server-sent events by the HTML standard, section 9.2.6, with deviations for damaged
 * logs. An event that lacks its blank line is kept. Events separated by only one line end are split where
 * JSON begins after a data line that is a complete JSON value, or after a new event name. JSON that somebody
 * laid out over several lines, of which only the first is a field, is one event.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function splitEvents(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  let name: string | undefined;
  /** An `event:` line after data: the name of this event, or of the next one if data follows at once. */
  let laterName: string | undefined;
  let lines: string[] = [];
  let start = 0;
  let end = 0;
  let isGlued = false;
  /** The lines behind a data line that are not fields. */
  let others: string[] = [];
  let othersEnd = 0;
  /** Joins them to the data if both are one JSON value. */
  const takeOthers = (): void => {
    if (others.length === 0) return;
    const value = [...lines, ...others].join("\n");
    if (lines.length === 1 && isJson(value)) {
      lines = [value];
      end = othersEnd;
    }
    others = [];
  };
  const flush = (event: string | undefined, isOpen = false): void => {
    takeOthers();
    if (lines.length > 0) {
      const flaw = isGlued ? ("glued" as const) : isOpen ? ("open" as const) : undefined;
      events.push({
        data: lines.join("\n"),
        start,
        end,
        ...(event !== undefined && { event }),
        ...(flaw && { flaw }),
      });
    }
    name = undefined;
    laterName = undefined;
    lines = [];
    isGlued = false;
  };

  let at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  const feeds = finder(text, "\n");
  const carriages = finder(text, "\r");
  const colons = finder(text, ":");
  while (at < text.length) {
    const stop = Math.min(feeds(at), carriages(at));
    if (stop === at) flush(laterName ?? name);
    else {
      const fieldEnd = Math.min(stop, colons(at));
      const field = text.slice(at, fieldEnd);
      const from = Math.min(stop, fieldEnd + (text[fieldEnd + 1] === " " ? 2 : 1));
      if (field === "data") {
        takeOthers();
        const isNext =
          startsValue(text[from]) && (laterName === undefined ? isWhole(lines) : startsValue(lines[0]?.[0]));
        const nextName = laterName ?? name;
        if (isNext) {
          flush(name);
          isGlued = true;
        }
        name = nextName;
        laterName = undefined;
        if (lines.length === 0) start = from;
        lines.push(text.slice(from, stop));
        end = stop;
      } else if (field === "event") {
        if (lines.length > 0) laterName = text.slice(from, stop);
        else name = text.slice(from, stop);
      } else if (field !== "" && field !== "id" && field !== "retry" && startsValue(lines[0]?.[0])) {
        others.push(text.slice(at, stop));
        othersEnd = stop;
      }
    }
    at = nextLine(text, stop);
  }
  flush(laterName ?? name, true);
  return events;
}

/**
 * Finds the next position of a character from ascending positions on. Remembers the last hit: a search from
 * each line would be quadratic in texts with few hits.
 */
function finder(text: string, character: string): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) found = text.indexOf(character, from);
    if (found < 0) found = text.length;
    return found;
  };
}

function nextLine(text: string, stop: number): number {
  return text[stop] === "\r" && text[stop + 1] === "\n" ? stop + 2 : stop + 1;
}

/** One data line that is a complete JSON value, or the end mark. */
function isWhole(lines: readonly string[]): boolean {
  if (lines.length !== 1) return false;
  const data = (lines[0] ?? "").trim();
  if (data === "[DONE]") return true;
  return startsValue(data[0]) && isJson(data);
}

function startsValue(character: string | undefined): boolean {
  return character === "{" || character === "[";
}
