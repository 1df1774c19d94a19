import type { Finding } from "../../findings/finding.ts";
import { editableItems, type HistoryEditor } from "../history-editor.ts";
import { withValueAt } from "../json.ts";

export function removeReasoning(bench: HistoryEditor, finding: Finding): void {
  for (const placed of [...editableItems(bench)].reverse()) {
    const { item } = placed;
    if (item.kind !== "reasoning") continue;
    const isMeant =
      finding.kind === "member"
        ? item.pointer.endsWith(`/${String(finding.data["member"])}`)
        : finding.kind === "last" || finding.kind === "inSession" || item.seal !== undefined;
    if (isMeant) bench.remove(placed, { finding });
  }
}

/** Says that there was no reasoning, in the member in which the client writes it: what was there nobody knows. */
export function leaveReasoningEmpty(bench: HistoryEditor, finding: Finding): void {
  const { member, element } = finding.data;
  if (finding.fix?.safety !== "inventing" || typeof member !== "string" || typeof element !== "number")
    return;
  const value = bench.value(element);
  const items = bench.items(element);
  const isBare = items.some(({ kind }) => kind === "call") && items.every(({ kind }) => kind !== "reasoning");
  if (isBare) bench.write(element, withValueAt(value, `/${member}`, ""), { finding });
}
