import type { Step } from "../../conversation/conversation.ts";
import { firstIndex } from "../../reading/lists.ts";
import { valueAt } from "../../reading/pointer.ts";
import type { HistoryEditor } from "../history-editor.ts";
import type { FixReason } from "../target.ts";

/** Whether a record wraps the message in more data. It covers one output; a result needs its own record. */
export function isEnveloped({ exchange }: Step, element: number): boolean {
  return exchange.session?.recordAt(`/${element}`)?.within.includes("/") === true;
}

/** Where the next reply of a session begins. It is not part of the turn, even if it follows directly. */
function endOfReply(step: Step, element: number): number {
  const lengths = lengthsTo(step);
  return (
    lengths[firstIndex(lengths.length, (at) => (lengths[at] ?? 0) > element)] ?? Number.POSITIVE_INFINITY
  );
}

const lengthsOfSteps = new WeakMap<Step, readonly number[]>();

/** The lengths of the histories of a session up to a step, in order: thousands of calls of it may be open. */
function lengthsTo(step: Step): readonly number[] {
  let lengths = lengthsOfSteps.get(step);
  if (!lengths) {
    const found = new Set<number>();
    for (let each = step.exchange.lineage ? step : undefined; each; each = each.parent)
      found.add(each.request?.history.length ?? 0);
    lengths = [...found].sort((a, b) => a - b);
    lengthsOfSteps.set(step, lengths);
  }
  return lengths;
}

/** What was found in a history that has not changed since. A turn may have thousands of open calls. */
interface Found {
  changes: number;
  readonly ends: Map<number, number>;
  /** The results at the beginning of the list that got the latest answer. */
  leading?: { readonly element: number; readonly list: string; readonly count: number };
}

const found = new WeakMap<HistoryEditor, Found>();

function foundIn(editor: HistoryEditor): Found {
  const known = found.get(editor);
  if (known?.changes === editor.changes()) return known;
  const fresh: Found = { changes: editor.changes(), ends: new Map() };
  found.set(editor, fresh);
  return fresh;
}

/** Adds an answer behind the results at the beginning of a list of parts. */
export function addAnswer(
  editor: HistoryEditor,
  element: number,
  list: string,
  value: unknown,
  why: FixReason,
): void {
  const { leading } = foundIn(editor);
  const isKnown = leading !== undefined && leading.element === element && leading.list === list;
  const count = isKnown ? leading.count : leadingResults(editor, element, list);
  const { ends } = foundIn(editor);
  editor.add(element, list, count, value, why);
  // One more answer in a list moves no element.
  found.set(editor, { changes: editor.changes(), ends, leading: { element, list, count: count + 1 } });
}

/** The last element of the assistant turn around `element`, including the result elements that follow it. */
export function endOfAnswers(editor: HistoryEditor, element: number): number {
  const { ends } = foundIn(editor);
  const end = ends.get(element) ?? lastAnswering(editor, element);
  ends.set(element, end);
  return end;
}

function lastAnswering(editor: HistoryEditor, element: number): number {
  const { step } = editor;
  const history = step.request?.history;
  let end = element;
  const limit = Math.min(history?.length ?? 0, endOfReply(step, element));
  while (history && end + 1 < limit && history.role(end + 1) === "assistant") end++;
  const isApart = isEnveloped(step, element);
  while (
    editor.value(end + 1) !== undefined &&
    editor.items(end + 1).length > 0 &&
    editor.items(end + 1).every(({ kind, pointer }) => kind === "result" && (pointer === "" || isApart))
  )
    end++;
  return end;
}

/** The user or tool element after an assistant turn, if there is one and it takes parts. */
export function answeringElement(editor: HistoryEditor, element: number, list: string): number | undefined {
  const next = endOfAnswers(editor, element) + 1;
  const { history } = editor.step.request ?? {};
  const role = history && next < history.length ? history.role(next) : undefined;
  const takesParts = role === "user" || role === "tool";
  return takesParts && Array.isArray(valueAt(editor.value(next), list)) ? next : undefined;
}

/** The number of results at the beginning of a list of parts. */
function leadingResults(editor: HistoryEditor, element: number, list: string): number {
  const places = new Set(
    editor
      .items(element)
      .filter(({ kind, pointer }) => kind === "result" && pointer.startsWith(`${list}/`))
      .map(({ pointer }) => Number(pointer.slice(list.length + 1))),
  );
  let count = 0;
  while (places.has(count)) count++;
  return count;
}
