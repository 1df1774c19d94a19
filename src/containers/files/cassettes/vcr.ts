import type { Origin } from "../../../reading/origin.ts";
import { createPool } from "../../../reading/shared.ts";
import type { ByteSource } from "../../../reading/source.ts";
import { packedView, type View } from "../../../reading/view.ts";
import type { PayloadCandidate } from "../../../traffic/candidate.ts";
import type { Container, Defect, Recording, Skipped } from "../../../traffic/container.ts";
import type { Recognizer } from "../../../traffic/recognizer.ts";
import { errorInText } from "../../payloads/error-bodies.ts";
import { looksLikeEvents } from "../../payloads/frames.ts";
import { packedInverse, repackedText, unpackedBytes, unpackedText } from "../../payloads/packed.ts";
import type { Context } from "../../payloads/record-context.ts";
import { transcriptKey } from "../../payloads/reported.ts";
import { payloadSearch } from "../../payloads/search.ts";
import { skippedRecord } from "../../payloads/skipped.ts";
import { cassette, yamlData } from "./cassette.ts";
import { cassetteLengths } from "./lengths.ts";
import { type CassetteRecord, contextInside, headerKey, recordContexts, recordsOf } from "./records.ts";
import { type ScalarReader, scalarReader, type YamlFlaw, yamlDocuments } from "./yaml-document.ts";
import { jsonView, peekNode } from "./yaml-json.ts";
import type { UnfollowedAliases, YamlMap, YamlNode, YamlScalar, YamlSeq } from "./yaml-nodes.ts";

/** Cassettes: HTTP traffic recorded in YAML. */
export const vcr: Container = {
  ...cassette,
  read: (source, recognizer) => readCassette(source, recognizer, cassette.name),
  lengths: cassetteLengths,
};

/** The same reading for any other YAML. */
export const yaml: Container = {
  ...yamlData,
  read: (source, recognizer) => readCassette(source, recognizer, yamlData.name),
  lengths: cassetteLengths,
};

/** The most YAML defects that are reported; a file that is not YAML would have one per line. */
const maxFlaws = 20;

/** Messages of the YAML library quote whole scalars. */
const maxMessage = 80;

function readCassette(source: ByteSource, recognizer: Recognizer, container: string): Recording {
  const defects: Defect[] = [];
  const skipped: Skipped[] = [];
  return { container, kind: "requests", candidates: candidates(), defects, skipped };

  function* candidates(): Generator<PayloadCandidate> {
    const reader = scalarReader(source);
    const search = recordSearch(source, reader, recognizer, defects);
    let index = 0;
    let last: CassetteRecord | undefined;
    for (const document of yamlDocuments(source)) {
      report(document.flaws);
      for (const record of document.root ? recordsOf(document.root, document.isList) : []) {
        const contexts = recordContexts(record, reader);
        const { found, unknownRequest } = search(record, contexts, index);
        if (found.length === 0) skipped.push(skippedIn(record, contexts.request));
        else if (unknownRequest) skipped.push({ origin: unknownRequest, reason: notUnderstood });
        yield* found;
        index++;
        last = found.length > 0 ? record : undefined;
      }
      reportUnfollowed(document.unfollowed?.());
    }
    reportControl();
    if (last?.request && !last.reply && last.envelope) {
      const { start, end } = last;
      defects.push({
        kind: "unfinished",
        origin: { source, start, end },
        message: "the last interaction has no response",
        half: "reply",
      });
    }
  }

  function report(flaws: readonly YamlFlaw[]): void {
    for (const { start, end, message } of flaws.slice(0, maxFlaws - defects.length)) {
      const isAtEnd = source.read(start, source.size).toString("latin1").trim() === "";
      defects.push({
        kind: isAtEnd ? "unfinished" : "broken",
        origin: { source, start: Math.min(start, source.size), end: Math.min(end, source.size) },
        message: `this is not valid YAML: ${message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message}`,
      });
    }
  }

  /** Names the first of the aliases that stand for too much. */
  function reportUnfollowed(aliases: UnfollowedAliases | undefined): void {
    if (!aliases) return;
    const { start, end, most } = aliases;
    const limit = `${Math.round(most / 2 ** 20)} MiB`;
    const message = `the aliases before this one stand for more than ${limit}: it and later ones are not read`;
    defects.push({ kind: "broken", origin: { source, start, end }, message });
  }

  /** Names the first byte that YAML does not allow anywhere; the library reads it as a letter. */
  function reportControl(): void {
    const at = source.read(0, source.size).toString("latin1").search(noYaml);
    if (at < 0) return;
    const code = source
      .read(at, at + 1)
      .toString("hex")
      .toUpperCase();
    const message = `this is not valid YAML: the control character 0x${code}`;
    defects.push({ kind: "lax", origin: { source, start: at, end: at + 1 }, message });
  }

  function skippedIn({ start, end }: CassetteRecord, context: Context): Skipped {
    return skippedRecord({ source, start, end }, context, recognizer);
  }
}

