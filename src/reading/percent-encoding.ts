import type { Range } from "./lists.ts";
import type { Segments } from "./segments.ts";

/**
 * JSON in percent-encoding, as the fields of a form and the parameters of an address hold it.
 * @see https://url.spec.whatwg.org/#application/x-www-form-urlencoded
 */
export interface EncodedJson extends Range {
  /** A blank is written as `+`. */
  readonly isForm: boolean;
}

/** How an object or a list of objects begins. */
const begins = /%7B(?:%0[9AD]|%20|\+){0,20}%22|%5B(?:%0[9AD]|%20|\+){0,20}%7B/gi;

/** No address and no form holds these as they are, and `&` begins the next parameter. */
const ends = /[\s"<>&]/g;

/** Shorter values are filters and settings. */
const fewest = 40;

const PERCENT = 37;
const PLUS = 43;

/** The encoded JSON in a text of latin1, in order. */
export function* encodedJson(text: string): Generator<EncodedJson> {
  begins.lastIndex = 0;
  for (let found = begins.exec(text); found; found = begins.exec(text)) {
    const start = found.index;
    ends.lastIndex = start;
    const end = ends.exec(text)?.index ?? text.length;
    begins.lastIndex = end;
    const own = text.slice(start, end);
    if (own.length >= fewest) yield { start, end, isForm: own.includes("+") && !own.includes("%20") };
  }
}

/** Copies the JSON as it was before it was encoded. */
export function copyDecoded(plain: Segments, bytes: Buffer, { start, end, isForm }: EncodedJson): void {
  let from = start;
  const replace = (at: number, width: number, byte: number): void => {
    if (at > from) plain.copy(from, at);
    from = at + width;
    plain.write(Buffer.from([byte]), at, from);
  };
  for (let at = start; at < end; at++) {
    if (isForm && bytes[at] === PLUS) replace(at, 1, 32);
    else if (bytes[at] === PERCENT) {
      const code = bytes.toString("latin1", at + 1, Math.min(end, at + 3));
      if (!/^[0-9A-Fa-f]{2}$/.test(code)) continue;
      replace(at, 3, Number.parseInt(code, 16));
      at += 2;
    }
  }
  if (end > from) plain.copy(from, end);
}

/** A change of the JSON in the same encoding. */
export function percentEncoded(bytes: Buffer, isForm: boolean): Buffer {
  const text = encodeURIComponent(bytes.toString("utf8"));
  return Buffer.from(isForm ? text.replaceAll("%20", "+") : text);
}
