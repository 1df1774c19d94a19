import type { Finding } from "../../findings/finding.ts";
import { editableItems, type HistoryEditor } from "../history-editor.ts";
import { wireOf } from "../item-places.ts";
import { membersOf } from "../json.ts";

export function leaveOut(editor: HistoryEditor, finding: Finding): void {
  const id = finding.data["itemId"];
  if (id === undefined) return;
  const same = [...editableItems(editor)].filter((placed) => membersOf(wireOf(placed))?.["id"] === id);
  for (const placed of finding.kind === "twice" ? same.slice(1) : same) editor.remove(placed, { finding });
}

/** Replaces a reference by the item, if only the log contains it. */
export function sendInFull(editor: HistoryEditor, finding: Finding): void {
  const id = finding.data["id"];
  const made = editor.step.conversation.steps.find(
    ({ exchange, reply }) =>
      exchange.position < editor.step.exchange.position &&
      reply?.writings?.[0]?.some((value) => membersOf(value)?.["id"] === id),
  );
  const full = made?.reply?.writings?.[0]?.find((value) => membersOf(value)?.["id"] === id);
  const item = made?.reply?.items.find((other) => "id" in other && other.id === id);
  if (!made || full === undefined) return;
  for (const placed of editableItems(editor)) {
    if (placed.item.pointer !== "" || membersOf(wireOf(placed))?.["id"] !== id) continue;
    editor.write(placed.element, full, {
      finding,
      evidence: item && { item, step: made, part: "response", element: -1 },
    });
  }
}
