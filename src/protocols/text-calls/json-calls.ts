import { afterSpace, type Draft, isToolName, matchAt, member, type Page, type Reading } from "./text-call.ts";
import { asArguments, type Cursor, fromValue, readWritten, valueOf, type Written } from "./values.ts";

const nameKeys = ["name", "tool_name", "recipient_name", "function", "tool"];
const argumentKeys = ["arguments", "parameters", "args", "input", "tool_input"];
const idKeys = ["id", "tool_call_id", "call_id"];
/** Objects that hold calls rather than being one. */
const wrapperKeys = ["tool_calls", "tool_call", "tool_uses", "function"];

/** A call within JSON. */
export interface JsonCall {
  readonly name: string;
  /** Absent: the call has no arguments, or the text is cut before them. */
  readonly arguments: Written | undefined;
  readonly id: string | undefined;
  readonly node: Written & { readonly kind: "object" };
}

/** The member under the first of the keys that the object has. */
function under(node: Written, keys: readonly string[]): Written | undefined {
  if (node.kind !== "object") return undefined;
  for (const key of keys) {
    const found = node.members.find((each) => each.key === key);
    if (found) return found.value;
  }
  return undefined;
}

function text(node: Written | undefined): string | undefined {
  return node?.kind === "scalar" && !node.isCut && typeof node.value === "string" ? node.value : undefined;
}

/** The calls that a JSON value holds, in order; a name must be whole. */
export function callsIn(node: Written): JsonCall[] {
  if (node.kind === "list") return node.items.flatMap(callsIn);
  if (node.kind !== "object") return [];
  const inner = under(node, wrapperKeys);
  const outerId = text(under(node, idKeys));
  if (inner && inner.kind !== "scalar")
    return callsIn(inner).map((call) => ({ ...call, id: call.id ?? outerId }));
  const name = text(under(node, nameKeys));
  if (name === undefined) return [];
  return [{ name, arguments: under(node, argumentKeys), id: outerId, node }];
}

/** Apertus: `[{"get_weather": {"city": "Paris"}}]`. */
export function callsByName(node: Written): JsonCall[] {
  if (node.kind === "list") return node.items.flatMap(callsByName);
  if (node.kind !== "object") return [];
  return node.members.map(({ key, value }) => ({ name: key, arguments: value, id: undefined, node }));
}

/** A call's arguments in both readings; a JSON string in which JSON stands is unpacked, as OpenAI's wire format packs it. */
export function argumentsOf(source: string, call: JsonCall): { argumentsText: string; arguments: unknown } {
  const written = call.arguments;
  if (!written) return call.node.isCut ? { argumentsText: "", arguments: undefined } : fromValue({});
  if (written.kind !== "scalar") return asArguments(source, written);
  if (written.isCut) return asArguments(source, written);
  if (written.value === null || written.value === "") return fromValue({});
  if (typeof written.value === "string") {
    try {
      return { argumentsText: written.value, arguments: JSON.parse(written.value) };
    } catch {
      return { argumentsText: written.value, arguments: undefined };
    }
  }
  return asArguments(source, written);
}

/** What a syntax puts around its JSON. */
export interface Envelope {
  readonly family: string;
  /** Sticky. Absent: the syntax has no end token, or one that ends the turn. */
  readonly close?: RegExp;
  readonly isCloseOptional?: boolean;
  readonly calls?: (node: Written) => JsonCall[];
  readonly isWeak?: boolean;
}

/** Reads the JSON values at `at` (several may follow each other) as the calls of a wrapper that began at `start`. */
export function readJsonCalls(page: Page, start: number, at: number, envelope: Envelope): Reading {
  const { family, close, calls: select = callsIn, isWeak = false } = envelope;
  const cursor: Cursor = { text: page.text, at };
  const fence = matchAt(/\s*`{3,}\w*\s*/y, page.text, at);
  cursor.at += fence?.[0].length ?? 0;
  const calls: JsonCall[] = [];
  let isCut = false;
  let end = at;
  for (;;) {
    if (!/[[{]/.test(page.text[afterSpace(page.text, cursor.at)] ?? "")) break;
    const node = readWritten(cursor);
    if (!node) break;
    calls.push(...select(node));
    end = cursor.at;
    isCut = node.isCut;
    cursor.at += matchAt(/[\s,;]*/y, page.text, end)?.[0].length ?? 0;
    if (isCut) break;
  }
  const accepted = calls.filter(({ name }) => isToolName(name) || page.tools.isDeclared(name));
  if (accepted.length === 0) return undefined;
  // Models close one bracket too many often enough.
  const behind = afterSpace(
    page.text,
    end + (matchAt(/\s*[}\]]{0,3}\s*`{0,3}/y, page.text, end)?.[0].length ?? 0),
  );
  const closed = close && !isCut ? matchAt(close, page.plain, behind) : undefined;
  const isClosed =
    closed !== undefined || (!isCut && (close === undefined || envelope.isCloseOptional === true));
  if (closed) end = behind + closed[0].length;
  else if (fence && behind > end) end = behind;
  const drafts = accepted.map((call, index): Draft => {
    const next = accepted[index + 1];
    return {
      family,
      name: call.name,
      id: call.id,
      ...argumentsOf(page.text, call),
      start: index === 0 ? start : call.node.start,
      end: next ? next.node.start : end,
      isClosed,
      isWeak,
    };
  });
  return { calls: drafts, end };
}

