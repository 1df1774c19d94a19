import type { Extent, Fragments, Item } from "../../conversation/item.ts";
import type { Finish, FinishMeaning, Reply, ReplyError } from "../../conversation/reply.ts";
import type { ReplyBody, StreamBody } from "../protocol.ts";
import { stopReason } from "../stop-reason.ts";
import { unknownEvents, withFragment } from "../stream-parts.ts";
import {
  callArguments,
  defined,
  type Fields,
  fields,
  filled,
  lookUp,
  number,
  string,
  valueText,
} from "../wire.ts";
import { decodeMessage, planOf } from "./messages.ts";

export const meanings: Readonly<Record<string, FinishMeaning>> = {
  COMPLETE: "answer",
  STOP_SEQUENCE: "answer",
  MAX_TOKENS: "length",
  TOOL_CALL: "calls",
  ERROR: "error",
  TIMEOUT: "error",
};

function finishOf(value: unknown, pointer: string, extent?: Extent): Finish | undefined {
  const reason = filled(value);
  if (reason === undefined) return undefined;
  return stopReason(reason, lookUp(meanings, reason), pointer, extent);
}

function usageOf(value: unknown): Reply["usage"] {
  const tokens = fields(fields(value)["tokens"]);
  const [input, output] = [number(tokens["input_tokens"]), number(tokens["output_tokens"])];
  return input === undefined && output === undefined ? undefined : defined({ input, output });
}

export function decodeReply({ value, place }: ReplyBody): Reply {
  const body = fields(value);
  const items = decodeMessage(body["message"]).items.map(
    (item): Item => ({ ...item, pointer: `/message${item.pointer}` }),
  );
  const isFailure = body["message"] !== undefined && typeof body["message"] === "string";
  return defined({
    place,
    form: "json" as const,
    id: filled(body["id"]),
    items: isFailure
      ? []
      : items.filter((item) => item.kind !== "message" || item.text !== "" || item.hasMedia),
    finish: finishOf(body["finish_reason"], "/finish_reason"),
    usage: usageOf(body["usage"]),
    state: "complete" as const,
    error: isFailure ? errorOf(body, "/message") : undefined,
    flaws: [],
    otherChoices: 0,
  });
}

function errorOf(body: Fields, pointer: string, extent?: Extent): ReplyError {
  const message = string(body["message"]) ?? string(body["error"]) ?? "the request failed";
  return defined({ message, isMidStream: extent !== undefined, pointer, extent });
}

interface Builder {
  readonly kind: "text" | "reasoning" | "plan" | "call";
  readonly pointer: string;
  readonly call: Fields;
  text: string;
  isClosed: boolean;
  fragments: Fragments;
}

export function decodeStream(body: StreamBody): Reply {
  const builders = new Map<string, Builder>();
  let finish: Finish | undefined;
  let usage: Reply["usage"];
  let error: ReplyError | undefined;
  let id: string | undefined;
  let isDone = false;
  const novelties = unknownEvents();

  const grow = (
    kind: Builder["kind"],
    index: unknown,
    pointer: string,
    extent: Extent,
    call: Fields = {},
  ): Builder => {
    const key = `${kind} ${valueText(index)}`;
    const known = builders.get(key);
    const fragments = withFragment(known?.fragments, extent);
    if (known) known.fragments = fragments;
    const builder = known ?? { kind, pointer, call, text: "", isClosed: false, fragments };
    builders.set(key, builder);
    return builder;
  };

  for (const [place, frame] of body.frames.entries()) {
    const event = fields(frame.value);
    const delta = fields(event["delta"]);
    const message = fields(delta["message"]);
    const content = fields(message["content"]);
    const call = fields(message["tool_calls"]);
    const pointer = `/${place}`;
    const { extent } = frame;
    switch (event["type"]) {
      case "message-start":
        id = filled(event["id"]);
        break;
      case "tool-plan-delta":
        grow("plan", 0, pointer, extent).text += string(message["tool_plan"]) ?? "";
        break;
      case "content-start":
      case "content-delta": {
        const isThought = content["type"] === "thinking" || content["thinking"] !== undefined;
        const kind =
          isThought || builders.has(`reasoning ${valueText(event["index"])}`) ? "reasoning" : "text";
        grow(kind, event["index"], pointer, extent).text +=
          string(content[isThought ? "thinking" : "text"]) ?? "";
        break;
      }
      case "tool-call-start":
      case "tool-call-delta":
        grow("call", event["index"], pointer, extent, call).text +=
          string(fields(call["function"])["arguments"]) ?? "";
        break;
      case "tool-call-end":
        grow("call", event["index"], pointer, extent).isClosed = true;
        break;
      case "message-end":
        isDone = true;
        finish = finishOf(delta["finish_reason"], `${pointer}/delta/finish_reason`, extent);
        usage = usageOf(delta["usage"]);
        if (delta["error"] !== undefined) error = errorOf(delta, pointer, extent);
        break;
      case "content-end":
      case "citation-start":
      case "citation-end":
      case "debug":
      case undefined:
        break;
      default:
        novelties.add(valueText(event["type"]), extent);
    }
  }
  return defined({
    place: body.place,
    form: "stream" as const,
    id,
    items: [...builders.values()].flatMap((builder) => itemOf(builder, isDone)),
    finish,
    usage,
    state: isDone ? ("complete" as const) : ("open" as const),
    error,
    flaws: [],
    novelties: novelties.found,
    otherChoices: 0,
  });
}

function itemOf({ kind, pointer, call, text, isClosed, fragments }: Builder, isDone: boolean): Item[] {
  const role = "assistant" as const;
  if (kind === "call")
    return [
      defined({
        kind: "call" as const,
        role,
        pointer,
        id: filled(call["id"]),
        name: string(fields(call["function"])["name"]) ?? "",
        ...callArguments(text),
        isJson: true,
        wireType: "function",
        isHosted: false,
        state: isClosed || isDone ? ("complete" as const) : ("open" as const),
        fragments,
      }),
    ];
  if (text === "") return [];
  if (kind === "text") return [{ kind: "message", role, pointer, text, hasMedia: false, fragments }];
  const plan = planOf({ tool_plan: text }, "");
  return plan ? [{ ...plan, pointer, fragments }] : [];
}
