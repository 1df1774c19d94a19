import { type Envelope, readJsonCalls, splitParallelWrapper } from "./json-calls.ts";
import {
  afterSpace,
  type Draft,
  isToolName,
  matchAt,
  type Page,
  type Reading,
  type Span,
} from "./text-call.ts";
import { asArguments, fromValue, readWritten } from "./values.ts";
import { namespaced, readInvokes } from "./xml-calls.ts";

type Read = Pick<Draft, "argumentsText" | "arguments"> & { readonly end: number; readonly isCut: boolean };

/**
 * Reads what stands at `at` as arguments: one JSON value, perhaps fenced. Anything else is taken raw up to the next `close`,
 * because the tokens before it left no doubt that it is a call; without a `close` ahead, it is none.
 */
function readArguments(page: Page, at: number, close?: RegExp): Read | undefined {
  const from = at + (matchAt(/\s*(?:`{3,}\w*\s*)?/y, page.text, at)?.[0].length ?? 0);
  const cursor = { text: page.text, at: from };
  const written = /[[{]|^$/.test(page.text[from] ?? "") ? readWritten(cursor) : undefined;
  if (written) {
    const end = cursor.at + (from > at ? (matchAt(/\s*`{3,}/y, page.text, cursor.at)?.[0].length ?? 0) : 0);
    return { ...asArguments(page.text, written), end, isCut: written.isCut };
  }
  const stop = close && page.find(close, from);
  if (!stop) return undefined;
  return {
    argumentsText: page.text.slice(from, stop.start).trim(),
    arguments: undefined,
    end: stop.start,
    isCut: false,
  };
}

const callEnd = /<\|{1,2}tool[_ ]calls?(?:[_ ]section)?[_ ]end\|{1,2}>/g;

/**
 * DeepSeek, Step-3 and Kimi share the shape: a section of calls, each with a header, a separator and its arguments.
 * `at` is behind the section's begin token, or at the first call's when the section's is missing.
 */
export function readSection(page: Page, { start, end: at }: Span): Reading {
  const drafts: Draft[] = [];
  let end = at;
  for (;;) {
    const begin = matchAt(/\s*<\|{1,2}tool[_ ]call[_ ]begin\|{1,2}>/y, page.plain, end);
    if (!begin && drafts.length > 0) break;
    const call = readSectionCall(page, end + (begin?.[0].length ?? 0));
    if (!call) break;
    drafts.push({ ...call, start: drafts.length === 0 ? start : end });
    end = call.end;
    if (!call.isClosed) break;
  }
  const last = drafts.at(-1);
  if (!last) return undefined;
  const close = matchAt(/\s*<\|{1,2}tool[_ ]calls[_ ](?:section[_ ])?end\|{1,2}>/y, page.plain, end);
  end += close?.[0].length ?? 0;
  return {
    calls: [...drafts.slice(0, -1), { ...last, end, isClosed: last.isClosed || close !== undefined }],
    end,
  };
}

