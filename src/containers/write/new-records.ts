import { createHash } from "node:crypto";
import { firstIndex } from "../../reading/lists.ts";
import { parseJson } from "../../reading/parse.ts";
import { originOf, plainSpan, type Span } from "../../reading/place.ts";
import { pointerToken, pointerTokens, valueAt } from "../../reading/pointer.ts";
import { scanJson } from "../../reading/scan.ts";
import { type Fields, isFields } from "../../reading/values.ts";
import { speakerOf } from "../../traffic/roles.ts";
import type { RecordPlace, Session } from "../../traffic/session.ts";
import { type LinkNames, linkNamesOf, type RecordChain } from "./record-chain.ts";

/** A record for an agent's session, and its place. */
export interface NewRecord {
  /** The record after which it is written. */
  readonly behind: Span;
  readonly json: string;
}

/** What is known about the place of a new record. */
interface Spot {
  /** Index of the history entry before which it goes. */
  readonly index: number;
  /** The id of the call that it answers. */
  readonly answers: string | undefined;
  /** The record of the entry before it. */
  readonly before: RecordPlace;
  /** The members of the record of the call that it answers, else of the record before it. */
  readonly facts: Fields;
}

/** How many records a round may have. */
const maxInRound = 256;

/** How many records are searched for a call. */
const maxSearched = 2000;

/** How many records on each side are looked at before all records of a session are listed by their kinds. */
const near = 64;

/**
 * Makes records for one session. A new record imitates a record of its kind in the session, shares the
 * members that all records have in common, and follows the last record of the round that it belongs to.
 */
export class RecordMaker {
  readonly #session: Session;
  readonly #chain: RecordChain;
  /** Kinds of entries by index: each new record looks for one of its kind. */
  readonly #kinds = new Map<number, readonly string[]>();
  /** All entries by their kinds, listed when none is near: where calls are open, none is like an answer. */
  #listed: ReadonlyMap<string, readonly number[]> | undefined;
  constructor(session: Session, chain: RecordChain) {
    this.#session = session;
    this.#chain = chain;
  }

