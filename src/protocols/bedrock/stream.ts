import type { Extent } from "../../conversation/item.ts";
import type { Finish, Reply, ReplyError, ReplyFlaw, Usage } from "../../conversation/reply.ts";
import { pushAll } from "../../reading/lists.ts";
import { parseJson } from "../../reading/parse.ts";
import type { StreamBody } from "../protocol.ts";
import { type StreamBlock, StreamBlocks } from "../stream-blocks.ts";
import { type AddFlaw, flawList, unknownEvents, withFragment } from "../stream-parts.ts";
import { defined, type Fields, fields, filled, isFields, list, number, string } from "../wire.ts";
import { isException, readEvent } from "./events.ts";
import { callFlaws, contentPointer, decodedItems, finishOf, usageOf } from "./reply.ts";

type Kind = "text" | "reasoning" | "call" | "result" | "other";

interface BlockBuilder extends StreamBlock {
  readonly kind: Kind;
  /** The announced `start`; texts and reasoning have none. */
  readonly start: Fields;
  text: string;
  /** Signature of reasoning. */
  seal: string;
  /** Reasoning that only the provider can read. */
  redacted: string;
  input: string;
  hasInput: boolean;
  /** The parts of a result that AWS wrote. */
  readonly parts: unknown[];
}

type Blocks = StreamBlocks<BlockBuilder>;

/** Assembles a stream. Only calls are announced; texts begin with their first delta. */
export function decodeStream(body: StreamBody): Reply {
  const blocks: Blocks = new StreamBlocks(contentPointer);
  const { flaws, flaw } = flawList();
  let finish: Finish | undefined;
  let usage: Usage | undefined;
  let error: ReplyError | undefined;
  let isStopped = false;
  const isMidStream = (body.status ?? 200) < 400;
  const novelties = unknownEvents();

  for (const { value, event: named, extent } of body.frames) {
    const event = readEvent(value, named);
    if (!event) {
      const name = named ?? Object.keys(fields(value)).find((key) => isFields(fields(value)[key]));
      if (name !== undefined) novelties.add(name, extent);
      continue;
    }
    const { data } = event;
    switch (event.name) {
      case "contentBlockStart":
        startBlock(blocks, data, extent, flaw);
        break;
      case "contentBlockDelta":
        addDelta(blocks, data, extent, flaw);
        break;
      case "contentBlockStop": {
        const block = blocks.at(number(data["contentBlockIndex"]));
        if (block) blocks.close(block);
        break;
      }
      case "messageStop":
        isStopped = true;
        finish = finishOf(data, extent) ?? finish;
        break;
      case "metadata":
        usage = usageOf(data["usage"]) ?? usage;
        break;
      default:
        if (isException(event)) error ??= exceptionOf(event.name, data, isMidStream, extent);
    }
  }

  const items = blocks.streamed(decodedItems(blocks.list.map(wireBlock)), isStopped, finish);
  pushAll(flaws, callFlaws(items));
  if (finish?.meaning === "calls") pushAll(flaws, inputFlaws(blocks.list));
  return defined({
    place: body.place,
    form: "stream" as const,
    items,
    writings: items.length > 0 ? [[{ role: "assistant", content: blocks.list.map(wireBlock) }]] : undefined,
    finish,
    usage,
    state: isStopped ? ("complete" as const) : ("open" as const),
    error,
    flaws,
    novelties: novelties.found,
    otherChoices: 0,
  });
}

function exceptionOf(type: string, data: Fields, isMidStream: boolean, extent: Extent): ReplyError {
  const message = filled(data["message"]) ?? string(data["originalMessage"]) ?? type;
  return { message, type, isMidStream, pointer: "", extent };
}

function blockOf(place: number, kind: Kind, startedAt: Extent, start: Fields = {}): BlockBuilder {
  return {
    place,
    isCall: kind === "call",
    kind,
    start,
    startedAt,
    text: "",
    seal: "",
    redacted: "",
    input: "",
    hasInput: false,
    parts: [],
    isClosed: false,
    fragments: kind === "call" ? withFragment(undefined, startedAt) : undefined,
  };
}

function startBlock(blocks: Blocks, event: Fields, extent: Extent, flaw: AddFlaw): void {
  const start = fields(event["start"]);
  const kind = isFields(start["toolUse"]) ? "call" : isFields(start["toolResult"]) ? "result" : "other";
  // Gateways announce texts as well, with an empty start; their deltas show what they are.
  if (kind === "other" && Object.keys(start).length === 0) return;
  blocks.announce(blockOf(blocks.list.length, kind, extent, start), number(event["contentBlockIndex"]), flaw);
}

