import type { BodyChange } from "../containers/write/write-back.ts";
import type { Item } from "../conversation/item.ts";
import { groupBy } from "../reading/group-by.ts";
import { edited } from "./edited.ts";
import { Groups } from "./groups.ts";
import {
  callIdsOf,
  type EditableRequest,
  editableRequests,
  elementIndex,
  elementPointer,
  itemName,
} from "./histories.ts";
import { namedLoci } from "./named.ts";
import type { FailingLog } from "./oracle.ts";
import { callIdsNamed } from "./subject.ts";
import { namedAndNear, type Pass, type Unit } from "./sweep.ts";

/** A round or a message, in all histories that carry it. */
interface Round extends Unit {
  readonly keys: ReadonlySet<string>;
  /** It stays, so that the log can be read as a story: the system prompt and the first user message. */
  readonly isAnchor: boolean;
}

/** Takes rounds and messages out of all histories alike. */
export const roundPass: Pass<Round> = {
  strictness: "errors",
  unitsOf: (log) => allRounds(log).filter(({ isAnchor }) => !isAnchor),
  without: (log, units) => withoutElements(log, new Set(units.flatMap(({ keys }) => [...keys]))),
  *selections(log, units) {
    const named = areNamed(log, units);
    yield* namedAndNear(units, named);
    const first = named.indexOf(true);
    if (first >= 0) yield new Set(units.slice(first));
  },
};

/** Takes out single elements of what is left: parts of a round that the finding does not need. */
export const elementPass: Pass<Round> = {
  strictness: "errors",
  unitsOf: (log) => {
    const byKey = itemsByKey(log);
    return allRounds(log)
      .filter(({ isAnchor, keys }) => !isAnchor && keys.size > 1)
      .flatMap(({ keys }) =>
        [...keys].map((key) => ({
          name: listed(byKey.get(key) ?? []),
          keys: new Set([key]),
          isAnchor: false,
        })),
      );
  },
  without: roundPass.without,
  *selections(log, units) {
    const named = areNamed(log, units);
    if (named.includes(true)) yield* namedAndNear(units, named);
  },
};

/** All rounds and messages of the histories of a log, in order. */
export function allRounds(log: FailingLog): readonly Round[] {
  const requests = editableRequests(log);
  const groups = new Groups<string>();
  const anchors = new Set<string>();
  const byCall = new Map<string, string>();
  for (const each of requests) {
    joinRounds(each, groups, byCall);
    for (const key of anchorsOf(each)) anchors.add(key);
  }
  const byKey = itemsByKey(log);
  return groups.of(new Set(requests.flatMap(({ keys }) => keys))).map((keys) => ({
    name: listed(keys.flatMap((key) => byKey.get(key) ?? [])),
    keys: new Set(keys),
    isAnchor: keys.some((key) => anchors.has(key)),
  }));
}

function itemsByKey(log: FailingLog): ReadonlyMap<string, readonly Item[]> {
  const byKey = new Map<string, readonly Item[]>();
  for (const { request, keys } of editableRequests(log))
    for (const [index, key] of keys.entries())
      if (!byKey.has(key)) byKey.set(key, request.history.items(index));
  return byKey;
}

/** Joins the elements of one reply with the results of its calls. */
function joinRounds(
  { request: { history }, keys }: EditableRequest,
  groups: Groups<string>,
  byCall: Map<string, string>,
): void {
  for (const [index, key] of keys.entries()) {
    const items = history.items(index);
    const before = keys[index - 1];
    const isReply = history.role(index) === "assistant";
    if (isReply && before !== undefined && history.role(index - 1) === "assistant") groups.join(before, key);
    for (const id of callIdsOf(items)) {
      const other = byCall.get(id);
      if (other === undefined) byCall.set(id, key);
      else groups.join(other, key);
    }
    const isUnnamed = items.some((item) => item.kind === "result" && item.callId === undefined);
    // Results without ids follow their calls; where these were lost, they belong to nothing.
    const follows =
      index > 0 && history.items(index - 1).some(({ kind }) => kind === "call" || kind === "result");
    if (isUnnamed && before !== undefined && follows) groups.join(before, key);
  }
}

