import { isResult } from "../../conversation/conversation.ts";
import type { ToolCall } from "../../conversation/item.ts";
import type { Finding } from "../../findings/finding.ts";
import { supported } from "../../protocols/protocol.ts";
import { valueAt } from "../../reading/pointer.ts";
import { editableItems, type HistoryEditor, hasFlaw, wireOf } from "../history-editor.ts";
import { membersOf, withValueAt } from "../json.ts";

/** Writes what can only have been meant: the name of a member, a value of a closed list. */
export function correctWords(bench: HistoryEditor, finding: Finding): void {
  const { history } = bench.step.request ?? {};
  const { form } = bench.step.exchange;
  const { member, meant, seen } = finding.data;
  for (let element = bench.from; history && element < history.length; element++) {
    for (const fault of form?.elementFaults(element, history) ?? []) {
      if (fault.kind !== finding.kind || (fault.member ?? "") !== member || (fault.seen ?? "") !== seen)
        continue;
      const value = bench.value(element);
      const there = valueAt(value, fault.pointer);
      if (fault.kind === "text" && typeof there === "string")
        bench.write(element, withValueAt(value, fault.pointer, there.replaceAll(/\p{Cs}/gu, "?")), {
          finding,
        });
      if (typeof meant !== "string") continue;
      if (fault.kind === "value") bench.write(element, withValueAt(value, fault.pointer, meant), { finding });
      const renamed = fault.kind === "unknown" && renamedMember(there, String(member), meant);
      if (renamed) bench.write(element, withValueAt(value, fault.pointer, renamed), { finding });
    }
  }
}

/** An object with one of its members under another name, in its place; `undefined` when both names are there, or neither is. */
function renamedMember(value: unknown, from: string, to: string): unknown {
  const members = membersOf(value);
  if (!members || !Object.hasOwn(members, from)) return undefined;
  const { [to]: known, ...others } = members;
  if (known !== undefined && known !== null) return undefined;
  return Object.fromEntries(Object.entries(others).map(([key, inner]) => [key === from ? to : key, inner]));
}

export function addTypes(bench: HistoryEditor, finding: Finding): void {
  for (const placed of editableItems(bench)) {
    const { item } = placed;
    if (!hasFlaw(item, "missing-type") || (item.kind !== "call" && item.kind !== "result")) continue;
    const pair = bench.step.pairing.pairs.find(({ result }) => result.item === item);
    const type = pair && isResult(placed) ? resultType(bench, pair.call.item) : undefined;
    bench.set(placed, "/type", type ?? item.wireType, { finding });
  }
}

export function suitResults(bench: HistoryEditor, finding: Finding): void {
  for (const { call, result, what } of bench.step.pairing.misnamed) {
    if (what !== finding.kind || finding.data["callId"] !== (call.item.id ?? "")) continue;
    const why = { finding, evidence: call };
    if (what === "kind")
      bench.set(result, "/type", resultType(bench, call.item) ?? result.item.wireType, why);
    else {
      const place = supported(bench.protocol.places)?.(wireOf(result)).resultName;
      if (place) bench.set(result, place, call.item.name, why);
    }
  }
}

/** The kind of result that answers a call, where each kind has its own. */
function resultType({ step }: HistoryEditor, { wireType }: ToolCall): string | undefined {
  return step.exchange.demands.callKinds.get(wireType)?.results[0];
}

/** Of two forms of the same call, the one that this API has stays. */
export function leaveOneForm(bench: HistoryEditor, finding: Finding): void {
  const { pointer } = finding.locus;
  const base = bench.step.request?.historyPointer ?? "";
  for (const { element, item } of editableItems(bench)) {
    const flaw = item.flaws?.find(({ kind }) => kind === "other-protocol");
    const isHere =
      finding.locus.exchange !== bench.step.exchange || pointer === `${base}/${element}${flaw?.pointer}`;
    if (!flaw || !isHere || (flaw.detail !== undefined && flaw.detail !== finding.data["form"])) continue;
    bench.write(element, withValueAt(bench.value(element), flaw.pointer, undefined), { finding });
  }
}
