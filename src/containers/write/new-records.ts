import { createHash } from "node:crypto";
import { parseJson } from "../../reading/parse.ts";
import { plainSpan, type Span } from "../../reading/place.ts";
import { pointerToken, pointerTokens, valueAt } from "../../reading/pointer.ts";
import { scanJson } from "../../reading/scan.ts";
import type { RecordPlace, Session } from "../../traffic/session.ts";
import { linkNames, type RecordLink } from "./record-links.ts";

/** A record for an agent's session, and its place. */
export interface NewRecord {
  /** The record after which it is written. */
  readonly behind: Span;
  readonly json: string;
  /** The link that makes the followers of its predecessor follow it. */
  readonly link?: RecordLink;
}

/** A record that moves to another place. */
export interface MovedRecord extends NewRecord {
  /** Its old place. */
  readonly span: Span;
  /** It follows the same record as before, so its followers keep their links. */
  readonly isLinked: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** The members with a record's own id and the id of the record that it follows. */
type Names = (typeof linkNames)[number];

/** What is known about the place of a new record. */
interface Spot {
  /** Index of the history entry before which it goes. */
  readonly index: number;
  /** The record of the entry before it. */
  readonly before: RecordPlace;
  /** The record of the call that it answers, else {@link before}. `facts` are the members of that record. */
  readonly previous: RecordPlace;
  readonly facts: Fields;
}

/** How many records after a call are searched for the gap of its removed result. */
const maxInRound = 64;

/** How many records are searched for a call or for a record of the same kind. */
const maxSearched = 2000;

/**
 * Makes records for one session. A new record imitates a record of its kind in the session, shares the
 * members that all records have in common, and follows the record that it answers.
 */
export class RecordMaker {
  readonly #session: Session;
  /** The newest record after each id: several records that follow the same one form a chain. */
  readonly #newest = new Map<string, string>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Makes a record with `json` as the entry before `index`; `answers`: the id of its call. */
  made(index: number, json: string, answers: string | undefined): NewRecord | undefined {
    const content = parseJson(json);
    const before = this.#record(index - 1);
    if (!before || content === undefined) return undefined;
    const previous = this.#callBefore(index, answers) ?? before;
    const facts = fieldsOf(previous);
    if (this.#session.writer)
      return this.#completed(content as Fields, json, { index, before, previous, facts: facts ?? {} });
    const model = this.#modelFor(index, content);
    if (!facts || !model || model.within === "") return { behind: before.span, json };
    const record = recordLike(model, content, facts);
    const names = linkNames.find(([own, parent]) => typeof facts[own] === "string" && parent in facts);
    if (!names) return { behind: before.span, json: JSON.stringify(record) };
    return this.#linked(record, names, json, { index, before, previous, facts });
  }

  /** Moves the record of the entry at `from` before the entry at `index`. Only its link changes. */
  moved(index: number, from: string): MovedRecord | undefined {
    const record = this.#session.recordAt(from);
    const before = this.#record(index - 1);
    const own = record && fieldsOf(record);
    if (!record || !before || !own) return undefined;
    const json = textOf(record.span);
    const previous = this.#callBefore(index, this.#answeredBy(Number(from.slice(1)))) ?? before;
    const facts = fieldsOf(previous);
    const names = linkNames.find(
      ([name, parent]) => typeof own[name] === "string" && parent in own && typeof facts?.[name] === "string",
    );
    if (!names || !facts) return { behind: before.span, json, span: record.span, isLinked: false };
    const [name, parent] = names;
    const anchor = this.#resultBefore(index, before, names) ?? { record: previous, facts };
    const after = String(anchor.facts[name]);
    const follows = this.#follow(after, String(own[name]));
    return {
      behind: anchor.record.span,
      json: withMember(json, parent, JSON.stringify(follows)),
      link: { after, name: String(own[name]), reply: replyOf(anchor.facts) },
      span: record.span,
      isLinked: own[parent] === after,
    };
  }

  /** Adds the missing ids to a record in the agent's own form. */
  #completed(content: Fields, json: string, spot: Spot): NewRecord {
    const { before, facts } = spot;
    const isMissing = (key: string): boolean => content[key] === "" && typeof facts[key] === "string";
    const names = linkNames.find(([own, parent]) => isMissing(own) && content[parent] === "");
    if (names) return this.#linked(content, names, json, spot);
    const named = isMissing("id") ? { ...content, id: idLike(String(facts["id"]), json) } : content;
    return { behind: before.span, json: JSON.stringify(named) };
  }

