import type { Finish, Reply, ReplyError, ReplyFlaw, Usage } from "../../conversation/exchange.ts";
import type { Extent, Fragments, Item } from "../../conversation/item.ts";
import { pushAll } from "../../reading/lists.ts";
import { parseJson } from "../../reading/parse.ts";
import type { StreamBody } from "../protocol.ts";
import { type AddFlaw, flawList, streamedItem, unknownEvents, withFragment } from "../stream-parts.ts";
import { defined, type Fields, fields, filled, isFields, list, number, string, valueText } from "../wire.ts";
import { callFlaws, decodedItems, errorOf, finishOf, usageOf, writingsOf } from "./reply.ts";

interface BlockBuilder {
  /** Position in the message, counted from 0. */
  readonly place: number;
  /** `content_block` as it was announced. */
  readonly start: Fields;
  readonly startedAt: Extent;
  text: string;
  seal: string;
  input: string;
  hasInput: boolean;
  isClosed: boolean;
  fragments: Fragments | undefined;
}

interface Blocks {
  readonly list: BlockBuilder[];
  /** The newest block with each `index`. */
  readonly byIndex: Map<number, BlockBuilder>;
  /** Calls that have begun but are not closed. */
  readonly openCalls: Set<BlockBuilder>;
}

/** The member that a delta carries, what it extends, and the type of block that it belongs to. */
interface DeltaKind {
  readonly key: string;
  readonly adds: "text" | "seal" | "input";
  readonly block: string;
}

const deltas = new Map(
  Object.entries<DeltaKind>({
    text_delta: { key: "text", adds: "text", block: "text" },
    thinking_delta: { key: "thinking", adds: "text", block: "thinking" },
    compaction_delta: { key: "content", adds: "text", block: "compaction" },
    signature_delta: { key: "signature", adds: "seal", block: "thinking" },
    input_json_delta: { key: "partial_json", adds: "input", block: "tool_use" },
  }),
);

/** Assembles a stream. Blocks come one after another, and their deltas name them by `index`. */
export function decodeStream(body: StreamBody): Reply {
  const blocks: Blocks = { list: [], byIndex: new Map(), openCalls: new Set() };
  const { flaws, flaw } = flawList();
  let message: Fields = {};
  let messageAt: Extent = { start: 0, end: 0 };
  let finish: Finish | undefined;
  let usage: Usage | undefined;
  let error: ReplyError | undefined;
  let isStopped = false;
  /** Where a stop reason came, which ends every block. */
  let endedAt: Extent | undefined;
  const isMidStream = (body.status ?? 200) < 400;
  const novelties = unknownEvents();

  for (const frame of body.frames) {
    const { extent } = frame;
    if (!isFields(frame.value)) continue;
    const event = frame.value;
    switch (event["type"] ?? frame.event) {
      case "message_start":
        message = fields(event["message"]);
        usage = usageOf(message["usage"]);
        messageAt = extent;
        finish = finishOf(message, extent);
        break;
      case "content_block_start":
        startBlock(blocks, event, extent, flaw);
        break;
      case "content_block_delta":
        addDelta(blocks, event, extent, flaw);
        break;
      case "content_block_stop": {
        const block = blockAt(blocks, number(event["index"]));
        if (block) close(blocks, block);
        break;
      }
      case "message_delta":
        if (filled(fields(event["delta"])["stop_reason"]) !== undefined) endedAt = extent;
        finish = finishOf(fields(event["delta"]), extent) ?? finish;
        // Usage is cumulative; members that this event omits come from `message_start`.
        usage = mergedUsage(usage, usageOf(event["usage"]));
        break;
      case "message_stop":
        isStopped = true;
        break;
      case "ping":
      case "keepalive":
      case undefined:
        break;
      case "error":
        // Gateways put the message next to the type, without an enclosing `error`.
        error ??= errorOf(isFields(event["error"]) ? event : { error: event }, isMidStream, extent);
        break;
      default:
        novelties.add(valueText(event["type"] ?? frame.event), extent);
    }
  }

  // Some clones send the whole message at the start and no blocks after it.
  if (blocks.list.length === 0) {
    for (const block of list(message["content"])) begin(blocks, undefined, fields(block), messageAt);
  }
  if (!isStopped && endedAt && !error) {
    isStopped = true;
    flaw("missing-keys", true, "no `message_stop` follows the stop reason", endedAt, "/stop_reason");
  }
  const items = itemsOf(blocks.list, isStopped, finish);
  pushAll(flaws, callFlaws(items));
  if (finish?.meaning === "calls") pushAll(flaws, inputFlaws(blocks.list));
  return defined({
    place: body.place,
    form: "stream" as const,
    id: filled(message["id"]),
    model: filled(message["model"]),
    items,
    writings: items.length > 0 ? writingsOf(blocks.list.map(wireBlock)) : undefined,
    finish,
    usage,
    state: isStopped ? ("complete" as const) : ("open" as const),
    error,
    flaws,
    novelties: novelties.found,
    otherChoices: 0,
  });
}