/** The system prompt and the first message of the user. */
function anchorsOf({ request: { history }, keys }: EditableRequest): string[] {
  const anchors: string[] = [];
  let hasUser = false;
  for (const [index, key] of keys.entries()) {
    const role = history.role(index);
    const isFirst =
      role === "user" && !hasUser && history.items(index).some(({ kind }) => kind === "message");
    if (isFirst) hasUser = true;
    // Later notes of the system are not a prompt.
    if (isFirst || (role === "system" && !hasUser)) anchors.push(key);
  }
  return anchors;
}

/** Whether the finding names a message of each round, by a place or by the id of a call. */
function areNamed(log: FailingLog, rounds: readonly Round[]): boolean[] {
  const { keys } = namedIn(log);
  return rounds.map((round) => [...round.keys].some((key) => keys.has(key)));
}

/** The ids of the calls that the finding names, or whose reply or result it points to. */
export function namedCallIds(log: FailingLog): ReadonlySet<unknown> {
  const { ids, itemIds } = namedIn(log);
  return new Set([...ids, ...itemIds]);
}

interface Named {
  readonly keys: ReadonlySet<string>;
  readonly ids: ReadonlySet<unknown>;
  /** The ids of the items of a history that the finding points to. */
  readonly itemIds: ReadonlySet<unknown>;
}

const namedInLogs = new WeakMap<FailingLog, Named>();

function namedIn(log: FailingLog): Named {
  let named = namedInLogs.get(log);
  if (!named) {
    named = findNamed(log);
    namedInLogs.set(log, named);
  }
  return named;
}

function findNamed(log: FailingLog): Named {
  const requests = editableRequests(log);
  const keys = new Set<string>();
  const ids = new Set<unknown>(callIdsNamed(log.subject));
  const itemIds = new Set<unknown>();
  const places = groupBy(namedLoci(log), ({ exchange }) => exchange);
  for (const [exchange, loci] of places) {
    const replied = new Places(loci.flatMap(({ part, pointer }) => (part === "response" ? pointer : [])));
    for (const item of exchange.reply?.items ?? [])
      if (replied.touch(item.pointer)) for (const id of callIdsOf([item])) ids.add(id);
  }
  for (const { exchange, request, keys: own } of requests) {
    const loci = (places.get(exchange) ?? []).filter(({ part }) => part === "request");
    const sent = new Places(loci.map(({ pointer }) => pointer));
    for (const index of new Set(loci.map(({ pointer }) => elementIndex(request, pointer)))) {
      const key = own[index];
      if (key === undefined) continue;
      keys.add(key);
      for (const item of request.history.items(index))
        if (sent.touch(`${elementPointer(request, index)}${item.pointer}`))
          for (const id of callIdsOf([item])) itemIds.add(id);
    }
  }
  for (const { request, keys: own } of requests)
    for (const [index, key] of own.entries())
      if (callIdsOf(request.history.items(index)).some((id) => ids.has(id))) keys.add(key);
  return { keys, ids, itemIds };
}

/** Pointers that a finding names: it may have thousands of notes on a reply of thousands of items. */
class Places {
  readonly #pointers: ReadonlySet<string>;
  /** All that a pointer leads through. */
  readonly #above: ReadonlySet<string>;

  constructor(pointers: readonly string[]) {
    this.#pointers = new Set(pointers);
    this.#above = new Set(pointers.flatMap((pointer) => [...waysTo(pointer)]));
  }

  /** Whether one of them is this pointer, leads into what is there, or to what it is part of. */
  touch(pointer: string): boolean {
    if (this.#pointers.has(pointer) || this.#above.has(pointer)) return true;
    for (const way of waysTo(pointer)) if (this.#pointers.has(way)) return true;
    return false;
  }
}

/** The pointers to all that a value is part of. */
function* waysTo(pointer: string): Generator<string> {
  for (let end = pointer.lastIndexOf("/"); end >= 0; end = end > 0 ? pointer.lastIndexOf("/", end - 1) : -1)
    yield pointer.slice(0, end);
}

function withoutElements(log: FailingLog, gone: ReadonlySet<string>): Buffer | { readonly why: string } {
  const changes = editableRequests(log).flatMap(({ request, keys }): BodyChange[] => {
    const edits = keys.flatMap((key, index) =>
      gone.has(key) ? [{ op: "remove" as const, pointer: elementPointer(request, index) }] : [],
    );
    return edits.length > 0 ? [{ place: request.place, edits, copies: request.copies }] : [];
  });
  return edited(log, changes);
}

function listed(items: readonly Item[]): string {
  const names = items.map(itemName);
  if (names.length === 0) return "an empty message";
  return names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
}
