import type { BodyEdit } from "../containers/write/write-back.ts";
import type { Step } from "../conversation/conversation.ts";
import { longestIncreasingSubsequence } from "../conversation/stitch/longest-increasing-subsequence.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { plainText } from "../reading/escapes.ts";
import { pushAll } from "../reading/lists.ts";
import { pointerToken } from "../reading/pointer.ts";
import { isEqual, membersOf } from "./json.ts";
import type { HistoryEntry, RequestMember } from "./target.ts";

/** The edits that restore members outside the history, or remove them. */
export function memberEdits(members: readonly RequestMember[]): BodyEdit[] {
  return members.map(({ pointer, value, isThere, isGone }) =>
    isGone
      ? { op: "remove", pointer }
      : { op: isThere ? "replace" : "insert", pointer, json: jsonText(value) },
  );
}

/** The edits that turn a step's recorded history into `entries`. `protocol` reads a session's entries. */
export function historyEdits(step: Step, entries: readonly HistoryEntry[], protocol?: Protocol): BodyEdit[] {
  const history = step.request?.history;
  const pointer = step.request?.historyPointer ?? "";
  if (!history) return [];
  // A single text can be the whole history; a list replaces it.
  if (history.length === 1 && typeof history.element(0).value === "string" && entries.length > 1)
    return [{ op: "replace", pointer, json: JSON.stringify(entries.map(({ element }) => element.value)) }];
  const edits: BodyEdit[] = [];
  const places = entries.flatMap(({ recorded }) => recorded ?? []);
  const stays = new Set(longestIncreasingSubsequence(places).map((index) => places[index]));
  for (let index = 0; index < history.length; index++)
    if (!stays.has(index)) edits.push({ op: "remove", pointer: `${pointer}/${index}` });
  /** Index of the next entry that stays. */
  let at = 0;
  for (const [place, entry] of entries.entries()) {
    const { recorded, element } = entry;
    if (recorded !== undefined && stays.has(recorded)) {
      const was = history.element(recorded);
      if (was !== element) pushAll(edits, valueEdits(was.value, element.value, `${pointer}/${recorded}`));
      continue;
    }
    if (at <= place) {
      at = place + 1;
      while (at < entries.length && !stays.has(entries[at]?.recorded)) at++;
    }
    const isMoved = recorded !== undefined && history.element(recorded) === element;
    edits.push({
      op: "insert",
      pointer: `${pointer}/${entries[at]?.recorded ?? history.length}`,
      json: jsonOf(entry),
      ...(isMoved && { from: `${pointer}/${recorded}` }),
      ...(protocol && { answers: answeredBy(element.value, protocol) }),
    });
  }
  return edits;
}

/** The id of the first call that an entry answers. */
function answeredBy(value: unknown, protocol: Protocol): string | undefined {
  return protocol.decodeElement(value).items.find((item) => item.kind === "result")?.callId;
}

/** The JSON text of an entry. A copy keeps its exact bytes; `""` if the recording has no value there. */
function jsonOf({ copyOf, element }: HistoryEntry): string {
  const request = copyOf?.step.request;
  const { run } = request?.history ?? {};
  if (!copyOf || !request || !run || run.arrayEnd === 0) return JSON.stringify(element.value) ?? "";
  const { view } = request.place.span;
  const bytes = view.read(run.start(copyOf.element), run.end(copyOf.element));
  return plainText(bytes, 0, bytes.length, run.level);
}

/** A value as JSON; one that the recording does not have is null. */
function jsonText(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}

/** The smallest edits that turn one value into another. */
function valueEdits(from: unknown, to: unknown, pointer: string): BodyEdit[] {
  if (isEqual(from, to)) return [];
  const before = membersOf(from);
  const after = membersOf(to);
  if (before && after) return objectEdits(before, after, pointer);
  if (Array.isArray(from) && Array.isArray(to)) return elementEdits(from, to, pointer);
  return [{ op: "replace", pointer, json: jsonText(to) }];
}

function objectEdits(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  pointer: string,
): BodyEdit[] {
  const edits: BodyEdit[] = [];
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key) || after[key] === undefined)
      edits.push({ op: "remove", pointer: `${pointer}/${pointerToken(key)}` });
  let last: string | undefined;
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const place = `${pointer}/${pointerToken(key)}`;
    if (Object.hasOwn(before, key)) {
      pushAll(edits, valueEdits(before[key], value, place));
      last = key;
    } else {
      edits.push({
        op: "insert",
        pointer: place,
        json: jsonText(value),
        ...(last !== undefined && { after: last }),
      });
    }
  }
  return edits;
}

function elementEdits(from: readonly unknown[], to: readonly unknown[], pointer: string): BodyEdit[] {
  let head = 0;
  while (head < Math.min(from.length, to.length) && isEqual(from[head], to[head])) head++;
  let tail = 0;
  while (
    tail < Math.min(from.length, to.length) - head &&
    isEqual(from[from.length - 1 - tail], to[to.length - 1 - tail])
  )
    tail++;
  const [fromEnd, toEnd] = [from.length - tail, to.length - tail];
  const edits: BodyEdit[] = [];
  const common = Math.min(fromEnd, toEnd);
  for (let index = head; index < common; index++)
    pushAll(edits, valueEdits(from[index], to[index], `${pointer}/${index}`));
  for (let index = common; index < fromEnd; index++)
    edits.push({ op: "remove", pointer: `${pointer}/${index}` });
  for (let index = Math.max(head, common); index < toEnd; index++)
    edits.push({ op: "insert", pointer: `${pointer}/${fromEnd}`, json: jsonText(to[index]) });
  return edits;
}
