import { isCall } from "../../conversation/conversation.ts";
import type { Finding } from "../../findings/finding.ts";
import { supported } from "../../protocols/protocol.ts";
import { argumentsText as textOf } from "../../protocols/wire.ts";
import { valueAt } from "../../reading/pointer.ts";
import { editableItems, type HistoryEditor, hasFlaw } from "../history-editor.ts";
import { wireOf } from "../item-places.ts";
import { meantBy } from "./meant-by.ts";

export function encodeArguments(editor: HistoryEditor, finding: Finding): void {
  const places = supported(editor.protocol.places);
  const isText = editor.step.exchange.demands.argumentsAre === "text";
  if (!places) return;
  const calls = [...editableItems(editor)].filter(isCall);
  const flawed = calls.filter(({ item }) => hasFlaw(item, "arguments-type"));
  const asked = calls.filter(
    ({ item }) =>
      finding.data["callId"] === item.id &&
      finding.data["tool"] === item.name &&
      !hasFlaw(item, "arguments-type"),
  );
  for (const placed of [...meantBy(editor, `encoded ${finding.kind}`, flawed), ...asked]) {
    const place = places(wireOf(placed)).callArguments;
    const value = valueAt(wireOf(placed), place);
    const once = finding.kind === "double" ? decoded(value) : value;
    const wanted = isText ? textOf(once) : asObject(once);
    if (wanted !== undefined && wanted !== value) editor.set(placed, place, wanted, { finding });
  }
}

/** Wraps unparsable arguments as readable JSON: servers parse the arguments of every call they receive. */
export function wrapArguments(editor: HistoryEditor, finding: Finding): void {
  const places = supported(editor.protocol.places);
  for (const placed of editableItems(editor)) {
    if (!isCall(placed) || !places || finding.data["callId"] !== placed.item.id) continue;
    const { arguments: read, argumentsText, isJson } = placed.item;
    if (!isJson || read !== undefined || argumentsText.trim() === "") continue;
    const wrapped = JSON.stringify({ unreadable: argumentsText });
    editor.set(placed, places(wireOf(placed)).callArguments, wrapped, { finding });
  }
}

/** Models call a tool without parameters with empty arguments; that becomes an empty object. */
function asObject(value: unknown): unknown {
  const read = decoded(value);
  return read === null ? {} : read;
}

function decoded(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
