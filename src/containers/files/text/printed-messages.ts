import { printedLiteral, printedValue } from "../../../reading/literal.ts";
import { parseJson } from "../../../reading/parse.ts";
import { rewrittenSource } from "../../../reading/rewritten-source.ts";
import { Segments } from "../../../reading/segments.ts";
import type { ByteSource } from "../../../reading/source.ts";
import { callsKey } from "../../../traffic/vocabulary.ts";
import { type Line, lineAt } from "./lines.ts";

/**
 * Messages that a framework prints for people, under a headline each: LangChain's `pretty_print()` and
 * AutoGen's `Console`. Those without a break between them are the list that they were printed from.
 * @see https://reference.langchain.com/python/langchain_core/messages/
 * @see https://microsoft.github.io/autogen/stable/reference/python/autogen_agentchat.ui.html
 */

/** A printed message: its headline, and where its text begins and ends. */
interface Printed {
  readonly of: "langchain" | "autogen";
  /** `Human`, `Ai`, `Tool` of LangChain; of AutoGen the speaker, perhaps in the brackets of an event. */
  readonly speaker: string;
  readonly start: number;
  readonly begin: number;
  readonly end: number;
}

const headlines: readonly (readonly [Printed["of"], RegExp])[] = [
  // The tutorials of LangGraph for JavaScript count the messages of a kind.
  ["langchain", /^={3,60} (Human|Ai|System|Tool|Function|Chat) Message (?:\(\d{1,4}\) )?={3,60}\s*$/i],
  ["autogen", /^-{10} (\w[\w .()-]{0,100}) -{10}\s*$/],
];

/** Any of them, in a text of several lines. */
const headline = new RegExp(headlines.map(([, { source }]) => source).join("|"), "im");

/** How much of a log must have a headline, in bytes. */
const headSize = 256 << 10;

/** A log with each list of printed messages as JSON; any other source as it is. */
export function withPrintedMessages(source: ByteSource): ByteSource {
  if (!headline.test(source.read(0, Math.min(source.size, headSize)).toString("latin1"))) return source;
  const bytes = source.read(0, source.size);
  const plain = new Segments(bytes);
  let done = 0;
  for (const list of listsIn(bytes)) {
    const [first, last] = [list[0] as Printed, list.at(-1) as Printed];
    plain.copy(done, first.start);
    plain.write('{"messages":[', first.start, first.start);
    for (const [at, message] of list.entries()) {
      if (at > 0) plain.write(",", message.start, message.start);
      writeMessage(plain, bytes, message);
    }
    plain.write("]}\n", last.end, last.end);
    done = last.end;
  }
  if (done === 0) return source;
  plain.copy(done, bytes.length);
  return rewrittenSource(source, plain, () => undefined);
}

/** Each history that was printed: one that begins with the same message again is another print of it. */
function listsIn(bytes: Buffer): Printed[][] {
  const lists: PrintedList[] = [];
  for (const message of messagesIn(bytes)) {
    const text = bytes.toString("utf8", message.begin, message.end).trim();
    const current = lists.at(-1);
    if (current?.of === message.of && !current.beginsWith(message, text)) current.add(message, text);
    else lists.push(new PrintedList(message, text));
  }
  // A lone headline may stand above anything.
  return lists.map(({ messages }) => messages).filter(({ length }) => length > 1);
}

/** A history as it is printed. A graph that runs on prints its last message again, and a node its input. */
class PrintedList {
  readonly messages: Printed[] = [];
  readonly of: Printed["of"];
  private readonly seen = new Set<string>();
  private last = "";
  private open = 0;

  constructor(first: Printed, text: string) {
    this.of = first.of;
    this.add(first, text);
  }

  beginsWith({ speaker }: Printed, text: string): boolean {
    const [first] = this.seen;
    return this.messages.length > 1 && first === `${speaker} ${text}`;
  }

  add(message: Printed, text: string): void {
    const key = `${message.speaker} ${text}`;
    const calls = message.speaker === "Ai" ? (text.match(/^ {0,2}Call ID: /gm)?.length ?? 0) : 0;
    const isResult = message.speaker === "Tool" || message.speaker === "Function";
    // A call has an id of its own, and a result without a call says nothing new.
    const isAgain = this.seen.has(key) && (calls > 0 || (isResult && this.open === 0));
    if (isAgain || key === this.last) return;
    this.messages.push(message);
    this.seen.add(key);
    this.last = key;
    this.open = Math.max(0, this.open + calls - (isResult ? 1 : 0));
  }
}

function messagesIn(bytes: Buffer): Printed[] {
  const messages: Printed[] = [];
  let open: Omit<Printed, "end"> | undefined;
  for (let line = lineAt(bytes, 0); line.start < bytes.length; line = lineAt(bytes, line.next)) {
    const found = headlineOf(bytes, line);
    if (!found) continue;
    if (open) messages.push({ ...open, end: line.start });
    open = { ...found, start: line.start, begin: line.next };
  }
  if (open) messages.push({ ...open, end: bytes.length });
  return messages;
}

