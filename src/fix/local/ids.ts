import { isCall, isResult } from "../../conversation/conversation.ts";
import type { Demands } from "../../conversation/exchange.ts";
import type { Finding } from "../../findings/finding.ts";
import { fingerprintOf } from "../../findings/fingerprint.ts";
import { supported } from "../../protocols/protocol.ts";
import { editableItems, type HistoryEditor, hasFlaw, wireOf } from "../history-editor.ts";
import { membersOf } from "../json.ts";

export function nameCalls(editor: HistoryEditor, finding: Finding): void {
  for (const { call, result } of editor.step.pairing.mismatches) {
    const id = call.item.id;
    const place = supported(editor.protocol.places)?.(wireOf(result)).resultId;
    if (id === undefined || !place || finding.data["seen"] !== (result.item.callId ?? "")) continue;
    editor.set(result, place, id, { finding, evidence: call });
  }
}

export function setCallsApart(editor: HistoryEditor, finding: Finding): void {
  const places = supported(editor.protocol.places);
  const pairs = new Map(editor.step.pairing.pairs.map((pair) => [pair.call.item, pair]));
  for (const { first, second } of editor.step.pairing.sharedIds) {
    const id = second.item.id ?? "";
    if (!places || finding.data["callId"] !== id) continue;
    if (finding.kind === "twice") {
      editor.remove(second, { finding, evidence: first });
      continue;
    }
    const pair = pairs.get(second.item);
    const own = `${id}_2`;
    editor.set(second, places(wireOf(second)).callId, own, { finding });
    if (pair) editor.set(pair.result, places(wireOf(pair.result)).resultId, own, { finding });
  }
}

/** Derives new ids from the old ones, so that every request gets the same id. */
export function rewriteIds(editor: HistoryEditor, finding: Finding): void {
  const places = supported(editor.protocol.places);
  const { demands } = editor.step.exchange;
  if (!places) return;
  if (finding.kind === "item" || finding.kind === "swapped") {
    for (const placed of editableItems(editor))
      if (membersOf(wireOf(placed))?.["id"] === finding.data["seen"])
        editor.set(placed, "/id", undefined, { finding });
    return;
  }
  if (finding.kind === "missing") {
    for (const { call, result } of editor.step.pairing.mismatches) {
      if (call.item.id !== undefined || result.item.callId !== undefined) continue;
      const id = suitableId(`${call.element} ${call.item.name} ${call.item.argumentsText}`, demands);
      editor.set(call, places(wireOf(call)).callId, id, { finding });
      editor.set(result, places(wireOf(result)).resultId, id, { finding });
    }
    return;
  }
  for (const placed of editableItems(editor)) {
    const { item } = placed;
    const id = isCall(placed) ? placed.item.id : isResult(placed) ? placed.item.callId : undefined;
    if (id === undefined || (!hasFlaw(item, "bad-id") && isSuitable(id, demands))) continue;
    const { callId, resultId } = places(wireOf(placed));
    editor.set(placed, isCall(placed) ? callId : resultId, suitableId(id, demands), { finding });
  }
}

function isSuitable(id: string, { idPattern, maxIdLength = Number.POSITIVE_INFINITY }: Demands): boolean {
  return id !== "" && id.length <= maxIdLength && (!idPattern || idPattern.test(id));
}

export function suitableId(id: string, demands: Demands): string {
  const mark = fingerprintOf(id);
  const clean = id.replaceAll(/[^\w-]/g, "_");
  const short = `${clean.slice(0, 20)}_${mark.slice(0, 8)}`;
  const candidates = [clean, short, `call_${mark}`, mark, mark.slice(0, 9)];
  return candidates.find((candidate) => isSuitable(candidate, demands)) ?? `call_${mark}`;
}
