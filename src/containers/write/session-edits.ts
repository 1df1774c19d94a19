import type { JsonNode } from "../../reading/json-node.ts";
import { parseJson } from "../../reading/parse.ts";
import { originOf, plainSpan, type Span } from "../../reading/place.ts";
import { pointerToken } from "../../reading/pointer.ts";
import { scanJson } from "../../reading/scan.ts";
import { textStart } from "../../reading/source.ts";
import { isFields } from "../../reading/values.ts";
import type { View } from "../../reading/view.ts";
import type { Session } from "../../traffic/session.ts";
import { type EditedSpan, lineOf } from "./body-patches.ts";
import type { BodyEdit } from "./json-edits.ts";
import { type NewRecord, RecordMaker } from "./new-records.ts";
import { linkNamesOf, type RecordChain } from "./record-chain.ts";

type Insert = Extract<BodyEdit, { json: string }>;

/** Turns edits of a session's history into edits of its records, or of the document that lists them. */
export class SessionEdits {
  readonly #session: Session;
  readonly #chain: RecordChain;
  readonly #maker: RecordMaker;
  readonly #bySpan = new Map<Span, BodyEdit[]>();
  #known: ReadonlySet<number> | undefined;
  readonly #documents = new Map<View, Document | undefined>();

  constructor(session: Session, chain: RecordChain) {
    this.#session = session;
    this.#chain = chain;
    this.#maker = new RecordMaker(session, chain);
  }

  get spans(): EditedSpan[] {
    return [...this.#bySpan].map(([span, edits]) => ({
      span,
      start: originOf(span).start,
      editsFor: () => edits,
    }));
  }

  /** Adds an edit; returns the reason if it is impossible. */
  add(edit: BodyEdit): string | undefined {
    const entry = /^\/(\d+)$/.exec(edit.pointer)?.[1];
    const index = entry === undefined ? undefined : Number(entry);
    if (edit.op === "insert" && index !== undefined && this.#session.takesRecords)
      return this.#insertRecord(edit, index);
    const found = this.#session.recordAt(edit.pointer);
    if (!found) return `there is no record for \`${edit.pointer}\``;
    const { span, within } = found;
    if (index === undefined || edit.op === "replace") {
      this.#edit(span, { ...edit, pointer: within });
      // What was a result may be words of the user now, which no agent looks for next to its path.
      const changed = /^\/(\d+)\/.*\/type$/.exec(edit.pointer)?.[1];
      if (edit.op === "replace" && changed !== undefined && this.#session.takesRecords)
        this.#maker.align(Number(changed));
      return undefined;
    }
    if (within !== "" && edit.op === "insert")
      return "a new record needs the form of the agent that wrote the log";
    return this.#changeRecord(edit, index, span);
  }

  #insertRecord(edit: Insert, index: number): string | undefined {
    const made = this.#made(edit, index);
    if (!made) return "there is no record for a new one to follow";
    const { behind, json } = made;
    if (hasOwnLine(behind)) {
      this.#edit(behind, { op: "insert", pointer: "", json, after: "" });
      return undefined;
    }
    const listed = this.#inDocument(behind);
    if (!listed) return "the record is not in a list that could take another";
    const slash = listed.pointer.lastIndexOf("/");
    const next = Number(listed.pointer.slice(slash + 1)) + 1;
    this.#edit(listed.document, { ...edit, json, pointer: `${listed.pointer.slice(0, slash)}/${next}` });
    return undefined;
  }

  #made({ from, json, answers }: Insert, index: number): NewRecord | undefined {
    const moved = from === undefined ? undefined : this.#maker.moved(index, from);
    return moved ?? this.#maker.made(index, json, answers);
  }

  /** Removes a record with its entry, or inserts a whole one before it. */
  #changeRecord(edit: BodyEdit, index: number, span: Span): string | undefined {
    const isShared = [-1, 1].some((step) => this.#session.recordAt(`/${index + step}`)?.span === span);
    if (isShared) return `the record of \`${edit.pointer}\` contains more than that`;
    if (hasOwnLine(span)) {
      if (edit.op === "remove") this.#unlink(span);
      this.#edit(span, { ...edit, pointer: "" });
      return undefined;
    }
    const listed = this.#inDocument(span);
    if (!listed) return "the record is not in a list that it could be removed from";
    this.#edit(listed.document, { ...edit, pointer: listed.pointer });
    return undefined;
  }

  /** Whoever followed a removed record follows its predecessor. */
  #unlink(span: Span): void {
    const { view, start, end } = plainSpan(span);
    const record = parseJson(view.read(start, end).toString("utf8"));
    const names = isFields(record) ? linkNamesOf(record) : undefined;
    if (!isFields(record) || !names) return;
    const name = String(record[names[0]]);
    this.#chain.removeCopies(name, { start, end }, (at) => this.#starts.has(at));
    this.#chain.remove(name);
  }

  /** Where the records of the history begin in the file. */
  get #starts(): ReadonlySet<number> {
    if (this.#known) return this.#known;
    const known = new Set<number>();
    for (let index = 0; ; index++) {
      const entry = this.#session.recordAt(`/${index}`);
      if (!entry) break;
      known.add(originOf(entry.span).start);
    }
    this.#known = known;
    return known;
  }

  #edit(span: Span, edit: BodyEdit): void {
    const edits = this.#bySpan.get(span);
    if (edits) edits.push(edit);
    else this.#bySpan.set(span, [edit]);
  }

  /** The document in which a record is an element of a list, and the pointer to it. */
  #inDocument(span: Span): { readonly document: Span; readonly pointer: string } | undefined {
    const { view } = span;
    if (!this.#documents.has(view)) this.#documents.set(view, documentOf(view));
    const document = this.#documents.get(view);
    const pointer = document && elementAt(document, span);
    return pointer ? { document: document.span, pointer } : undefined;
  }
}

/** A record inside a string counts, so that its edit fails with the proper reason. */
function hasOwnLine({ view, start, end, level }: Span): boolean {
  return level > 0 || lineOf(view, start, end) !== undefined;
}

/** A file that is one JSON document. */
interface Document {
  readonly span: Span;
  /** Its offsets are file offsets. */
  readonly root: JsonNode;
}

function documentOf(view: View): Document | undefined {
  const bytes = view.read(0, view.size);
  const root = scanJson(bytes, textStart(bytes), bytes.length);
  return root && { span: { view, start: root.start, end: root.end, level: 0 }, root };
}

/** The pointer to the list element at a span. */
function elementAt({ root }: Document, { start, end }: Span): string | undefined {
  let pointer = "";
  for (let node: JsonNode | undefined = root; node; ) {
    const parts: readonly JsonNode[] = node.items ?? node.members?.map((member) => member.node) ?? [];
    const index = parts.findIndex((part) => part.start <= start && end <= part.end);
    const part = parts[index];
    pointer += `/${node.items ? index : pointerToken(node.members?.[index]?.key ?? "")}`;
    if (part?.start === start && part.end === end) return node.items && pointer;
    node = part;
  }
  return undefined;
}
