import type { Placed } from "../../conversation/conversation.ts";
import type { ToolCall, ToolResult } from "../../conversation/item.ts";
import { answerElsewhere } from "../../conversation/pairing/answers.ts";
import type { Finding } from "../../findings/finding.ts";
import { supported, type Writing } from "../../protocols/protocol.ts";
import { valueAt } from "../../reading/pointer.ts";
import { type HistoryEditor, wireOf } from "../history-editor.ts";
import { withValueAt } from "../json.ts";
import type { FixReason } from "../target.ts";
import { answeringElement, endOfAnswers, isEnveloped, leadingResults } from "./answer-places.ts";

/** What stands in place of a result that nobody kept; whoever reads it can tell that it was put in. */
export const noResult = "[No result of this call was kept. Added by toollint fix.]";

export function closeCalls(bench: HistoryEditor, finding: Finding): void {
  const writes = supported(bench.protocol.writes);
  const isKept = finding.fix?.safety === "safe";
  for (const call of bench.step.pairing.unanswered) {
    const answer = answerElsewhere(bench.step.conversation, call);
    const isMeant = finding.data["callId"] === (call.item.id ?? call.item.name);
    if (!isMeant || isKept !== (answer !== undefined) || bench.answered.has(call.item)) continue;
    bench.answered.add(call.item);
    const wire = call.part === "request" ? wireOf(call) : undefined;
    const closed = wire !== undefined && !answer && writes?.closed?.(wire, noResult);
    if (closed) {
      bench.set(call, "", closed, { finding });
      continue;
    }
    const writing = answer ? writingOf(answer) : writes?.result(call.item, noResult, wire);
    if (!writing) continue;
    const { element, part } = writing;
    const why: FixReason = answer ? { finding, evidence: answer } : { finding };
    if (call.part === "response") {
      // The server holds the call: its result comes first.
      if (finding.kind === "inChain") bench.insert(-1, element, { finding, evidence: call });
      continue;
    }
    if (call.element < bench.from || (answer && callByItsId(bench, call, answer, why))) continue;
    const isApart = isEnveloped(bench.step, call.element);
    const target = part && !isApart ? answeringElement(bench, call.element, part.list) : undefined;
    if (part && target !== undefined && bench.value(target) !== undefined)
      bench.add(target, part.list, leadingResults(bench, target, part.list), part.value, why);
    else if (isApart || !part || !bench.join(endOfAnswers(bench, call.element), part.list, part.value, why))
      bench.insert(endOfAnswers(bench, call.element), element, why);
  }
}

/** Where the very result stands under an id that no call has, it only needs its own. */
function callByItsId(
  bench: HistoryEditor,
  call: Placed<ToolCall>,
  answer: Placed<ToolResult>,
  why: FixReason,
): boolean {
  const orphan = bench.step.pairing.orphans.find(
    ({ result, lostCall }) => !lostCall && result.item.text.trim() === answer.item.text.trim(),
  )?.result;
  const place = orphan && supported(bench.protocol.places)?.(wireOf(orphan)).resultId;
  if (!orphan || !place || orphan.element < bench.from || call.item.id === undefined) return false;
  const isTaken = bench
    .items(orphan.element)
    .every((item) => item.kind !== "result" || item.callId !== orphan.item.callId);
  if (isTaken) return false;
  bench.set(orphan, place, call.item.id, why);
  return true;
}

/** A result as another request holds it. */
function writingOf(answer: Placed<ToolResult>): Writing {
  const element = answer.step.request?.history.element(answer.element).value;
  const { pointer } = answer.item;
  if (pointer === "") return { element };
  const list = pointer.slice(0, pointer.lastIndexOf("/"));
  const value = valueAt(element, pointer);
  return { element: withValueAt(element, list, [value]), part: { list, value } };
}

/** The words of a result stay: they may be all that tells what was done. */
export function turnIntoText(bench: HistoryEditor, finding: Finding): void {
  const writes = supported(bench.protocol.writes);
  if (!writes || finding.fix?.safety !== "lossy") return;
  for (const { result } of bench.step.pairing.orphans) {
    const pointer = bench.at(result);
    if (result.element < bench.from || pointer === undefined) continue;
    if (finding.data["callId"] !== (result.item.callId ?? "")) continue;
    const { element, part } = writes.text(toldAs(result), bench.value(result.element));
    const isAlone = !part && bench.items(result.element).length === 1;
    if (pointer === "" || isAlone) bench.write(result.element, element, { finding });
    else if (part) {
      const list = pointer.slice(0, pointer.lastIndexOf("/"));
      const whole = bench.value(result.element);
      const held = valueAt(whole, list);
      if (!Array.isArray(held)) continue;
      const index = Number(pointer.slice(list.length + 1));
      // Results come first in such a message, words behind them.
      const rest = held.filter((_, place) => place !== index);
      bench.write(result.element, withValueAt(whole, list, [...rest, part.value]), { finding });
    }
    if (bench.items(result.element).some(({ kind }) => kind === "result")) continue;
    const behind = lastAnswer(bench, result.element);
    if (behind !== undefined) bench.move(result.element, behind, { finding });
  }
}

/** The last of the results right behind an element: words must not part them from their calls. */
function lastAnswer(bench: HistoryEditor, element: number): number | undefined {
  const orphans = new Set(bench.step.pairing.orphans.map(({ result }) => result.element));
  let last: number | undefined;
  for (let next = element + 1; bench.value(next) !== undefined; next++) {
    const items = bench.items(next);
    if (items.length === 0 || items.some(({ kind }) => kind !== "result")) break;
    if (!orphans.has(next)) last = next;
  }
  return last;
}

function toldAs({ item }: Placed<ToolResult>): string {
  const of = [item.name, item.callId].filter((word) => word !== undefined).join(", ");
  return `[Result of a tool call that is not in this history${of && ` (${of})`}]\n${item.text}`;
}
