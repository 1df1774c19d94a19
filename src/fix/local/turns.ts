import { isCall, type Placed } from "../../conversation/conversation.ts";
import type { Finding } from "../../findings/finding.ts";
import { valueAt } from "../../reading/pointer.ts";
import type { HistoryEditor } from "../history-editor.ts";
import { membersOf, withValueAt } from "../json.ts";

export function settleTurns(editor: HistoryEditor, finding: Finding): void {
  const { history, historyPointer = "" } = editor.step.request ?? {};
  const { role, meant } = finding.data;
  if (finding.kind === "unknown") {
    for (let index = editor.from; history && meant !== undefined && index < history.length; index++)
      if (membersOf(editor.value(index))?.["role"] === role && !isAnswer(editor, index, meant))
        editor.write(index, withValueAt(editor.value(index), "/role", meant), { finding });
    return;
  }
  const element = Number(finding.locus.pointer.slice(historyPointer.length + 1).split("/")[0]);
  const [item] = history && element >= editor.from && element < history.length ? history.items(element) : [];
  if (!item || finding.locus.exchange !== editor.step.exchange) return;
  const placed: Placed = { item, step: editor.step, part: "request", element };
  const value = editor.value(element);
  if (finding.kind === "space") {
    const place = [item.pointer, `${item.pointer}/text`, `${item.pointer}/content`].find(
      (pointer) => typeof valueAt(value, pointer) === "string",
    );
    const text = place === undefined ? undefined : valueAt(value, place);
    if (place !== undefined && typeof text === "string")
      editor.set(placed, place.slice(item.pointer.length), text.trimEnd(), { finding });
  } else if (finding.kind === "system") editor.move(element, -1, { finding });
  else {
    const joined = joinedWords(editor.value(element - 1), value);
    if (joined === undefined || element - 1 < editor.from) return;
    editor.write(element - 1, joined, { finding });
    for (const each of history?.items(element) ?? [])
      editor.remove({ item: each, step: editor.step, part: "request", element }, { finding });
  }
}

/** Whether a message with an unknown role answers a call, so that it is not the model's. */
function isAnswer(editor: HistoryEditor, index: number, meant: unknown): boolean {
  const { items } = editor.protocol.decodeElement(withValueAt(editor.value(index), "/role", "tool"));
  return meant !== "user" && items.some((item) => item.kind === "result" && Boolean(item.callId));
}

/** Two messages joined into one; `undefined` if their contents have different forms. */
function joinedWords(first: unknown, second: unknown): unknown {
  for (const key of ["content", "parts"]) {
    const [a, b] = [membersOf(first)?.[key], membersOf(second)?.[key]];
    if (typeof a === "string" && typeof b === "string") return withValueAt(first, `/${key}`, `${a}\n\n${b}`);
    if (Array.isArray(a) && Array.isArray(b)) return withValueAt(first, `/${key}`, [...a, ...b]);
  }
  return undefined;
}

/** Moves the calls of one reply together, after the first of them. */
export function joinCalls(editor: HistoryEditor, finding: Finding): void {
  if (finding.kind !== "split") return;
  const calls = editor.step.echoes
    .flatMap(({ after }) => (isCall(after) && !after.item.isHosted ? [after] : []))
    .sort((a, b) => a.element - b.element);
  const [first, ...others] = calls;
  if (!first) return;
  const slash = first.item.pointer.lastIndexOf("/");
  const list = first.item.pointer.slice(0, Math.max(0, slash));
  for (const call of others) {
    if (call.element === first.element) continue;
    if (call.item.pointer === "") {
      editor.move(call.element, first.element, { finding });
      continue;
    }
    const taken = editor.remove(call, { finding });
    const parts = valueAt(editor.value(first.element), list);
    if (taken !== undefined && Array.isArray(parts))
      editor.add(first.element, list, parts.length, taken, { finding });
  }
}
