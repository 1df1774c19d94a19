import { opensJson } from "../../reading/json-bytes.ts";
import type { JsonNode } from "../../reading/json-node.ts";
import type { Origin } from "../../reading/origin.ts";
import { isJson } from "../../reading/parse.ts";
import { isComment, maxComment, recordLines } from "../../reading/record-lines.ts";
import { scanJson } from "../../reading/scan.ts";
import { createPool } from "../../reading/shared.ts";
import { type ByteSource, textStart } from "../../reading/source.ts";
import { wholeView } from "../../reading/view.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import { level } from "../../traffic/certainty.ts";
import type { Container, Defect, Recording, Skipped } from "../../traffic/container.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { shortenedValue } from "../payloads/printed-slice.ts";
import { noContext } from "../payloads/record-context.ts";
import { payloadSearch } from "../payloads/search.ts";
import { statedContext } from "../payloads/skipped.ts";
import { holdsBroken } from "../payloads/slice.ts";
import { brokenAt } from "../payloads/unread-json.ts";
import { recordLengths } from "./stated-lengths.ts";

/** JSON lines: one record per line, in any shape. */
export const jsonl: Container = {
  name: "jsonl",
  isLogOfProgram: true,
  summary:
    "JSON lines: one record per line; payloads, spans and runs of traces are recognised by shape at any depth",
  signs: "a JSON value on every line",

  recognize(head, isWhole) {
    const lines = head
      .toString("utf8")
      .replace(/^\uFEFF/, "")
      .split(/\r?\n/);
    if (!isWhole && lines.length > 1) lines.pop();
    const filled = lines.filter((line) => line.trim() !== "" && !isComment(line.trim()));
    if (filled.length === 0) return 0;
    if (!isWhole && lines.length === 1) return /^\s*\{/.test(filled[0] ?? "") ? level.possible : 0;
    const last = filled.length - 1;
    const whole = filled.filter(
      (line, index) =>
        (/^\s*[{[]/.test(line) && isJson(line)) || (index === last && index > 0 && /^\s*\{/.test(line)),
    );
    return whole.length === filled.length
      ? filled.length > 1
        ? level.strong
        : level.possible
      : filled.length > 2 && whole.length / filled.length > 0.8 && !holdsBodiesBehindWords(filled)
        ? level.plausible
        : filled.every((line) => /^\s*(?:\{\s*"|\[\s*[{["])/.test(line)) && !isListed(filled)
          ? level.weak
          : 0;
  },

  read: readLines,
  lengths: recordLengths,
};

/** Whether other lines have a value behind words: a text log, in which each part of a stream is a line. */
function holdsBodiesBehindWords(lines: readonly string[]): boolean {
  const others = lines.filter((line) => !/^\s*[{[]/.test(line));
  const bodies = others.filter((line) => /^[^{["]{4,200}[{[%] ?["'{:\w][^\n]{20}/.test(line));
  return bodies.length > 1 && bodies.length * 4 >= others.length;
}

/** Lines of a list that somebody copied without its brackets. */
function isListed(lines: readonly string[]): boolean {
  return lines.length > 1 && lines.slice(0, -1).every((line) => /\},\s*$/.test(line));
}

function readLines(source: ByteSource, recognizer: Recognizer): Recording {
  const defects: Defect[] = [];
  const skipped: Skipped[] = [];
  const search = payloadSearch(recognizer, createPool(), defects);
  const { parents } = search;
  return { container: "jsonl", kind: "requests", candidates: candidates(), parents, defects, skipped };

  function* candidates(): Generator<PayloadCandidate> {
    const view = wholeView(source);
    let index = 0;
    let empty: { readonly origin: Origin; readonly reason: string; count: number } | undefined;
    for (const { bytes, start, end, offset, isLast, isEnded } of recordLines(source)) {
      const shift = offset - start;
      const isUnfinished = isLast && !isEnded;
      const first = stepSpace(bytes, offset === 0 ? textStart(bytes, start) : start, end);
      let at =
        beginsComment(bytes[first]) &&
        isComment(bytes.toString("latin1", first, Math.min(end, first + maxComment + 1)))
          ? end
          : first;
      // Concurrent writers lose line feeds, so a line may hold several records.
      while (at < end) {
        const isJson = opensJson(bytes[at]);
        const slice = { view, bytes, shift, level: 0 };
        const whole = isJson ? scanJson(bytes, at, end, 0, search.hints(shift)) : undefined;
        const isBroken = isJson && (!whole || holdsBroken(whole));
        const shortened = isBroken ? shortenedValue(slice, at, end, search.hints(0)) : undefined;
        if (shortened) {
          if (shortened.defect) defects.push(shortened.defect);
          yield* search.searchNode(shortened.slice, shortened.node, noContext, index++);
          at = stepSpace(bytes, shortened.end, end);
          continue;
        }
        const broken = isJson && !whole ? brokenAt(slice, at, end) : undefined;
        const node = whole ?? (broken && scanJson(bytes, at, broken.at, 0, search.hints(shift)));
        const stop = (whole?.end ?? end) + shift;
        const origin = view.origin(at + shift, stop);
        if (!whole) {
          const message =
            at > first
              ? "what follows the record is not JSON"
              : isJson
                ? "the line is not valid JSON"
                : "the line is not JSON";
          const isPlaced = broken && at === first;
          const expected = broken ? `: ${broken.expected} is expected here` : "";
          defects.push({
            kind: isUnfinished ? "unfinished" : "broken",
            origin: isPlaced ? view.origin(broken.at + shift, stop) : origin,
            message: `${message}${expected}`,
            ...(node && { isReadBefore: true }),
          });
          if (node) yield* search.searchNode(slice, node, noContext, index++);
          break;
        }
        if (isEmpty(whole)) {
          if (!empty) {
            empty = { origin, reason: "an empty record", count: 0 };
            skipped.push(empty);
          }
          empty.count++;
          index++;
          at = stepSpace(bytes, whole.end, end);
          continue;
        }
        if (whole.state === "open") {
          defects.push({
            kind: isLast ? "unfinished" : "cut",
            origin,
            message: "the record ends in the middle",
          });
        }
        const before = defects.length;
        const found = search.searchNode(slice, whole, noContext, index);
        // The lists of messages are scanned on their own.
        if (found.length === 0 && defects.length === before && holdsBroken(whole))
          defects.push({ kind: "broken", origin, message: "the line is not valid JSON" });
        if (found.length === 0 && whole.state === "complete") {
          const { method, url } = statedContext(slice, whole);
          const isProbe = recognizer.isProbe(method, url);
          skipped.push({ origin, reason: "no model traffic in this record", ...(isProbe && { isProbe }) });
        }
        yield* found;
        index++;
        at = stepSpace(bytes, whole.end, end);
      }
    }
  }
}

function beginsComment(byte: number | undefined): boolean {
  return byte === 35 || byte === 47;
}

/** Whether a record is no more than its brackets: a megabyte has room for 300,000 of them. */
function isEmpty({ state, items, members }: JsonNode): boolean {
  return state === "complete" && (items ?? members)?.length === 0;
}

/** Skips white space and the commas left between records of an array that was split into lines. */
function stepSpace(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && (bytes[at] === 32 || bytes[at] === 9 || bytes[at] === 13 || bytes[at] === 44)) at++;
  return at;
}
