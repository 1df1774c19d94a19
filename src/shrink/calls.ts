import type { BodyEdit } from "../containers/write/json-edits.ts";
import type { BodyChange } from "../containers/write/write-back.ts";
import type { Item } from "../conversation/item.ts";
import { edited } from "./edited.ts";
import { callIdsOf, type EditableRequest, editableRequests, elementPointer, itemName } from "./histories.ts";
import type { FailingLog } from "./oracle.ts";
import { namedCallIds } from "./rounds.ts";
import { namedAndNear, type Pass, type Unit } from "./sweep.ts";

/** A call that a model made together with others, with its results, in all requests and replies. */
interface ParallelCall extends Unit {
  readonly id: string;
}

/** Takes single calls out of rounds in which several calls were made at once. */
export const callPass: Pass<ParallelCall> = {
  strictness: "warnings",

  unitsOf(log) {
    const calls = new Map<string, ParallelCall>();
    for (const items of messagesOf(log)) {
      const own = items.filter((item) => item.kind === "call");
      if (own.length < 2) continue;
      for (const item of own)
        if (item.id !== undefined) calls.set(item.id, { id: item.id, name: itemName(item) });
    }
    return [...calls.values()];
  },

  without: withoutCalls,
};

/**
 * Keeps the calls and results that the finding names, and takes all others away at once: a reply may have
 * thousands of calls, and results with other ids than their calls, which go with them only.
 */
export const namedCallPass: Pass<ParallelCall> = {
  strictness: "warnings",

  unitsOf(log) {
    const calls = new Map<string, ParallelCall>();
    for (const items of messagesOf(log))
      for (const item of items)
        for (const id of callIdsOf([item])) if (!calls.has(id)) calls.set(id, { id, name: itemName(item) });
    return [...calls.values()];
  },
  without: withoutCalls,
  *selections(log, units) {
    const ids = namedCallIds(log);
    const named = units.map(({ id }) => ids.has(id));
    if (named.includes(true)) yield* namedAndNear(units, named);
  },
};

function withoutCalls(log: FailingLog, units: readonly ParallelCall[]): Buffer | { readonly why: string } {
  const gone = new Set(units.map(({ id }) => id));
  const requests = editableRequests(log).flatMap((each): BodyChange[] => {
    const edits = requestEdits(each, gone);
    const { place, copies } = each.request;
    return edits.length > 0 ? [{ place, edits, copies }] : [];
  });
  const replies = log.file.exchanges.flatMap(({ reply }): BodyChange[] => {
    const own = reply?.form === "json" ? reply.items.filter((item) => isOf(item, gone)) : [];
    const edits = own.map(({ pointer }) => ({ op: "remove" as const, pointer }));
    return reply && edits.length > 0 ? [{ place: reply.place, edits }] : [];
  });
  return edited(log, [...requests, ...replies]);
}

/** The items of each message: the elements of the histories, and the replies. */
function* messagesOf(log: FailingLog): Generator<readonly Item[]> {
  for (const { request } of editableRequests(log))
    for (let index = 0; index < request.history.length; index++) yield request.history.items(index);
  for (const { reply } of log.file.exchanges) if (reply) yield reply.items;
}

function isOf(item: Item, ids: ReadonlySet<string>): boolean {
  const id = item.kind === "call" ? item.id : item.kind === "result" ? item.callId : undefined;
  return id !== undefined && ids.has(id);
}

function requestEdits({ request, keys }: EditableRequest, gone: ReadonlySet<string>): BodyEdit[] {
  return keys.flatMap((_, index): BodyEdit[] => {
    const items = request.history.items(index);
    const own = items.filter((item) => isOf(item, gone));
    if (own.length === 0) return [];
    const pointer = elementPointer(request, index);
    // A message without anything in it goes as a whole.
    if (own.length === items.length) return [{ op: "remove", pointer }];
    return own.map((item) => ({ op: "remove", pointer: `${pointer}${item.pointer}` }));
  });
}
