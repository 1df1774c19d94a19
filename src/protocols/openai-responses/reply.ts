import type { Fragments, Item } from "../../conversation/item.ts";
import type { Finish, FinishMeaning, Reply, ReplyError, Usage } from "../../conversation/reply.ts";
import { errorDetails, errorIn } from "../errors.ts";
import { errorOf } from "../openai-chat/reply.ts";
import type { Frame, ReplyBody, StreamBody } from "../protocol.ts";
import { unknownEvents, withFragments } from "../stream-parts.ts";
import { defined, type Fields, fields, filled, isFields, list, lookUp, number, string } from "../wire.ts";
import { decodeItem } from "./items.ts";

const incompleteMeanings: Readonly<Record<string, FinishMeaning>> = {
  max_output_tokens: "length",
  content_filter: "filter",
  // The user spoke while the model did, and the reply ends there.
  steered: "other",
  max_messages: "other",
};
const statusMeanings: Readonly<Record<string, FinishMeaning>> = {
  completed: "answer",
  failed: "error",
  cancelled: "error",
  incomplete: "other",
};

export function decodeReply(body: ReplyBody): Reply {
  const response = fields(body.value);
  const status = string(response["status"]);
  return defined({
    place: body.place,
    form: "json" as const,
    id: filled(response["id"]),
    model: filled(response["model"]),
    items: itemsOf(list(response["output"])),
    writings: writingsOf(list(response["output"])),
    finish: finishOf(response),
    usage: usageOf(response["usage"]),
    state: status === "in_progress" || status === "queued" ? ("open" as const) : ("complete" as const),
    error:
      responseError(response, undefined) ??
      (Array.isArray(response["output"]) ? undefined : errorOf(body.value)),
    flaws: [],
    otherChoices: 0,
  });
}

function itemsOf(output: readonly unknown[]): Item[] {
  return output
    .flatMap((item, index) => decodeItem(item, `/output/${index}`).items)
    .filter((item) => item.kind !== "message" || item.text !== "" || item.hasMedia);
}

/** The output as received, and in the form for stored replies, which refers to items by id. */
function writingsOf(output: readonly unknown[]): unknown[][] | undefined {
  if (output.length === 0) return undefined;
  const named = output.map((item) => {
    const { id, type } = fields(item);
    return filled(id) !== undefined && (type === "message" || type === "reasoning")
      ? { type: "item_reference", id }
      : item;
  });
  return [[...output], named];
}

function finishOf(response: Fields, frame?: Frame): Finish | undefined {
  const status = filled(response["status"]);
  if (status === undefined || status === "in_progress" || status === "queued") return undefined;
  const why = filled(fields(response["incomplete_details"])["reason"]);
  const meaning = lookUp(incompleteMeanings, why) ?? lookUp(statusMeanings, status) ?? "other";
  const isKnown = Object.hasOwn(why === undefined ? statusMeanings : incompleteMeanings, why ?? status);
  const pointer = why === undefined ? "/status" : "/incomplete_details/reason";
  return defined({
    reason: why ?? status,
    meaning,
    isUnknown: isKnown ? undefined : true,
    pointer,
    extent: frame?.extent,
  });
}

function usageOf(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  return defined({
    input: number(value["input_tokens"]),
    output: number(value["output_tokens"]),
    cached: number(fields(value["input_tokens_details"])["cached_tokens"]),
  });
}

function responseError(response: Fields, frame: Frame | undefined): ReplyError | undefined {
  const error = errorIn(response);
  if (!isFields(error)) return undefined;
  return defined({
    message: string(error["message"]) ?? JSON.stringify(error),
    type: string(error["type"]),
    code: string(error["code"]),
    isMidStream: frame !== undefined,
    pointer: "/error",
    extent: frame?.extent,
    ...errorDetails(error),
  });
}

interface ItemBuilder {
  /** The newest complete form of the item in an event. */
  value: Fields;
  isDone: boolean;
  readonly text: PartTexts;
  readonly arguments: PartTexts;
  readonly summary: PartTexts;
  fragments: Fragments | undefined;
}

/** The fields in which a part's `done` event repeats its text. */
const wholeTexts = ["text", "refusal", "arguments", "input", "code"];

