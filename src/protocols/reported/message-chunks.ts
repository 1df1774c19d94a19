import type { Extent, Fragments, Item } from "../../conversation/item.ts";
import type { Finish, Reply } from "../../conversation/reply.ts";
import { pushAll } from "../../reading/lists.ts";
import { level } from "../../traffic/certainty.ts";
import type { Frame, Peek, StreamBody } from "../protocol.ts";
import { withFragment } from "../stream-parts.ts";
import {
  callArguments,
  defined,
  type Fields,
  fields,
  filled,
  isFields,
  list,
  number,
  string,
} from "../wire.ts";
import { finishOfMessage } from "./reply.ts";

/**
 * The chunks of a message that LangChain prints while a reply arrives: `AIMessageChunk(content='…',
 * tool_call_chunks=[…])`, their text without the class, or only what one has of the calls. As values they
 * look like whole messages, whose calls would have no names and broken arguments.
 * @see https://python.langchain.com/api_reference/core/messages/langchain_core.messages.ai.AIMessageChunk.html
 */
export function recognizeMessageChunk(peek: Peek): number | undefined {
  if (peek.has("role")) return isDelta((key) => peek.has(key)) ? level.even : undefined;
  const isOne =
    (peek.value("type") === "constructor" && isChunkName(peek.value("id"))) ||
    peek.value("type") === "tool_call_chunk" ||
    (peek.value("type") === "AIMessageChunk" && peek.has("content")) ||
    (!peek.has("type") && isTextOfChunk(peek));
  return isOne ? level.even : undefined;
}

/** The members of a delta in LangChain for Elixir. Its whole messages have results, too. */
const deltaKeys = ["role", "content", "status", "index", "tool_calls"] as const;

function isDelta(has: (key: string) => boolean): boolean {
  return deltaKeys.every(has) && !has("tool_results");
}

/** Whether a chunk is the last of its message, as far as a chunk says so. */
export function endsMessage({ value }: Frame): boolean {
  const chunk = fields(value);
  return isDelta((key) => key in chunk) && chunk["status"] !== "incomplete";
}

/** All chunks of a run have its id, and so has the message that they add up to. */
function isTextOfChunk(peek: Peek): boolean {
  const isMessage = peek.has("content") && peek.kind("additional_kwargs") === "object";
  return isMessage && string(peek.value("id"))?.startsWith("run-") === true;
}

/** The path of a class: `["langchain_core", "messages", "AIMessageChunk"]`. */
function isChunkName(id: unknown): boolean {
  return list(id).at(-1) === "AIMessageChunk";
}

/** The members of a chunk, which LangChain's JSON keeps as the arguments of its constructor. */
function membersOf(value: unknown): Fields {
  const chunk = fields(value);
  const { type, id, kwargs } = chunk;
  return type === "constructor" && isChunkName(id) ? { ...fields(kwargs), type: "AIMessageChunk" } : chunk;
}

export function isMessageChunk({ value }: Frame): boolean {
  const members = fields(value);
  if (isDelta((key) => key in members)) return true;
  const { type, additional_kwargs: more, tool_call_chunks: calls } = membersOf(value);
  return type === "AIMessageChunk" || type === "tool_call_chunk" || more !== undefined || calls !== undefined;
}

/** The id of the message that a chunk belongs to. */
export function messageIdOf({ value }: Frame): string | undefined {
  return filled(membersOf(value)["id"]);
}

interface CallBuilder {
  readonly index: number | undefined;
  id: string | undefined;
  name: string;
  text: string;
  fragments: Fragments;
}

/** Adds up the chunks of one message. What the log lacks of it is not known to be lacking. */
export function decodeMessageChunks({ place, frames }: StreamBody): Reply {
  const texts: string[] = [];
  const calls: CallBuilder[] = [];
  let textAt: Fragments | undefined;
  let finish: Finish | undefined;
  let id: string | undefined;
  let isCut = false;
  for (const [at, { value, extent }] of frames.entries()) {
    const chunk = membersOf(value);
    isCut = chunk["status"] === "incomplete";
    if (chunk["type"] !== "tool_call_chunk") id ??= filled(chunk["id"]);
    finish = finishOfMessage(chunk, `/${at}`) ?? finish;
    const text = textOf(chunk["content"]);
    if (text !== "") {
      texts.push(text);
      textAt = withFragment(textAt, extent);
    }
    for (const fragment of fragmentsOf(chunk)) add(calls, fragment, extent);
  }
  const items: Item[] = [];
  if (textAt)
    items.push({
      kind: "message",
      role: "assistant",
      pointer: "",
      text: texts.join(""),
      hasMedia: false,
      fragments: textAt,
    });
  pushAll(
    items,
    calls.map((call) => callOf(call, isCut)),
  );
  return defined({
    place,
    form: "stream" as const,
    id,
    items,
    finish,
    state: "complete" as const,
    flaws: [],
    otherChoices: 0,
  });
}

function callOf({ id, name, text, fragments }: CallBuilder, isCut: boolean): Item {
  return defined({
    kind: "call" as const,
    role: "assistant" as const,
    pointer: "",
    id,
    name,
    ...callArguments(text),
    isJson: true,
    wireType: "tool-call",
    isHosted: false,
    // Without the first chunk of a call, its end alone is in the log.
    state: isCut || name === "" ? ("open" as const) : ("complete" as const),
    fragments,
  });
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (isFields(content) ? [content] : list(content))
    .map((part) => string(part) ?? string(fields(part)["text"]) ?? string(fields(part)["content"]) ?? "")
    .join("");
}

/**
 * What a chunk has of calls: LangChain's own list, else the provider's, else calls that came whole, or the
 * fragments of a delta.
 */
function fragmentsOf(chunk: Fields): readonly Fields[] {
  if (chunk["type"] === "tool_call_chunk") return [chunk];
  const own = list(chunk["tool_call_chunks"]).map(fields);
  if (own.length > 0) return own;
  const sent = list(fields(chunk["additional_kwargs"])["tool_calls"]).map(fields);
  if (sent.length > 0)
    return sent.map(({ index, id, function: body }) => {
      const { name, arguments: args } = fields(body);
      return { index, id, name, args };
    });
  return list(chunk["tool_calls"])
    .map(fields)
    .map((call) => ("call_id" in call ? { ...call, id: call["call_id"], args: call["arguments"] } : call));
}

function add(calls: CallBuilder[], fragment: Fields, extent: Extent): void {
  const index = number(fragment["index"]);
  const [id, name] = [filled(fragment["id"]), filled(fragment["name"])];
  const known =
    (index === undefined ? undefined : calls.findLast((call) => call.index === index)) ??
    (id === undefined ? undefined : calls.find((call) => call.id === id)) ??
    (index === undefined && name === undefined ? calls.at(-1) : undefined);
  const { args } = fragment;
  const text =
    typeof args === "string" ? args : args === undefined || args === null ? "" : JSON.stringify(args);
  if (!known) {
    const fragments = withFragment(undefined, extent);
    calls.push({ index, id, name: name ?? "", text, fragments });
    return;
  }
  known.id ??= id;
  if (name !== undefined && known.name === "") known.name = name;
  known.text += text;
  known.fragments = withFragment(known.fragments, extent);
}