function headlineOf(bytes: Buffer, { start, end }: Line): Pick<Printed, "of" | "speaker"> | undefined {
  const first = bytes[start];
  if ((first !== EQUALS && first !== DASH) || end - start > longestHeadline) return undefined;
  const text = bytes.toString("latin1", start, end);
  for (const [of, form] of headlines) {
    const speaker = form.exec(text)?.[1];
    if (speaker !== undefined) return { of, speaker: of === "langchain" ? capitalized(speaker) : speaker };
  }
  return undefined;
}

function capitalized(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`;
}

const EQUALS = 61;
const DASH = 45;
const longestHeadline = 200;

function writeMessage(plain: Segments, bytes: Buffer, message: Printed): void {
  const text = bytes.toString("utf8", message.begin, message.end);
  const members =
    message.of === "langchain"
      ? langChainMessage(message.speaker, text)
      : autogenMessage(message.speaker, text);
  const headEnd = message.begin;
  const written = JSON.stringify(members);
  const content = JSON.stringify(members["content"]);
  const at = written.indexOf(content);
  // What is shown of the message is its text; the headline stands for the rest.
  plain.write(written.slice(0, at), message.start, headEnd);
  plain.write(content, headEnd, Math.max(headEnd, message.end - 1));
  plain.write(written.slice(at + content.length), Math.max(headEnd, message.end - 1), message.end);
}

type Members = Readonly<Record<string, unknown>> & { readonly content: unknown };

/** `Name: …`, a blank line, the content, and then the calls. */
function langChainMessage(speaker: string, text: string): Members {
  const [, name, rest = text] = /^Name: ([^\n]{1,100})\r?\n([\s\S]*)$/.exec(text) ?? [];
  const callsAt = rest.search(/^Tool Calls:\s*$/m);
  const said = (callsAt < 0 ? rest : rest.slice(0, callsAt)).trim();
  const content = speaker === "Ai" ? (blocksIn(said) ?? said) : said;
  const calls = callsAt < 0 ? [] : callsIn(rest.slice(callsAt));
  return {
    type: speaker.toLowerCase(),
    content,
    ...(name !== undefined && { name }),
    ...(calls.length > 0 && { [callsKey]: calls }),
  };
}

/** The blocks of a message, which JavaScript prints in place of its text. */
function blocksIn(text: string): readonly unknown[] | undefined {
  const value = /^\[\s*\{\s*["']?type["']?: ["']/.test(text) ? printedValue(text) : undefined;
  return Array.isArray(value) ? value : undefined;
}

/** `  multiply (call_1)`, ` Call ID: call_1`, `  Args:`, and each argument on a line of its own. */
function callsIn(text: string): object[] {
  const calls: { name: string; id: string; args: Map<string, string> }[] = [];
  let argument: string | undefined;
  for (const line of text.split(/\r?\n/).slice(1)) {
    const call = /^ {2}(\S{1,100}) \((\S{1,200})\)\s*$/.exec(line);
    const last = calls.at(-1);
    if (call) calls.push({ name: call[1] ?? "", id: call[2] ?? "", args: new Map() });
    const [, key, value = ""] = /^ {4}([\w.-]{1,100}): ?(.*)$/.exec(line) ?? [];
    if (call || /^ {1,2}(?:Call ID: |Args:)/.test(line)) argument = undefined;
    else if (last && key !== undefined) {
      argument = key;
      last.args.set(key, value);
    } else if (last && argument !== undefined) last.args.set(argument, `${last.args.get(argument)}\n${line}`);
  }
  return calls.map(({ name, id, args }) => ({
    name,
    id,
    args: Object.fromEntries([...args].map(([key, value]) => [key, argumentOf(value.trimEnd())])),
  }));
}

/** Python prints a text without quotes, and everything else as it is written. */
function argumentOf(text: string): unknown {
  const isWritten = /^(?:-?\d+(?:\.\d+)?|True|False|None|[[{][\s\S]*[\]}])$/.test(text);
  const value = isWritten ? (printedValue(`[${text}]`) as readonly unknown[] | undefined)?.[0] : undefined;
  return value === undefined ? text : value;
}

/** A text, or the list of calls or results as Python prints it. */
function autogenMessage(speaker: string, text: string): Members {
  const content = text.trim();
  const [, event, own] = /^(\w+(?:Event|Message)) \((.+)\)$/.exec(speaker) ?? [];
  const source = own ?? speaker;
  const isList = /^\[Function(?:Call|ExecutionResult)\(/.test(content);
  const bytes = Buffer.from(content);
  const literal = isList ? printedLiteral(bytes, 0, bytes.length) : undefined;
  const value = literal && parseJson(literal.bytes.toString("utf8"));
  const isCall = content.startsWith("[FunctionCall(");
  const type =
    event ??
    (value === undefined ? "TextMessage" : isCall ? "ToolCallRequestEvent" : "ToolCallExecutionEvent");
  return { type, source, content: value ?? content };
}