function addDelta(blocks: Blocks, event: Fields, extent: Extent, flaw: AddFlaw): void {
  const delta = fields(event["delta"]);
  const index = number(event["contentBlockIndex"]);
  const kind = kindOf(delta);
  // Citations come next to the text that they belong to.
  if (!kind) return;
  if (index === undefined) {
    const isClear = blocks.list.at(-1)?.isClosed !== true;
    flaw("missing-index", isClear, "the delta has no index", extent);
  }
  let block = blocks.at(index);
  if (block && block.kind === kind && block.isClosed) {
    const detail = `block ${block.place} was closed before this delta`;
    flaw("closed-block", false, detail, extent, blocks.pointerOf(block));
  } else if (block?.kind !== kind) {
    block = adopted(blocks, kind, index, extent);
    if (kind === "call") {
      const detail = index === undefined ? "a delta comes before any call" : `no call ${index} was begun`;
      flaw("closed-block", block !== undefined, detail, extent);
    }
    if (!block) return;
  }
  if (add(block, delta)) block.fragments = withFragment(block.fragments, extent);
}

function kindOf(delta: Fields): Kind | undefined {
  if (typeof delta["text"] === "string") return "text";
  if (isFields(delta["toolUse"])) return "call";
  if (isFields(delta["reasoningContent"])) return "reasoning";
  return Array.isArray(delta["toolResult"]) ? "result" : undefined;
}

/** Whether the delta added anything. */
function add(block: BlockBuilder, delta: Fields): boolean {
  const reasoning = fields(delta["reasoningContent"]);
  const text = string(delta["text"]) ?? string(reasoning["text"]) ?? "";
  const seal = string(reasoning["signature"]) ?? "";
  const redacted = string(reasoning["redactedContent"]) ?? "";
  const parts = list(delta["toolResult"]);
  const input = fields(delta["toolUse"])["input"];
  // Some loggers parse whatever looks like JSON.
  const fragment = string(input) ?? (isFields(input) ? JSON.stringify(input) : "");
  block.text += text;
  block.seal += seal;
  block.redacted += redacted;
  block.input += fragment;
  block.hasInput ||= input !== undefined;
  pushAll(block.parts, parts);
  return `${text}${seal}${redacted}${fragment}` !== "" || parts.length > 0;
}

/**
 * The block for a delta with a new index. Nova through InvokeModel gives each fragment of a text its own
 * index; clients join these fragments into one text. Unannounced arguments can only belong to the only open
 * call.
 */
function adopted(
  blocks: Blocks,
  kind: Kind,
  index: number | undefined,
  extent: Extent,
): BlockBuilder | undefined {
  if (kind === "call") return blocks.onlyOpenCall;
  const last = blocks.list.at(-1);
  const isContinued = last?.kind === kind && kind !== "result" && last.seal === "" && last.redacted === "";
  if (!isContinued) {
    const block = blockOf(blocks.list.length, kind, extent);
    blocks.add(block, index);
    return block;
  }
  last.isClosed = false;
  blocks.rename(last, index);
  return last;
}

/** A block as a non-streamed body would carry it. */
function wireBlock(block: BlockBuilder): Fields {
  const { kind, start, text, seal, redacted, input } = block;
  switch (kind) {
    case "text":
      return { text };
    case "reasoning":
      if (redacted !== "") return { reasoningContent: { redactedContent: redacted } };
      return { reasoningContent: { reasoningText: { text, signature: seal } } };
    case "call":
      return {
        toolUse: { ...fields(start["toolUse"]), input: input === "" ? {} : (parseJson(input) ?? input) },
      };
    case "result":
      return { toolResult: { ...fields(start["toolResult"]), content: block.parts } };
    case "other":
      return start;
  }
}

/** A call without input deltas. This proves no loss: tools without parameters may look like this. */
function inputFlaws(blocks: readonly BlockBuilder[]): ReplyFlaw[] {
  const block = blocks.find(({ kind, hasInput }) => kind === "call" && !hasInput);
  if (!block) return [];
  const detail = "no input follows the start of the call";
  const pointer = `${contentPointer}/${block.place}/toolUse/input`;
  return [{ kind: "missing-arguments", isHarmless: true, detail, pointer, extent: block.startedAt }];
}
