import type { JsonNode } from "../../../reading/json-node.ts";
import { readValue } from "../../../reading/json-values.ts";
import type { Range } from "../../../reading/lists.ts";
import { rewrittenSource } from "../../../reading/rewritten-source.ts";
import type { ScanHints } from "../../../reading/scan.ts";
import { Segments } from "../../../reading/segments.ts";
import { createPool } from "../../../reading/shared.ts";
import { type ByteSource, textStart } from "../../../reading/source.ts";
import { isFields } from "../../../reading/values.ts";
import { wholeView } from "../../../reading/view.ts";
import type { PastedPart, RecognizePart } from "../../../traffic/pasted-part.ts";
import { holdsBroken } from "../../payloads/slice.ts";
import { fencedBlocks, holdsVariables } from "./code-blocks.ts";
import { endsLine, lineAt } from "./lines.ts";
import { type TextValue, ValueReader } from "./value-reader.ts";
import { nextValue } from "./value-starts.ts";

/*
 * People paste parts of messages and of lists of messages without what stands around them: a call, a result,
 * a few items one behind another. Where they fill a block of code, or the file, the text is written with
 * messages and lists around them, and read again.
 */

/** A message, or a part of one, in a text. */
interface Fragment extends Range {
  readonly part: PastedPart;
  /** What it says, in one notation. */
  readonly value: string;
  /** As JSON, where the text has it in another notation. */
  readonly json: Buffer | undefined;
  /** A bracket beside it closes what nothing opens: the list has more elements before it. */
  readonly isHeadless?: true;
}

/** Fragments that stand one behind another in a block. */
type Group = readonly Fragment[];

/** A text with what its fragments lack around them; `undefined` if they lack nothing. */
export function withMessagesAround(source: ByteSource, recognize: RecognizePart): ByteSource | undefined {
  const bytes = source.read(0, source.size);
  const plain = new Segments(bytes);
  let done = 0;
  for (const group of joined(groupsIn(source, bytes, recognize))) {
    const list = listIn(group);
    const [first] = list;
    if (!first) continue;
    plain.copy(done, first.start);
    done = writeList(plain, bytes, list);
  }
  if (done === 0) return undefined;
  plain.copy(done, bytes.length);
  return rewrittenSource(source, plain, ({ bytes: patch }) => patch);
}

/** The groups in a text; `undefined` where another value stands between two. */
function groupsIn(source: ByteSource, bytes: Buffer, recognize: RecognizePart): (Group | undefined)[] {
  const text = bytes.toString("latin1");
  const fences = fencedBlocks(text);
  const blocks = fences.length > 0 ? fences : [{ start: 0, end: text.length }];
  const values = [...valuesIn(source, bytes, text)];
  const groups: (Group | undefined)[] = [];
  let first = 0;
  for (const block of blocks) {
    // Both stand in the order of the text, and there may be thousands of each.
    while ((values[first]?.begin ?? block.start) < block.start) first++;
    let behind = first;
    while ((values[behind]?.begin ?? block.end) < block.end) behind++;
    const own = values.slice(first, behind).filter(({ fileEnd }) => fileEnd <= block.end);
    const size = own.reduce((sum, { begin, fileEnd }) => sum + fileEnd - begin, 0);
    if (size <= text.slice(block.start, block.end).trim().length / 2) continue;
    let before: PastedValue | undefined;
    for (const [index, value] of own.entries()) {
      const lead = text.slice(before?.fileEnd ?? block.start, value.begin);
      const rest = text.slice(value.fileEnd, own[index + 1]?.begin ?? block.end);
      const found = fragmentsOf(value, bytes, recognize, closesMore(lead) || closesMore(rest));
      const last = groups.at(-1);
      // A list is a whole of its own; what follows it may go on from it.
      const goesOn =
        before !== undefined &&
        value.node.kind !== "array" &&
        between.test(text.slice(before.fileEnd, value.begin));
      if (found && last && goesOn) groups[groups.length - 1] = [...last, ...found];
      else groups.push(found);
      before = value;
    }
  }
  return groups;
}

