import type { Dice } from "../dice.ts";
import {
  Embedded,
  isObject,
  type Node,
  nodesOf,
  print,
  printed,
  Raw,
  type Slice,
  Stream,
  slicesOf,
} from "../document.ts";
import type { SeedLog } from "../seeds/seed.ts";
import { type Operator, onText } from "./operator.ts";

type Fields = Record<string, unknown>;
interface Place {
  readonly node: Node;
  readonly key: string;
}

const fieldsOf = (node: Node): Fields => node.value as Fields;
const at = ({ node, key }: Place): unknown => fieldsOf(node)[key];
const set = ({ node, key }: Place, value: unknown): void => {
  fieldsOf(node)[key] = value;
};
const remove = ({ node, key }: Place): void => {
  if (Array.isArray(node.value)) node.value.splice(Number(key), 1);
  else delete fieldsOf(node)[key];
};

const placesIn = (slices: readonly Slice[], fits: (value: unknown, place: Place) => boolean): Place[] => {
  const places: Place[] = [];
  for (const { root } of slices)
    for (const node of nodesOf(root.value))
      for (const [key, value] of Object.entries(node.value))
        if (fits(value, { node, key })) places.push({ node, key });
  return places;
};

type Fit = (value: unknown, place: Place) => boolean;

const keyed =
  (pattern: RegExp, type?: string): Fit =>
  (value, { key }) =>
    pattern.test(key) && (type === undefined || typeof value === type);

const isRole = keyed(/^role$/, "string");
const isId = keyed(/^(?:id|(?:tool_)?call_id|tool_use_id|tool_name)$/, "string");
const isAnyId = keyed(/(?:^|_)id$|^id/i, "string");
const isTools = keyed(/^(?:tools|functions|functionDeclarations)$/);
const isToolName = keyed(/^name$/, "string");
const isArguments: Fit = (value, { node, key }) =>
  /^(?:arguments|args|partial_json)$/.test(key) ||
  (key === "input" && "name" in node.value && !Array.isArray(value));
const isFinish = keyed(/^(?:finish_?reason|stop_reason|done_reason|status)$/i, "string");
const isIndex = keyed(/^(?:index|output_index|content_index|sequence_number)$/, "number");
const isStatus: Fit = (value, { key }) =>
  /status|code/i.test(key) && typeof value === "number" && value >= 100 && value < 600;
const isHistory: Fit = (value, { key }) => /^(?:messages|input|contents)$/.test(key) && Array.isArray(value);
const isMessage: Fit = (_, { node }) =>
  Array.isArray(node.value) && /^(?:messages|input|contents)$/.test(node.key);
const isResult: Fit = (value, { node }) =>
  Array.isArray(node.value) &&
  isObject(value) &&
  (value["role"] === "tool" ||
    /_output$|^tool_result$/.test(String(value["type"])) ||
    "functionResponse" in value);
const isCall: Fit = (value, { node }) =>
  Array.isArray(node.value) &&
  isObject(value) &&
  ("functionCall" in value ||
    ("function" in value && !("parameters" in Object(value["function"]))) ||
    /^(?:function_call|tool_use)$/.test(String(value["type"])));
const isSystem: Fit = (value, { key }) =>
  /^(?:system|instructions|systemInstruction)$/.test(key) ||
  (isObject(value) && /^(?:system|developer)$/.test(String(value["role"])));
const bodyKeys = /^(?:messages|input|contents|choices|candidates|output|message|delta|content)$/;
const isBody: Fit = (value) => {
  const held = value instanceof Embedded ? value.value : value;
  return value instanceof Stream || (isObject(held) && Object.keys(held).some((key) => bodyKeys.test(key)));
};
const isReply: Fit = (value, place) =>
  /^(?:response|reply|text|string|body|completion)$/.test(place.key) &&
  isBody(value, place) &&
  !JSON.stringify(Object.keys(Object(value))).includes("messages");

/** Changes one place that fits; the place's neighbours of the same kind are there for what takes two. */
const onPlace =
  (
    fits: Fit,
    change: (place: Place, dice: Dice, all: readonly Place[], others: readonly SeedLog[]) => void,
  ) =>
  (text: string, { dice, others }: { readonly dice: Dice; readonly others: readonly SeedLog[] }) => {
    const slices = slicesOf(text);
    const places = placesIn(slices, fits);
    if (places.length === 0) return undefined;
    change(dice.pick(places), dice, places, others);
    return printed(text, slices);
  };

const onAll =
  (fits: Fit, change: (place: Place, dice: Dice) => void) =>
  (text: string, { dice }: { readonly dice: Dice }) => {
    const slices = slicesOf(text);
    const places = placesIn(slices, fits).reverse();
    if (places.length === 0) return undefined;
    for (const place of places) change(place, dice);
    return printed(text, slices);
  };

const onStreams =
  (change: (stream: Stream, dice: Dice) => void) =>
  (text: string, { dice }: { readonly dice: Dice }) => {
    const slices = slicesOf(text);
    const places = placesIn(slices, (value) => value instanceof Stream);
    if (places.length === 0) return undefined;
    change(at(dice.pick(places)) as Stream, dice);
    return printed(text, slices);
  };

