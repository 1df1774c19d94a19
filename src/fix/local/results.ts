import type { Placed } from "../../conversation/conversation.ts";
import type { Finding } from "../../findings/finding.ts";
import type { HistoryEditor } from "../history-editor.ts";
import { withValueAt } from "../json.ts";
import { answeringElement, endOfAnswers, isEnveloped, leadingResults } from "./answer-places.ts";

export function moveResults(bench: HistoryEditor, finding: Finding): void {
  for (const { call, result, between } of bench.step.pairing.misplaced) {
    if (finding.data["callId"] !== (call.item.id ?? "")) continue;
    const why = { finding, evidence: call };
    const { pointer } = result.item;
    if (pointer === "") {
      // Words of the model between two calls keep their place: the result goes right behind its own.
      const isSplit = between?.item.role === "assistant" && between.element > call.element;
      bench.move(result.element, isSplit ? call.element : endOfAnswers(bench, call.element), why);
      continue;
    }
    const isApart = isEnveloped(bench.step, result.element);
    if (isApart && bench.items(result.element).length === 1) {
      bench.move(result.element, endOfAnswers(bench, call.element), why);
      continue;
    }
    const list = pointer.slice(0, pointer.lastIndexOf("/"));
    const source = bench.value(result.element);
    if (source === undefined) continue;
    const target = isApart ? undefined : answeringElement(bench, call.element, list);
    const answers = bench.step.pairing.misplaced.filter((other) => other.result.element === result.element);
    // A message of nothing but results of one turn keeps its form.
    const isWhole = answers.length === bench.items(result.element).length && isOneTurn(bench, answers);
    if (target === undefined && isWhole) {
      bench.move(result.element, endOfAnswers(bench, call.element), why);
      continue;
    }
    if (target === undefined) {
      const taken = bench.remove(result, why);
      if (taken !== undefined)
        bench.insert(endOfAnswers(bench, call.element), withValueAt(source, list, [taken]), why);
      continue;
    }
    if (target < bench.from) continue;
    // The only part of its element leaves it empty: then the whole element is in the way, and goes.
    const taken = bench.remove(result, why);
    if (taken !== undefined && bench.value(target) === undefined)
      bench.insert(target, withValueAt(source, list, [taken]), why);
    else if (taken !== undefined) bench.add(target, list, leadingResults(bench, target, list), taken, why);
  }
}

/** All these results answer calls of the same turn. */
function isOneTurn(bench: HistoryEditor, answers: readonly { readonly call: Placed }[]): boolean {
  return new Set(answers.map(({ call }) => endOfAnswers(bench, call.element))).size === 1;
}

export function keepOneResult(bench: HistoryEditor, finding: Finding): void {
  for (const { call, first, second } of bench.step.pairing.duplicates) {
    if (finding.data["callId"] !== (call.item.id ?? "")) continue;
    const isFirstStub = finding.data["drops"] === "first";
    bench.remove(isFirstStub ? first : second, { finding, evidence: isFirstStub ? second : first });
  }
}
