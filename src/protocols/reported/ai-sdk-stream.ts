import type { Extent, Fragments, Item, ToolCall } from "../../conversation/item.ts";
import type { Finish, Reply, ReplyError } from "../../conversation/reply.ts";
import { level } from "../../traffic/certainty.ts";
import type { Frame, StreamBody } from "../protocol.ts";
import { withFragment } from "../stream-parts.ts";
import { callArguments, defined, type Fields, fields, filled, lookUp, string } from "../wire.ts";
import { placeReader } from "./assistant-stream.ts";
import { finishOf } from "./finish.ts";
import { eventOfChunk } from "./frameworks/mastra-chunks.ts";
import { contentOf, decodeCall, resultText } from "./parts.ts";

/**
 * Part types of the AI SDK's streams, with their recognition weight: streams to a browser
 * (`tool-input-available`) and those of a model (`tool-call`). Common words count only in a recognised
 * stream.
 * @see https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 */
export const eventTypes: ReadonlyMap<string, number> = new Map([
  ...["text-delta", "reasoning-delta", "tool-input-start", "tool-input-delta", "tool-input-available"].map(
    (type) => [type, level.strong] as const,
  ),
  ...["tool-output-available", "tool-output-error", "tool-call", "tool-call-delta", "tool-result"].map(
    (type) => [type, level.likely] as const,
  ),
  ...["start", "finish", "start-step", "finish-step", "step-start", "step-finish", "stream-start"].map(
    (type) => [type, level.weak] as const,
  ),
  ...[
    "text-start",
    "text-end",
    "reasoning-start",
    "reasoning-end",
    "tool-input-end",
    "response-metadata",
    "abort",
  ].map((type) => [type, level.veryVague] as const),
]);

/**
 * The codes of version 4's data stream, and the equivalent events of later versions.
 * @see https://v4.ai-sdk.dev/docs/ai-sdk-ui/stream-protocol
 */
const codes: Readonly<Record<string, (value: unknown) => Fields>> = {
  "0": (delta) => ({ type: "text-delta", delta }),
  g: (delta) => ({ type: "reasoning-delta", delta }),
  "9": (call) => ({ type: "tool-input-available", ...fields(call) }),
  a: (result) => ({ type: "tool-output-available", ...fields(result) }),
  b: (call) => ({ type: "tool-input-start", ...fields(call) }),
  c: (delta) => ({ type: "tool-input-delta", ...fields(delta) }),
  d: (end) => ({ type: "finish", ...fields(end) }),
  e: (end) => ({ type: "finish-step", ...fields(end) }),
  f: (start) => ({ type: "start-step", ...fields(start) }),
  "3": (errorText) => ({ type: "error", errorText }),
};

/** Whether an object after such a code is an event of that stream. */
export function isCoded(code: string, has: (key: string) => boolean): boolean {
  if (/^[9abc]$/.test(code)) return has("toolCallId");
  return code === "f" ? has("messageId") : /^[de]$/.test(code) && has("finishReason");
}

/** Parts of a whole reply, which the SDK's spans list. In a stream, other events stand around them. */
const contentTypes = new Set([
  "text",
  "reasoning",
  "tool-call",
  "tool-result",
  "tool-error",
  "source",
  "file",
]);

/** Whether a list holds the parts of one reply, and not the events of a stream. */
function isContent({ frames, framing }: StreamBody): boolean {
  return (
    framing !== "sse" &&
    frames.every((frame) => {
      const { type, textDelta, delta } = fields(frame.value);
      return contentTypes.has(string(type) ?? "") && textDelta === undefined && delta === undefined;
    })
  );
}

function eventOf({ event, value }: Frame): Fields {
  const decode = lookUp(codes, event);
  return decode ? decode(value) : fields(value);
}

interface Builder {
  readonly kind: "text" | "reasoning" | "call";
  readonly pointer: string;
  readonly id: string | undefined;
  text: string;
  call: ToolCall | undefined;
  isWhole: boolean;
  fragments: Fragments;
}

/** Whether an event ends a model's stream or a turn. */
export function endsStream(frame: Frame): boolean {
  const { type } = eventOf(frame);
  return frame.data.trim() === "[DONE]" || type === "finish" || type === "message-finish" || type === "abort";
}

export function decodeStream(body: StreamBody): Reply {
  const isWhole = isContent(body);
  const parts = new ReplyParts(isWhole);
  const atPlace = placeReader();
  for (const [place, frame] of body.frames.entries()) {
    const { event: outer, at } = eventOfChunk(atPlace(eventOf(frame)), `/${place}`);
    const type = string(outer["type"]) ?? "";
    const { inner: event, at: pointer } = contentOf(outer, type, at);
    parts.add({ type, event, pointer, extent: frame.extent });
  }
  const isDone = isWhole || body.frames.some(endsStream);
  return defined({
    place: body.place,
    form: isWhole ? ("json" as const) : ("stream" as const),
    items: parts.items(isDone),
    finish: parts.finish,
    state: isDone ? ("complete" as const) : ("open" as const),
    error: parts.error,
    flaws: [],
    otherChoices: 0,
  });
}