  /** Makes a record with `json` as the entry before `index`; `answers`: the id of its call. */
  made(index: number, json: string, answers: string | undefined): NewRecord | undefined {
    const content = parseJson(json);
    const before = this.#record(index - 1);
    if (!before || content === undefined) return undefined;
    const call = answers === undefined ? undefined : this.#indexOfCall(index, answers);
    const previous = (call === undefined ? undefined : this.#record(call)) ?? before;
    const facts = fieldsOf(previous);
    if (this.#session.writer)
      return this.#completed(content as Fields, json, { index, answers, before, facts: facts ?? {} });
    const model = this.#modelFor(index, content);
    if (!facts || !model || model.within === "") return { behind: before.span, json };
    const record = recordLike(model, content, facts);
    const names = linkNamesOf(facts);
    if (!names) return { behind: before.span, json: JSON.stringify(record) };
    return this.#linked(record, names, json, { index, answers, before, facts });
  }

  /** Moves the record of the entry at `from` before the entry at `index`. Only its link changes. */
  moved(index: number, from: string): NewRecord | undefined {
    const record = this.#session.recordAt(from);
    const before = this.#record(index - 1);
    const own = record && fieldsOf(record);
    if (!record || !before || !own) return undefined;
    const json = textOf(record.span);
    const names = linkNamesOf(own);
    const at = this.#placeFor(index, this.#answeredBy(Number(from.slice(1))));
    const name = names && own[names[0]];
    const round = names && this.#roundAt(at - 1, names, record.span);
    const position =
      round && typeof name === "string"
        ? this.#chain.add([...round.keys()], this.#namesFrom(at, names), name, false)
        : undefined;
    if (!names || !round || !position) return { behind: before.span, json };
    const moved = withMember(json, names[1], JSON.stringify(position.parent));
    return { behind: lastInFile(round) ?? before.span, json: moved };
  }

  /** Adds the missing ids to a record in the agent's own form. */
  #completed(content: Fields, json: string, spot: Spot): NewRecord {
    const { before, facts } = spot;
    const isMissing = (key: string): boolean => content[key] === "" && typeof facts[key] === "string";
    const names = linkNamesOf(content);
    if (names && isMissing(names[0]) && content[names[1]] === "")
      return this.#linked(content, names, json, spot);
    const named = isMissing("id") ? { ...content, id: idLike(String(facts["id"]), json) } : content;
    return { behind: before.span, json: JSON.stringify(named) };
  }

  /** Adds its own id and its predecessor's id to a record. */
  #linked(
    record: Fields,
    names: LinkNames,
    json: string,
    { index, answers, before, facts }: Spot,
  ): NewRecord {
    const [own, parent] = names;
    const at = this.#placeFor(index, answers);
    const round = this.#roundAt(at - 1, names);
    const proposed = idLike(String(facts[own]), json);
    const following = this.#namesFrom(at, names);
    const { name, parent: follows } = this.#chain.add([...round.keys()], following, proposed, true) ?? {
      name: proposed,
      parent: String(facts[own]),
    };
    const linked = { ...record, [own]: name, [parent]: follows };
    return { behind: lastInFile(round) ?? before.span, json: JSON.stringify(linked) };
  }

  /** Puts the round of an entry that changed its kind on one path with what comes after it. */
  align(index: number): void {
    const record = this.#record(index);
    const names = record && linkNamesOf(fieldsOf(record) ?? {});
    if (names)
      this.#chain.align([...this.#roundAt(index - 1, names).keys(), ...this.#namesFrom(index, names)]);
  }

  /** The index behind the round of a call, if its entry is not yet meant to be there. */
  #placeFor(index: number, answers: string | undefined): number {
    const call = answers === undefined ? undefined : this.#indexOfCall(index, answers);
    if (call === undefined) return index;
    let end = index;
    for (let at = call + 1; at < index; at++)
      if (!this.#isResult(at) && !this.#isOfReply(at, call)) {
        end = at;
        break;
      }
    return end;
  }

  /** The records of the round up to the entry at an index, by name, in the order of the history. */
  #roundAt(index: number, [own]: LinkNames, except?: Span): Map<string, Span> {
    let first = index;
    const least = Math.max(0, index - maxInRound);
    while (first > least && this.#isResult(first)) first--;
    const last = first;
    while (first > least && this.#isOfReply(first - 1, last)) first--;
    const round = new Map<string, Span>();
    for (let at = first; at <= index; at++) {
      const record = this.#record(at);
      const name = record && fieldsOf(record)?.[own];
      if (record && record.span !== except && typeof name === "string") round.set(name, record.span);
    }
    return round;
  }

  #isResult(index: number): boolean {
    const { made, answered } = this.#session.callIds(index);
    return answered.length > 0 && made.length === 0;
  }

  /** Whether two entries are parts of one reply, which agents split over records. Some name no reply. */
  #isOfReply(index: number, other: number): boolean {
    const [own, others] = [index, other].map((at) => this.#replyAt(at));
    if (own !== undefined || others !== undefined) return own === others;
    return [index, other].every((at) => this.#session.callIds(at).made.length > 0);
  }

  #replyAt(index: number): string | undefined {
    const record = this.#record(index);
    return record && replyOf(fieldsOf(record) ?? {});
  }

  /** The names of the records from an index on, up to the first of the next reply. */
  #namesFrom(index: number, [own]: LinkNames): string[] {
    const names: string[] = [];
    for (let at = index; at < index + maxInRound; at++) {
      const record = this.#record(at);
      const facts = record && fieldsOf(record);
      const name = facts?.[own];
      if (!facts || typeof name !== "string") break;
      names.push(name);
      if (isModels(facts)) break;
    }
    return names;
  }

  #record(index: number): RecordPlace | undefined {
    return index < 0 ? undefined : this.#session.recordAt(`/${index}`);
  }

  #answeredBy(index: number): string | undefined {
    return this.#session.callIds(index).answered[0];
  }

  /** The index of the entry that makes the call with this id, before `index`. */
  #indexOfCall(index: number, id: string): number | undefined {
    for (let at = index - 1; at >= Math.max(0, index - maxSearched); at--)
      if (this.#session.callIds(at).made.includes(id)) return at;
    return undefined;
  }

  /** The nearest record of the same kind (same role and first part), else the nearest of the same role. */
  #modelFor(index: number, content: unknown): Model | undefined {
    const { role } = (content ?? {}) as Fields;
    const found =
      this.#nearest(index, `kind ${kindOf(content)}`) ??
      (typeof role === "string" ? this.#nearest(index, `role ${role}`) : undefined);
    return found === undefined ? undefined : this.#modelAt(found);
  }

  /** The nearest entry with this among its kinds; of two, the earlier. */
  #nearest(index: number, kind: string): number | undefined {
    for (let away = 1; away <= near && !this.#listed; away++)
      for (const at of [index - away, index + away - 1]) if (this.#kindsAt(at).includes(kind)) return at;
    this.#listed ??= this.#listKinds();
    const places = this.#listed.get(kind) ?? [];
    const next = firstIndex(places.length, (each) => (places[each] ?? 0) >= index);
    const [before, after] = [places[next - 1], places[next]];
    if (before === undefined || after === undefined) return before ?? after;
    return index - before <= after - index + 1 ? before : after;
  }

  #listKinds(): ReadonlyMap<string, readonly number[]> {
    const listed = new Map<string, number[]>();
    for (let index = 0; this.#record(index); index++)
      for (const kind of this.#kindsAt(index)) {
        const places = listed.get(kind);
        if (places) places.push(index);
        else listed.set(kind, [index]);
      }
    return listed;
  }

  #modelAt(index: number): Model | undefined {
    const found = this.#record(index);
    const record = found && fieldsOf(found);
    return found && record && { within: found.within, record };
  }

  /** What stands at an index: its kind, and its role where it has one; nothing if there is no record. */
  #kindsAt(index: number): readonly string[] {
    let kinds = this.#kinds.get(index);
    if (!kinds) {
      const model = this.#modelAt(index);
      const value = model && valueAt(model.record, model.within);
      const role = (value as Fields | undefined)?.["role"];
      kinds = model ? [`kind ${kindOf(value)}`, ...(typeof role === "string" ? [`role ${role}`] : [])] : [];
      this.#kinds.set(index, kinds);
    }
    return kinds;
  }
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
  return isFields(value) ? value : undefined;
}

/** The record of a round that stands last in the file: a new one behind it comes after its call. */
function lastInFile(round: ReadonlyMap<string, Span>): Span | undefined {
  return [...round.values()].reduce<Span | undefined>(
    (last, span) => (last && originOf(last).start > originOf(span).start ? last : span),
    undefined,
  );
}

function isModels(record: Fields): boolean {
  const { role = record["type"] } = (record["message"] ?? {}) as Fields;
  return typeof role === "string" && speakerOf(role) === "assistant";
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
