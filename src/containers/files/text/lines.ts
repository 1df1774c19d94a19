import type { Mutable } from "../../../reading/mutable.ts";
import type { Context } from "../../payloads/record-context.ts";

/** One line of a text log: content from `start` to `end`; the next line begins at `next`. */
export interface Line {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** How many bytes of a line are examined for prefixes, fields and context. */
export const headLength = 512;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

export function lineAt(bytes: Buffer, start: number): Line {
  const feed = bytes.indexOf(LINE_FEED, start);
  const stop = feed < 0 ? bytes.length : feed;
  return {
    start,
    end: stop > start && bytes[stop - 1] === CARRIAGE_RETURN ? stop - 1 : stop,
    next: feed < 0 ? bytes.length : feed + 1,
  };
}

/** The beginning of a line as text. */
export function lineHead(bytes: Buffer, { start, end }: Line): string {
  return bytes.toString("utf8", start, Math.min(end, start + headLength));
}

/** Offset of the next line, if only white space remains on this one. */
export function endsLine(bytes: Buffer, from: number): number | undefined {
  let at = from;
  while (at < bytes.length && (bytes[at] === 32 || bytes[at] === 9 || bytes[at] === CARRIAGE_RETURN)) at++;
  return at >= bytes.length ? bytes.length : bytes[at] === LINE_FEED ? at + 1 : undefined;
}

/** Whether the text ends here: in line ends, dots that stand for the rest, or the fence around a paste. */
export function endsText(bytes: Buffer, from: number): boolean {
  return bytes.length - from <= 64 && /^[\s.…`]*$/.test(bytes.toString("utf8", from));
}

/** Whether a line ends here, as after each chunk of an HTTP/1.1 body. */
export function isLineEnd(bytes: Buffer, at: number): boolean {
  return (
    at >= bytes.length ||
    bytes[at] === LINE_FEED ||
    (bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED)
  );
}

/** The prefix (often empty) before a field of server-sent events; `undefined` if the line has no field. */
export function eventField(head: string, known: string | undefined): string | undefined {
  const match =
    /^([^{}"]{0,200}?)(?:(data):\s?(?=[{[]|$)|(event):\s?[\w.-]+\s*$|(id|retry):\s?[\w.-]+\s*$)/.exec(head);
  if (!match) return undefined;
  const prefix = match[1] ?? "";
  if (known !== undefined && matchingPrefix(head, known) === prefix.length) return prefix;
  if (prefix.trim() === "") return prefix;
  // A stream in code marks, which begin on its first line.
  if (/^`{1,3}$/.test(prefix) && match[2] !== undefined && !/`\s*$/.test(head)) return prefix;
  // "id:" and "event:" after words are prose; "data: {" hardly ever is.
  const isField = match[2] !== undefined || (match[3] !== undefined && /[<>|\]:-]\s$/.test(prefix));
  return isField && /[\s<>|[\]:=-]$/.test(prefix) ? prefix : undefined;
}

/** Whether a line is an empty line of an event stream, perhaps with the stream's prefix. */
export function isBlank(head: string, prefix: string): boolean {
  if (head.trim() === "") return true;
  const size = matchingPrefix(head, prefix.trimEnd());
  return prefix.trim() !== "" && size !== undefined && head.slice(size).trim() === "";
}

/** Length of the part of `head` that equals `prefix` except for digits, because time stamps differ. */
export function matchingPrefix(head: string, prefix: string): number | undefined {
  if (head.startsWith(prefix)) return prefix.length;
  const want = digitless(prefix);
  for (const size of [prefix.length, prefix.length - 1, prefix.length + 1]) {
    if (size > 0 && digitless(head.slice(0, size)) === want) return size;
  }
  return undefined;
}

function digitless(text: string): string {
  return text.replace(/\d+/g, "0");
}

/** Adds what a line says about the payload after it: url, status, time, id. */
export function contextOfLine(context: Context, head: string): Context {
  if (head.trim() === "") return context;
  const change: Partial<Mutable<Context>> = {};
  const plain = head.replace(/[{[]\s?["'].*$/s, "");
  // Errors name pages of documentation, too.
  const url =
    /(?<!\b(?:refer to|see|visit):? )\bhttps?:\/\/[^\s"'<>{}]+|(?<=\b(?:POST|GET)\s)\/[^\s"'<>{}]*/.exec(
      plain,
    )?.[0];
  // urllib3 writes `https://host:443 "POST /path HTTP/1.1" 400 112`.
  const path = /\bhttps?:\/\/[^\s"'/]+ "[A-Z]{3,7} (\/[^\s"]*) HTTP\//.exec(plain)?.[1];
  if (url !== undefined) change.url = path === undefined ? url : `${url.replace(/:(?:443|80)$/, "")}${path}`;
  // The head of an HTTP message names the host apart from the path.
  const host = /^\W{0,3}host:\s*([\w.-]+(?::\d+)?)\s*$/i.exec(plain)?.[1];
  if (host !== undefined && url === undefined && context.url?.startsWith("/"))
    change.url = `https://${host}${context.url}`;
  const status =
    /(?:HTTP\/[\d.]+|\bstatus(?:[ _-]?code)?|\bresponse|\bRESPONSE \d+|<-+)\W{0,4}(\d{3})\b/i.exec(
      plain,
    )?.[1] ??
    /\berror(?: code)?: ([45]\d\d)\b/i.exec(plain)?.[1] ??
    /(?:^|: )(4\d\d) (?:Bad Request|Unprocessable \w{1,20}):? $|^(4\d\d) $/
      .exec(plain)
      ?.slice(1)
      .find(Boolean) ??
    // `Request Failed: 400 {…}`, `unhandled status from server: 400 [{…}]`.
    /\b(?:failed|rejected|refused|reason|server)(?: with)?: (4\d\d):? $/i.exec(plain)?.[1];
  if (status !== undefined) change.status = Number(status);
  const stamp = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/.exec(plain)?.[0];
  if (stamp !== undefined) {
    const time = Date.parse(stamp.replace(",", ".").replace(" ", "T"));
    if (Number.isFinite(time)) change.time = time;
  }
  const id = /\b(request[_-]?id|req[_-]?id|correlation[_-]?id)\W{1,3}([\w.-]{2,80})/i.exec(plain);
  if (id?.[1] && id[2]) change.ids = new Map([[id[1].toLowerCase(), id[2]]]);
  return Object.keys(change).length > 0 ? { ...context, ...change } : context;
}
