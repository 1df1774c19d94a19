import type { Finding } from "../../findings/finding.ts";
import { editableItems, type HistoryEditor } from "../history-editor.ts";
import { withValueAt } from "../json.ts";

export function removeReasoning(editor: HistoryEditor, finding: Finding): void {
  for (const placed of [...editableItems(editor)].reverse()) {
    const { item } = placed;
    if (item.kind !== "reasoning") continue;
    const isMeant =
      finding.kind === "member"
        ? item.pointer.endsWith(`/${String(finding.data["member"])}`)
        : finding.kind === "last" || finding.kind === "inSession" || item.seal !== undefined;
    if (isMeant) editor.remove(placed, { finding });
  }
}

/** Writes empty reasoning into the client's member for it: the original is unknown. */
export function leaveReasoningEmpty(editor: HistoryEditor, finding: Finding): void {
  const { member, element } = finding.data;
  if (finding.fix?.safety !== "inventing" || typeof member !== "string" || typeof element !== "number")
    return;
  const value = editor.value(element);
  const items = editor.items(element);
  const isBare = items.some(({ kind }) => kind === "call") && items.every(({ kind }) => kind !== "reasoning");
  if (isBare) editor.write(element, withValueAt(value, `/${member}`, ""), { finding });
}
