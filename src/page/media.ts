import type { Placed } from "../conversation/conversation.ts";
import { valueAt } from "../reading/pointer.ts";
import { bytesText } from "../show/words.ts";

/** Shorter strings are ids or names. */
const shortestData = 100;

/** Media of an item that are listed one by one. */
const maxListed = 8;

/** What a message or a result carries in addition to its text: `image, 213 kB`. */
export function mediaOf({ item, step, part, element }: Placed): string[] {
  const canCarry = (item.kind === "message" || item.kind === "result") && item.hasMedia;
  const history = part === "request" ? step.request?.history : undefined;
  if (!canCarry || !history) return [];
  const { value } = history.element(element);
  const found: string[] = [];
  collect(valueAt(value, item.pointer), "", 0, found);
  if (found.length === 0) collect(value, "", 0, found);
  const more = found.length - maxListed;
  return more > 0 ? [...found.slice(0, maxListed), `${more} more`] : found;
}

/** Hostile nesting ends here. */
const maxDepth = 12;

function collect(value: unknown, kind: string, depth: number, found: string[]): void {
  if (typeof value === "string") {
    const own = dataIn(value, kind);
    if (own !== undefined) found.push(own);
  } else if (typeof value === "object" && value !== null && depth < maxDepth) {
    const own = kindOf(value) ?? kind;
    for (const [key, member] of Object.entries(value))
      collect(member, own || namedKind(key), depth + 1, found);
  }
}

/** A text that is a medium, or an address of one. */
function dataIn(text: string, kind: string): string | undefined {
  const [, type = "", data = ""] = /^data:([\w.+-]*\/[\w.+-]*)?[^,]{0,100},(.*)$/s.exec(text) ?? [];
  if (data !== "") return sized(namedKind(type) || kind, data);
  if (kind === "") return undefined;
  if (/^https?:\/\//.test(text)) return `${kind} at an address`;
  return text.length >= shortestData && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? sized(kind, text) : undefined;
}

/** Base64 has four characters for three bytes. */
function sized(kind: string, data: string): string {
  return `${kind || "file"}, ${bytesText(Math.floor((data.length * 3) / 4))}`;
}

/** The kind of medium that an object states: its type, or that of its data. */
function kindOf(value: object): string | undefined {
  for (const key of ["type", "media_type", "mime_type", "mimeType", "mediaType", "format"]) {
    const stated = (value as Readonly<Record<string, unknown>>)[key];
    const kind = typeof stated === "string" ? namedKind(stated) : "";
    if (kind !== "") return kind;
  }
  return undefined;
}

function namedKind(name: string): string {
  const [found] = /image|audio|video|document|pdf|file/i.exec(name) ?? [];
  return found === undefined ? "" : found.toLowerCase() === "pdf" ? "document" : found.toLowerCase();
}
