import type { Extent, Item } from "../../conversation/item.ts";
import type { Finish, FinishMeaning, Reply, ReplyError, ReplyFlaw, Usage } from "../../conversation/reply.ts";
import { errorDetails, errorIn, failedAttempts, namesError } from "../errors.ts";
import { meaningOf as meaningOfGeminis } from "../gemini/finish-reasons.ts";
import type { ReplyBody } from "../protocol.ts";
import { defined, type Fields, fields, filled, isFields, list, lookUp, number, string } from "../wire.ts";
import { opened, workersAiMessage } from "./envelopes.ts";
import { decodeMessage } from "./messages.ts";

const meanings: Readonly<Record<string, FinishMeaning>> = {
  stop: "answer",
  eos: "answer",
  end_turn: "answer",
  tool_calls: "calls",
  function_call: "calls",
  tool_use: "calls",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  content_filter: "filter",
  error: "error",
  insufficient_system_resource: "error",
};

export function meaningOf(reason: string): FinishMeaning {
  return lookUp(meanings, reason) ?? "other";
}

/**
 * Whether the reason of the server behind OpenRouter is one of Gemini's for a malformed call.
 * @see https://github.com/OpenRouterTeam/openrouter-examples/issues/67
 */
function isMalformedCall(native: string | undefined): boolean {
  return native !== undefined && meaningOfGeminis(native.toUpperCase()) === "malformed-call";
}

/** Reads a choice's `finish_reason`; `undefined` while it is null. */
export function finishOf(choice: Fields, pointer: string, extent?: Extent): Finish | undefined {
  const reason = filled(choice["finish_reason"]);
  // DashScope writes the word while a stream goes on.
  if (reason === undefined || reason === "null") return undefined;
  const native = filled(choice["native_finish_reason"]);
  return defined({
    reason,
    native,
    meaning: isMalformedCall(native) ? "malformed-call" : meaningOf(reason),
    isUnknown: Object.hasOwn(meanings, reason) ? undefined : true,
    pointer,
    extent,
  });
}

export function usageOf(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  return defined({
    input: number(value["prompt_tokens"]),
    output: number(value["completion_tokens"]),
    cached: number(fields(value["prompt_tokens_details"])["cached_tokens"]),
  });
}

/** Reads the error body of OpenAI and its clones; some write `error` as plain text, some omit the wrapper. */
export function errorOf(value: unknown): ReplyError | undefined {
  const body = fields(value);
  const error =
    errorIn(body) ??
    (namesError(body["object"]) ? body : undefined) ??
    (typeof body["error_msg"] === "string"
      ? { message: body["error_msg"], code: body["error_code"] }
      : undefined) ??
    (Array.isArray(body["detail"]) || typeof body["detail"] === "string"
      ? { message: JSON.stringify(body["detail"]) }
      : undefined);
  if (error === undefined || error === null) return undefined;
  const inner = fields(error);
  const code = inner["code"] ?? body["code"];
  return defined({
    message: string(inner["message"]) ?? string(error) ?? JSON.stringify(inner["message"] ?? error),
    type: string(inner["type"]),
    code: typeof code === "number" ? String(code) : string(code),
    isMidStream: false,
    pointer: "/error",
    ...errorDetails(isFields(error) ? { detail: body["detail"], ...inner } : body),
  });
}

export function decodeReply(body: ReplyBody): Reply {
  const { value, pointerTo } = opened(fields(body.value));
  const choices = list(value["choices"]).map(fields);
  const first = choices[0];
  const flaws: ReplyFlaw[] = [];
  const message = isFields(first?.["message"])
    ? first["message"]
    : isFields(first?.["delta"])
      ? first["delta"]
      : undefined;
  const own = workersAiMessage(value);
  const items = own
    ? decodeMessage(own, "/result", "assistant").items.map((item) =>
        item.kind === "message" ? { ...item, pointer: "/result/response" } : item,
      )
    : itemsOf(choices, pointerTo);
  const calls = items.filter(({ kind }) => kind === "call").length;
  for (const [index, item] of items.entries()) {
    if (item.kind !== "call") continue;
    const wire = fields(list(message?.["tool_calls"])[index]);
    // Workers AI has no ids.
    if (item.wireType !== "function_call" && item.id === undefined && !own) {
      const kind = wire["id"] === "" ? ("empty-id" as const) : ("missing-id" as const);
      flaws.push({
        kind,
        isHarmless: calls === 1,
        detail: "the call has no id",
        pointer: item.pointer,
      });
    }
    if (item.name === "")
      flaws.push({
        kind: "missing-name",
        isHarmless: false,
        detail: "the call names no tool",
        pointer: item.pointer,
      });
  }
  const attempts = message ? failedAttempts(message, `${pointerTo(0)}/message`) : [];
  return defined({
    place: body.place,
    form: "json" as const,
    id: filled(value["id"]),
    model: filled(value["model"]),
    // A filtered list of one item has room for sixteen, and long logs keep a hundred thousand of them.
    items: items.every(isSaid) ? items : items.filter(isSaid),
    writings: message && writingsOf({ role: "assistant", ...message }),
    finish: first && finishOf(first, `${pointerTo(0)}/finish_reason`),
    usage: usageOf(value["usage"] ?? fields(value["result"])["usage"]),
    state: "complete" as const,
    error: (choices.length === 0 && !own) || (body.status ?? 200) >= 400 ? errorOf(value) : undefined,
    attempts: attempts.length > 0 ? attempts : undefined,
    flaws,
    otherChoices: Math.max(0, choices.length - 1 - splitChoices(choices).length),
  });
}

function isSaid(item: Item): boolean {
  return item.kind !== "message" || item.text !== "" || item.hasMedia;
}

/**
 * The choices that continue the first: some gateways put text and calls of one reply into choices of their
 * own, each with the reason of the whole. (Other choices are alternatives, each with its own reason.)
 */
function splitChoices(choices: readonly Fields[]): readonly (readonly [index: number, choice: Fields])[] {
  const [first, ...others] = choices;
  if (first?.["finish_reason"] !== "tool_calls" || callsIn(first).length > 0) return [];
  return others.flatMap((choice, index) =>
    callsIn(choice).length > 0 ? [[index + 1, choice] as const] : [],
  );
}

function callsIn(choice: Fields): readonly unknown[] {
  return list(fields(choice["message"])["tool_calls"]);
}

function itemsOf(choices: readonly Fields[], pointerTo: (choice: number) => string): Item[] {
  const [first] = choices;
  if (!first) return [];
  return [[0, first] as const, ...splitChoices(choices)].flatMap(([index, { message, delta }]) => {
    const said = isFields(message) ? message : delta;
    return isFields(said) ? decodeMessage(said, `${pointerTo(index)}/message`, "assistant").items : [];
  });
}

/** The message that a client appends. `index` belongs to streams, but some clients keep it. */
function writingsOf(message: Fields): unknown[][] {
  const calls = list(message["tool_calls"]);
  if (!calls.some((call) => "index" in fields(call))) return [[message]];
  const plain = calls.map((call) => {
    const { index: _, ...rest } = fields(call);
    return rest;
  });
  return [[{ ...message, tool_calls: plain }], [message]];
}