/**
 * The texts that deltas write, one per part of an item. The `done` event of a part repeats its text, which
 * counts where the log has not all the deltas.
 */
class PartTexts {
  readonly #texts = new Map<string, string>();

  add(type: string, event: Fields): void {
    const place = number(event["content_index"]) ?? number(event["summary_index"]) ?? 0;
    const key = `${type.replace(/\.(?:delta|done)$/, "")} ${place}`;
    const delta = string(event["delta"]);
    const whole = wholeTexts.map((field) => filled(event[field])).find((text) => text !== undefined);
    if (type.endsWith(".delta") && delta !== undefined)
      this.#texts.set(key, (this.#texts.get(key) ?? "") + delta);
    else if (type.endsWith(".done") && whole !== undefined) this.#texts.set(key, whole);
  }

  get isBegun(): boolean {
    return this.#texts.size > 0;
  }

  get whole(): string {
    return [...this.#texts.values()].join("");
  }
}

/**
 * Assembles a Responses stream. The terminal event's output takes precedence, then an item's `done` event,
 * then the sum of its deltas.
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function decodeStream(body: StreamBody): Reply {
  const builders = new Map<number, ItemBuilder>();
  const unnumbered = new UnnumberedItems();
  let response: Fields = {};
  let terminal: Frame | undefined;
  let error: ReplyError | undefined;
  const novelties = unknownEvents();
  for (const frame of body.frames) {
    if (!isFields(frame.value)) continue;
    const event = frame.value;
    const type = string(event["type"]) ?? frame.event ?? "";
    if (isFields(event["response"])) response = event["response"];
    if (isTerminalType(type)) terminal = frame;
    if (type === "error" || (isFields(errorIn(event)) && !type.startsWith("response."))) {
      error ??= eventError(event, frame);
      if (type === "error") terminal = frame;
    }
    if (!isKnownEvent(type)) novelties.add(type, frame.extent);
    addEvent(builders, unnumbered, type, event, frame);
  }

  const ordered = [...builders.entries()]
    .filter(([, builder]) => isBegun(builder))
    .sort(([a], [b]) => a - b)
    .map(([, builder]) => builder);
  const final = terminal ? list(response["output"]) : [];
  const output = final.length > 0 ? final : ordered.map(wireItem);
  const items = itemsOf(output);
  const streamed = items.map((item) => {
    const index = Number(item.pointer.split("/")[2]);
    const builder = ordered[index];
    const isOpen = item.kind === "call" && !terminal && builder !== undefined && !builder.isDone;
    const placed = builder?.fragments ? withFragments(item, builder.fragments) : item;
    return isOpen ? { ...placed, state: "open" as const } : placed;
  });
  return defined({
    place: body.place,
    form: "stream" as const,
    id: filled(response["id"]),
    model: filled(response["model"]),
    items: streamed,
    writings: writingsOf(output),
    finish: terminal && finishOf(response, terminal),
    usage: usageOf(response["usage"]),
    state: terminal ? ("complete" as const) : ("open" as const),
    error: error ?? responseError(response, terminal),
    flaws: [],
    novelties: novelties.found,
    otherChoices: 0,
  });
}

export function isTerminalType(type: string): boolean {
  return (
    type === "response.completed" ||
    type === "response.incomplete" ||
    type === "response.failed" ||
    type === "response.cancelled" ||
    type === "response.done"
  );
}

function eventError(event: Fields, frame: Frame): ReplyError {
  const inner = isFields(event["error"]) ? event["error"] : event;
  return defined({
    message: string(inner["message"]) ?? JSON.stringify(event),
    type: string(inner["type"]),
    code: string(inner["code"]),
    isMidStream: true,
    pointer: "/error",
    extent: frame.extent,
    ...errorDetails(inner),
  });
}

const knownEvents =
  /^(?:error|ping|keepalive|conversation\.[\w.]+|session\.[\w.]+|codex\.[\w.]+|rate_limits\.updated|response\.(?:create|created|queued|in_progress|completed|incomplete|failed|cancelled|done|metadata|heartbeat|keepalive|rate_limits\.\w+|steer(?:\.\w+)?|output_item\.\w+|content_part\.\w+|output_text\.(?:delta|done|annotation\.added)|refusal\.\w+|reasoning(?:_text|_summary|_summary_part|_summary_text)?\.\w+|function_call_arguments\.\w+|custom_tool_call_input\.\w+|mcp_call(?:_arguments)?\.\w+|mcp_list_tools\.\w+|code_interpreter_call(?:_code)?\.\w+|(?:web_search|file_search|image_generation|x_search|computer|shell|apply_patch|tool_search)_call\.\w+|apply_patch_call_operation_diff\.\w+|shell_call_(?:command|output_content)\.\w+|compaction\.\w+|(?:output_)?audio(?:_transcript|\.transcript)?\.\w+))$/;

/** @see https://platform.openai.com/docs/api-reference/responses-streaming */
function isKnownEvent(type: string): boolean {
  return type === "" || knownEvents.test(type);
}

function addEvent(
  builders: Map<number, ItemBuilder>,
  unnumbered: UnnumberedItems,
  type: string,
  event: Fields,
  frame: Frame,
): void {
  const index = number(event["output_index"]) ?? unnumbered.of(type, event);
  if (index === undefined) return;
  let builder = builders.get(index);
  if (!builder) {
    builder = {
      value: {},
      isDone: false,
      text: new PartTexts(),
      arguments: new PartTexts(),
      summary: new PartTexts(),
      fragments: undefined,
    };
    builders.set(index, builder);
  }
  if (type === "response.output_item.added" || type === "response.output_item.done") {
    if (isFields(event["item"])) builder.value = event["item"];
    builder.isDone ||= type.endsWith("done");
  }
  const delta = string(event["delta"]);
  textsOf(builder, type)?.add(type, event);
  if (delta !== undefined || builder.fragments === undefined) {
    const count = (builder.fragments?.count ?? 0) + 1;
    builder.fragments = { count, first: builder.fragments?.first ?? frame.extent, last: frame.extent };
  }
}

/** The texts of an item that an event adds to or repeats. */
function textsOf(builder: ItemBuilder, type: string): PartTexts | undefined {
  if (/arguments|tool_call_input|_code|command/.test(type)) return builder.arguments;
  if (/output_text|refusal/.test(type)) return builder.text;
  return type.includes("reasoning") ? builder.summary : undefined;
}

/** The items of a stream without `output_index`, as some gateways write it, in order of arrival. */
class UnnumberedItems {
  readonly #places = new Map<string, number>();

