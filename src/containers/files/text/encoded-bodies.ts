import { type Range, rangeAround } from "../../../reading/lists.ts";
import {
  copyDecoded,
  type EncodedJson,
  encodedJson,
  percentEncoded,
} from "../../../reading/percent-encoding.ts";
import { Segments } from "../../../reading/segments.ts";
import type { ByteSource } from "../../../reading/source.ts";
import {
  type MappedPatches,
  mapThroughSegments,
  type Patch,
  patched,
  segmentedView,
  sourceOver,
  wholeView,
} from "../../../reading/view.ts";
import type { Skipped } from "../../../traffic/container.ts";
import { repackedText, unpackedText } from "../../payloads/packed.ts";
import { LineOpenings, type Openings } from "./line-openings.ts";

/**
 * Base64 of an object, a list, an event, gzip or Zstandard; what a dot follows is a part of a token. It ends
 * behind its filling, whatever follows.
 */
const base64 =
  /(?<![\w+/%-])(?:eyJ|eyA|ew[ok]|W3s|Wwo|ZGF0YT|ZXZlbn|H4sI|KLUv)[\w+/-]{60,}(?:={1,2}(?![.%=])|(?![\w.%+/=-]))/g;

/** How a body begins in either encoding. */
const signs = ["%7B", "%7b", "eyJ", "eyA", "ewo", "ewk", "W3s", "Wwo", "ZGF0YT", "ZXZlbn", "H4sI", "KLUv"];

/** What is left of a body without its beginning: base64, or the name of a member in percent-encoding. */
const runOfBase64 = /(?<![\w+/%-])[\w+/-]{200,}={0,2}(?![\w.%+/=-])/g;
const encodedMember = /%22[\w.-]{1,40}%22%3A/gi;

/** A member of a request or a reply. */
const ofBody = /"(?:messages|contents|choices|candidates|input|output|content|parts|delta)"\s*:/;

/** Enough of a line to see what stands before a body. */
const maxBefore = 600;

/** A body in base64: where it stands in the log, and in what the log becomes. */
interface Packed extends Range {
  readonly plain: Buffer;
  readonly at: number;
}

/** A log with its bodies decoded, and what could not be decoded among them. */
export interface DecodedLog {
  readonly source: ByteSource;
  readonly left: readonly Skipped[];
}

/**
 * A log with the bodies decoded that it holds in percent-encoding or in base64, outside of JSON; any other
 * source as it is.
 */
export function withDecodedBodies(source: ByteSource): DecodedLog {
  const bytes = source.read(0, source.size);
  if (!signs.some((sign) => bytes.includes(sign))) return { source, left: [] };
  const text = bytes.toString("latin1");
  const log = new Segments(bytes);
  const forms: EncodedJson[] = [];
  const packed: Packed[] = [];
  let copied = 0;
  const lines = new LineOpenings(text);
  const runs = runsIn(text);
  for (const run of runs) {
    if (run.start < copied || isQuoted(text, run, lines.at(run.start))) continue;
    const plain = decoded(bytes, text, run, source);
    if (!plain || (isInAddress(text, run) && !ofBody.test(plain.toString("utf8")))) continue;
    log.copy(copied, run.start);
    if ("isForm" in run) {
      forms.push(run);
      copyDecoded(log, bytes, run);
    } else {
      packed.push({ ...run, plain, at: log.length });
      log.write(plain, run.start, run.end);
    }
    copied = run.end;
  }
  if (copied === 0) return { source, left: [] };
  log.copy(copied, bytes.length);
  const { segments, length } = log;
  const base = wholeView(source);
  const read = sourceOver({
    ...segmentedView(base, log.bytes, segments),
    inverse: {
      base,
      mapPatches(patches) {
        const others = patches.filter((patch) => !packed.some((body) => isWithin(patch, body)));
        const mapped = mapThroughSegments(others, length, segments, ({ bytes: own }, at) => {
          const form = rangeAround(forms, at) ?? rangeAround(forms, at - 1);
          return form ? percentEncoded(own, form.isForm) : own;
        });
        return "why" in mapped ? mapped : withRepacked(mapped.patches, patches, packed, text);
      },
    },
  });
  const known = [...forms, ...packed].sort((a, b) => a.start - b.start);
  return { source: read, left: leftOf(source, text, known, runs) };
}

/** The key before a body: `body=`, `payload: `. */
const keyBefore = /(?:^|[\s,;&|])([\w.-]{1,40}[=:] ?)$/;