const roles = [
  "ai",
  "model",
  "bot",
  "human",
  "function",
  "assistant",
  "user",
  "tool",
  "system",
  "developer",
  "Assistant",
  "",
  "🤖",
];
const reasons = [
  "stop",
  "tool_calls",
  "length",
  "content_filter",
  "end_turn",
  "tool_use",
  "max_tokens",
  "STOP",
  "MAX_TOKENS",
  "completed",
  "incomplete",
  "failed",
  "in_progress",
  "function_call",
  "",
];
const refusals = [
  { error: { message: "Rate limit reached", type: "rate_limit_error", code: null } },
  { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } },
  { error: "model 'qwen3:8b' not found" },
  { detail: [{ loc: ["body", "messages"], msg: "field required" }] },
];
const html =
  "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>";

/** A text where a string, a list of parts or an object with arguments stands. */
const textOf = (value: unknown): string =>
  value instanceof Embedded || value instanceof Stream
    ? value.text
    : typeof value === "string"
      ? value
      : print(value, "");

/** A body of another log, perhaps of another protocol. */
const foreign = (others: readonly SeedLog[], dice: Dice, fits: Fit): unknown => {
  for (let tries = 0; tries < 5; tries++) {
    const places = placesIn(slicesOf(dice.pick(others).bytes.toString("utf8")), fits);
    if (places.length > 0) return at(dice.pick(places));
  }
  return {};
};

