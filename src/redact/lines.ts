import type { TextPatch } from "./spelling.ts";

/** How the parts of a line are replaced. */
interface LineWords {
  isKey(key: string): boolean;
  /** A text of anybody. */
  plain(slice: string): readonly TextPatch[];
  /** Words that protocols and containers know, and others between them. */
  public(slice: string): readonly TextPatch[];
  /** The value of a key. */
  value(key: string, slice: string): readonly TextPatch[];
}

/** A line of a log, of YAML, of HTTP or of a stream: what it begins with, its key, and its value. */
const keyed =
  /^(?<lead>[ \t]{0,80}(?:[-*<>#|] ?){0,3}["']?)(?<key>[A-Za-z_][\w.-]{0,60})(?<colon>["']?[ \t]{0,8}[:=][ \t]{0,8})(?<value>.*)$/s;
const httpLine =
  /^[ \t<>*-]{0,8}(?:HTTP\/[\d.]+ \d{3}\b|(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) [^\s]+(?: HTTP\/[\d.]+)?\s*$)/;
/** Sizes that containers state on lines of their own. */
const sizes = /^(?:[\da-fA-F]{1,8}\r|\d{1,9} \d{1,9}|httprr trace v1)\r?$/;
/** What programs write before a message. */
const prefix =
  /^(?:\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\]?[ :\t-]*|\[?\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)?(?: std(?:out|err) [PF](?=[ :]))?\]?[ :\t-]*)+/i;

/** What replaces what is private in the lines between payloads. */
export function* linePatches(text: string, words: LineWords): Generator<TextPatch> {
  for (const { 0: line, index } of text.matchAll(/[^\n]+/g)) {
    if (!/[\p{L}\p{N}]/u.test(line) || sizes.test(line)) continue;
    for (const patch of lineParts(line, words))
      yield { start: patch.start + index, end: patch.end + index, text: patch.text };
  }
}

function* lineParts(line: string, words: LineWords): Generator<TextPatch> {
  if (httpLine.test(line)) {
    yield* words.public(line);
    return;
  }
  // A tag of YAML.
  const tag = /^[ \t\w.-]{0,80}: !![a-z]+ ?[|>]?[-+]?\s*$/.exec(line);
  if (tag) {
    yield* words.public(line.slice(0, line.indexOf("!!")));
    return;
  }
  const lead = prefix.exec(line)?.[0].length ?? 0;
  const rest = line.slice(lead);
  const { key = "", value = "" } = keyed.exec(rest)?.groups ?? {};
  if (key !== "" && words.isKey(key)) {
    const start = line.length - value.length;
    const ending = endOfScalar(value);
    const open = /^["']?/.exec(value)?.[0].length ?? 0;
    if (ending <= open) return;
    for (const patch of words.value(key, value.slice(open, ending)))
      yield { start: patch.start + start + open, end: patch.end + start + open, text: patch.text };
    return;
  }
  for (const patch of words.plain(rest))
    yield { start: patch.start + lead, end: patch.end + lead, text: patch.text };
}

/** Where a value ends, without its quote and what follows that. */
function endOfScalar(value: string): number {
  let end = value.length;
  while (end > 0 && " \t\r,".includes(value.charAt(end - 1))) end--;
  return /["']/.test(value.charAt(end - 1)) ? end - 1 : end;
}
