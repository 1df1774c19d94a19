import type { ServedEvent } from "../server-side.ts";
import { type Fields, fields, isFields, list, valueText } from "../wire.ts";

/** The first choice of a chunk. */
function choiceOf({ value }: ServedEvent): Fields {
  return fields(list(fields(value)["choices"])[0]);
}

function fragmentsOf(event: ServedEvent): readonly Fields[] {
  return list(fields(choiceOf(event)["delta"])["tool_calls"]).map(fields);
}

function withDelta(event: ServedEvent, delta: Fields, reason?: unknown): ServedEvent {
  const choice = choiceOf(event);
  const finish_reason = reason === undefined ? choice["finish_reason"] : reason;
  return { ...event, value: { ...fields(event.value), choices: [{ ...choice, delta, finish_reason }] } };
}

/** The calls of a stream, each of one fragment. */
function callsOf(events: readonly ServedEvent[]): readonly Fields[] {
  const calls = new Map<unknown, Fields>();
  for (const fragment of events.flatMap(fragmentsOf)) {
    const known = calls.get(fragment["index"]);
    const body = known?.["function"];
    const text = `${valueText(fields(body)["arguments"] ?? "")}${valueText(fields(fragment["function"])["arguments"] ?? "")}`;
    calls.set(fragment["index"], {
      ...known,
      ...fragment,
      function: { ...fields(body), ...fields(fragment["function"]), arguments: text },
    });
  }
  return [...calls.values()];
}

/** A stream in which each call stands whole in the chunk that begins it. */
export function fragmentsWhole(events: readonly ServedEvent[]): readonly ServedEvent[] {
  const calls = new Map(callsOf(events).map((call) => [call["index"], call]));
  return events.flatMap((event) => {
    const fragments = fragmentsOf(event);
    if (fragments.length === 0) return [event];
    const begun = fragments.flatMap((fragment): Fields[] => {
      const call = calls.get(fragment["index"]);
      return call ? [call] : [];
    });
    for (const call of begun) calls.delete(call["index"]);
    return begun.length === 0 ? [] : [withDelta(event, { tool_calls: begun })];
  });
}

/** A stream whose message stands in one chunk, together with the reason for its end. */
export function wholeReply(events: readonly ServedEvent[]): readonly ServedEvent[] {
  const [first] = events;
  if (!first || !isFields(first.value)) return events;
  const deltas = events.map((event) => fields(choiceOf(event)["delta"]));
  const joined = (key: string): string => deltas.map((delta) => valueText(delta[key] ?? "")).join("");
  const calls = callsOf(events);
  const reasoning = joined("reasoning_content");
  const delta = {
    role: "assistant",
    content: joined("content") === "" && calls.length > 0 ? null : joined("content"),
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const reason = events.map((event) => choiceOf(event)["finish_reason"]).findLast((each) => each);
  const others = events.filter((event) => choiceOf(event)["delta"] === undefined);
  return [withDelta(first, delta, reason ?? null), ...others];
}
