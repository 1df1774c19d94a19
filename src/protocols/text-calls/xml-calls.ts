import { readJsonCalls } from "./json-calls.ts";
import {
  afterSpace,
  type Draft,
  isToolName,
  matchAt,
  member,
  type Page,
  type Reading,
  type Span,
} from "./text-call.ts";
import { asArguments, fromValue, readWritten } from "./values.ts";

/** How a syntax writes one parameter. The value is what stands behind {@link open}, raw: `<` and `&` mean themselves. */
interface ParameterDialect {
  /** Sticky. Groups: the key, and what says whether the value is a string. */
  readonly open: RegExp;
  readonly close: RegExp;
  /** What ends a value whose closing tag is missing. */
  readonly stop: RegExp;
}

interface Parameters {
  readonly values: readonly {
    readonly key: string;
    readonly text: string;
    readonly isString: boolean | undefined;
  }[];
  readonly end: number;
  /** The text ended within a value. */
  readonly isCut: boolean;
}

function readParameters(page: Page, at: number, { open, close, stop }: ParameterDialect): Parameters {
  const values: { key: string; text: string; isString: boolean | undefined }[] = [];
  let end = at;
  for (;;) {
    const opened = matchAt(open, page.plain, end);
    if (!opened) return { values, end, isCut: false };
    const from = end + opened[0].length;
    const closed = page.find(close, from);
    const stopped = page.find(stop, from);
    const to = Math.min(closed?.start ?? Infinity, stopped?.start ?? Infinity);
    if (to === Infinity) return { values, end: page.text.length, isCut: true };
    const hint = opened[2];
    const isString = hint === undefined ? undefined : hint === "true";
    values.push({
      key: (opened[1] ?? "").trim(),
      text: withoutOuterBreaks(page.text.slice(from, to)),
      isString,
    });
    end = closed?.start === to ? closed.end : to;
  }
}

/** Templates put a value on lines of its own. */
function withoutOuterBreaks(text: string): string {
  const start = text.startsWith("\r\n") ? 2 : text.startsWith("\n") ? 1 : 0;
  const tail = text.endsWith("\r\n") ? 2 : text.endsWith("\n") ? 1 : 0;
  return text.slice(start, Math.max(start, text.length - tail));
}

/** The parameters as arguments, typed by the syntax's own hint, else by the declared schema, else strings. */
function typedArguments(
  page: Page,
  name: string,
  { values }: Parameters,
): Pick<Draft, "argumentsText" | "arguments"> {
  const schemas = page.tools.parameters(name) ?? {};
  const typed = values.map(({ key, text, isString }): [string, unknown] => {
    const schema = Object.hasOwn(schemas, key) ? schemas[key] : undefined;
    return [key, (isString ?? canBeString(schema)) ? text : parsed(text)];
  });
  return fromValue(Object.fromEntries(typed));
}

function parsed(text: string): unknown {
  const cursor = { text: text.trim(), at: 0 };
  const written = readWritten(cursor);
  return written && !written.isCut && cursor.at === cursor.text.length
    ? asArguments(cursor.text, written).arguments
    : text;
}

function canBeString(schema: unknown): boolean {
  const type = member(schema, "type");
  if (type !== undefined) return Array.isArray(type) ? type.includes("string") : type === "string";
  const choices = member(schema, "anyOf") ?? member(schema, "oneOf");
  if (Array.isArray(choices)) return choices.some(canBeString);
  const values = member(schema, "enum");
  return Array.isArray(values) ? values.some((value) => typeof value === "string") : true;
}

const functionDialect: ParameterDialect = {
  open: /\s*<parameter=([^>\n]{1,128})>/y,
  close: /<\/parameter>/g,
  stop: /<parameter=|<\/function>|<\/(?:seed:)?tool_call>/g,
};

/**
 * `<function=NAME>` with `<parameter=KEY>` (Qwen3-Coder, Seed-OSS) or with JSON (Llama 3.1, Groq, where the `>` is often lost).
 * `outer` is the wrapper's closing tag when the wrapper was opened.
 */
