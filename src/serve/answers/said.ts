import { createHash } from "node:crypto";
import type { Exchange } from "../../conversation/exchange.ts";
import { callText } from "../../conversation/identity.ts";
import type { Item, ToolCall, ToolResult } from "../../conversation/item.ts";
import { normalizeVolatile } from "../../conversation/normalize-volatile.ts";
import { keyOfText } from "../../conversation/same-result.ts";
import { withoutPlaces } from "../../conversation/volatile-parts.ts";
import { pushAll } from "../../reading/lists.ts";

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
 * Reads what a conversation says, in order. System prompts, thinking and white space around texts do not
 * count. Ids of calls give way to their order, and results of one round come in the order of their calls.
 */
export class SaidReader {
  private readonly stored: StoredItems;
  private readonly openCalls: OpenCall[] = [];
  /** The results of the last round, which may have more. */
  private results: OrderedResult[] = [];
  private calls = 0;

  constructor(stored: StoredItems) {
    this.stored = stored;
  }

  /** A reader that goes on from here by itself. */
  copy(): SaidReader {
    const copy = new SaidReader(this.stored);
    pushAll(copy.openCalls, this.openCalls);
    copy.results = [...this.results];
    copy.calls = this.calls;
    return copy;
  }

  /** Reads a further part, from a history element on; results come only when their round is over. */
  *read(from: SaidIn, start = 0): Generator<Said> {
    for (const { item: own, element } of itemsOf(from, start)) {
      const item = own.kind === "reference" ? (this.stored.get(own.id) ?? own) : own;
      if (item.kind === "result") {
        this.results.push(this.orderedResult(item, { from, element }));
        continue;
      }
      yield* this.takeResults();
      if (!counts(item)) continue;
      if (item.kind === "call") this.openCalls.push({ call: item, order: ++this.calls });
      yield { ...keysOf(item), item, from, element };
    }
  }

  /** The results that were read last. */
  *takeResults(): Generator<Said> {
    if (this.results.length === 0) return;
    const results = this.results.sort((a, b) => a.order - b.order);
    this.results = [];
    for (const { said } of results) yield said;
  }

  private orderedResult(item: ToolResult, place: Pick<Said, "from" | "element">): OrderedResult {
    const open = takeCall(this.openCalls, item);
    const order = open?.order ?? Number.POSITIVE_INFINITY;
    const { key, exactKey } = keysOf(item);
    const name = `result ${open ? order : (item.name ?? "")} `;
    const call = open && { call: open.call };
    return { order, said: { key: name + key, exactKey: name + exactKey, item, ...call, ...place } };
  }
}

/** What the history of a request says. */
export function saidIn(exchange: Exchange, stored: StoredItems): readonly Said[] {
  const reader = new SaidReader(stored);
  return [...reader.read({ exchange, part: "request" }), ...reader.takeResults()];
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
  { exchange: { request, reply }, part }: SaidIn,
  start: number,
): Generator<{ readonly item: Item; readonly element: number }> {
  if (part === "reply") for (const item of reply?.items ?? []) yield { item, element: 0 };
  else if (request)
    for (let element = start; element < request.history.length; element++)
      for (const item of request.history.items(element)) yield { item, element };
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
      const key =
        item.role === "assistant"
          ? normalizeVolatile(text, "model")
          : withoutPlaces(normalizeVolatile(text, "person"));
      return { key: head + key, exactKey: head + text };
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
