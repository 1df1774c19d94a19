import { isResult } from "../../conversation/conversation.ts";
import type { Finding } from "../../findings/finding.ts";
import { supported } from "../../protocols/protocol.ts";
import { valueAt } from "../../reading/pointer.ts";
import { type Fields, fields, list, string } from "../../reading/values.ts";
import { editableItems, type HistoryEditor, hasFlaw } from "../history-editor.ts";
import { membersOf, withValueAt } from "../json.ts";
import { meantBy } from "./meant-by.ts";

export function removeEmpty(editor: HistoryEditor, finding: Finding): void {
  const wanted = {
    text: "empty-text",
    blank: "blank-text",
    message: "empty-message",
    list: "empty-list",
    calls: "empty-calls",
  };
  const kind = (wanted as Readonly<Record<string, string>>)[finding.kind] ?? "";
  const empty = [...editableItems(editor)].filter(({ item }) =>
    item.flaws?.some((flaw) => flaw.kind === kind),
  );
  // Backwards, so that earlier items keep their positions.
  for (const placed of meantBy(editor, kind, empty.reverse())) {
    const flaw = placed.item.flaws?.find((found) => found.kind === kind);
    if (!flaw) continue;
    if (kind === "empty-calls" || kind === "empty-list") {
      const left = kind === "empty-list" ? "" : undefined;
      editor.write(placed.element, withValueAt(editor.value(placed.element), flaw.pointer, left), {
        finding,
      });
    } else {
      const at = editor.at(placed) ?? "";
      const mark = membersOf(editor.remove(placed, { finding }))?.["cache_control"];
      if (mark !== undefined) markBefore(editor, placed.element, at, mark, finding);
    }
  }
}

/** Moves a cache mark to the part before the removed one. */
function markBefore(
  editor: HistoryEditor,
  element: number,
  at: string,
  mark: unknown,
  finding: Finding,
): void {
  const slash = at.lastIndexOf("/");
  const before = `${at.slice(0, slash)}/${Number(at.slice(slash + 1)) - 1}`;
  const part = membersOf(valueAt(editor.value(element), before));
  // Thinking blocks take no cache mark.
  if (!part || part["cache_control"] !== undefined || /thinking/.test(String(part["type"]))) return;
  const marked = withValueAt(editor.value(element), `${before}/cache_control`, mark);
  editor.write(element, marked, { finding });
}

export function writeResultsAsText(editor: HistoryEditor, finding: Finding): void {
  const writes = supported(editor.protocol.writes);
  const flawed = [...editableItems(editor)].filter(
    (placed) => isResult(placed) && placed.item.flaws?.some(({ kind }) => kind === "bad-content"),
  );
  for (const placed of meantBy(editor, "bad-content", flawed)) {
    const flaw = placed.item.flaws?.find(({ kind }) => kind === "bad-content");
    if (!flaw || !writes) continue;
    const at = editor.at(placed);
    if (at === undefined) continue;
    const pointer = `${at}${flaw.pointer.slice(placed.item.pointer.length)}`;
    const whole = editor.value(placed.element);
    const content = valueAt(whole, pointer);
    // An earlier finding may have had it written, and an object would be put into another one.
    const isFlawed = editor
      .items(placed.element)
      .some((now) => now.pointer === at && hasFlaw(now, "bad-content"));
    const written = isFlawed ? writes.content(textOfParts(content) ?? content, pointer) : content;
    editor.write(placed.element, withValueAt(whole, pointer, written), { finding });
  }
}

/** The text that text parts say, which is what the tool answered; `undefined` for any other content. */
function textOfParts(content: unknown): string | undefined {
  const parts = (Array.isArray(content) ? list(content) : [content]).map(fields);
  const isText = (part: Fields): boolean =>
    string(part["text"]) !== undefined && Object.keys(part).every((key) => key === "text" || key === "type");
  return parts.length > 0 && parts.every(isText) ? parts.map(({ text }) => text).join("\n") : undefined;
}
