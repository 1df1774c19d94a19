import { isCall } from "../../conversation/conversation.ts";
import type { Finding } from "../../findings/finding.ts";
import { supported } from "../../protocols/protocol.ts";
import { valueAt } from "../../reading/pointer.ts";
import { editableItems, type HistoryEditor, hasFlaw, wireOf } from "../history-editor.ts";

export function encodeArguments(bench: HistoryEditor, finding: Finding): void {
  const places = supported(bench.protocol.places);
  const isText = bench.step.exchange.demands.argumentsAre === "text";
  for (const placed of editableItems(bench)) {
    const { item } = placed;
    if (item.kind !== "call" || !places) continue;
    const isAsked = finding.data["callId"] === item.id && finding.data["tool"] === item.name;
    if (!isAsked && !hasFlaw(item, "arguments-type")) continue;
    const place = places(wireOf(placed)).callArguments;
    const value = valueAt(wireOf(placed), place);
    const once = finding.kind === "double" ? decoded(value) : value;
    const wanted = isText ? asText(once) : asObject(once);
    if (wanted !== undefined && wanted !== value) bench.set(placed, place, wanted, { finding });
  }
}

/** What cannot be read stays readable: servers parse the arguments of every call that they are sent. */
export function wrapArguments(bench: HistoryEditor, finding: Finding): void {
  const places = supported(bench.protocol.places);
  for (const placed of editableItems(bench)) {
    if (!isCall(placed) || !places || finding.data["callId"] !== placed.item.id) continue;
    const { arguments: read, argumentsText, isJson } = placed.item;
    if (!isJson || read !== undefined || argumentsText.trim() === "") continue;
    const wrapped = JSON.stringify({ unreadable: argumentsText });
    bench.set(placed, places(wireOf(placed)).callArguments, wrapped, { finding });
  }
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? {});
}

/** Nothing, as a model calls a tool without parameters, is an object with nothing in it. */
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
