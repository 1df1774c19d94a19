/**
 * A log's text with the JSON values in it, also those in strings and in streams, as a tree that operators may
 * change. What is not changed is printed as it stood.
 */

/** JSON text to be printed as it is: what no JavaScript value can say, such as a key that stands there twice. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A string that holds JSON. */
export class Embedded {
  value: unknown;
  readonly #text: string;
  readonly #before: string;
  constructor(text: string, value: unknown) {
    this.#text = text;
    this.value = value;
    this.#before = print(value, "");
  }
  /** The string's content. */
  get text(): string {
    const now = print(this.value, "");
    return now === this.#before ? this.#text : now;
  }
}

/** A string that holds server-sent events, or a JSON value a line. */
export class Stream {
  events: StreamEvent[];
  constructor(events: StreamEvent[]) {
    this.events = events;
  }
  get text(): string {
    return this.events.map(({ head, value, tail }) => `${head}${value?.text ?? ""}${tail}`).join("");
  }
}

/** An event: the lines before its JSON, the JSON if it has any, and what ends it. */
export interface StreamEvent {
  readonly head: string;
  readonly value: Embedded | undefined;
  tail: string;
}

/** An object or array that operators may change, with its way from the root. */
export interface Node {
  readonly value: Record<string, unknown> | unknown[];
  readonly key: string;
  readonly parent: Node | undefined;
  /** How many strings it stands in. */
  readonly level: number;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Raw || value instanceof Embedded || value instanceof Stream)
  );
}

/** The value of a JSON text; `undefined` for any other text. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses JSON and what the strings in it hold; `undefined` for anything else. */
function parse(text: string): unknown {
  if (endOf(text, 0).depth > deepest) return undefined;
  const value = jsonValue(text);
  return value === undefined ? undefined : decoded(value);
}

const deepest = 60;

function decoded(value: unknown, depth = 0): unknown {
  if (depth > deepest) return value;
  if (typeof value === "string") return decodedText(value, depth);
  if (Array.isArray(value)) return value.map((each) => decoded(each, depth + 1));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, each]) => [key, decoded(each, depth + 1)] as const);
  return Object.fromEntries(members);
}