/** Keys of bodies that are looked for again. */
const mostKeys = 8;

/**
 * What looks like the rest of an encoded body, or stands in the place of one, in a log that has others. A run
 * that is whole in a string of JSON is read with it.
 */
function leftOf(
  source: ByteSource,
  text: string,
  known: readonly Range[],
  runs: readonly Range[],
): readonly Skipped[] {
  // A log that was rotated or cut may begin in a body.
  const places = new Set(/^[\w+/-]{20,}={0,2}(?=[\s,&])/.test(text.slice(0, maxBefore)) ? [0] : []);
  /** Places of what is surely encoded, also in a string. */
  const signed = new Set<number>();
  const keys = new Set(
    known.flatMap(({ start }) => keyBefore.exec(text.slice(Math.max(0, start - 48), start))?.[1] ?? []),
  );
  for (const key of [...keys].slice(0, mostKeys))
    for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + key.length)) {
      const start = at + key.length;
      if (!/[^\s&{[]/.test(text[start] ?? " ")) continue;
      places.add(start);
      if (signs.some((sign) => text.startsWith(sign, start))) signed.add(start);
    }
  for (const { index } of text.matchAll(runOfBase64)) places.add(index);
  for (const { index } of text.matchAll(encodedMember)) {
    places.add(index);
    signed.add(index);
  }
  const view = wholeView(source);
  const lines = new LineOpenings(text);
  const left: Skipped[] = [];
  let named = -1;
  for (const start of [...places].sort((a, b) => a - b)) {
    if (start <= named || isInAddress(text, { start }) || rangeAround(known, start)) continue;
    const openings = lines.at(start);
    const isInString = openings.quote !== undefined || isInJson(openings);
    if (isInString && (!signed.has(start) || (isInJson(openings) && rangeAround(runs, start)))) continue;
    named = lines.end;
    left.push({
      origin: view.origin(start, lines.end),
      reason: "an encoded body, or a part of one, that cannot be decoded",
    });
  }
  return left;
}

function decoded(
  bytes: Buffer,
  text: string,
  run: Range | EncodedJson,
  source: ByteSource,
): Buffer | undefined {
  if ("isForm" in run) {
    const plain = new Segments(bytes);
    copyDecoded(plain, bytes, run);
    return plain.bytes;
  }
  const own = text.slice(run.start, run.end);
  return unpackedText(own, own, source);
}

function runsIn(text: string): (Range | EncodedJson)[] {
  const inBase64 = [...text.matchAll(base64)].map(({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }));
  return [...encodedJson(text), ...inBase64].sort((a, b) => a.start - b.start);
}

/**
 * Whether a run stands in a value, which says itself how it is to be read, or in a text in quotes. A field of
 * a log is a body in quotes, too.
 */
function isQuoted(text: string, { start, end }: Range, openings: Openings): boolean {
  const { quote } = openings;
  if (quote === undefined || isInJson(openings)) return isInJson(openings);
  const isAlone = quote === start - 1 && text[quote] === '"' && text[end] === '"';
  return !isAlone || !/[=\w] ?$/.test(text.slice(Math.max(0, quote - 2), quote));
}

function isInJson({ isInValue, isInMember }: Openings): boolean {
  return isInValue || isInMember;
}

/** Whether a run is a parameter of an address, as those of other programs are, too. */
function isInAddress(text: string, { start }: Pick<Range, "start">): boolean {
  const before = text.slice(Math.max(0, start - maxBefore), start);
  return /^\W?(?:\/|https?:)/.test(before.slice(before.lastIndexOf(" ") + 1));
}

function isWithin(patch: Range, { at, plain }: Packed): boolean {
  return at <= patch.start && patch.end <= at + plain.length;
}

/** The patches of a log, with those of bodies in base64, which are encoded again as a whole. */
function withRepacked(
  mapped: readonly Patch[],
  patches: readonly Patch[],
  packed: readonly Packed[],
  text: string,
): MappedPatches {
  const all = [...mapped];
  for (const body of packed) {
    const own = patches.filter((patch) => isWithin(patch, body));
    if (own.length === 0) continue;
    const { start, end, plain, at } = body;
    const moved = own.map((patch) => ({ ...patch, start: patch.start - at, end: patch.end - at }));
    const written = repackedText(text.slice(start, end), patched(plain, moved));
    if (written === undefined) return { why: "the events of an AWS event stream cannot be written" };
    all.push({ start, end, bytes: Buffer.from(written) });
  }
  return { patches: all.sort((a, b) => a.start - b.start) };
}
