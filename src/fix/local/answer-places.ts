import type { Step } from "../../conversation/conversation.ts";
import { valueAt } from "../../reading/pointer.ts";
import type { HistoryEditor } from "../history-editor.ts";

/** Whether a record wraps the message in more data. It covers one output; a result needs its own record. */
export function isEnveloped({ exchange }: Step, element: number): boolean {
  return exchange.session?.recordAt(`/${element}`)?.within.includes("/") === true;
}

/** Where the next reply of a session begins. It is not part of the turn, even if it follows directly. */
function endOfReply(step: Step, element: number): number {
  let end = Number.POSITIVE_INFINITY;
  for (let each = step.exchange.lineage ? step : undefined; each; each = each.parent) {
    const length = each.request?.history.length ?? 0;
    if (length > element) end = Math.min(end, length);
  }
  return end;
}

/** The last element of the assistant turn around `element`, including the result elements that follow it. */
export function endOfAnswers({ step, items, value }: HistoryEditor, element: number): number {
  const history = step.request?.history;
  let end = element;
  const limit = Math.min(history?.length ?? 0, endOfReply(step, element));
  while (history && end + 1 < limit && history.role(end + 1) === "assistant") end++;
  const isApart = isEnveloped(step, element);
  while (
    value(end + 1) !== undefined &&
    items(end + 1).length > 0 &&
    items(end + 1).every(({ kind, pointer }) => kind === "result" && (pointer === "" || isApart))
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
export function leadingResults(editor: HistoryEditor, element: number, list: string): number {
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
