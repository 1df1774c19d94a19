import { isJson } from "./parse.ts";

/** One event of server-sent events. Positions are UTF-16 offsets in the text that was split. */
export interface SseEvent {
  readonly event?: string;
  /** The `data:` lines, joined by line feeds. */
  readonly data: string;
  /** From the first data character to behind the last, field names between lines included. */
  readonly start: number;
  readonly end: number;
  /** `glued`: no blank line stands between this event and the one before, although that one is whole. `open`: the text ended before the blank line. */
  readonly flaw?: "glued" | "open";
}

/**
 * Splits a text of server-sent events by the rules of the HTML standard, section 9.2.6, with two deviations that
 * damaged logs need: an event that lacks its blank line is kept, and events with nothing but one line end
 * between them are taken apart where JSON begins behind a data line that is a whole JSON value, or behind a new event name.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function splitEvents(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  let name: string | undefined;
  /** An `event:` line behind data: the name of this event, or of the next one if that one's data follows at once. */
  let laterName: string | undefined;
  let lines: string[] = [];
  let start = 0;
  let end = 0;
  let isGlued = false;
  const flush = (event: string | undefined, isOpen = false): void => {
    if (lines.length > 0) {
      const flaw = isGlued ? ("glued" as const) : isOpen ? ("open" as const) : undefined;
      events.push({
        ...(event !== undefined && { event }),
        data: lines.join("\n"),
        start,
        end,
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
      }
    }
    at = nextLine(text, stop);
  }
  flush(laterName ?? name, true);
  return events;
}

/** Finds the next place of a character from ascending positions on. Each is looked for once: most texts have few, and looking from every line would be quadratic. */
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

/** One data line that is a JSON value by itself, or the end mark. */
function isWhole(lines: readonly string[]): boolean {
  if (lines.length !== 1) return false;
  const data = (lines[0] ?? "").trim();
  if (data === "[DONE]") return true;
  return startsValue(data[0]) && isJson(data);
}

function startsValue(character: string | undefined): boolean {
  return character === "{" || character === "[";
}
