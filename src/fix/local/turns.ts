import { isCall, type Placed } from "../../conversation/conversation.ts";
import type { Finding } from "../../findings/finding.ts";
import { valueAt } from "../../reading/pointer.ts";
import type { HistoryEditor } from "../history-editor.ts";
import { membersOf, withValueAt } from "../json.ts";

export function settleTurns(bench: HistoryEditor, finding: Finding): void {
  const { history, historyPointer = "" } = bench.step.request ?? {};
  const { role, meant } = finding.data;
  if (finding.kind === "unknown") {
    for (let index = bench.from; history && meant !== undefined && index < history.length; index++)
      if (membersOf(bench.value(index))?.["role"] === role)
        bench.write(index, withValueAt(bench.value(index), "/role", meant), { finding });
    return;
  }
  const element = Number(finding.locus.pointer.slice(historyPointer.length + 1).split("/")[0]);
  const [item] = history && element >= bench.from && element < history.length ? history.items(element) : [];
  if (!item || finding.locus.exchange !== bench.step.exchange) return;
  const placed: Placed = { item, step: bench.step, part: "request", element };
  const value = bench.value(element);
  if (finding.kind === "space") {
    const place = [item.pointer, `${item.pointer}/text`, `${item.pointer}/content`].find(
      (pointer) => typeof valueAt(value, pointer) === "string",
    );
    const text = place === undefined ? undefined : valueAt(value, place);
    if (place !== undefined && typeof text === "string")
      bench.set(placed, place.slice(item.pointer.length), text.trimEnd(), { finding });
  } else if (finding.kind === "system") bench.move(element, -1, { finding });
  else {
    const joined = joinedWords(bench.value(element - 1), value);
    if (joined === undefined || element - 1 < bench.from) return;
    bench.write(element - 1, joined, { finding });
    for (const each of history?.items(element) ?? [])
      bench.remove({ item: each, step: bench.step, part: "request", element }, { finding });
  }
}

/** Two messages as one; `undefined` where their contents have no form in common. */
function joinedWords(first: unknown, second: unknown): unknown {
  for (const key of ["content", "parts"]) {
    const [a, b] = [membersOf(first)?.[key], membersOf(second)?.[key]];
    if (typeof a === "string" && typeof b === "string") return withValueAt(first, `/${key}`, `${a}\n\n${b}`);
    if (Array.isArray(a) && Array.isArray(b)) return withValueAt(first, `/${key}`, [...a, ...b]);
  }
  return undefined;
}

/** Brings the calls of one reply together behind the first of them. */
export function joinCalls(bench: HistoryEditor, finding: Finding): void {
  if (finding.kind !== "split") return;
  const calls = bench.step.echoes
    .flatMap(({ after }) => (isCall(after) && !after.item.isHosted ? [after] : []))
    .sort((a, b) => a.element - b.element);
  const [first, ...others] = calls;
  if (!first) return;
  const slash = first.item.pointer.lastIndexOf("/");
  const list = first.item.pointer.slice(0, Math.max(0, slash));
  for (const call of others) {
    if (call.element === first.element) continue;
    if (call.item.pointer === "") {
      bench.move(call.element, first.element, { finding });
      continue;
    }
    const taken = bench.remove(call, { finding });
    const held = valueAt(bench.value(first.element), list);
    if (taken !== undefined && Array.isArray(held))
      bench.add(first.element, list, held.length, taken, { finding });
  }
}
