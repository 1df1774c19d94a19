import type { JsonNode } from "../../../reading/json-node.ts";
import { looksPrinted, printedLiteral } from "../../../reading/literal.ts";
import { scanJson } from "../../../reading/scan.ts";
import { Segments } from "../../../reading/segments.ts";
import { endsLine, type Line, lineAt } from "./lines.ts";

/** What stands before a message that a program prints with its place in the list. */
const numbered = /^(.{0,120}?\b(?:message|msg)s?[ #([]{0,2})(\d{1,5})([\])]?[ \t]{0,2}[:=.-]?[ \t]{0,2})$/i;

/** Longer beginnings of lines are no such prefix. */
const longestPrefix = 160;

interface Numbered {
  /** The same for all messages of a list. */
  readonly prefix: string;
  readonly number: number;
}

/**
 * The messages that a program prints one per line, each with its number (`Message 0: {…}`), as the list that
 * they were; `undefined` for less than two, or if a model's message begins them.
 */
export function numberedMessages(bytes: Buffer, begin: number, line: Line): Segments | undefined {
  const first = numberedAt(bytes, begin, line);
  if (!first || first.number > 1 || !isOthers(bytes, begin, line.end)) return undefined;
  const list = new Segments(bytes);
  list.write("[", begin, begin);
  list.copy(begin, line.end);
  let end = line.end;
  let count = 1;
  for (let { next } = line; next < bytes.length; count++) {
    const other = lineAt(bytes, next);
    const start = bytes.subarray(other.start, Math.min(other.end, other.start + longestPrefix)).indexOf(123);
    const found = start < 0 ? undefined : numberedAt(bytes, other.start + start, other);
    if (found?.prefix !== first.prefix || found.number !== first.number + count) break;
    if (!messageAt(bytes, other.start + start, other.end)) break;
    list.write(",", end, other.start + start);
    list.copy(other.start + start, other.end);
    ({ end, next } = other);
  }
  list.write("]", end, end);
  return count < 2 ? undefined : list;
}

function numberedAt(bytes: Buffer, begin: number, { start }: Line): Numbered | undefined {
  if (bytes[begin] !== 123 || begin - start > longestPrefix) return undefined;
  const [, before = "", number, after = ""] = numbered.exec(bytes.toString("latin1", start, begin)) ?? [];
  // Times differ from line to line.
  return number === undefined
    ? undefined
    : { prefix: `${before.replace(/\d+/g, "0")}#${after}`, number: Number(number) };
}

/** Whether somebody besides the model speaks there. */
function isOthers(bytes: Buffer, begin: number, end: number): boolean {
  const role = messageAt(bytes, begin, end);
  return role !== undefined && role !== "assistant" && role !== "model";
}

/** The role of the message that a line ends with, as JSON or printed. */
function messageAt(bytes: Buffer, begin: number, end: number): string | undefined {
  const printed = looksPrinted(bytes, begin, end) ? printedLiteral(bytes, begin, end) : undefined;
  const [text, node] = printed
    ? [printed.bytes, scanJson(printed.bytes, 0, printed.bytes.length)]
    : [bytes, scanJson(bytes, begin, end)];
  if (node?.state !== "complete" || endsLine(bytes, printed?.end ?? node.end) === undefined) return undefined;
  return roleOf(text, node);
}

function roleOf(text: Buffer, { members = [] }: JsonNode): string | undefined {
  const role = members.length > 1 ? members.find(({ key }) => key === "role")?.node : undefined;
  return role?.kind === "string" ? text.toString("utf8", role.start + 1, role.end - 1) : undefined;
}
