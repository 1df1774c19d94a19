import { isResult } from "../../conversation/conversation.ts";
import type { Finding } from "../../findings/finding.ts";
import { supported } from "../../protocols/protocol.ts";
import { valueAt } from "../../reading/pointer.ts";
import { editableItems, type HistoryEditor } from "../history-editor.ts";
import { membersOf, withValueAt } from "../json.ts";

export function removeEmpty(bench: HistoryEditor, finding: Finding): void {
  const wanted = {
    text: "empty-text",
    blank: "blank-text",
    message: "empty-message",
    list: "empty-list",
    calls: "empty-calls",
  };
  const kind = (wanted as Readonly<Record<string, string>>)[finding.kind] ?? "";
  // From the end: what stands before keeps its place.
  for (const placed of [...editableItems(bench)].reverse()) {
    const flaw = placed.item.flaws?.find((found) => found.kind === kind);
    if (!flaw) continue;
    if (kind === "empty-calls" || kind === "empty-list") {
      const left = kind === "empty-list" ? "" : undefined;
      bench.write(placed.element, withValueAt(bench.value(placed.element), flaw.pointer, left), { finding });
    } else {
      const at = bench.at(placed) ?? "";
      const mark = membersOf(bench.remove(placed, { finding }))?.["cache_control"];
      if (mark !== undefined) markBefore(bench, placed.element, at, mark, finding);
    }
  }
}

/** The mark that the cache ends here, on the part before the one that stood at a place. */
function markBefore(
  bench: HistoryEditor,
  element: number,
  at: string,
  mark: unknown,
  finding: Finding,
): void {
  const slash = at.lastIndexOf("/");
  const before = `${at.slice(0, slash)}/${Number(at.slice(slash + 1)) - 1}`;
  const part = membersOf(valueAt(bench.value(element), before));
  // Thinking takes no mark.
  if (!part || part["cache_control"] !== undefined || /thinking/.test(String(part["type"]))) return;
  const marked = withValueAt(bench.value(element), `${before}/cache_control`, mark);
  bench.write(element, marked, { finding });
}

export function writeResultsAsText(bench: HistoryEditor, finding: Finding): void {
  const writes = supported(bench.protocol.writes);
  for (const placed of editableItems(bench)) {
    const flaw = placed.item.flaws?.find(({ kind }) => kind === "bad-content");
    if (!flaw || !writes || !isResult(placed)) continue;
    const at = bench.at(placed);
    if (at === undefined) continue;
    const pointer = `${at}${flaw.pointer.slice(placed.item.pointer.length)}`;
    const whole = bench.value(placed.element);
    const text = writes.content(valueAt(whole, pointer));
    bench.write(placed.element, withValueAt(whole, pointer, text), { finding });
  }
}
