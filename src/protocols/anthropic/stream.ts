import type { Extent } from "../../conversation/item.ts";
import type { Finish, Reply, ReplyError, ReplyFlaw, Usage } from "../../conversation/reply.ts";
import { pushAll } from "../../reading/lists.ts";
import { parseJson } from "../../reading/parse.ts";
import type { StreamBody } from "../protocol.ts";
import { type StreamBlock, StreamBlocks } from "../stream-blocks.ts";
import { type AddFlaw, flawList, unknownEvents, withFragment } from "../stream-parts.ts";
import { defined, type Fields, fields, filled, isFields, list, number, string, valueText } from "../wire.ts";
import { callFlaws, decodedItems, errorOf, finishOf, usageOf, writingsOf } from "./reply.ts";

interface BlockBuilder extends StreamBlock {
  /** `content_block` as it was announced. */
  readonly start: Fields;
  text: string;
  seal: string;
  input: string;
  hasInput: boolean;
}

type Blocks = StreamBlocks<BlockBuilder>;

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
  const blocks: Blocks = new StreamBlocks("/content");
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
        const block = blocks.at(number(event["index"]));
        if (block) blocks.close(block);
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
    for (const block of list(message["content"]))
      blocks.add(blockOf(blocks.list.length, fields(block), messageAt), undefined);
  }
  if (!isStopped && endedAt && !error) {
    isStopped = true;
    flaw("missing-keys", true, "no `message_stop` follows the stop reason", endedAt, "/stop_reason");
  }
  const items = blocks.streamed(decodedItems(blocks.list.map(wireBlock)), isStopped, finish);
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

function blockOf(place: number, start: Fields, startedAt: Extent): BlockBuilder {
  const type = string(start["type"]) ?? "";
  const text = string(start["text"]) ?? string(start["thinking"]) ?? string(start["content"]) ?? "";
  // A call starts with its id and name; other blocks start empty, except from clones.
  const isInStart = text !== "" || type.endsWith("tool_use");
  return {
    place,
    isCall: type === "tool_use",
    start,
    startedAt,
    text,
    seal: string(start["signature"]) ?? "",
    input: "",
    hasInput: false,
    isClosed: false,
    fragments: isInStart ? withFragment(undefined, startedAt) : undefined,
  };
}

function startBlock(blocks: Blocks, event: Fields, extent: Extent, flaw: AddFlaw): void {
  const block = blockOf(blocks.list.length, fields(event["content_block"]), extent);
  blocks.announce(block, number(event["index"]), flaw);
}

function addDelta(blocks: Blocks, event: Fields, extent: Extent, flaw: AddFlaw): void {
  const delta = fields(event["delta"]);
  const kind = deltas.get(string(delta["type"]) ?? "");
  const fragment = kind && string(delta[kind.key]);
  if (!kind || fragment === undefined) return;
  const index = number(event["index"]);
  let block = blocks.at(index);
  if (index === undefined) {
    flaw("missing-index", block !== undefined && !block.isClosed, "the delta has no index", extent);
  }
  if (block?.isClosed) {
    const detail = `block ${block.place} was closed before this delta`;
    flaw("closed-block", fragment === "", detail, extent, blocks.pointerOf(block));
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

/** A block for an unannounced index: for input the only open call, otherwise a new block. */
function adopted(
  blocks: Blocks,
  type: string,
  index: number | undefined,
  extent: Extent,
): BlockBuilder | undefined {
  if (type === "tool_use") return blocks.onlyOpenCall;
  const block = blockOf(blocks.list.length, { type }, extent);
  blocks.add(block, index);
  return block;
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
