import type { Finding } from "../../findings/finding.ts";
import { editableItems, type HistoryEditor, wireOf } from "../history-editor.ts";
import { membersOf } from "../json.ts";

export function leaveOut(bench: HistoryEditor, finding: Finding): void {
  const id = finding.data["itemId"];
  if (id === undefined) return;
  const same = [...editableItems(bench)].filter((placed) => membersOf(wireOf(placed))?.["id"] === id);
  for (const placed of finding.kind === "twice" ? same.slice(1) : same) bench.remove(placed, { finding });
}

/** A reference to something that only the log holds is replaced by it. */
export function sendInFull(bench: HistoryEditor, finding: Finding): void {
  const id = finding.data["id"];
  const made = bench.step.conversation.steps.find(
    ({ exchange, reply }) =>
      exchange.position < bench.step.exchange.position &&
      reply?.writings?.[0]?.some((value) => membersOf(value)?.["id"] === id),
  );
  const full = made?.reply?.writings?.[0]?.find((value) => membersOf(value)?.["id"] === id);
  const item = made?.reply?.items.find((other) => "id" in other && other.id === id);
  if (!made || full === undefined) return;
  for (const placed of editableItems(bench)) {
    if (placed.item.pointer !== "" || membersOf(wireOf(placed))?.["id"] !== id) continue;
    bench.write(placed.element, full, {
      finding,
      evidence: item && { item, step: made, part: "response", element: -1 },
    });
  }
}