function decodedText(text: string, depth: number): unknown {
  if (/^\s*[[{]/.test(text)) {
    return parsed(text, depth + 1) ?? streamOf(text, depth) ?? text;
  }
  return /^(?:data|event):/m.test(text) ? (streamOf(text, depth) ?? text) : text;
}

/** The events of a text, each with the lines before its JSON and the blank ones behind; `undefined` without any. */
function streamOf(text: string, depth = 0): Stream | undefined {
  const events: StreamEvent[] = [];
  let head = "";
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const newest = events.at(-1);
    if (head === "" && newest && line.trim() === "") {
      newest.tail += line;
      continue;
    }
    const [, before = "", json = "", tail = ""] = /^(data: ?)?([[{].*?[\]}])?(\s*)$/.exec(line) ?? [];
    const value = json === "" ? undefined : parsed(json, depth + 1);
    if (value) {
      events.push({ head: head + before, value, tail });
      head = "";
    } else head += line;
  }
  if (events.length === 0) return undefined;
  if (head !== "") events.push({ head, value: undefined, tail: "" });
  return new Stream(events);
}

function parsed(json: string, depth: number): Embedded | undefined {
  if (endOf(json, json.search(/[[{]/)).depth > deepest) return undefined;
  try {
    return new Embedded(json, decoded(JSON.parse(json), depth));
  } catch {
    return undefined;
  }
}

/** The JSON text of a tree, on one line without an indent. */
export function print(value: unknown, indent: string, margin = ""): string {
  if (value instanceof Raw) return value.text;
  if (value instanceof Embedded || value instanceof Stream) return JSON.stringify(value.text);
  const inner = margin + indent;
  const [feed, end, space] = indent === "" ? ["", "", ""] : [`\n${inner}`, `\n${margin}`, " "];
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[${value.map((each) => feed + print(each, indent, inner)).join(",")}${end}]`;
  }
  if (isObject(value)) {
    const members = Object.entries(value).filter(([, each]) => each !== undefined);
    if (members.length === 0) return "{}";
    return `{${members
      .map(([key, each]) => `${feed}${JSON.stringify(key)}:${space}${print(each, indent, inner)}`)
      .join(",")}${end}}`;
  }
  return JSON.stringify(value) ?? "null";
}

/** A JSON value in a log's text. */
export interface Slice {
  readonly start: number;
  readonly end: number;
  /** Its tree, which operators change. A member that becomes `undefined` is left out. */
  readonly root: { value: unknown };
  readonly indent: string;
  /** It stands between quotes, escaped, although what stands around it is no JSON: YAML, for instance. */
  readonly isEscaped: boolean;
  readonly before: string;
}

/** The outermost JSON objects and arrays of a text. */
export function slicesOf(text: string): Slice[] {
  const slices: Slice[] = [];
  const opens = /[[{]/g;
  for (let found = opens.exec(text); found; found = opens.exec(text)) {
    const start = found.index;
    const isEscaped = text[start + 1] === "\\";
    const { end, depth } = isEscaped ? { end: quotedEnd(text, start), depth: 1 } : endOf(text, start);
    if (end === undefined) continue;
    if (depth > deepest) {
      opens.lastIndex = end;
      continue;
    }
    const own = text.slice(start, end);
    const value = parse(isEscaped ? unescaped(own) : own);
    if (typeof value !== "object" || value === null) continue;
    const indent = isEscaped ? "" : (/^[[{]\r?\n[ ]*?( {1,4})(?! )/.exec(own)?.[1] ?? "");
    slices.push({ start, end, root: { value }, indent, isEscaped, before: print(value, indent) });
    opens.lastIndex = end;
  }
  return slices;
}

const longest = 1 << 20;

/** Where a JSON value ends that begins at a place, by its brackets, if they match; and how deep they nest. */
function endOf(text: string, start: number): { readonly end?: number; readonly depth: number } {
  const tokens = /"(?:[^"\\\n]|\\.)*"|[[\]{}]|"/g;
  tokens.lastIndex = start;
  let open = 0;
  let depth = 0;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    if (token.index - start > longest || token[0] === '"') break;
    if (token[0] === "{" || token[0] === "[") depth = Math.max(depth, ++open);
    else if ((token[0] === "}" || token[0] === "]") && --open === 0) return { end: tokens.lastIndex, depth };
  }
  return { depth };
}

function quotedEnd(text: string, start: number): number | undefined {
  const tokens = /\\.|["\n]/g;
  tokens.lastIndex = start;
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    if (token[0] === '"') return token.index;
    if (token[0] === "\n") return undefined;
  }
  return undefined;
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return "";
  }
}

/** The text with its slices as they are now. */
export function printed(text: string, slices: readonly Slice[]): string {
  let out = "";
  let from = 0;
  for (const { start, end, root, indent, isEscaped, before } of slices) {
    const now = print(root.value, indent);
    if (now === before) continue;
    out += text.slice(from, start) + (isEscaped ? JSON.stringify(now).slice(1, -1) : now);
    from = end;
  }
  return out + text.slice(from);
}

/** A log whose outermost values are printed anew. */
export function printedAnew(text: string, write: (value: unknown) => string): string | undefined {
  const slices = slicesOf(text).filter(({ isEscaped }) => !isEscaped);
  if (slices.length === 0) return undefined;
  let out = "";
  let from = 0;
  for (const { start, end } of slices) {
    const value = jsonValue(text.slice(start, end));
    out += text.slice(from, start) + (value === undefined ? text.slice(start, end) : write(value));
    from = end;
  }
  return out + text.slice(from);
}

/** All objects and arrays of a tree, also those that strings hold. */
export function* nodesOf(root: unknown, key = "", parent?: Node, level = 0): Generator<Node> {
  if (root instanceof Embedded) yield* nodesOf(root.value, key, parent, level + 1);
  else if (root instanceof Stream) {
    for (const { value } of root.events) yield* nodesOf(value?.value, key, parent, level + 1);
  } else if (Array.isArray(root) || isObject(root)) {
    const node: Node = { value: root, key, parent, level };
    yield node;
    for (const [name, value] of Object.entries(root)) yield* nodesOf(value, name, node, level);
  }
}

/** How many JSON objects and arrays begin a slice or a string: what a damaged quote or bracket makes fewer. */
export function bodiesOf(text: string): number {
  let count = 0;
  for (const { root } of slicesOf(text)) {
    count++;
    for (const { value } of nodesOf(root.value))
      for (const each of Object.values(value))
        if (each instanceof Embedded) count++;
        else if (each instanceof Stream) count += each.events.filter(({ value }) => value).length;
  }
  return count;
}