export function readFunctionTags(
  page: Page,
  start: number,
  at: number,
  family: string,
  outer?: RegExp,
): Reading {
  const drafts: Draft[] = [];
  let end = at;
  for (;;) {
    const opened = matchAt(
      /\s*<function=["']?([^\s<>{}"']{1,128})["']?[ \t]{0,8}(?:>|(?=\{))/y,
      page.text,
      end,
    );
    const name = opened?.[1] ?? "";
    if (!opened || !(isToolName(name) || page.tools.isDeclared(name))) break;
    const call = readFunctionBody(page, name, end + opened[0].length, family);
    if (!call) break;
    drafts.push({ ...call, start: drafts.length === 0 ? start : end });
    end = call.end;
    if (!call.isClosed || !outer) break;
  }
  // The closing tag of a wrapper whose opening tag was lost belongs to the call all the same.
  return enclose(page, drafts, end, outer ?? /<\/(?:seed:)?tool_call>/y, outer !== undefined);
}

function readFunctionBody(
  page: Page,
  name: string,
  at: number,
  family: string,
): Omit<Draft, "start"> | undefined {
  const body = afterSpace(page.text, at);
  const isAtEnd = body >= page.text.length;
  if (page.text[body] === "{") {
    const cursor = { text: page.text, at: body };
    const written = readWritten(cursor);
    if (!written) return undefined;
    const closed = matchAt(/\s*<\/?function(?:=[^>\n]{0,128})?>/y, page.text, cursor.at);
    const end = cursor.at + (closed?.[0].length ?? 0);
    return {
      family: "llama3-function-tag",
      name,
      ...asArguments(page.text, written),
      end,
      isClosed: closed !== undefined,
    };
  }
  const parameters = readParameters(page, body, functionDialect);
  const closed = parameters.isCut ? undefined : matchAt(/\s*<\/function>/y, page.text, parameters.end);
  if (
    parameters.values.length === 0 &&
    !closed &&
    !parameters.isCut &&
    !(isAtEnd && page.tools.isDeclared(name))
  )
    return undefined;
  const isCut = parameters.isCut || isAtEnd;
  const read = isCut
    ? { argumentsText: page.text.slice(body), arguments: undefined }
    : typedArguments(page, name, parameters);
  return {
    family,
    name,
    ...read,
    end: parameters.end + (closed?.[0].length ?? 0),
    isClosed: closed !== undefined,
  };
}

/** Takes the wrapper's closing tag into the last call; a wrapper that was opened and not closed leaves it open. */
function enclose(
  page: Page,
  drafts: readonly Draft[],
  end: number,
  close: RegExp,
  isOpened: boolean,
): Reading {
  const last = drafts.at(-1);
  if (!last) return undefined;
  const at = afterSpace(page.plain, end);
  const closed = last.arguments === undefined ? undefined : matchAt(close, page.plain, at);
  const whole = closed ? at + closed[0].length : end;
  // A wrapper's end also ends what its last call left open.
  const isClosed = closed !== undefined || (last.isClosed && !isOpened);
  return { calls: [...drafts.slice(0, -1), { ...last, end: whole, isClosed }], end: whole };
}

interface InvokeDialect {
  readonly open: RegExp;
  readonly close: RegExp;
  readonly outerClose: RegExp;
  readonly parameter: ParameterDialect;
}

function invokeDialect(prefix: string): InvokeDialect {
  const wrappers = "(?:function_calls|tool_calls|tool_call|calls)";
  return {
    open: new RegExp(`\\s*<${prefix}invoke\\s+name=["']([^"'<>\\n]{1,128})["'][^>\\n]{0,80}>`, "y"),
    close: new RegExp(`\\s*</${prefix}invoke>`, "y"),
    outerClose: new RegExp(`</${prefix}${wrappers}>`, "y"),
    parameter: {
      open: new RegExp(
        `\\s*<${prefix}parameter\\s+name=["']([^"'<>\\n]{1,128})["'](?:\\s+string=["'](true|false)["'])?[^>\\n]{0,80}>`,
        "y",
      ),
      close: new RegExp(`</${prefix}parameter>`, "g"),
      stop: new RegExp(`<${prefix}parameter\\s|</${prefix}(?:invoke|${wrappers})>`, "g"),
    },
  };
}

/** DeepSeek, also with doubled bars, and with a space behind them (V4.1). */
export const dsml = invokeDialect("\\|{1,2}DSML\\|{1,2} ?");
/** `<invoke>` with a namespace or without: MiniMax has it on the wrapper only, Step-3 and Claude on every tag. */
export const namespaced = invokeDialect("(?:[a-z]{1,12}:)?");

/** `<invoke name="NAME">` elements, one or more; `isOpened` when a wrapper's opening tag stands before them. */
export function readInvokes(
  page: Page,
  start: number,
  at: number,
  family: string,
  dialect: InvokeDialect,
  isOpened: boolean,
): Reading {
  const drafts: Draft[] = [];
  let end = at;
  for (;;) {
    const opened = matchAt(dialect.open, page.plain, end);
    const name = opened?.[1] ?? "";
    if (!opened || !(isToolName(name) || page.tools.isDeclared(name))) break;
    const from = drafts.length === 0 ? start : end;
    const body = afterSpace(page.text, end + opened[0].length);
    const cursor = { text: page.text, at: body };
    const json = page.text[body] === "{" ? readWritten(cursor) : undefined;
    const parameters = json ? undefined : readParameters(page, body, dialect.parameter);
    const isCut = json?.isCut ?? parameters?.isCut ?? false;
    const inside = json ? cursor.at : (parameters?.end ?? body);
    const closed = isCut ? undefined : matchAt(dialect.close, page.plain, inside);
    const isEmpty = !json && !closed && !isCut && parameters?.values.length === 0;
    if (isEmpty && inside < page.text.length) break;
    end = inside + (closed?.[0].length ?? 0);
    const read = json
      ? asArguments(page.text, json)
      : isCut || isEmpty || !parameters
        ? { argumentsText: page.text.slice(body), arguments: undefined }
        : typedArguments(page, name, parameters);
    drafts.push({ family, name, ...read, start: from, end, isClosed: closed !== undefined });
    if (!closed) break;
  }
  return enclose(page, drafts, end, dialect.outerClose, isOpened);
}

interface KeyValueDialect {
  readonly parameter: ParameterDialect;
  readonly close: RegExp;
}

function keyValueDialect(prefix: string): KeyValueDialect {
  return {
    parameter: {
      open: new RegExp(
        `\\s*<${prefix}arg_key>([^<>]{1,200})</${prefix}arg_key>\\s*<${prefix}arg_value>`,
        "y",
      ),
      close: new RegExp(`</${prefix}arg_value>`, "g"),
      stop: new RegExp(`<${prefix}arg_key>|</${prefix}tool_call>`, "g"),
    },
    close: new RegExp(`</${prefix}tool_call>`, "y"),
  };
}

const glm = keyValueDialect("");
const longcat = keyValueDialect("longcat_");

/** GLM and LongCat: the name, then `<arg_key>` and `<arg_value>` in turn. */
function readKeyValues(page: Page, start: number, at: number, family: string): Reading {
  const { parameter, close } = family === "longcat" ? longcat : glm;
  const opened = matchAt(/\s*([^\s<>{}"'`]{1,128})/y, page.text, at);
  const name = opened?.[1] ?? "";
  if (!opened || !(isToolName(name) || page.tools.isDeclared(name))) return undefined;
  const body = at + opened[0].length;
  const parameters = readParameters(page, body, parameter);
  if (parameters.values.length === 0 && !parameters.isCut) {
    // A name alone, closed at once or cut off, is a call only when there is such a tool.
    const next = afterSpace(page.text, body);
    const isCall = next >= page.text.length || matchAt(close, page.plain, next);
    if (!isCall || !page.tools.isDeclared(name)) return undefined;
  }
  const isCut = parameters.isCut || afterSpace(page.text, body) >= page.text.length;
  const read = isCut
    ? { argumentsText: page.text.slice(body), arguments: undefined }
    : typedArguments(page, name, parameters);
  const draft: Draft = { family, name, ...read, start, end: parameters.end, isClosed: false };
  return enclose(page, [draft], parameters.end, close, true);
}

/** `<tool_call>` is shared by Hermes (JSON), Qwen3-Coder (`<function=`) and GLM (`<arg_key>`); what follows decides. */
export function readToolCallTag(page: Page, { start, end }: Span): Reading {
  const close = /<\/tool_call>/y;
  const body = afterSpace(page.text, end);
  if (/[[{`]/.test(page.text[body] ?? ""))
    return readJsonCalls(page, start, body, { family: "hermes", close });
  if (page.text.startsWith("<function=", body))
    return readFunctionTags(page, start, body, "qwen3-coder", close);
  return readKeyValues(page, start, body, "glm45");
}

/** `<longcat_tool_call>`: JSON, or GLM's way with a prefix. */
export function readLongcat(page: Page, { start, end }: Span): Reading {
  const body = afterSpace(page.text, end);
  const close = /<\/longcat_tool_call>/y;
  if (page.text[body] === "{") return readJsonCalls(page, start, body, { family: "longcat", close });
  return readKeyValues(page, start, body, "longcat");
}

/** `<read_file><path>x</path></read_file>`: the tool is the element, its children are the parameters. Declared ones only. */
export function readToolElement(page: Page, { start, end: inside }: Span): Reading {
  const name = page.text.slice(start + 1, inside - 1);
  if (!page.tools.isDeclared(name)) return undefined;
  const schemas = page.tools.parameters(name) ?? {};
  const closed = page.find(`</${name}>`, inside);
  const limit = closed?.start ?? page.text.length;
  const values: Parameters["values"][number][] = [];
  let at = inside;
  let isCut = false;
  for (;;) {
    const opened = matchAt(/\s*<([\w-]{1,64})>/y, page.text, at);
    const key = opened?.[1] ?? "";
    if (!opened || !Object.hasOwn(schemas, key)) break;
    const from = at + opened[0].length;
    const valueEnd = page.find(`</${key}>`, from);
    isCut = !valueEnd || valueEnd.end > limit;
    if (!valueEnd || isCut) break;
    values.push({
      key,
      text: withoutOuterBreaks(page.text.slice(from, valueEnd.start)),
      isString: undefined,
    });
    at = valueEnd.end;
  }
  if (isCut ? closed : afterSpace(page.text, at) < limit || (!closed && values.length === 0))
    return undefined;
  const end = isCut ? limit : (closed?.end ?? at);
  const read = isCut
    ? { argumentsText: page.text.slice(inside), arguments: undefined }
    : typedArguments(page, name, { values, end, isCut });
  return {
    calls: [{ family: "prompt-xml-tools", name, ...read, start, end, isClosed: closed !== undefined }],
    end,
  };
}
