import { inflateRawSync } from "node:zlib";
import { entryView } from "../../reading/entries.ts";
import { scanJson } from "../../reading/scan.ts";
import { createPool } from "../../reading/shared.ts";
import type { ByteSource } from "../../reading/source.ts";
import { sourceOver, type View } from "../../reading/view.ts";
import { unzstd } from "../../reading/zstd.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { Container, Defect, Recording, Skipped } from "../../traffic/container.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { payloadSearch } from "../payloads/search.ts";
import { archive, entryMark } from "./binaries.ts";
import { messageContexts, messageOf, searchMessage } from "./http-messages.ts";
import { har, json } from "./json.ts";
import { jsonl } from "./jsonl.ts";
import { text } from "./text/text.ts";

const listMark = Buffer.from("PK\x01\x02", "latin1");
const endMark = Buffer.from("PK\x05\x06", "latin1");

/** The most bytes that all entries together may unpack to, as a guard against zip bombs. */
const maxUnpacked = 1 << 30;

export const zip: Container = { ...archive, read: readArchive };

interface Entry {
  readonly name: string;
  readonly method: number;
  /** Range of the packed bytes. */
  readonly start: number;
  readonly end: number;
  readonly size: number;
}

interface Unpacked {
  readonly view: View;
  readonly plain: Buffer;
}

/**
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT section 4.3
 * @see http://fiddler.wikidot.com/saz-files
 */
function readArchive(source: ByteSource, recognizer: Recognizer): Recording {
  const defects: Defect[] = [];
  const skipped: Skipped[] = [];
  const search = payloadSearch(recognizer, createPool(), defects);
  const parents = new Map<string, string>();
  let unreadable: string | undefined;
  return {
    container: archive.name,
    kind: "requests",
    candidates: candidates(),
    parents,
    defects,
    skipped,
    get advice() {
      return unreadable;
    },
  };

  /** Fiddler keeps the raw request and the raw response of a session in separate files. */
  function searchSession(requestFile: Unpacked, replyFile: Unpacked, index: number): PayloadCandidate[] {
    const [request, reply] = [requestFile, replyFile].map(({ plain }) => messageOf(plain, 0, plain.length));
    if (!request || !reply) return [];
    const contexts = messageContexts(request, reply);
    const found = [
      ...searchMessage(requestFile.view, requestFile.plain, request, search, contexts.request, index),
      ...searchMessage(replyFile.view, replyFile.plain, reply, search, contexts.reply, index),
    ];
    search.settle(found);
    return found;
  }

  function* candidates(): Generator<PayloadCandidate> {
    const bytes = source.read(0, source.size);
    let index = 0;
    let unpacked = 0;
    const messages = new Map<string, Unpacked>();
    for (const entry of entriesOf(bytes)) {
      const origin = { source, start: entry.start, end: entry.end };
      if (!/\.(jsonl?|ndjson|har|log|txt)$/i.test(entry.name)) continue;
      // The summary of a run and its writer's journal repeat what the samples contain.
      if (/^(header|summaries|reductions)\.json$|^_journal\//.test(entry.name)) {
        skipped.push({ origin, reason: `${entry.name} holds no requests of its own` });
        continue;
      }
      unpacked += entry.size;
      if (unpacked > maxUnpacked) {
        defects.push({
          kind: "cut",
          origin,
          message: `the archive unpacks to more than a gigabyte: ${entry.name} and what follows is not read`,
        });
        return;
      }
      const plain = unpack(bytes, entry);
      if (!plain) {
        const how = "damaged, or compressed in a way that is not read";
        defects.push({ kind: "broken", origin, message: `${entry.name} is ${how}` });
        unreadable ??= `a zip archive whose files are ${how}: unpack it first, for logs of Inspect with \`inspect log convert --to json\``;
        continue;
      }
      const view = entryView(source, entry.name, plain);
      // Positions count in each file, the order is that of the archive.
      const ordered = (found: readonly PayloadCandidate[]): PayloadCandidate[] =>
        found.map((candidate) => ({ ...candidate, start: entry.start }));
      const half = /^raw[\\/](\d+)_([cs])\.txt$/.exec(entry.name);
      if (half) {
        messages.set(`${half[1]} ${half[2]}`, { view, plain });
        const [requestFile, replyFile] = ["c", "s"].map((side) => messages.get(`${half[1]} ${side}`));
        if (requestFile && replyFile) yield* ordered(searchSession(requestFile, replyFile, index++));
        continue;
      }
      const own = containerOf(entry.name, plain).read(sourceOver(view), recognizer);
      const first = index;
      for (const candidate of own.candidates) {
        // Records are numbered through the archive.
        const number = first + candidate.record.index;
        index = Math.max(index, number + 1);
        yield* ordered([{ ...candidate, record: { ...candidate.record, index: number } }]);
      }
      index++;
      defects.push(...own.defects);
      skipped.push(...own.skipped);
      for (const [id, parent] of own.parents ?? []) parents.set(id, parent);
    }
  }
}

/** The files in the central directory at the archive's end. */
function* entriesOf(bytes: Buffer): Generator<Entry> {
  const end = bytes.lastIndexOf(endMark);
  if (end < 0 || end + 20 > bytes.length) return;
  let at = bytes.readUInt32LE(end + 16);
  while (at + 46 <= bytes.length && bytes.subarray(at, at + 4).equals(listMark)) {
    const [packed, size] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)];
    const [nameSize, moreSize, noteSize] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const local = bytes.readUInt32LE(at + 42);
    const name = bytes.toString("utf8", at + 46, at + 46 + (nameSize ?? 0));
    const method = bytes.readUInt16LE(at + 10);
    at += 46 + (nameSize ?? 0) + (moreSize ?? 0) + (noteSize ?? 0);
    if (local + 30 > bytes.length || !bytes.subarray(local, local + 4).equals(entryMark)) continue;
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    yield { name, method, start, end: Math.min(bytes.length, start + packed), size };
  }
}

function unpack(bytes: Buffer, { method, start, end, size }: Entry): Buffer | undefined {
  const packed = bytes.subarray(start, end);
  // Entries may share bytes, so the total counts the sizes that entries state.
  if (method === 0) return packed.length === size ? packed : undefined;
  const limit = Math.min(maxUnpacked, Math.max(1024, size));
  if (method !== 93 && method !== 8) return undefined;
  try {
    if (method === 93) return unzstd(packed, limit);
    return inflateRawSync(packed, { maxOutputLength: limit });
  } catch {
    // Damaged, or longer than stated.
    return undefined;
  }
}

/** What a file of an archive is, by its name and its first line. */
function containerOf(name: string, bytes: Buffer): Container {
  if (/\.har$/i.test(name)) return har;
  const feed = bytes.indexOf(10);
  const isLines =
    /\.(jsonl|ndjson)$/i.test(name) || (feed > 0 && scanJson(bytes, 0, feed)?.state === "complete");
  return isLines ? jsonl : /\.json$/i.test(name) ? json : text;
}
