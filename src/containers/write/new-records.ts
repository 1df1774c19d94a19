import { createHash } from "node:crypto";
import { parseJson } from "../../reading/parse.ts";
import { plainSpan, type Span } from "../../reading/place.ts";
import { pointerToken, pointerTokens, valueAt } from "../../reading/pointer.ts";
import { scanJson } from "../../reading/scan.ts";
import type { RecordPlace, Session } from "../../traffic/transcript.ts";
import { type Link, linkNames } from "./record-links.ts";

/**
 * A record that an agent's session gets: in the form of a record of its kind that the session holds, with what all its records say alike,
 * and linked to the record that it answers.
 */
export interface NewRecord {
  /** The record behind which it is written. */
  readonly behind: Span;
  readonly json: string;
  /** Whoever followed the record before it follows it now. */
  readonly link?: Link;
}

/** A record that goes elsewhere. */
export interface MovedRecord extends NewRecord {
  /** It followed the same record before, so that those who follow it need no other one. */
  readonly isLinked: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** So many records behind a call are looked through for what is left of its result. */
const mostInRound = 64;

/** So many records are looked through for one of the same kind. */
const mostLooks = 2000;

/**
 * The record that holds `json` as the entry before the one at `index`. `last` names the newest record that was put behind another one, by that
 * one's name.
 */
export function newRecord(
  session: Session,
  index: number,
  json: string,
  last: Map<string, string>,
): NewRecord | undefined {
  const content = parseJson(json);
  const before = session.recordAt(`/${index - 1}`);
  if (!before || content === undefined) return undefined;
  const previous = called(session, index, json) ?? before;
  const facts = fieldsOf(previous);
  if (session.writer) {
    const known = { before, previous, facts: facts ?? {}, json };
    return ownRecord(session, index, content as Fields, known, last);
  }
  const { within = "", record: form } = formFor(session, index, content) ?? { record: undefined };
  if (!facts || !form || within === "") return { behind: before.span, json };
  const names = linkNames.find(([own, parent]) => typeof facts[own] === "string" && parent in facts);
  const record: Record<string, unknown> = {};
  const top = pointerTokens(within)[0] ?? "";
  for (const key of Object.keys(form)) {
    if (key === top) record[key] = withContent(form, within, content)[key];
    else if (key === "type") record[key] = form[key];
    else if (key in facts) record[key] = facts[key];
  }
  if (!names) return { behind: before.span, json: JSON.stringify(record) };
  const { name, follows, behind, link } = placeIn(
    session,
    index,
    { names, before, previous, facts, json },
    last,
  );
  const [own, parent] = names;
  record[own] = name;
  record[parent] = follows;
  return { behind, json: JSON.stringify(record), ...(link && { link }) };
}

/** What is known where a new record goes: the entry before it, and the record of its call with what that says. */
interface Surroundings {
  readonly names: readonly [own: string, parent: string];
  readonly before: RecordPlace;
  readonly previous: RecordPlace;
  readonly facts: Fields;
  readonly json: string;
}

/** The name of a new record, and between which others it stands. */
function placeIn(
  session: Session,
  index: number,
  { names: [own, parent], before, previous, facts, json }: Surroundings,
  last: Map<string, string>,
): { readonly name: string; readonly follows: string; readonly behind: Span; readonly link?: Link } {
  const gap = gapBehind(session, index, previous, [own, parent]);
  if (gap && !last.has(gap.name)) {
    last.set(gap.name, gap.name);
    return gap;
  }
  const anchor = inRow(session, index, before, [own, parent]) ?? { record: previous, facts };
  const after = String(anchor.facts[own]);
  const follows = last.get(after) ?? after;
  const name = nameLike(after, json);
  last.set(after, name);
  return { name, follows, behind: anchor.record.span, link: { after, name, reply: replyOf(anchor.facts) } };
}

/**
 * The entry before a new result, where it is a result that does not follow its own call: agents write results that were asked for at once
 * behind each other, or each behind its call.
 */
function inRow(
  session: Session,
  index: number,
  before: RecordPlace,
  [own, parent]: Surroundings["names"],
): { readonly record: RecordPlace; readonly facts: Fields } | undefined {
  const facts = fieldsOf(before);
  const call = called(session, index - 1, textOf(before.span));
  if (!facts || !call || typeof facts[own] !== "string" || facts[parent] === fieldsOf(call)?.[own])
    return undefined;
  return { record: before, facts };
}

/**
 * The place of a record that is gone from behind a call, and that the one behind it still names: whoever lost it left its name. The new one
 * takes it, and nobody has to follow another.
 */
function gapBehind(
  session: Session,
  index: number,
  call: RecordPlace,
  [own, parent]: Surroundings["names"],
): { readonly name: string; readonly follows: string; readonly behind: Span } | undefined {
  for (let at = index; at > Math.max(0, index - mostInRound); at--) {
    const before = session.recordAt(`/${at - 1}`);
    const next = session.recordAt(`/${at}`);
    const name = next && fieldsOf(next)?.[parent];
    if (next && before && typeof name === "string" && !isNamed(session, next, at, own, name)) {
      // A result behind the gap shows that they follow each other.
      const isInRow = at < index || inRow(session, at, before, [own, parent]) !== undefined;
      const follows = fieldsOf(isInRow ? before : call)?.[own];
      return typeof follows === "string" ? { name, follows, behind: before.span } : undefined;
    }
    if (before?.span === call.span) return undefined;
  }
  return undefined;
}

function isNamed(session: Session, { span }: RecordPlace, at: number, own: string, name: string): boolean {
  // Most follow a record close by; only for the others the whole file is looked through.
  for (let back = 1; back <= 8; back++) {
    const earlier = session.recordAt(`/${at - back}`);
    if (earlier && fieldsOf(earlier)?.[own] === name) return true;
  }
  const { view } = plainSpan(span);
  return view.read(0, view.size).includes(`"${own}":${JSON.stringify(name)}`);
}

/** A record in the agent's own form: it gets the ids that it lacks. */
function ownRecord(
  session: Session,
  index: number,
  content: Fields,
  { before, previous, facts, json }: Omit<Surroundings, "names">,
  last: Map<string, string>,
): NewRecord {
  const isMissing = (key: string): boolean => content[key] === "" && typeof facts[key] === "string";
  const names = linkNames.find(([own, parent]) => isMissing(own) && content[parent] === "");
  if (!names) {
    const named = isMissing("id") ? { ...content, id: nameLike(String(facts["id"]), json) } : content;
    return { behind: before.span, json: JSON.stringify(named) };
  }
  const [own, parent] = names;
  const { name, follows, behind, link } = placeIn(
    session,
    index,
    { names, before, previous, facts, json },
    last,
  );
  const record = { ...content, [own]: name, [parent]: follows };
  return { behind, json: JSON.stringify(record), ...(link && { link }) };
}

/** A record that goes elsewhere, as it is: only the record that it follows is another. */
export function movedRecord(
  session: Session,
  index: number,
  from: string,
  last: Map<string, string>,
): MovedRecord | undefined {
  const moved = session.recordAt(from);
  const before = session.recordAt(`/${index - 1}`);
  const own = moved && fieldsOf(moved);
  if (!moved || !before || !own) return undefined;
  const json = textOf(moved.span);
  const previous = called(session, index, json) ?? before;
  const facts = fieldsOf(previous);
  const names = linkNames.find(
    ([name, parent]) => typeof own[name] === "string" && parent in own && typeof facts?.[name] === "string",
  );
  if (!names || !facts) return { behind: before.span, json, isLinked: false };
  const [name, parent] = names;
  const anchor = inRow(session, index, before, names) ?? { record: previous, facts };
  const after = String(anchor.facts[name]);
  const follows = last.get(after) ?? after;
  last.set(after, String(own[name]));
  return {
    behind: anchor.record.span,
    json: withMember(json, parent, JSON.stringify(follows)),
    link: { after, name: String(own[name]), reply: replyOf(anchor.facts) },
    isLinked: own[parent] === after,
  };
}

/** The JSON text of an object with another value in one of its members. */
function withMember(json: string, key: string, value: string): string {
  const bytes = Buffer.from(json);
  const node = scanJson(bytes, 0, bytes.length)?.members?.find((member) => member.key === key)?.node;
  if (!node) return json;
  return `${bytes.toString("utf8", 0, node.start)}${value}${bytes.toString("utf8", node.end)}`;
}

/** The record of the call that a result answers. */
function called(session: Session, index: number, json: string): RecordPlace | undefined {
  const id = /"(?:tool_use_id|call_id|tool_call_id|toolCallId)":\s*("(?:[^"\\]|\\.)*")/.exec(json)?.[1];
  if (id === undefined) return undefined;
  for (let at = index - 1; at >= Math.max(0, index - mostLooks); at--) {
    const found = session.recordAt(`/${at}`);
    if (found && textOf(found.span).includes(id)) return found;
  }
  return undefined;
}