export const protocolOperators: readonly Operator[] = onText("protocol", {
  "rename a role": onPlace(isRole, (place, dice) => set(place, dice.pick(roles))),
  "rename a role everywhere": (text, victim) => {
    const [from, to] = [victim.dice.pick(["assistant", "model", "tool", "user"]), victim.dice.pick(roles)];
    return onAll(isRole, (place) => {
      if (at(place) === from) set(place, to);
    })(text, victim);
  },
  "remove a role": onPlace(isRole, remove),
  "swap ids": onPlace(isId, (place, dice, all) => {
    const other = dice.pick(all);
    const own = at(place);
    set(place, at(other));
    set(other, own);
  }),
  "copy an id": onPlace(isId, (place, dice, all) => set(place, at(dice.pick(all)))),
  "empty an id": onPlace(isId, (place) => set(place, "")),
  "empty all ids": onAll(isAnyId, (place) => set(place, "")),
  "remove all ids": onAll(isId, (place) => place.key !== "tool_name" && remove(place)),
  "same id for all": onAll(isId, (place) => set(place, "call_1")),
  "nearly the id": onPlace(isId, (place, dice) =>
    set(
      place,
      dice.pick([
        String(at(place)).toUpperCase(),
        ` ${at(place)}`,
        `${at(place)}x`,
        String(at(place)).slice(0, -1),
        { id: at(place) },
        7,
      ]),
    ),
  ),
  "drop a result": onPlace(isResult, remove),
  "drop all results": onAll(isResult, remove),
  "double a result": onPlace(isResult, ({ node, key }) =>
    (node.value as unknown[]).splice(Number(key), 0, fieldsOf(node)[key]),
  ),
  "move a result": onPlace(isResult, (place, dice, all) => {
    const value = at(place);
    const to = dice.pick(all).node.value as unknown[];
    remove(place);
    to.splice(dice.below(to.length + 1), 0, value);
  }),
  "empty a result": onPlace(isResult, (place, dice) => {
    const fields = at(place) as Fields;
    for (const key of ["content", "output", "response"])
      if (key in fields) fields[key] = dice.pick<unknown>(["", null, [], {}]);
  }),
  "drop a call": onPlace(isCall, remove),
  "double a call": onPlace(isCall, ({ node, key }) =>
    (node.value as unknown[]).splice(Number(key), 0, fieldsOf(node)[key]),
  ),
  "shuffle calls": onPlace(isCall, ({ node }, dice) => {
    const list = node.value as unknown[];
    list.splice(0, list.length, ...dice.shuffled(list));
  }),
  "drop a message": onPlace(isMessage, remove),
  "double a message": onPlace(isMessage, ({ node, key }) =>
    (node.value as unknown[]).splice(Number(key), 0, fieldsOf(node)[key]),
  ),
  "drop a beginning": onPlace(isHistory, (place, dice) =>
    set(place, (at(place) as unknown[]).slice(dice.between(1, 3))),
  ),
  "reverse a history": onPlace(isHistory, (place) => set(place, (at(place) as unknown[]).toReversed())),
  "double a history": onPlace(isHistory, (place) =>
    set(place, [...(at(place) as unknown[]), ...(at(place) as unknown[])]),
  ),
  "empty a history": onPlace(isHistory, (place) => set(place, [])),
  "drop a system prompt": onPlace(isSystem, remove),
  "remove tools": onPlace(isTools, remove),
  "empty tools": onPlace(isTools, (place) => set(place, [])),
  "double tools": onPlace(isTools, (place) => set(place, [at(place), at(place)].flat())),
  "rename a tool": onPlace(isToolName, (place, dice) =>
    set(
      place,
      dice.pick(["", "look up", "Look_Up", "look_up_2", "constructor", "ü".repeat(80), { name: at(place) }]),
    ),
  ),
  "cut arguments": onPlace(isArguments, (place, dice) => {
    const text = textOf(at(place));
    set(place, text.slice(0, dice.below(text.length)));
  }),
  "double-encode arguments": onPlace(isArguments, (place) => set(place, JSON.stringify(textOf(at(place))))),
  "arguments of the other type": onPlace(isArguments, (place) => {
    const value = at(place);
    set(
      place,
      value instanceof Embedded
        ? value.value
        : typeof value === "string"
          ? new Raw(/^[[{]/.test(value) ? value : "{}")
          : textOf(value),
    );
  }),
  "other arguments": onPlace(isArguments, (place, dice) =>
    set(
      place,
      dice.pick<unknown>([
        "",
        "null",
        "[]",
        "{}{}",
        '{"a":1}garbage',
        null,
        [],
        "undefined",
        "```json\n{}\n```",
        7,
      ]),
    ),
  ),
  "change a finish reason": onPlace(isFinish, (place, dice) => set(place, dice.pick(reasons))),
  "remove a finish reason": onPlace(isFinish, remove),
  "shuffle indices": onPlace(isIndex, (place, dice, all) =>
    set(place, dice.pick([0, 1, 2, 7, -1, at(dice.pick(all))])),
  ),
  "remove indices": onAll(isIndex, remove),
  "change a status": onPlace(isStatus, (place, dice) =>
    set(place, dice.pick<unknown>([0, 100, 204, 302, 400, 401, 404, 413, 429, 500, 529, 999, "200", null])),
  ),
  "drop an event": onStreams((stream, dice) => stream.events.splice(dice.below(stream.events.length), 1)),
  "double an event": onStreams((stream, dice) => {
    const index = dice.below(stream.events.length);
    stream.events.splice(index, 0, stream.events[index] as (typeof stream.events)[number]);
  }),
  "swap events": onStreams((stream, dice) => {
    const index = dice.below(Math.max(1, stream.events.length - 1));
    stream.events.splice(index, 2, ...stream.events.slice(index, index + 2).reverse());
  }),
  "shuffle events": onStreams((stream, dice) => (stream.events = dice.shuffled(stream.events))),
  "cut events": onStreams(
    (stream, dice) => (stream.events = stream.events.slice(0, dice.below(stream.events.length))),
  ),
  "events of two replies": onStreams((stream) => (stream.events = [...stream.events, ...stream.events])),
  "a body of another log": onPlace(isBody, (place, dice, _, others) =>
    set(place, foreign(others, dice, isBody)),
  ),
  "a message of another log": onPlace(isMessage, (place, dice, _, others) =>
    set(place, foreign(others, dice, isMessage)),
  ),
  "swap bodies": onPlace(isReply, (place, dice, all) => {
    const other = dice.pick(all);
    const own = at(place);
    set(place, at(other));
    set(other, own);
  }),
  "an HTML reply": onPlace(isReply, (place) => set(place, html)),
  "an empty reply": onPlace(isReply, (place, dice) =>
    set(place, dice.pick<unknown>(["", null, {}, [], "null", "OK"])),
  ),
  "an error reply": onPlace(isReply, (place, dice) => {
    const body = dice.pick(refusals);
    set(place, dice.once(2) ? body : JSON.stringify(body));
  }),
  "cut a reply": onPlace(isReply, (place, dice) => {
    const text = textOf(at(place));
    set(place, text.slice(0, dice.below(text.length)));
  }),
  "content types that lie": (text, { dice }) =>
    text.replace(/application\/(?:x-nd)?json|text\/event-stream/g, () =>
      dice.pick([
        "text/html",
        "text/event-stream",
        "application/json",
        "application/octet-stream",
        "multipart/form-data; boundary=x",
        "",
      ]),
    ),
  "other hosts": (text, { dice }) =>
    text.replace(/https?:\/\/[\w.:-]+/g, (url) =>
      dice.once(2)
        ? url
        : dice.pick([
            "https://api.anthropic.com",
            "https://api.mistral.ai",
            "http://localhost:8000",
            "https://openrouter.ai/api",
            "http://[::1]:1",
            "http://",
            "not a url",
          ]),
    ),
  "other models": (text, { dice }) =>
    text.replace(/gpt-5-mini|claude-sonnet-4-5|gemini-2\.5-flash|qwen3:8b/g, () =>
      dice.pick([
        "",
        "gpt-4o",
        "claude-opus-4-1",
        "deepseek-reasoner",
        "mistral-large-latest",
        "models/gemini-3-pro",
        "x".repeat(300),
      ]),
    ),
  "times in another order": (text, { dice }) =>
    text.replace(
      /2026-01-05[T ]12:00:\d\d/g,
      (time) => `${time.slice(0, 14)}${dice.below(60) < 10 ? "0" : ""}${time.slice(15)}`,
    ),
});
