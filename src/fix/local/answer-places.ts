import type { Step } from "../../conversation/conversation.ts";
import { valueAt } from "../../reading/pointer.ts";
import type { HistoryEditor } from "../history-editor.ts";

/** A record of a session that has more to say than the message in it holds what was said at once: a result gets one of its own. */
export function isEnveloped({ exchange }: Step, element: number): boolean {
  return exchange.session?.recordAt(`/${element}`)?.within.includes("/") === true;
}

/** Where the next reply of a session begins: what was said in another breath is no part of the turn, even when nothing stands between. */
function endOfReply(step: Step, element: number): number {
  let end = Number.POSITIVE_INFINITY;
  for (let each = step.exchange.lineage ? step : undefined; each; each = each.parent) {
    const length = each.request?.history.length ?? 0;
    if (length > element) end = Math.min(end, length);
  }
  return end;
}

/** The last element of the assistant turn that an element belongs to, and of the whole elements with results behind it. */
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

/** The element of the user, or of the tools, behind an assistant turn, where one is there and takes parts. */
export function answeringElement(bench: HistoryEditor, element: number, list: string): number | undefined {
  const next = endOfAnswers(bench, element) + 1;
  const { history } = bench.step.request ?? {};
  const role = history && next < history.length ? history.role(next) : undefined;
  const takesParts = role === "user" || role === "tool";
  return takesParts && Array.isArray(valueAt(bench.value(next), list)) ? next : undefined;
}

/** How many results stand at the beginning of a list of parts. */
export function leadingResults(bench: HistoryEditor, element: number, list: string): number {
  const places = new Set(
    bench
      .items(element)
      .filter(({ kind, pointer }) => kind === "result" && pointer.startsWith(`${list}/`))
      .map(({ pointer }) => Number(pointer.slice(list.length + 1))),
  );
  let count = 0;
  while (places.has(count)) count++;
  return count;
}
