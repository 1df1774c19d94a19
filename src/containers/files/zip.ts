import { entryView } from "../../reading/entries.ts";
import { pushAll } from "../../reading/lists.ts";
import { scanJson } from "../../reading/scan.ts";
import { createPool } from "../../reading/shared.ts";
import type { ByteSource } from "../../reading/source.ts";
import { sourceOver, type View } from "../../reading/view.ts";
import type { PayloadCandidate } from "../../traffic/candidate.ts";
import type { Container, Defect, Recording, Skipped } from "../../traffic/container.ts";
import type { Recognizer } from "../../traffic/recognizer.ts";
import { payloadSearch } from "../payloads/search.ts";
import { archive } from "./binaries.ts";
import { type HttpMessage, messageContexts, messageOf, searchMessage } from "./http-messages.ts";
import { har, json } from "./json.ts";
import { jsonl } from "./jsonl.ts";
import { text } from "./text/text.ts";
import { differs, entriesOf, missingEntries, Unzipper, type ZipEntry } from "./zip-entries.ts";

export const zip: Container = { ...archive, read: readArchive };

interface Unpacked {
  readonly view: View;
  readonly plain: Buffer;
}

/** A session of Fiddler; one half may be damaged or was never there. */
interface RawSession {
  readonly request?: Unpacked;
  readonly reply?: Unpacked;
  /** Where its newest file begins in the archive. */
  readonly start: number;
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
  const sessions = new Map<string, RawSession>();
  let records = 0;
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
  function searchSession({ request, reply }: RawSession): PayloadCandidate[] {
    const index = records++;
    const [sent, received] = [request, reply].map((file) =>
      messageOf(file?.plain ?? Buffer.alloc(0), 0, file?.plain.length ?? 0),
    ) as [HttpMessage, HttpMessage];
    const contexts = messageContexts(sent, received);
    const found = [
      ...(request ? searchMessage(request.view, request.plain, sent, search, contexts.request, index) : []),
      ...(reply ? searchMessage(reply.view, reply.plain, received, search, contexts.reply, index) : []),
    ];
    search.settle(found);
    return found;
  }

  function* candidates(): Generator<PayloadCandidate> {
    const bytes = source.read(0, source.size);
    const unzipper = new Unzipper(bytes);
    for (const entry of entriesOf(bytes)) {
      const { name, start, end } = entry;
      const origin = { source, start, end };
      if (!/\.(jsonl?|ndjson|har|log|txt)$/i.test(name)) continue;
      // The summary of a run and its writer's journal repeat what the samples contain.
      if (/^(header|summaries|reductions)\.json$|^_journal\//.test(name)) {
        skipped.push({ origin, reason: `${name} contains no requests` });
        continue;
      }
      const { plain, tooMuch } = unzipper.unpack(entry);
      if (tooMuch !== undefined) {
        const message = `the archive's ${tooMuch}: ${name} and later files are not read`;
        defects.push({ kind: "cut", origin, message });
        unreadable ??= `a zip archive whose ${tooMuch}: if you trust it, unpack it, and check the folder`;
        return;
      }
      if (!plain) {
        const how = "damaged, or compressed in an unsupported way";
        defects.push({ kind: "broken", origin, message: `${name} is ${how}` });
        unreadable ??= `a zip archive whose files are ${how}: unpack it first; for Inspect logs use \`inspect log convert --to json\``;
        continue;
      }
      if (differs(entry, plain)) {
        const message = `${name} is damaged: its checksum does not match`;
        defects.push({ kind: "lax", origin, message });
      }
      // Positions count in each file, the order is that of the archive.
      for (const candidate of searchFile(entry, plain)) yield { ...candidate, start };
    }
    noteMissing(bytes);
    for (const session of sessions.values())
      for (const candidate of searchSession(session)) yield { ...candidate, start: session.start };
  }

  function* searchFile({ name, start }: ZipEntry, plain: Buffer): Generator<PayloadCandidate> {
    const view = entryView(source, name, plain);
    const half = /^raw[\\/](\d+)_([cs])\.txt$/.exec(name);
    if (half) {
      const number = half[1] ?? "";
      const side = half[2] === "c" ? "request" : "reply";
      const session = { ...sessions.get(number), [side]: { view, plain }, start };
      sessions.set(number, session);
      if (!session.request || !session.reply) return;
      sessions.delete(number);
      yield* searchSession(session);
      return;
    }
    const own = containerOf(name, plain).read(sourceOver(view), recognizer);
    const first = records;
    for (const candidate of own.candidates) {
      // Records are numbered through the archive.
      const index = first + candidate.record.index;
      records = Math.max(records, index + 1);
      yield { ...candidate, record: { ...candidate.record, index } };
    }
    records++;
    pushAll(defects, own.defects);
    pushAll(skipped, own.skipped);
    for (const [id, parent] of own.parents ?? []) parents.set(id, parent);
  }

  function noteMissing(bytes: Buffer): void {
    const { count, start } = missingEntries(bytes);
    if (count <= 0) return;
    const message = `the archive claims more files than its directory lists: ${count}`;
    defects.push({ kind: "broken", origin: { source, start, end: bytes.length }, message });
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
