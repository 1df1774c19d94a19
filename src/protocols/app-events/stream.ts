import type { Extent, Fragments, Item, ToolResult } from "../../conversation/item.ts";
import type { Finish, FinishMeaning, Reply, ReplyError } from "../../conversation/reply.ts";
import { parseJson } from "../../reading/parse.ts";
import { argumentsIn, callIdIn, isFailure, outputIn, toolNameIn } from "../../traffic/vocabulary.ts";
import type { StreamBody } from "../protocol.ts";
import { callArguments, contentText, defined, type Fields, fields, filled, string } from "../wire.ts";
import { type AppEvent, eventText, inputFragment, readEvent } from "./events.ts";

/** Text or a call, while events still extend it. Its pointer names an event by its index in the stream. */
interface Builder {
  readonly pointer: string;
  readonly kind: "text" | "call";
  readonly id: string | undefined;
  name: string;
  text: string;
  input: unknown;
  inputText: string;
  /** Arguments or an end came after the start. */
  isClosed: boolean;
  fragments: Fragments;
}

interface Turn {
  readonly parts: (Builder | ToolResult)[];
  /** By id. */
  readonly calls: Map<string, Builder>;
  newest: Builder | undefined;
}

const meanings = new Map(
  Object.entries<FinishMeaning>({
    end_turn: "answer",
    stop: "answer",
    stop_sequence: "answer",
    tool_use: "calls",
    tool_calls: "calls",
    max_tokens: "length",
    length: "length",
    refusal: "refusal",
    content_filter: "filter",
  }),
);

/**
 * Decodes what an application reports to its own front end about a model's turn. That is less than the
 * provider sent: arguments come late, at once, or never, and one stream may hold several replies.
 */
export function decodeStream(body: StreamBody): Reply {
  const turn: Turn = { parts: [], calls: new Map(), newest: undefined };
  let finish: Finish | undefined;
  let error: ReplyError | undefined;
  let isDone = false;

  for (const [place, frame] of body.frames.entries()) {
    const { extent } = frame;
    if (frame.data.trim() === "[DONE]") isDone = true;
    const event = readEvent(frame);
    if (!event) continue;
    const pointer = `/${place}${event.base}`;
    finish = finishOf(event, pointer, extent) ?? finish;
    if (event.kind === "text") addText(turn, event, pointer, extent);
    else if (event.kind === "call" || event.kind === "input") addCall(turn, event, pointer, extent);
    else if (event.kind === "result") addResult(turn, event, pointer, extent);
    else if (event.kind === "error") error ??= errorOf(event.data, pointer, extent);
    else if (event.kind === "end") isDone = true;
    else if (turn.newest && /block.?(stop|end)$/i.test(event.name)) turn.newest.isClosed = true;
  }
  return defined({
    place: body.place,
    form: "stream" as const,
    items: turn.parts.flatMap((part) => itemOf(part, isDone)),
    finish,
    state: isDone ? ("complete" as const) : ("open" as const),
    error,
    flaws: [],
    otherChoices: 0,
  });
}

function newBuilder(kind: Builder["kind"], pointer: string, extent: Extent, data: Fields): Builder {
  const fragments = { count: 1, first: extent, last: extent };
  const name = toolNameIn(data) ?? "";
  return {
    pointer,
    kind,
    id: callIdIn(data),
    name,
    text: "",
    input: undefined,
    inputText: "",
    isClosed: false,
    fragments,
  };
}

function grow(builder: Builder, extent: Extent): void {
  builder.fragments = { ...builder.fragments, count: builder.fragments.count + 1, last: extent };
}

function addText({ parts }: Turn, { data }: AppEvent, pointer: string, extent: Extent): void {
  const text = eventText(data);
  if (text === undefined || text === "") return;
  const last = parts.at(-1);
  if (last?.kind === "text") {
    last.text += text;
    grow(last, extent);
    return;
  }
  parts.push({ ...newBuilder("text", pointer, extent, data), text });
}

/** Begins a call, or extends a known one: the one with the same id, else the newest. */
function addCall(turn: Turn, event: AppEvent, pointer: string, extent: Extent): void {
  const { data, kind } = event;
  const id = callIdIn(data);
  const known = findCall(turn, id);
  // Some applications announce a call twice: when it begins, and again when it is complete.
  const isSame = known && (id !== undefined || kind === "input");
  const call = isSame ? known : newBuilder("call", pointer, extent, data);
  if (isSame) grow(call, extent);
  else {
    turn.parts.push(call);
    turn.newest = call;
    if (id !== undefined) turn.calls.set(id, call);
  }
  if (call.name === "") call.name = toolNameIn(data) ?? "";
  const input = argumentsIn(data);
  if (input !== undefined) {
    call.input = input;
    call.isClosed = true;
  } else call.inputText += inputFragment(data) ?? "";
}

function findCall(turn: Turn, id: string | undefined): Builder | undefined {
  return id === undefined ? turn.newest : turn.calls.get(id);
}

/** Adds a result that the application shows. The end of a tool without output is not a result. */
function addResult(turn: Turn, { data }: AppEvent, pointer: string, extent: Extent): void {
  const output = outputIn(data);
  const id = callIdIn(data);
  const call = findCall(turn, id);
  if (call) call.isClosed = true;
  if (!output) return;
  const { key, value } = output;
  const { text, hasMedia } = contentText(value, (part) => string(part["text"]));
  const isPlain = typeof value === "string" || Array.isArray(value);
  const isError = key === "error" || isFailure(data);
  turn.parts.push(
    defined({
      kind: "result" as const,
      role: "tool" as const,
      pointer,
      callId: id ?? call?.id,
      name: toolNameIn(data) ?? (filled(call?.name) || undefined),
      text: isPlain && (text !== "" || value === "") ? text : JSON.stringify(value),
      hasMedia: hasMedia && text !== "",
      isError: isError ? true : undefined,
      wireType: "tool_result",
      isHosted: false,
      fragments: { count: 1, first: extent, last: extent },
    }),
  );
}

function itemOf(part: Builder | ToolResult, isDone: boolean): Item[] {
  if (part.kind === "result") return [part];
  const { pointer, fragments } = part;
  const role = "assistant" as const;
  if (part.kind === "text")
    return [{ kind: "message", role, pointer, text: part.text, hasMedia: false, fragments }];
  const written =
    part.input ?? (part.inputText === "" ? undefined : (parseJson(part.inputText) ?? part.inputText));
  return [
    defined({
      kind: "call" as const,
      role,
      pointer,
      id: part.id,
      name: part.name,
      ...callArguments(written),
      isJson: true,
      wireType: "tool_start",
      isHosted: false,
      state: isDone || part.isClosed ? ("complete" as const) : ("open" as const),
      fragments,
    }),
  ];
}

/** Few applications pass the reason on. */
function finishOf({ data }: AppEvent, pointer: string, extent: Extent): Finish | undefined {
  for (const key of ["stop_reason", "finish_reason", "stopReason", "finishReason"]) {
    const reason = filled(data[key]);
    if (reason === undefined) continue;
    const meaning = meanings.get(reason);
    return { reason, meaning: meaning ?? "other", pointer: `${pointer}/${key}`, extent };
  }
  return undefined;
}

function errorOf(data: Fields, pointer: string, extent: Extent): ReplyError {
  const inner = fields(data["error"]);
  const message =
    filled(data["message"]) ??
    filled(data["error"]) ??
    filled(inner["message"]) ??
    "the stream carries an error";
  return defined({
    message,
    type: filled(inner["type"]) ?? filled(data["type"]),
    isMidStream: true,
    pointer,
    extent,
  });
}