/**
 * What stands between the elements of a list, perhaps in a quote: comments, dots for what was left out, or
 * the code that adds the next one.
 */
const between =
  /^(?:[\s,;>]|\.{3}|\xe2\x80\xa6|\/\/[^\n]*\n|#[^\n]*\n|\/\*[^*]*\*\/|\)[\s;]{0,8}[\w.]{1,40}\.(?:append|push|add)\()*$/;

/** Those that say something of what was left out. */
const shown = /\.{3}|\xe2\x80\xa6|\/\/|#|\/\*/;

/** Whether a text closes a bracket that it does not open. */
function closesMore(text: string): boolean {
  let depth = 0;
  for (const [mark] of text.matchAll(/"(?:[^"\\\n]|\\.)*"|[[\]{}]/g))
    if (mark === "[" || mark === "{") depth++;
    else if (mark.length === 1 && --depth < 0) return true;
  return false;
}

interface PastedValue extends TextValue {
  readonly begin: number;
}

/** How many possible starts of a value are tried per line. */
const maxTries = 8;

function* valuesIn(source: ByteSource, bytes: Buffer, text: string): Generator<PastedValue> {
  const none = new Set<string>();
  const hints: ScanHints = { historyKeys: none, stableKeys: none, pool: createPool(), shift: 0 };
  const reader = new ValueReader(wholeView(source), bytes, hints);
  for (let line = lineAt(bytes, textStart(bytes)); line.start < bytes.length; ) {
    let next = line.next;
    let from = line.start;
    for (let tries = 0; tries < maxTries; tries++) {
      const begin = nextValue(bytes, from, line);
      if (begin < 0) break;
      from = begin + 1;
      const value = reader.read(begin, line);
      if (value?.node.state === "complete" && !holdsBroken(value.node)) {
        if (!holdsVariables(text, { start: begin, end: value.fileEnd })) yield { ...value, begin };
        next = endsLine(bytes, value.fileEnd) ?? value.fileEnd;
        break;
      }
      // What stands in a value that is cut off, or is no JSON, is a part of that.
      const isOpen = value?.node.state === "open";
      const end = reader.broken(begin, line)?.fileEnd ?? (isOpen ? value.fileEnd : 0);
      if (end <= line.end && !isOpen) continue;
      next = Math.max(end, line.next);
      break;
    }
    line = next < line.end ? { ...line, start: next } : lineAt(bytes, Math.max(next, line.start + 1));
  }
}

/** The fragments that a value consists of; `undefined` for any other value. */
function fragmentsOf(
  value: PastedValue,
  bytes: Buffer,
  recognize: RecognizePart,
  isHeadless: boolean,
): Group | undefined {
  const { node, at, begin, fileEnd } = value;
  const nodes = node.kind === "array" ? (node.items ?? []) : [node];
  const isVerbatim = at.bytes === bytes;
  const found: Fragment[] = [];
  for (const each of nodes) {
    const own = messageOf(each);
    const read = own.kind === "object" ? readValue(at.bytes, own, at.level) : undefined;
    const part = isFields(read) ? recognize(read) : undefined;
    if (!part) return undefined;
    const start = isVerbatim ? own.start : found.length === 0 ? begin : fileEnd;
    const json = isVerbatim ? undefined : at.bytes.subarray(own.start, own.end);
    const value = JSON.stringify(read);
    const end = isVerbatim ? own.end : fileEnd;
    found.push({ start, end, part, value, json, ...(isHeadless && found.length === 0 && { isHeadless }) });
  }
  return found.length > 0 ? found : undefined;
}

/** A choice is the message in it, and so is a message in its member. */
function messageOf(node: JsonNode): JsonNode {
  const { members = [] } = node;
  const isAround = members.length === 1 || members.some(({ key }) => key === "finish_reason");
  const message = isAround ? members.find(({ key }) => key === "message")?.node : undefined;
  return message?.kind === "object" ? message : node;
}

/** The groups, as one from a call up to its result in a later group. */
function joined(groups: readonly (Group | undefined)[]): readonly Group[] {
  const all: Group[] = [];
  // Where the groups begin that a later one may continue.
  let from = 0;
  for (const group of groups) {
    if (!group) {
      from = all.length;
      continue;
    }
    const own = new Set(group.flatMap(({ part }) => part.made));
    const asked = new Set(group.flatMap(({ part }) => part.answered.filter((id) => !own.has(id))));
    const makes = ({ part }: Fragment): boolean => part.made.some((id) => asked.has(id));
    const first = all.findIndex((earlier, at) => at >= from && earlier.some(makes));
    if (first < 0) all.push(group);
    else all.push([...all.splice(first).flat(), ...group]);
  }
  return !groups.includes(undefined) && isCallAndResult(all) ? [all.flat()] : all;
}

/** Whether a text has one call and, apart from it, one result, which can only be meant for it. */
function isCallAndResult(groups: readonly Group[]): boolean {
  const [[call, ...more] = [], [result, ...others] = [], ...rest] = groups;
  if (!call || !result || more.length + others.length + rest.length > 0) return false;
  return call.part.made.length === 1 && result.part.answered.length === 1 && !result.part.hasCall;
}

/** The fragments of a group that make a list, or a message that its parts lack; none for any other group. */
function listIn(group: Group): Group {
  const firstCall = group.findIndex(({ part }) => part.hasCall);
  // The call of a result before all calls was not pasted, and programs print a message again.
  const own = group.filter(
    ({ part, value }, at) =>
      (at >= firstCall || !part.hasResult) && group.findIndex((each) => each.value === value) === at,
  );
  const [first] = own;
  const made = own.flatMap(({ part }) => part.made);
  // Different prints of one call are no list.
  if (own.some(({ part }) => part.hasResult) && new Set(made).size < made.length) return [];
  if (first?.isHeadless) return [];
  if (!first || (firstCall < 0 && (own.length < 2 || own.some(({ part }) => part.hasResult)))) return [];
  if (own.some(({ part }) => !part.isOfModel)) return own.length > 1 ? own : [];
  // Messages of the model, each with its role, are replies.
  const isOfMessage = first.part.before !== "" && own.every((each) => each === first || shares(each, first));
  return isOfMessage || (own.length > 1 && own.every(({ part }) => part.isElement)) ? own : [];
}

/** Whether two parts may stand in one message. */
function shares({ part }: Fragment, other: Fragment | undefined): boolean {
  return part.before.endsWith("[") && other?.part.before === part.before;
}

/** Writes fragments as a list of messages, or those of one message as that, and returns where they end. */
function writeList(plain: Segments, bytes: Buffer, list: Group): number {
  const [first, last] = [list[0] as Fragment, list.at(-1) as Fragment];
  const isList = first.part.before === "" || list.some(({ part }) => part.before !== first.part.before);
  const add = (text: string, at: number): void => {
    if (text !== "") plain.write(Buffer.from(text), at, at);
  };
  add(isList ? "[" : "", first.start);
  for (const [index, each] of list.entries()) {
    const { start, end, json, part } = each;
    const [before, next] = [list[index - 1], list[index + 1]];
    if (!shares(each, before)) add(part.before, start);
    if (json) plain.write(json, start, end);
    else plain.copy(start, end);
    if (!shares(each, next)) add(part.after, end);
    if (next) separate(plain, bytes, end, next.start);
  }
  add(isList ? "]" : "", last.end);
  return last.end;
}

/** Writes a comma where there is none; words between two blocks are left out. */
function separate(plain: Segments, bytes: Buffer, end: number, next: number): void {
  const text = bytes.toString("latin1", end, next);
  const comma = Buffer.from(",");
  if (!between.test(text) || !shown.test(text)) {
    plain.write(comma, end, next);
    return;
  }
  if (!/^\s*,/.test(text)) plain.write(comma, end, end);
  plain.copy(end, next);
}
