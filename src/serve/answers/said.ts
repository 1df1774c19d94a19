import { createHash } from "node:crypto";
import type { Exchange } from "../../conversation/exchange.ts";
import { callText } from "../../conversation/identity.ts";
import type { Item, ToolCall, ToolResult } from "../../conversation/item.ts";
import { normalizeVolatile } from "../../conversation/normalize-volatile.ts";
import { keyOfText } from "../../conversation/same-result.ts";

/** One thing that was said in a conversation, in the form in which conversations are compared. */
export interface Said {
  /** Equal for what says the same, apart from ids, times and what else changes by itself. */
  readonly key: string;
  /** Equal for what is equal to the letter, apart from ids of calls. */
  readonly exactKey: string;
  readonly item: Item;
  /** The call that a result answers. */
  readonly call?: ToolCall;
  readonly from: SaidIn;
  /** The history element that holds it, from 0. */
  readonly element: number;
}

/** A part of a conversation: the history of a request, or a reply. */
export interface SaidIn {
  readonly exchange: Exchange;
  readonly part: "request" | "reply";
}

/** What servers have stored, by the ids by which histories refer to it. */
export type StoredItems = ReadonlyMap<string, Item>;

/**
 * What a conversation says, in order. System prompts, thinking and white space around texts do
 * not count. Ids of calls give way to their order, and results of one round come in the order of their calls.
 */
export function saidInAll(parts: Iterable<SaidIn>, stored: StoredItems): readonly Said[] {
  const said: Said[] = [];
  const openCalls: OpenCall[] = [];
  let results: OrderedResult[] = [];
  let calls = 0;
  const flush = (): void => {
    results.sort((a, b) => a.order - b.order);
    for (const result of results) said.push(result.said);
    results = [];
  };
  for (const { item: own, from, element } of itemsOf(parts)) {
    const item = own.kind === "reference" ? (stored.get(own.id) ?? own) : own;
    if (item.kind === "result") {
      const open = takeCall(openCalls, item);
      const order = open?.order ?? Number.POSITIVE_INFINITY;
      const keys = keysOf(item);
      const name = `result ${open ? order : (item.name ?? "")} `;
      results.push({
        order,
        said: {
          key: name + keys.key,
          exactKey: name + keys.exactKey,
          item,
          ...(open && { call: open.call }),
          from,
          element,
        },
      });
      continue;
    }
    flush();
    if (!counts(item)) continue;
    if (item.kind === "call") openCalls.push({ call: item, order: ++calls });
    said.push({ ...keysOf(item), item, from, element });
  }
  flush();
  return said;
}

interface OpenCall {
  readonly call: ToolCall;
  readonly order: number;
}

interface OrderedResult {
  readonly order: number;
  readonly said: Said;
}

function* itemsOf(
  parts: Iterable<SaidIn>,
): Generator<{ readonly item: Item; readonly from: SaidIn; readonly element: number }> {
  for (const from of parts) {
    const { request, reply } = from.exchange;
    if (from.part === "reply") for (const item of reply?.items ?? []) yield { item, from, element: 0 };
    else if (request)
      for (let element = 0; element < request.history.length; element++)
        for (const item of request.history.items(element)) yield { item, from, element };
  }
}

function counts(item: Item): boolean {
  if (item.kind === "reasoning" || item.kind === "reference" || item.role === "system") return false;
  return item.kind !== "message" || item.hasMedia || item.text.trim() !== "";
}

/** The call that a result answers: by its id, else by its name, else the oldest one. */
function takeCall(calls: OpenCall[], { callId, name }: ToolResult): OpenCall | undefined {
  let index = callId === undefined ? -1 : calls.findLastIndex(({ call }) => call.id === callId);
  if (index < 0 && name !== undefined) index = calls.findIndex(({ call }) => call.name === name);
  if (index < 0) index = 0;
  return calls.splice(index, 1)[0];
}

interface Keys {
  readonly key: string;
  readonly exactKey: string;
}

/** Items are shared between the requests of a log. */
const known = new WeakMap<Item, Keys>();

function keysOf(item: Item): Keys {
  let keys = known.get(item);
  if (!keys) {
    const { key, exactKey } = makeKeys(item);
    keys = { key: shortKey(key), exactKey: shortKey(exactKey) };
    known.set(item, keys);
  }
  return keys;
}

/** Keys of longer texts are digests. */
const longKey = 200;

function shortKey(key: string): string {
  return key.length > longKey ? createHash("sha256").update(key).digest("base64") : key;
}

function makeKeys(item: Item): Keys {
  switch (item.kind) {
    case "message": {
      const text = item.text.trim();
      const head = `${item.role}${item.hasMedia ? " +" : ""} `;
      const writer = item.role === "assistant" ? "model" : "person";
      return { key: head + normalizeVolatile(text, writer), exactKey: head + text };
    }
    case "call": {
      const text = callText(item);
      return { key: `call ${normalizeVolatile(text, "model")}`, exactKey: `call ${text}` };
    }
    case "result": {
      const text = item.text.trim();
      const media = item.hasMedia ? "+ " : "";
      return { key: media + keyOfText(text, false), exactKey: media + text };
    }
    case "compaction": {
      const key = `compaction ${item.text.trim()}`;
      return { key, exactKey: key };
    }
    default: {
      const key = item.kind === "opaque" ? `opaque ${item.wireType}` : item.kind;
      return { key, exactKey: key };
    }
  }
}