/** The nearest record before or behind whose entry is of the same kind: of the same role, with the same first part; else of the same role. */
function formFor(
  session: Session,
  index: number,
  content: unknown,
): { readonly within: string; readonly record: Fields } | undefined {
  const wanted = kindOf(content);
  const { role } = (content ?? {}) as Fields;
  /** Where nothing of the kind was said yet, whatever else the same side said. */
  let likest: { readonly within: string; readonly record: Fields } | undefined;
  for (let away = 1; away < mostLooks; away++) {
    for (const at of [index - away, index + away - 1]) {
      const found = at < 0 ? undefined : session.recordAt(`/${at}`);
      const record = found && fieldsOf(found);
      if (!found || !record) continue;
      const value = valueAt(record, found.within);
      if (kindOf(value) === wanted) return { within: found.within, record };
      if (role !== undefined && (value as Fields | undefined)?.["role"] === role)
        likest ??= { within: found.within, record };
    }
    if (index - away < 0 && !session.recordAt(`/${index + away - 1}`)) break;
  }
  return likest;
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

/** A record with another value at a pointer through objects. */
function withContent(record: Fields, pointer: string, value: unknown): Fields {
  const [key = "", ...rest] = pointerTokens(pointer);
  const below = rest.map((token) => `/${pointerToken(token)}`).join("");
  return {
    ...record,
    [key]: below === "" ? value : withContent((record[key] ?? {}) as Fields, below, value),
  };
}

/** A name in the form of another one, made of what the record says: whoever repairs again gets the same. */
function nameLike(name: string, json: string): string {
  const hash = createHash("sha256").update(name).update(json).digest("hex");
  const digits = name.replace(/[^0-9a-f]/gi, "").length;
  if (digits < 8) return `${name}-${hash.slice(0, 8)}`;
  let at = 0;
  const like = name.replace(/[0-9a-f]/gi, () => hash[at++ % hash.length] as string);
  // RFC 9562: made of a name, by rules of one's own.
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(like)
    ? `${like.slice(0, 14)}8${like.slice(15, 19)}8${like.slice(20)}`
    : like;
}