/** An event of a stream, or a part of a whole reply. */
interface PartEvent {
  readonly type: string;
  readonly event: Fields;
  readonly pointer: string;
  readonly extent: Extent;
}

/** The parts of a reply, in the order in which they began. */
class ReplyParts {
  finish: Finish | undefined;
  error: ReplyError | undefined;
  readonly #parts: (Builder | Item)[] = [];
  /** Parts that may go on, by kind and id. */
  readonly #open = new Map<string, Builder>();
  /** A whole reply lists its parts; events of a stream append to them. */
  readonly #isWhole: boolean;

  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
  }

  items(isDone: boolean): Item[] {
    return this.#parts.flatMap((part) =>
      "text" in part && !("role" in part) ? itemOf(part, isDone) : [part as Item],
    );
  }

  add({ type, event, pointer, extent }: PartEvent): void {
    const id = filled(event["toolCallId"]) ?? filled(event["id"]);
    switch (type) {
      case "text-delta":
      case "reasoning-delta":
        this.#builderOf(type === "text-delta" ? "text" : "reasoning", id, pointer, extent).text +=
          string(event["delta"]) ?? string(event["textDelta"]) ?? string(event["text"]) ?? "";
        break;
      case "text-end":
      case "reasoning-end":
        this.#open.delete(`${type === "text-end" ? "text" : "reasoning"} ${id ?? ""}`);
        break;
      case "text":
      case "reasoning":
        if (this.#isWhole) this.#build(type, undefined, pointer, extent).text += string(event["text"]) ?? "";
        break;
      case "tool-input-start":
      case "tool-call-streaming-start":
      case "tool-input-delta":
      case "tool-call-delta": {
        const builder = this.#builderOf("call", id, pointer, extent);
        builder.call ??= { ...decodeCall(event, pointer), ...(id !== undefined && { id }) };
        builder.text +=
          string(event["inputTextDelta"]) ?? string(event["argsTextDelta"]) ?? string(event["delta"]) ?? "";
        break;
      }
      case "tool-input-available":
      case "tool-input-error":
      case "tool-call": {
        const builder = this.#builderOf("call", id, pointer, extent);
        builder.call = decodeCall(event, pointer);
        builder.isWhole = true;
        break;
      }
      case "tool-output-available":
      case "tool-output-error":
      case "tool-result":
        this.#parts.push(resultOf(event, id, this.#parts, pointer, extent));
        break;
      case "finish":
      case "finish-step":
      case "message-finish":
      case "step-finish":
        this.finish = finishOf(event["finishReason"], `${pointer}/finishReason`) ?? this.finish;
        break;
      case "error":
        this.error ??= {
          message: filled(event["errorText"]) ?? filled(event["error"]) ?? resultText(event["error"]),
          isMidStream: true,
          pointer,
          extent,
        };
    }
  }

  #build(kind: Builder["kind"], id: string | undefined, pointer: string, extent: Extent): Builder {
    const builder: Builder = {
      kind,
      pointer,
      id,
      text: "",
      call: undefined,
      isWhole: false,
      fragments: withFragment(undefined, extent),
    };
    this.#parts.push(builder);
    this.#open.set(`${kind} ${id ?? ""}`, builder);
    return builder;
  }

  #builderOf(kind: Builder["kind"], id: string | undefined, pointer: string, extent: Extent): Builder {
    const known = this.#open.get(`${kind} ${id ?? ""}`);
    if (!known) return this.#build(kind, id, pointer, extent);
    known.fragments = withFragment(known.fragments, extent);
    return known;
  }
}

function resultOf(
  event: Fields,
  id: string | undefined,
  parts: readonly (Builder | Item)[],
  pointer: string,
  extent: Extent,
): Item {
  const call = parts.find((part): part is Builder => "fragments" in part && "call" in part && part.id === id);
  const failure = filled(event["errorText"]);
  return defined({
    kind: "result" as const,
    role: "tool" as const,
    pointer,
    callId: id,
    name: filled(event["toolName"]) ?? filled(call?.call?.name),
    text: failure ?? resultText(event["output"] ?? event["result"]),
    hasMedia: false,
    isError: failure === undefined ? undefined : true,
    wireType: "tool-result",
    isHosted: event["providerExecuted"] === true,
    fragments: withFragment(undefined, extent),
  });
}

function itemOf(part: Builder, isDone: boolean): Item[] {
  const { pointer, fragments } = part;
  const role = "assistant" as const;
  if (part.kind === "call") {
    if (!part.call) return [];
    const written = part.isWhole ? undefined : callArguments(part.text);
    const state = part.isWhole || isDone ? ("complete" as const) : ("open" as const);
    return [{ ...part.call, ...written, state, fragments }];
  }
  if (part.text === "") return [];
  return part.kind === "reasoning"
    ? [{ kind: "reasoning", role, pointer, text: part.text, fragments }]
    : [{ kind: "message", role, pointer, text: part.text, hasMedia: false, fragments }];
}