const shapes: readonly (readonly string[])[] = [
  ["name", "arguments"],
  ["name", "parameters"],
];

/** Whether an object is a call and nothing else: a name, arguments that are no schema, perhaps an id and a type. */
function isExactCall({ node, name, ...call }: JsonCall): boolean {
  const keys = node.members.map(({ key }) => key).filter((key) => key !== "id" && key !== "type");
  if (
    !isToolName(name) ||
    !shapes.some((shape) => shape.length === keys.length && shape.every((key) => keys.includes(key)))
  ) {
    return false;
  }
  const type = under(node, ["type"]);
  if (type && text(type) !== "function" && text(type) !== "tool_call") return false;
  if (call.arguments?.kind === "scalar") return text(call.arguments)?.trimStart().startsWith("{") === true;
  return call.arguments?.kind === "object" && member(valueOf(call.arguments), "properties") === undefined;
}

/** Bare JSON that is the whole of `from` to `to`, as calls; empty when it is anything else. */
export function readBareJson(page: Page, from: number, to: number): Draft[] {
  const cursor: Cursor = { text: page.text.slice(0, to), at: from };
  const nodes: Written[] = [];
  while (cursor.at < to) {
    const node = readWritten(cursor);
    if (!node || node.kind === "scalar") return [];
    nodes.push(node);
    cursor.at += matchAt(/[\s;]*/y, cursor.text, cursor.at)?.[0].length ?? 0;
  }
  const calls = nodes.flatMap(callsIn);
  const [first] = nodes;
  if (!first || calls.length === 0) return [];
  const isEnvelope = under(first, ["tool_calls", "tool_call", "tool_uses"]) !== undefined;
  if (!isEnvelope && !calls.every(isExactCall)) return [];
  const isClosed = !nodes.some(({ isCut }) => isCut);
  return calls.map((call, index) => ({
    family: bareFamily(first, call),
    name: call.name,
    id: call.id,
    ...argumentsOf(page.text, call),
    start: index === 0 ? from : call.node.start,
    end: calls[index + 1]?.node.start ?? to,
    isClosed,
    isWeak: under(call.node, ["arguments"]) === undefined && !isEnvelope,
  }));
}

function bareFamily(first: Written, call: JsonCall): string {
  if (under(first, ["tool_uses"])) return "multi_tool_use";
  if (under(first, ["tool_call"])) return "minja-generic";
  if (first.kind === "list") return "xlam";
  return under(call.node, ["parameters"]) ? "llama3-json" : "openai-json-leak";
}

/** A real call out of a wrapper. */
export interface UnwrappedCall {
  /** Without `functions.`, the namespace that the wrapper speaks of. */
  readonly name: string;
  /** JSON text, written anew. */
  readonly argumentsText: string;
  readonly arguments: unknown;
}

/**
 * The real calls, in order, within a call to `multi_tool_use.parallel`, the wrapper that OpenAI's models sometimes let out. Empty
 * when the name is another, or the arguments (a value or its JSON text) are not `{tool_uses: [{recipient_name, parameters}]}`.
 */
export function splitParallelWrapper(name: string, args: unknown): UnwrappedCall[] {
  if (!/^(?:functions\.)?multi_tool_use[._]parallel$/.test(name)) return [];
  let value = args;
  if (typeof args === "string") {
    try {
      value = JSON.parse(args);
    } catch {
      return [];
    }
  }
  const uses = member(value, "tool_uses");
  if (!Array.isArray(uses)) return [];
  const calls = uses.map((use) => {
    const recipient = member(use, "recipient_name") ?? member(use, "name");
    const parameters = member(use, "parameters") ?? member(use, "arguments") ?? {};
    return typeof recipient === "string" && recipient !== ""
      ? { name: recipient.replace(/^functions\./, ""), ...fromValue(parameters) }
      : undefined;
  });
  return calls.every((call) => call !== undefined) ? calls : [];
}
