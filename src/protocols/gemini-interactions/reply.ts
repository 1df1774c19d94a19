import type { Extent, Fragments, Item } from "../../conversation/item.ts";
import type { Finish, FinishMeaning, Reply, ReplyError } from "../../conversation/reply.ts";
import { errorIn } from "../errors.ts";
import type { ReplyBody, StreamBody } from "../protocol.ts";
import { stopReason } from "../stop-reason.ts";
import { unknownEvents, withFragment } from "../stream-parts.ts";
import { defined, type Fields, fields, filled, isFields, list, lookUp, number, string } from "../wire.ts";
import { decodeContent, decodeElement } from "./contents.ts";

const meanings: Readonly<Record<string, FinishMeaning>> = {
  completed: "answer",
  requires_action: "calls",
  incomplete: "length",
  failed: "error",
  cancelled: "other",
};

function finishOf(value: unknown, pointer: string, extent?: Extent): Finish | undefined {
  const reason = filled(value);
  if (reason === undefined || reason === "in_progress") return undefined;
  return stopReason(reason, lookUp(meanings, reason), pointer, extent);
}

function usageOf(value: unknown): Reply["usage"] {
  const usage = fields(value);
  const [input, output] = [number(usage["total_input_tokens"]), number(usage["total_output_tokens"])];
  if (input === undefined && output === undefined) return undefined;
  return defined({ input, output, cached: number(usage["total_cached_tokens"]) });
}

function errorOf(value: unknown, pointer: string, extent?: Extent): ReplyError | undefined {
  if (!isFields(value)) return undefined;
  const message = string(value["message"]) ?? "the request failed";
  const type = filled(value["status"]) ?? filled(value["code"]);
  return defined({ message, type, isMidStream: extent !== undefined, pointer, extent });
}

export function decodeReply({ value, place }: ReplyBody): Reply {
  const body = fields(value);
  const key = Array.isArray(body["steps"]) ? "steps" : "outputs";
  const items = list(body[key]).flatMap((step, index) => {
    if (fields(step)["type"] === "user_input") return [];
    const { items: own } =
      key === "steps" ? decodeElement(step) : { items: decodeContent(fields(step), "assistant", "") };
    return own.map((item): Item => ({ ...item, pointer: `/${key}/${index}${item.pointer}` }));
  });
  const error = errorOf(errorIn(body), "/error");
  return defined({
    place,
    form: "json" as const,
    id: filled(body["id"]),
    model: filled(body["model"]),
    items,
    finish: finishOf(body["status"], "/status"),
    usage: usageOf(body["usage"]),
    state: "complete" as const,
    error,
    flaws: [],
    otherChoices: 0,
  });
}

/** A step whose events are still arriving. */
interface Builder {
  readonly pointer: string;
  /** The members received so far, with their texts joined. */
  content: Fields;
  isClosed: boolean;
  fragments: Fragments;
}

const terminal = /^interaction\.completed?$/;

export function endsStream(value: unknown): boolean {
  const event = fields(value);
  return terminal.test(string(event["event_type"]) ?? string(event["type"]) ?? "");
}

/** Older streams send contents, newer ones steps; both are numbered. */
export function decodeStream(body: StreamBody): Reply {
  const builders = new Map<unknown, Builder>();
  let whole: Fields = {};
  let finish: Finish | undefined;
  let error: ReplyError | undefined;
  let isDone = false;
  const novelties = unknownEvents();
  for (const [place, frame] of body.frames.entries()) {
    const event = fields(frame.value);
    const type = string(event["event_type"]) ?? string(event["type"]) ?? "";
    const { extent } = frame;
    const pointer = `/${place}`;
    if (type.startsWith("interaction.")) {
      const interaction = fields(event["interaction"]);
      whole = { ...whole, ...interaction };
      const status = interaction["status"] ?? event["status"];
      finish = finishOf(status, `${pointer}/interaction/status`, extent) ?? finish;
      isDone ||= terminal.test(type);
    } else if (/^(?:content|step)\./.test(type)) {
      const { index } = event;
      const known = builders.get(index);
      const content = fields(event["content"] ?? event["step"] ?? event["delta"]);
      builders.set(index, {
        pointer: known?.pointer ?? pointer,
        content: merged(known?.content ?? {}, content),
        isClosed: known?.isClosed === true || type.endsWith(".stop"),
        fragments: withFragment(known?.fragments, extent),
      });
    } else if (type === "error") error = errorOf(event["error"], `${pointer}/error`, extent);
    else if (type !== "") novelties.add(type, extent);
  }
  return defined({
    place: body.place,
    form: "stream" as const,
    id: filled(whole["id"]),
    model: filled(whole["model"]),
    items: [...builders.values()].flatMap((builder) => itemsOf(builder, isDone)),
    finish,
    usage: usageOf(whole["usage"]),
    state: isDone ? ("complete" as const) : ("open" as const),
    error,
    flaws: [],
    novelties: novelties.found,
    otherChoices: 0,
  });
}

/** Texts grow; other members are sent once. */
function merged(known: Fields, update: Fields): Fields {
  const next: Record<string, unknown> = { ...known };
  for (const [key, value] of Object.entries(update)) {
    const before = next[key];
    // A delta has its own types: `text_delta`, `thought_summary`.
    if (key === "type" && before !== undefined) continue;
    const grows = key === "text" || key === "arguments" || key === "partial_arguments";
    next[key] = grows && typeof before === "string" && typeof value === "string" ? before + value : value;
  }
  return next;
}

function itemsOf({ pointer, content, isClosed, fragments }: Builder, isDone: boolean): Item[] {
  const type = string(content["type"]) ?? "text";
  // A step of the model's output holds its text in `content`; deltas have added to `text`.
  const whole: Fields =
    type === "model_output" || type === "text"
      ? {
          type: "text",
          text: `${string(fields(list(content["content"])[0])["text"]) ?? ""}${string(content["text"]) ?? ""}`,
        }
      : type.startsWith("thought")
        ? { ...content, type: "thought", summary: content["summary"] ?? content["text"] ?? "" }
        : { ...content, arguments: content["arguments"] ?? content["partial_arguments"] };
  return decodeContent(whole, "assistant", "").map((item): Item => {
    const state = isClosed || isDone ? ("complete" as const) : ("open" as const);
    return { ...item, pointer, fragments, ...(item.kind === "call" && { state }) };
  });
}