/** What no place of a YAML text may hold: control characters other than white space. Quotes may hold DEL. */
const noYaml = /[^\t\n\r -\xff]/;

const notUnderstood = "a body that no known API accepts: the request was not understood";

/** The maximum nesting depth of a search. */
const maxDepth = 24;

/** The shortest possible payload (`{"error":1}` is none), and the shortest possible encoded body. */
const shortestBody = 12;
const shortestPacked = 64;
/** Shorter texts say nothing: `null`, `{}`, `OK`. */
const shortestUnknown = 8;

interface FoundInRecord {
  readonly found: readonly PayloadCandidate[];
  /** The body of a request that was not understood, although it got a reply of a model. */
  readonly unknownRequest?: Origin;
}

const bodyKey = /^(?:parsed_|raw_)?body$/i;

type RecordSearch = (
  record: CassetteRecord,
  outer: { request: Context; reply: Context },
  index: number,
) => FoundInRecord;

function recordSearch(
  source: ByteSource,
  reader: ScalarReader,
  recognizer: Recognizer,
  defects: Defect[],
): RecordSearch {
  const payloads = payloadSearch(recognizer, createPool(), defects);

  return ({ request, reply, rest }, outer, index) => {
    const contexts = {
      request: { ...outer.request, half: "request" },
      reply: { ...outer.reply, half: "reply" },
    } as const;
    const sent = request ? visit(request, contexts.request, 0, true) : [];
    const received = reply ? visit(reply, contexts.reply, 0, true) : [];
    const all = [...sent, ...received, ...rest.flatMap((node) => visit(node, outer.request, 0))];
    const refusal = reply && all.length === 1 && all[0]?.part === "request" ? refused(reply) : undefined;
    const requests = all.filter(({ part }) => part === "request");
    const found = [
      ...requests,
      ...all.filter(({ part }) => part !== "request"),
      ...(refusal ? [refusal] : []),
    ];
    const before = defects.length;
    const unknown = [
      sent.length === 0 ? noteSide(request, contexts.request) : undefined,
      received.length === 0 && !refusal ? noteSide(reply, contexts.reply) : undefined,
    ] as const;
    payloads.settle(found);
    if (defects.length > before || all.length === 0) return { found };
    const [unknownRequest, unknownReply] = unknown;
    const [only] = requests;
    if (unknownReply && found.length === 1 && only) return { found: [{ ...only, unknownReply }] };
    return { found, ...(unknownRequest && requests.length === 0 && { unknownRequest }) };

    /** Notes a body in which nothing was found, and returns its place; `undefined` where there is none. */
    function noteSide(
      side: YamlNode | undefined,
      context: Context & { half: "request" | "reply" },
    ): Origin | undefined {
      const body = side && bodyOf(side);
      if (!body) return undefined;
      const { start, end } = body;
      const text = body.kind === "scalar" ? headOf(body) : undefined;
      const origin = { source, start, end };
      if (text !== undefined) payloads.noteBody({ head: text, half: context.half, context, origin });
      return text === undefined || text.trim().length >= shortestUnknown ? origin : undefined;
    }

    /** The error in a response body in the server's own form. */
    function refused(node: YamlNode): PayloadCandidate | undefined {
      const inner = bodyOf(node);
      if (inner?.kind !== "scalar" || !inner.isString) return undefined;
      const view = unpacked(inner) ?? (inner.isBinary ? undefined : reader.view(inner));
      if (!view) return undefined;
      const text = view.read(0, view.size).toString("utf8");
      return errorInText({ view, start: 0, end: view.size, level: 0 }, text, { ...contexts.reply, index });
    }

    function visit(node: YamlNode, context: Context, depth: number, isInside = false): PayloadCandidate[] {
      if (depth > maxDepth) return [];
      if (node.kind === "scalar") return searchScalar(node, context);
      if (isPayload(node, context)) {
        const found = searchView(jsonView(source, node, reader), context);
        if (found.length > 0) return found;
      }
      if (node.kind === "seq") return node.items.flatMap((item) => visit(item, context, depth + 1));
      const within = isInside ? context : contextInside(context, node, reader);
      const searched = node.members.filter(({ key }) => !headerKey.test(key));
      return searched.flatMap(({ key, node: child }) =>
        visit(child, transcriptKey.test(key) ? { ...within, fidelity: "reported" } : within, depth + 1),
      );
    }

    function searchScalar(scalar: YamlScalar, context: Context): PayloadCandidate[] {
      const text = scalar.isString ? scalar.written : "";
      if (text.length < shortestBody) return [];
      const head = text.slice(0, 4096).trimStart();
      if (!scalar.isBinary && (/^[{[]/.test(head) || looksLikeEvents(head)))
        return searchView(reader.view(scalar), context);
      const view = unpacked(scalar);
      return view ? searchView(view, context) : [];
    }

    /** The body that a scalar holds encoded or compressed; `undefined` for others. */
    function unpacked(scalar: YamlScalar): View | undefined {
      const text = scalar.written;
      if (!scalar.isBinary && text.length < shortestPacked) return undefined;
      const bytes = scalar.isBinary
        ? unpackedBytes(Buffer.from(text, "base64"))
        : unpackedText(text, text.slice(0, 4096).trimStart());
      return (
        bytes &&
        packedView(source, bytes, scalar, () => {
          const view = reader.view(scalar);
          return packedInverse(view, 0, view.size, bytes, (old, own) => repackedText(`${old}`, own));
        })
      );
    }

    function headOf(scalar: YamlScalar): string {
      const view = scalar.isString ? unpacked(scalar) : undefined;
      return view?.read(0, Math.min(view.size, 4096)).toString("utf8") ?? scalar.written.slice(0, 4096);
    }

    function searchView(view: View, context: Context): PayloadCandidate[] {
      const bytes = view.read(0, view.size);
      return payloads.searchText({ view, bytes, shift: 0, level: 0 }, 0, bytes.length, context, index);
    }
  };

  /** The body of a request or a response, which may be kept with its encoding. */
  function bodyOf(side: YamlNode): YamlNode | undefined {
    const body = side.kind === "map" ? side.members.find(({ key }) => bodyKey.test(key))?.node : side;
    if (body?.kind !== "map") return body;
    return body.members.find(({ key }) => /^(?:base64_)?string$/.test(key))?.node ?? body;
  }

  /** Whether a node is a payload in YAML form: an object of a protocol, or a list of messages or events. */
  function isPayload(node: YamlMap | YamlSeq, context: Context): boolean {
    if (node.kind === "map") return recognizer.recognize(peekNode(node, reader), context.url) !== undefined;
    const first = node.items[0];
    if (first?.kind !== "map") return false;
    const keys = new Set(first.members.map(({ key }) => key));
    if (keys.has("role") || (keys.has("type") && (keys.has("call_id") || keys.has("content")))) return true;
    return recognizer.recognize(peekNode(first, reader), context.url) !== undefined;
  }
}