  /** Adds its own id and its predecessor's id to a record. */
  #linked(record: Fields, names: Names, json: string, spot: Spot): NewRecord {
    const [own, parent] = names;
    const { name, follows, behind, link } = this.#gapBefore(spot, names) ?? this.#behind(spot, names, json);
    const linked = { ...record, [own]: name, [parent]: follows };
    return { behind, json: JSON.stringify(linked), ...(link && { link }) };
  }

  #behind({ index, before, previous, facts }: Spot, names: Names, json: string): Position {
    const anchor = this.#resultBefore(index, before, names) ?? { record: previous, facts };
    const after = String(anchor.facts[names[0]]);
    const name = idLike(after, json);
    const follows = this.#follow(after, name);
    return { name, follows, behind: anchor.record.span, link: { after, name, reply: replyOf(anchor.facts) } };
  }

  /** Appends a record to the chain after another, and returns the id that it follows. */
  #follow(after: string, name: string): string {
    const follows = this.#newest.get(after) ?? after;
    this.#newest.set(after, name);
    return follows;
  }

  /**
   * The record before a new result, if it is a result that does not follow its own call. Agents write
   * parallel results either in a chain or each after its call.
   */
  #resultBefore(
    index: number,
    before: RecordPlace,
    [own, parent]: Names,
  ): { readonly record: RecordPlace; readonly facts: Fields } | undefined {
    const facts = fieldsOf(before);
    const call = this.#callBefore(index - 1, this.#answeredBy(index - 1));
    if (!facts || !call || typeof facts[own] !== "string" || facts[parent] === fieldsOf(call)?.[own])
      return undefined;
    return { record: before, facts };
  }

  /**
   * The gap of a removed record after a call, if its successor still refers to it. The new record takes its
   * id, so no other link changes.
   */
  #gapBefore({ index, previous: call }: Spot, [own, parent]: Names): Position | undefined {
    for (let at = index; at > Math.max(0, index - maxInRound); at--) {
      const before = this.#record(at - 1);
      const next = this.#record(at);
      const name = next && fieldsOf(next)?.[parent];
      if (next && before && typeof name === "string" && !this.#isNamed(next, at, own, name)) {
        // A result after the gap shows that results form a chain.
        const isInRow = at < index || this.#resultBefore(at, before, [own, parent] as Names) !== undefined;
        const follows = fieldsOf(isInRow ? before : call)?.[own];
        if (typeof follows !== "string" || this.#newest.has(name)) return undefined;
        this.#newest.set(name, name);
        return { name, follows, behind: before.span };
      }
      if (before?.span === call.span) return undefined;
    }
    return undefined;
  }

  /** Whether a record of the session has this id. */
  #isNamed({ span }: RecordPlace, at: number, own: string, name: string): boolean {
    // Most records follow one close by; only for the others the whole file is searched.
    for (let back = 1; back <= 8; back++) {
      const earlier = this.#record(at - back);
      if (earlier && fieldsOf(earlier)?.[own] === name) return true;
    }
    const { view } = plainSpan(span);
    return view.read(0, view.size).includes(`"${own}":${JSON.stringify(name)}`);
  }

  #record(index: number): RecordPlace | undefined {
    return index < 0 ? undefined : this.#session.recordAt(`/${index}`);
  }

  #answeredBy(index: number): string | undefined {
    return this.#session.callIds(index).answered[0];
  }

  /** The record of the call with this id before the entry at `index`. */
  #callBefore(index: number, id: string | undefined): RecordPlace | undefined {
    if (id === undefined) return undefined;
    for (let at = index - 1; at >= Math.max(0, index - maxSearched); at--)
      if (this.#session.callIds(at).made.includes(id)) return this.#record(at);
    return undefined;
  }

  /** The nearest record of the same kind (same role and first part), else the nearest of the same role. */
  #modelFor(index: number, content: unknown): Model | undefined {
    const wanted = kindOf(content);
    const { role } = (content ?? {}) as Fields;
    let bestMatch: Model | undefined;
    for (let away = 1; away < maxSearched; away++) {
      for (const at of [index - away, index + away - 1]) {
        const found = this.#record(at);
        const record = found && fieldsOf(found);
        if (!found || !record) continue;
        const value = valueAt(record, found.within);
        if (kindOf(value) === wanted) return { within: found.within, record };
        if (role !== undefined && (value as Fields | undefined)?.["role"] === role)
          bestMatch ??= { within: found.within, record };
      }
      if (index - away < 0 && !this.#record(index + away - 1)) break;
    }
    return bestMatch;
  }
}

