import { type JsonNode, scanJson, skipValue, valueOf } from "../reading/scan.ts";
import { createPool } from "../reading/shared.ts";
import type { ByteSource } from "../reading/source.ts";
import { wholeView } from "../reading/view.ts";
import type { Container, Defect, Recognizer, Recording, Sighting, Skipped } from "./container.ts";
import { type Context, contextWithin, noContext } from "./envelope.ts";
import { jsonl } from "./jsonl.ts";
import { recordLines } from "./lines.ts";
import { payloadSearch, type Stretch } from "./payloads.ts";

/** One JSON document (or several, one after the other): a bare body, a list of records, an export. */
export const json: Container = {
  name: "json",
  summary: "a JSON document: a body, a messages array, or records at any depth",
  recognize(head, isWhole) {
    const text = head.toString("utf8").replace(/^\uFEFF/, "").trimStart();
    if (!/^[{[]/.test(text)) return 0;
    const node = scanJson(head, head.indexOf(text[0] ?? ""), head.length);
    if (!node) return 0;
    return isWhole && node.state === "complete" ? 0.7 : 0.65;
  },
  read: (source, recognizer) => (isLines(source) ? jsonl.read(source, recognizer) : readDocuments(source, recognizer, "json")),
};

/** The first of the file's bytes cannot tell a document from JSON lines when the first line is longer than they are. */
function isLines(source: ByteSource): boolean {
  let records = 0;
  for (const { bytes, start, end, offset } of recordLines(source)) {
    let at = offset === 0 && bytes[start] === 0xef ? start + 3 : start;
    while (at < end && (bytes[at] ?? 0) <= 32) at++;
    if (at === end) continue;
    if ((bytes[at] !== 123 && bytes[at] !== 91) || skipValue(bytes, at, end, 0) < 0) return false;
    if (++records === 2) return true;
  }
  return false;
}

/** HTTP archives, as browsers, proxies and Polly.js write them. */
export const har: Container = {
  name: "har",
  summary: "HAR 1.2, as browsers, proxies and Polly.js write it",
  recognize(head) {
    const text = head.toString("utf8");
    if (!/^\uFEFF?\s*\{\s*"log"\s*:\s*\{/.test(text)) return 0;
    return /"(creator|entries|_recordingName|version)"/.test(text) ? 0.95 : 0;
  },
  read: (source, recognizer) => readDocuments(source, recognizer, "har"),
};

function readDocuments(source: ByteSource, recognizer: Recognizer, container: string): Recording {
  const defects: Defect[] = [];
  const skipped: Skipped[] = [];
  return { container, kind: "requests", sightings: sightings(), defects, skipped };

  function* sightings(): Generator<Sighting> {
    const view = wholeView(source);
    const bytes = source.read(0, source.size);
    const search = payloadSearch(recognizer, createPool());
    const stretch: Stretch = { view, bytes, shift: 0, level: 0 };
    let index = 0;
    let at = bytes[0] === 0xef && bytes[1] === 0xbb ? 3 : 0;
    while (at < bytes.length) {
      while (at < bytes.length && ((bytes[at] ?? 0) <= 32 || bytes[at] === 44)) at++;
      if (at >= bytes.length) return;
      const node = scanJson(bytes, at, bytes.length, 0, search.hints(0));
      const origin = { source, start: at, end: node?.end ?? bytes.length };
      if (!node) {
        defects.push({ kind: "broken", origin, message: "what follows is no JSON" });
        return;
      }
      if (node.state === "open") defects.push({ kind: "unfinished", origin, message: "the document ends in the middle" });
      for (const [record, context] of recordsOf(stretch, node, noContext)) {
        const found = search.searchNode(stretch, record, context, index);
        const skip = found.length === 0 ? skippedRecord(stretch, record, context) : undefined;
        if (skip) skipped.push({ origin: { source, start: record.start, end: record.end }, reason: skip });
        yield* found;
        index++;
      }
      at = Math.max(node.end, at + 1);
    }
  }
}

/** A record of a document: the elements of its outermost list of records, or the document itself. */
function* recordsOf(stretch: Stretch, node: JsonNode, outer: Context): Generator<[JsonNode, Context]> {
  const list = recordList(node);
  if (!list) {
    yield [node, outer];
    return;
  }
  const context = node.kind === "object" ? contextWithin(outer, scalarMembers(stretch, node)) : outer;
  for (const item of list.items ?? []) yield [item, context];
}

/** The array that holds records: the root, `log.entries`, `interactions`, `events`; its elements are objects that hold objects or texts. */
function recordList(node: JsonNode, depth = 0): JsonNode | undefined {
  if (node.kind === "array") {
    const items = node.items ?? [];
    const isList = items.length > 0 && (items.every(isRecord) || (items.every((item) => item.kind === "object") && items.some(holdsHistory)));
    return isList ? node : undefined;
  }
  if (node.kind !== "object" || depth > 2) return undefined;
  for (const { key, node: child } of node.members ?? []) {
    if (!/^(log|entries|interactions|exchanges|records|requests|calls|steps|traces|history_log|data|items|logs)$/i.test(key)) continue;
    const list = recordList(child, depth + 1);
    if (list) return list;
  }
  return undefined;
}

function isRecord(node: JsonNode): boolean {
  return node.kind === "object" && (node.members?.some(({ key, node: child }) => /request|response|body|reply|payload|req|res/i.test(key) && (child.kind === "object" || child.kind === "string")) ?? false);
}

/** A request body by itself. */
function holdsHistory(node: JsonNode): boolean {
  return node.members?.some((member) => member.node.run) ?? false;
}

function* scalarMembers(stretch: Stretch, node: JsonNode): Generator<[string, unknown]> {
  for (const { key, node: child } of node.members ?? []) {
    if (child.kind !== "object" && child.kind !== "array" && child.end - child.start < 2048) yield [key, valueOf(stretch.bytes, child, stretch.level)];
  }
}

function skippedRecord(stretch: Stretch, record: JsonNode, outer: Context): string | undefined {
  if (record.kind !== "object") return undefined;
  const request = record.members?.find((member) => member.key === "request")?.node;
  const context = contextWithin(outer, scalarMembers(stretch, request?.kind === "object" ? request : record));
  return context.url === undefined ? undefined : `${context.method ?? "request to"} ${context.url} is no model traffic`;
}