function readSectionCall(page: Page, at: number): Omit<Draft, "start"> | undefined {
  const header = matchAt(
    /([^<]{0,200})<\|{1,2}(tool[_ ]call[_ ]argument[_ ]begin|tool[_ ]sep)\|{1,2}>/y,
    page.plain,
    at,
  );
  if (!header) return undefined;
  const [whole, label = "", separator = ""] = header;
  let body = at + whole.length;
  let family = "deepseek-v31";
  let name = label.trim();
  let id: string | undefined;
  if (separator.includes("argument")) {
    family = "kimi-k2";
    id = name;
    name = name.replace(/^functions\./, "").replace(/:\d{1,9}$/, "");
  } else if (name === "function") {
    if (matchAt(/\s*<steptml:/y, page.plain, body)) return readStep(page, body);
    const line = matchAt(/\s*([^\s<>{}`]{1,128})[ \t]*/y, page.text, body);
    if (!line) return undefined;
    family = "deepseek-v3";
    name = line[1] ?? "";
    body += line[0].length;
  }
  if (!(isToolName(name) || page.tools.isDeclared(name))) return undefined;
  const read = readArguments(page, body, callEnd);
  if (!read) return undefined;
  const { end, isCut, ...written } = read;
  const closed = isCut ? undefined : matchAt(/\s*<\|{1,2}tool[_ ]call[_ ]end\|{1,2}>/y, page.plain, end);
  return {
    family,
    name,
    id,
    ...written,
    end: end + (closed?.[0].length ?? 0),
    isClosed: closed !== undefined,
  };
}

function readStep(page: Page, at: number): Omit<Draft, "start"> | undefined {
  const call = readInvokes(page, at, at, "step3", namespaced, false)?.calls[0];
  if (!call) return undefined;
  const closed = matchAt(/\s*<\|{1,2}tool[_ ]call[_ ]end\|{1,2}>/y, page.plain, call.end);
  return { ...call, end: call.end + (closed?.[0].length ?? 0) };
}

/** Mistral: a JSON array up to Large 2407, `NAME[CALL_ID]ID[ARGS]JSON` since. */
export function readMistral(page: Page, { start, end: at }: Span): Reading {
  const body = afterSpace(page.text, at);
  if (/[[{]/.test(page.text[body] ?? "")) return readJsonCalls(page, start, body, { family: "mistral-v3" });
  const header = matchAt(
    /([^\s<>{}"'[\]]{1,128})\s{0,4}(?:\[CALL_ID\]\s{0,4}([\w-]{1,64})\s{0,4})?(?:\[ARGS\]|(?=\s{0,4}\{))/y,
    page.text,
    body,
  );
  return header
    ? readMistralArguments(page, start, body + header[0].length, header[1] ?? "", header[2])
    : undefined;
}

/** The same when `[TOOL_CALLS]` was swallowed: the name stands right before `[ARGS]`. */
export function readBareMistral(page: Page, { start, end }: Span): Reading {
  const before = page.text.slice(Math.max(0, start - 128), start);
  const name = /[\w.-]*$/.exec(before)?.[0] ?? "";
  return readMistralArguments(page, start - name.length, end, name, undefined);
}

function readMistralArguments(
  page: Page,
  start: number,
  at: number,
  name: string,
  id: string | undefined,
): Reading {
  if (!(isToolName(name) || page.tools.isDeclared(name))) return undefined;
  const cursor = { text: page.text, at };
  const written = readWritten(cursor);
  if (!written || (written.kind === "scalar" && !written.isCut)) return undefined;
  const read = asArguments(page.text, written);
  const end = cursor.at;
  return { calls: [{ family: "mistral-v11", name, id, ...read, start, end, isClosed: !written.isCut }], end };
}

const messageEnd = /<\|(?:call|end|return)\|>/g;

/**
 * Harmony (gpt-oss): a header with `to=RECIPIENT` in the role's or the channel's part, then the arguments. Leaks lose some or
 * all of the tokens: `assistantcommentary to=functions.x json{…}`.
 */
export function readHarmony(page: Page, { start }: Span): Reading {
  const head = page.plain.slice(start, start + 400);
  const message = head.indexOf("<|message|>");
  const brace = head.indexOf("{");
  const isMarked = message >= 0 && (brace < 0 || message < brace);
  const length = isMarked ? message : brace;
  const header = length < 0 ? head : head.slice(0, length);
  const recipient = /(?:^|[\s>])to=([^\s<{]{1,128})/.exec(header)?.[1];
  if (length < 0 || !recipient || /<\|(?:end|call|return)\|>/.test(header)) return undefined;
  if (["assistant", "user", "all"].includes(recipient) || !isToolName(recipient)) return undefined;
  const read = readArguments(page, start + length + (isMarked ? "<|message|>".length : 0), messageEnd);
  if (!read) return undefined;
  const end = read.end + (matchAt(/\s*<\|(?:call|end|return)\|>/y, page.plain, read.end)?.[0].length ?? 0);
  const name = recipient.replace(/^functions\.(?=.)/, "");
  const { argumentsText, arguments: value, isCut } = read;
  // A built-in tool such as `python` takes plain text: as a value, that is a string.
  const written =
    isCut || value !== undefined ? { argumentsText, arguments: value } : fromValue(argumentsText);
  const draft = { family: "harmony", name, ...written, start, end, isClosed: !isCut };
  const inner = splitParallelWrapper(name, value);
  if (inner.length === 0) return { calls: [draft], end };
  return { calls: inner.map((call) => ({ ...draft, ...call, family: "multi_tool_use" })), end };
}

/** Functionary v2: `<|recipient|>NAME\n<|content|>JSON`. */
export function readFunctionaryV2(page: Page, { start, end: at }: Span): Reading {
  const header = matchAt(/\s*([^\s<>{}"']{1,128})\s{0,8}<\|content\|>/y, page.plain, at);
  const name = header?.[1] ?? "";
  if (!header || name === "all" || !isToolName(name)) return undefined;
  return readNamed(page, start, at + header[0].length, { family: "functionary-v2" }, name);
}

/** Functionary v3.2: `>>>NAME`, and JSON on the next line. */
export function readFunctionaryV3(page: Page, { start, end: at }: Span): Reading {
  const header = matchAt(/([^\s<>{}"'()]{1,128})[ \t]{0,8}\r?\n(?=\{)/y, page.text, at);
  const name = header?.[1] ?? "";
  if (!header || !isToolName(name)) return undefined;
  return readNamed(page, start, at + header[0].length, { family: "functionary-v3.2", isWeak: true }, name);
}

/** Qwen-Agent: `✿FUNCTION✿: NAME`, then `✿ARGS✿: JSON`. */
export function readQwenAgent(page: Page, { start, end: at }: Span): Reading {
  const header = matchAt(/[ \t]{0,8}([^\s<>{}"'✿]{1,128})\s{0,8}✿ARGS✿[:：]/y, page.text, at);
  const name = header?.[1] ?? "";
  if (!header || !isToolName(name)) return undefined;
  return readNamed(page, start, at + header[0].length, { family: "qwen-agent" }, name);
}

/** Arguments that follow a name of their own. */
function readNamed(
  page: Page,
  start: number,
  at: number,
  { family, isWeak = false }: Envelope,
  name: string,
): Reading {
  const read = readArguments(page, at);
  if (!read) return undefined;
  const { end, isCut, ...written } = read;
  return { calls: [{ family, name, ...written, start, end, isClosed: !isCut, isWeak }], end };
}

/** ReAct: `Action: NAME`, then `Action Input:` with JSON or, as the protocol allows, a line of plain text. */
export function readReact(page: Page, { start, end: at }: Span): Reading {
  const header = matchAt(/([^\s"'`<>{}()]{1,128})[ \t]*\r?\n[ \t]{0,8}Action Input:[ \t]*/y, page.text, at);
  const name = header?.[1] ?? "";
  if (!header || !isToolName(name)) return undefined;
  const body = at + header[0].length;
  const line = matchAt(/[^\r\n]*/y, page.text, body)?.[0] ?? "";
  const read = readArguments(page, body) ?? {
    ...fromValue(line.trim()),
    end: body + line.length,
    isCut: false,
  };
  const { end, isCut, ...written } = read;
  return { calls: [{ family: "react", name, ...written, start, end, isClosed: !isCut, isWeak: true }], end };
}

/** Groq's `failed_generation`: `NAME{…}</function>`, the whole of `from` to `to`. */
export function readHeadlessFunction(page: Page, from: number, to: number): Draft[] {
  const name = matchAt(/[A-Za-z_][\w.-]{0,127}(?=\{)/y, page.text, from)?.[0];
  if (name === undefined || !page.text.slice(0, to).endsWith("</function>")) return [];
  const cursor = { text: page.text, at: from + name.length };
  const written = readWritten(cursor);
  if (!written || afterSpace(page.text, cursor.at) !== to - "</function>".length) return [];
  const read = asArguments(page.text, written);
  return [
    { family: "llama3-function-tag", name, ...read, start: from, end: to, isClosed: true, isWeak: true },
  ];
}