/** The place of a new record in the chain, and its id. */
interface Position {
  readonly name: string;
  readonly follows: string;
  readonly behind: Span;
  readonly link?: RecordLink;
}

/** A record to imitate, and the pointer to its entry. */
interface Model {
  readonly within: string;
  readonly record: Fields;
}

/** A record with the model's members, whose entry is `content` and whose other values come from `facts`. */
function recordLike({ within, record: model }: Model, content: unknown, facts: Fields): Fields {
  const record: Record<string, unknown> = {};
  const top = pointerTokens(within)[0] ?? "";
  for (const key of Object.keys(model)) {
    if (key === top) record[key] = withContent(model, within, content)[key];
    else if (key === "type") record[key] = model[key];
    else if (key in facts) record[key] = facts[key];
  }
  return record;
}

/** The JSON text of an object with one member's value replaced. */
function withMember(json: string, key: string, value: string): string {
  const bytes = Buffer.from(json);
  const node = scanJson(bytes, 0, bytes.length)?.members?.find((member) => member.key === key)?.node;
  if (!node) return json;
  return `${bytes.toString("utf8", 0, node.start)}${value}${bytes.toString("utf8", node.end)}`;
}

function kindOf(value: unknown): string {
  const { role, type, content, parts } = (value ?? {}) as Fields;
  const [first] = Array.isArray(content) ? content : Array.isArray(parts) ? parts : [];
  const { type: kind = Object.keys(first ?? {})[0] } = (first ?? {}) as Fields;
  return JSON.stringify([role, type, kind]);
}

function textOf(span: Span): string {
  const { view, start, end } = plainSpan(span);
  return view.read(start, end).toString("utf8");
}

function fieldsOf({ span }: RecordPlace): Fields | undefined {
  const value = parseJson(textOf(span));
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function replyOf(record: Fields): string | undefined {
  const id = ((record["message"] ?? {}) as Fields)["id"];
  return typeof id === "string" ? id : undefined;
}

/** A record with the value at a pointer replaced; the pointer leads through objects only. */
function withContent(record: Fields, pointer: string, value: unknown): Fields {
  const [key = "", ...rest] = pointerTokens(pointer);
  const below = rest.map((token) => `/${pointerToken(token)}`).join("");
  return {
    ...record,
    [key]: below === "" ? value : withContent((record[key] ?? {}) as Fields, below, value),
  };
}

/** An id in the form of another one, derived from the record's content: a second repair yields the same. */
function idLike(name: string, json: string): string {
  const hash = createHash("sha256").update(name).update(json).digest("hex");
  const digits = name.replace(/[^0-9a-f]/gi, "").length;
  if (digits < 8) return `${name}-${hash.slice(0, 8)}`;
  let at = 0;
  const like = name.replace(/[0-9a-f]/gi, () => hash[at++ % hash.length] as string);
  // Version 8 of RFC 9562: an id by custom rules.
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(like)
    ? `${like.slice(0, 14)}8${like.slice(15, 19)}8${like.slice(20)}`
    : like;
}