  /** The place of the item that an event begins, ends or adds to; `undefined` if it names none. */
  of(type: string, event: Fields): number | undefined {
    const { id, call_id: callId, type: kind } = fields(event["item"]);
    if (!type.startsWith("response.output_item.") || kind === undefined)
      return this.#places.get(`item ${string(event["item_id"])}`);
    const name = filled(callId) ?? filled(id);
    const key = `${string(kind)} ${name ?? this.#places.size}`;
    const place = this.#places.get(key) ?? firstUnnumbered + this.#places.size;
    this.#places.set(key, place);
    if (filled(id) !== undefined) this.#places.set(`item ${id}`, place);
    return place;
  }
}

/** Behind all items that have a number. */
const firstUnnumbered = 2 ** 32;

/** An event of an unknown kind may name an item that no known event has begun. */
function isBegun({ value, text, arguments: written, summary }: ItemBuilder): boolean {
  return Object.keys(value).length > 0 || text.isBegun || written.isBegun || summary.isBegun;
}

/** An item as a non-streamed body would carry it, built from deltas if no event had it complete. */
function wireItem(builder: ItemBuilder): Fields {
  const { value } = builder;
  if (builder.isDone) return value;
  if (value["type"] === "message")
    return { ...value, content: [{ type: "output_text", text: builder.text.whole }] };
  if (value["type"] === "custom_tool_call") return { ...value, input: builder.arguments.whole };
  if (value["type"] === "reasoning")
    return { ...value, summary: [{ type: "summary_text", text: builder.summary.whole }] };
  if (builder.arguments.isBegun || value["arguments"] !== undefined) {
    return {
      type: "function_call",
      ...value,
      arguments: builder.arguments.whole || value["arguments"],
    };
  }
  return builder.text.isBegun
    ? {
        type: "message",
        role: "assistant",
        ...value,
        content: [{ type: "output_text", text: builder.text.whole }],
      }
    : value;
}
