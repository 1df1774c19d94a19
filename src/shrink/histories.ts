import type { Exchange, History, Request } from "../conversation/exchange.ts";
import { contentOf } from "../conversation/identity.ts";
import type { Item } from "../conversation/item.ts";
import type { Element } from "../reading/shared-run.ts";
import { maskSecrets } from "../secrets/masks.ts";
import type { FailingLog } from "./oracle.ts";

/** A request whose history is a list in its body, so that elements can be taken out of it. */
export interface EditableRequest {
  readonly exchange: Exchange;
  readonly request: Request;
  /** A name for each element: the same for the same element in all requests of the log. */
  readonly keys: readonly string[];
}

const cached = new WeakMap<FailingLog, readonly EditableRequest[]>();

/** The requests of the log whose histories can be edited, in order. */
export function editableRequests(log: FailingLog): readonly EditableRequest[] {
  let requests = cached.get(log);
  if (!requests) {
    requests = findRequests(log);
    cached.set(log, requests);
  }
  return requests;
}

function findRequests({ file, run }: FailingLog): EditableRequest[] {
  if (file.kind === "transcript" || run.files.length + run.sidecars.length > 1) return [];
  const known = new WeakMap<Element, string>();
  return file.exchanges.flatMap((exchange) => {
    const { request } = exchange;
    const isList = request && request.history.length > 0 && request.history.run.state === "complete";
    return isList ? [{ exchange, request, keys: keysOf(request.history, known) }] : [];
  });
}

/** Equal elements of one history are told apart by their order. */
function keysOf(history: History, known: WeakMap<Element, string>): string[] {
  const counts = new Map<string, number>();
  const keys: string[] = [];
  for (let index = 0; index < history.length; index++) {
    const element = history.element(index);
    let content = known.get(element);
    if (content === undefined) {
      content = `${history.role(index)} ${history.items(index).map(contentOf).join("\n")}`;
      known.set(element, content);
    }
    const count = (counts.get(content) ?? 0) + 1;
    counts.set(content, count);
    keys.push(`${count} ${content}`);
  }
  return keys;
}

/** The pointer from a body to a history element. */
export function elementPointer({ historyPointer }: Request, index: number): string {
  return `${historyPointer}/${index}`;
}

/** The index of the history element that a pointer into a body leads to or into; -1 for none. */
export function elementIndex({ historyPointer, history }: Request, pointer: string): number {
  if (!pointer.startsWith(`${historyPointer}/`)) return -1;
  const index = Number(pointer.slice(historyPointer.length + 1).split("/", 1)[0]);
  return Number.isInteger(index) && index < history.length ? index : -1;
}

/** The ids of the calls that items make or answer. */
export function callIdsOf(items: readonly Item[]): string[] {
  return items.flatMap((item) => {
    if (item.kind === "call") return item.id ?? [];
    return item.kind === "result" ? (item.callId ?? []) : [];
  });
}

/** What an item is, for people, in a few words. */
export function itemName(item: Item): string {
  switch (item.kind) {
    case "call":
      return `the call to ${item.name}${item.id === undefined ? "" : ` (${item.id})`}`;
    case "result":
      return `the result${item.callId === undefined ? "" : ` of ${item.callId}`}`;
    case "message":
      return `the ${item.role} message “${brief(item.text)}”`;
    case "reasoning":
      return "thinking";
    case "compaction":
      return "a compaction";
    default:
      return `an item of kind ${item.kind === "opaque" ? item.wireType : item.kind}`;
  }
}

/** How much of a text is looked at for its beginning. */
const looked = 2000;

/** The beginning of a text, masked as long as it is whole: of half a credential nobody knows what it is. */
function brief(text: string): string {
  const line = maskSecrets(text.slice(0, looked)).trim().replace(/\s+/g, " ");
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
