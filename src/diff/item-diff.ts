import type { Placed } from "../conversation/conversation.ts";
import { canonical } from "../conversation/identity.ts";
import type { Item } from "../conversation/item.ts";
import { pushAll } from "../reading/lists.ts";
import { parseJson } from "../reading/parse.ts";
import { pointerToken } from "../reading/pointer.ts";
import type { AnswerLink, Names } from "./item-identity.ts";
import type { ItemRow } from "./items.ts";

/** One difference inside an item or a setting. */
export interface DiffedPart {
  /** The part of the item: `text`, `arguments`, `form`, `answers` … */
  readonly name: string;
  /** RFC 6901 pointer from that part to the value; `""` is the whole part. */
  readonly pointer: string;
  /** The value: a string as it is, anything else as JSON; `null` if this side has no value. */
  readonly left: string | null;
  readonly right: string | null;
}

/** The maximum number of parts listed for one item. */
const maxParts = 40;
/** Values nested deeper than this are compared as a whole. */
const maxDepth = 40;

/** The differences inside an item that both logs have. */
export function diffedParts({ left, right }: ItemRow, names: Names): DiffedPart[] {
  if (!left || !right) return [];
  const a = left.item;
  const b = right.item;
  const parts: DiffedPart[] = [];
  const add = (name: string, one: string | null, other: string | null): void => {
    if (one !== other) parts.push({ name, pointer: "", left: one, right: other });
  };
  if (a.kind !== b.kind) {
    add("kind", a.kind, b.kind);
    return parts;
  }
  add("form", formOf(a), formOf(b));
  if (a.kind === "message") add("role", a.role, b.role);
  if (a.kind === "call" && b.kind === "call") {
    add("tool", a.name, b.name);
    add("state", a.state === "open" ? "cut off" : null, b.state === "open" ? "cut off" : null);
    pushAll(
      parts,
      valueParts("arguments", valueOr(a.arguments, a.argumentsText), valueOr(b.arguments, b.argumentsText)),
    );
  } else if (a.kind === "result" && b.kind === "result") {
    const [one, other] = [names.linkOf("left", a), names.linkOf("right", b)];
    const isOther = one?.flaw !== other?.flaw || !isSameCall(one, other, names);
    if (isOther) add("answers", answersText(one, a.callId), answersText(other, b.callId));
    add("error mark", a.isError ? "set" : null, b.isError ? "set" : null);
    pushAll(parts, valueParts("text", parsed(a.text), parsed(b.text)));
  } else if (a.kind === "opaque" && b.kind === "opaque") {
    pushAll(parts, valueParts("value", a.value, b.value));
  } else if (a.kind === "reference" && b.kind === "reference") {
    add("id", a.id, b.id);
  } else {
    add("text", "text" in a ? a.text : null, "text" in b ? b.text : null);
  }
  if ("hasMedia" in a && "hasMedia" in b)
    add("media", a.hasMedia ? "there" : null, b.hasMedia ? "there" : null);
  return parts;
}

function isSameCall(one: AnswerLink | undefined, other: AnswerLink | undefined, names: Names): boolean {
  const name = (side: "left" | "right", call: Placed | undefined) => call && names.of(side, call);
  return name("left", one?.call) === name("right", other?.call);
}

/** What a result answers, in words; if the pairing failed, with the id that the result names. */
function answersText(link: AnswerLink | undefined, callId: string | undefined): string {
  const id = callId ?? "no id";
  if (!link) return id;
  if (link.flaw) return `${link.flaw} (${id})`;
  return link.call ? `the call to ${link.call.item.name}` : id;
}

function formOf({ flaws }: Item): string | null {
  const words = (flaws ?? []).map(({ kind }) =>
    kind === "missing-type" ? "without type" : kind.replaceAll("-", " "),
  );
  return words.length > 0 ? words.join(", ") : null;
}

function valueOr(value: unknown, text: string): unknown {
  return value === undefined ? text : value;
}

/** Results that are JSON are compared by value. */
function parsed(text: string): unknown {
  return /^\s*[[{]/.test(text) ? valueOr(parseJson(text), text) : text;
}

/** The smallest differing values of two values, with their pointers. */
export function valueParts(name: string, left: unknown, right: unknown): DiffedPart[] {
  const parts: DiffedPart[] = [];
  const walk = (a: unknown, b: unknown, pointer: string, depth: number): void => {
    if (parts.length >= maxParts || a === b) return;
    const members = depth < maxDepth ? memberNames(a, b) : undefined;
    if (members && isNear(a, b, members)) {
      for (const member of members)
        walk(memberOf(a, member), memberOf(b, member), `${pointer}/${pointerToken(member)}`, depth + 1);
    } else if (canonical(a) !== canonical(b)) {
      parts.push({ name, pointer, left: written(a), right: written(b) });
    }
  };
  walk(left, right, "", 0);
  return parts;
}

/** The members of two objects or two arrays of equal length; `undefined` for anything else. */
function memberNames(a: unknown, b: unknown): string[] | undefined {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return undefined;
  if (Array.isArray(a) !== Array.isArray(b)) return undefined;
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return undefined;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

/** Objects without a common member are reported as a whole. */
function isNear(a: unknown, b: unknown, members: readonly string[]): boolean {
  return (
    members.length === 0 ||
    members.some((member) => memberOf(a, member) !== undefined && memberOf(b, member) !== undefined)
  );
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function written(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : canonical(value);
}