function begin(blocks: Blocks, index: number | undefined, start: Fields, startedAt: Extent): BlockBuilder {
  const type = string(start["type"]) ?? "";
  const text = string(start["text"]) ?? string(start["thinking"]) ?? string(start["content"]) ?? "";
  // A call starts with its id and name; other blocks start empty, except from clones.
  const isInStart = text !== "" || type.endsWith("tool_use");
  const block: BlockBuilder = {
    place: blocks.list.length,
    start,
    startedAt,
    text,
    seal: string(start["signature"]) ?? "",
    input: "",
    hasInput: false,
    isClosed: false,
    fragments: isInStart ? withFragment(undefined, startedAt) : undefined,
  };
  blocks.list.push(block);
  if (index !== undefined) blocks.byIndex.set(index, block);
  if (type === "tool_use") blocks.openCalls.add(block);
  return block;
}

function close(blocks: Blocks, block: BlockBuilder): void {
  block.isClosed = true;
  blocks.openCalls.delete(block);
}

function startBlock(blocks: Blocks, event: Fields, extent: Extent, flaw: AddFlaw): void {
  const index = number(event["index"]);
  const isRepeated = index !== undefined && blocks.byIndex.has(index);
  const { place } = begin(blocks, index, fields(event["content_block"]), extent);
  const pointer = `/content/${place}`;
  if (index === undefined) flaw("missing-index", true, "the block has no index", extent, pointer);
  if (isRepeated) flaw("repeated-index", true, `two blocks share index ${index}`, extent, pointer);
}

function addDelta(blocks: Blocks, event: Fields, extent: Extent, flaw: AddFlaw): void {
  const delta = fields(event["delta"]);
  const kind = deltas.get(string(delta["type"]) ?? "");
  const fragment = kind && string(delta[kind.key]);
  if (!kind || fragment === undefined) return;
  const index = number(event["index"]);
  let block = blockAt(blocks, index);
  if (index === undefined) {
    flaw("missing-index", block !== undefined && !block.isClosed, "the delta has no index", extent);
  }
  if (block?.isClosed) {
    const detail = `block ${block.place} was closed before this delta`;
    flaw("closed-block", fragment === "", detail, extent, `/content/${block.place}`);
  } else if (!block) {
    block = adopted(blocks, kind.block, index, extent);
    const detail = index === undefined ? "a delta comes before any block" : `no block ${index} was begun`;
    flaw("closed-block", block !== undefined, detail, extent);
    if (!block) return;
  }
  block[kind.adds] += fragment;
  if (kind.adds === "input") block.hasInput = true;
  if (fragment !== "") block.fragments = withFragment(block.fragments, extent);
}

/** The newest block with an index; without one, the newest block. */
function blockAt(blocks: Blocks, index: number | undefined): BlockBuilder | undefined {
  return index === undefined ? blocks.list.at(-1) : blocks.byIndex.get(index);
}

/** A block for an unannounced index: for input the only open call, otherwise a new block. */
function adopted(
  blocks: Blocks,
  type: string,
  index: number | undefined,
  extent: Extent,
): BlockBuilder | undefined {
  if (type !== "tool_use") return begin(blocks, index, { type }, extent);
  const [first] = blocks.openCalls;
  return blocks.openCalls.size === 1 ? first : undefined;
}

function itemsOf(blocks: readonly BlockBuilder[], isStopped: boolean, finish: Finish | undefined): Item[] {
  return decodedItems(blocks.map(wireBlock)).map((item): Item => {
    const block = blocks[Number(item.pointer.slice("/content/".length))];
    return block ? streamedItem(item, block, isStopped, finish) : item;
  });
}

/** A block as a non-streamed body would carry it. */
function wireBlock(block: BlockBuilder): Fields {
  const { start } = block;
  const type = string(start["type"]) ?? "";
  if (type === "text") return { ...start, text: block.text };
  if (type === "compaction") return { ...start, content: block.text };
  if (type === "thinking") return { ...start, thinking: block.text, signature: block.seal };
  if (!type.endsWith("tool_use") || block.input === "") return start;
  return { ...start, input: parseJson(block.input) ?? block.input };
}

/** A call with the input `{}` and no delta. Some clones send parameterless calls so; it proves no loss. */
function inputFlaws(blocks: readonly BlockBuilder[]): ReplyFlaw[] {
  const place = blocks.findIndex(({ start, hasInput }) => {
    const input = start["input"];
    return start["type"] === "tool_use" && !hasInput && isFields(input) && Object.keys(input).length === 0;
  });
  const extent = blocks[place]?.startedAt;
  if (!extent) return [];
  const detail = "no `input_json_delta` follows the start of the call";
  return [
    { kind: "missing-arguments", isHarmless: true, detail, pointer: `/content/${place}/input`, extent },
  ];
}

function mergedUsage(before: Usage | undefined, after: Usage | undefined): Usage | undefined {
  return before && after ? { ...before, ...after } : (after ?? before);
}
