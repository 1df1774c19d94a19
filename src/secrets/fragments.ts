import { lastAt } from "./encoded.ts";
import { quotedLength } from "./named.ts";

/** A text put together from fragments, in order, with the place of each in the text that holds them. */
export interface JoinedText {
  readonly text: string;
  readonly fragments: readonly { readonly at: number; readonly start: number; readonly end: number }[];
}

/** A member with a text, however often the JSON around it is escaped. */
const members = /(\\{0,15})"([A-Za-z_]{1,40})\\{0,15}"\s{0,4}:\s{0,4}\\{0,15}"/g;

/** Members that are whole in each event, and names: their texts do not continue each other. */
const wholeMembers =
  /^(?:id|object|model|type|role|name|created|created_at|obfuscation|finish_reason|stop_reason|\w+_id|event|status|signature|encrypted_content|service_tier|system_fingerprint|method|url|kind|time|timestamp|ts|level|logger|phase)$/;

/** Longer fragments are not fragments of a stream. */
const longestFragment = 4096;
/** Between fragments of one text stands one event. */
const longestGap = 8192;

/**
 * Texts that the events of a stream hold in fragments: members of one name at one depth of escapes, one after
 * another, also those with one index where several texts come interleaved. Only runs of at least two.
 */
export function* joinedTexts(text: string): Generator<JoinedText> {
  const lanes = new Map<string, { start: number; end: number }[]>();
  let line = 0;
  let indexes = "";
  for (const { 0: lead, 1: depth = "", 2: name = "", index } of text.matchAll(members)) {
    if (wholeMembers.test(name)) continue;
    const start = index + lead.length;
    const rest = text.slice(start, start + longestFragment);
    const length = quotedLength(rest, `${depth}"`);
    if (length === undefined || length === 0) continue;
    if (index >= line) {
      const begin = Math.max(text.lastIndexOf("\n", index), index - 600);
      const end = text.indexOf("\n", index);
      line = end < 0 ? text.length : end;
      indexes = [
        ...text.slice(begin, Math.min(line, begin + 1200)).matchAll(/index\\{0,15}"\s?:\s?(\d{1,4})/g),
      ]
        .map((found) => found[1])
        .join(",");
    }
    const key = `${depth.length} ${name}`;
    for (const lane of indexes === "" ? [key] : [key, `${key} ${indexes}`]) {
      const known = lanes.get(lane);
      if (known) known.push({ start, end: start + length });
      else lanes.set(lane, [{ start, end: start + length }]);
    }
  }
  for (const places of lanes.values()) yield* runsOf(text, places);
}

/** The runs of fragments that stand near each other. */
function* runsOf(text: string, places: readonly { start: number; end: number }[]): Generator<JoinedText> {
  let run: { at: number; start: number; end: number }[] = [];
  let size = 0;
  const joined = (): JoinedText => ({
    text: run.map(({ start, end }) => text.slice(start, end)).join(""),
    fragments: run,
  });
  for (const { start, end } of places) {
    const last = run.at(-1);
    if (last && start - last.end > longestGap) {
      if (run.length > 1) yield joined();
      run = [];
      size = 0;
    }
    run.push({ at: size, start, end });
    size += end - start;
  }
  if (run.length > 1) yield joined();
}

/** The ranges of the fragments that a range of a joined text stands in. */
export function rangesOf(
  { fragments }: JoinedText,
  start: number,
  end: number,
): { readonly start: number; readonly end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  for (let index = lastAt(fragments.length, (each) => (fragments[each]?.at ?? 0) <= start); ; index++) {
    const fragment = fragments[index];
    if (!fragment || fragment.at >= end) return ranges;
    const from = fragment.start + Math.max(0, start - fragment.at);
    const to = Math.min(fragment.end, fragment.start + end - fragment.at);
    if (to > from) ranges.push({ start: from, end: to });
  }
}
