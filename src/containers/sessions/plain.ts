import { type Fields, fields, filled, list } from "../../reading/values.ts";
import type { PlainMessage, PlainPart } from "../../traffic/plain-message.ts";
import type { Entry } from "../../traffic/transcript.ts";
import {
  argumentsIn,
  callIdBeside,
  callIdIn,
  callTypes,
  isFailure,
  outputIn,
  resultTypes,
  toolNameIn,
} from "../../traffic/vocabulary.ts";
import type { SessionRecord } from "./session-file.ts";

export type CallPart = Extract<PlainPart, { readonly kind: "call" }>;
export type ResultPart = Extract<PlainPart, { readonly kind: "result" }>;

/** What a log states about a message in addition to its content. */
export type EntryFacts = Omit<Partial<Entry>, "value" | "span" | "pointer" | "base">;

/** The entry of a message in an agent's own form. */
export function plainEntry(
  { span, base, value }: SessionRecord,
  role: PlainMessage["role"],
  parts: readonly PlainPart[],
  facts: EntryFacts = {},
): Entry {
  const time = value["timestamp"] ?? value["time"] ?? value["ts"] ?? value["created_at"];
  const message: PlainMessage = { role, parts };
  return { value: message, span, base, pointer: "", time, ...facts };
}

/** Facts without the undefined ones. */
export function known(facts: { readonly [K in keyof EntryFacts]: EntryFacts[K] | undefined }): EntryFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/**
 * The parts of a message's content, by the names that most agents use: a text, or a list of texts, thoughts,
 * images, calls and results. Other parts are dropped.
 */
export function contentParts(content: unknown, at: string): PlainPart[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content, at }];
  return list(content).flatMap((part, index) => contentPart(part, `${at}/${index}`));
}

function contentPart(value: unknown, at: string): PlainPart[] {
  if (typeof value === "string") return [{ kind: "text", text: value, at }];
  const part = fields(value);
  const type = filled(part["type"]) ?? filled(part["kind"]) ?? "text";
  if (/^(?:input_|output_)?text$/.test(type)) return textPart(part["text"], "text", at);
  if (/^(?:think|thinking|reasoning)$/.test(type))
    return textPart(part["thinking"] ?? part["think"] ?? part["text"], "reasoning", at);
  if (/image|file|document|audio/i.test(type)) return [{ kind: "media", at }];
  if (callTypes.has(type))
    return [callPart({ id: callIdIn(part), name: toolNameIn(part), arguments: argumentsIn(part), at })];
  if (resultTypes.has(type)) {
    const run = fields(part["run"]);
    const text = textOf(outputIn(part)?.value ?? run["result"] ?? run["error"]);
    const isError = isFailure(part) || isFailure(run);
    return [resultPart({ callId: callIdBeside(part), text, isError, at })];
  }
  return [];
}

function textPart(text: unknown, kind: "text" | "reasoning", at: string): PlainPart[] {
  return typeof text === "string" ? [{ kind, text, at }] : [];
}

/** A call. An `id` or `name` that is not text counts as absent. */
export function callPart(
  call: Pick<CallPart, "arguments" | "isFreeText" | "isHosted" | "isOpen" | "at"> & {
    readonly id?: unknown;
    readonly name: unknown;
  },
): CallPart {
  const { id, name, ...facts } = call;
  const known = filled(id);
  return { kind: "call", ...(known !== undefined && { id: known }), name: filled(name) ?? "", ...facts };
}

/** A result without undefined members. */
export function resultPart(result: {
  readonly callId: string | undefined;
  readonly name?: string | undefined;
  readonly text: string;
  readonly isError?: boolean;
  readonly at: string;
}): ResultPart {
  const { callId, name, text, isError, at } = result;
  return {
    kind: "result",
    ...(callId !== undefined && { callId }),
    ...(name !== undefined && { name }),
    text,
    ...(isError && { isError }),
    at,
  };
}

/** The text of a tool's output: a string, the texts of its parts, or JSON. Parts of no type are JSON, too. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return filled(fields(value)["text"]) ?? JSON.stringify(value);
  return value
    .map((part) => {
      if (typeof part === "string") return part;
      const { type, kind, text } = fields(part);
      const said = filled(text) ?? filled(fields(text)["value"]);
      const isTyped = type !== undefined || kind !== undefined || text !== undefined;
      return said ?? (isTyped ? "" : JSON.stringify(part));
    })
    .filter((text) => text !== "")
    .join("\n");
}

/** The ids of the calls among the parts. */
export function callIds(parts: readonly PlainPart[]): string[] {
  return parts.flatMap((part) => (part.kind === "call" ? (part.id ?? []) : []));
}

/** The ids of the calls that the results among the parts answer. */
export function answeredIds(parts: readonly PlainPart[]): string[] {
  return parts.flatMap((part) => (part.kind === "result" ? (part.callId ?? []) : []));
}

/** A logged stop reason and the pointer to it; `undefined` without one. */
export function finishFact(reason: unknown, pointer: string): Entry["finish"] {
  const known = filled(reason);
  return known === undefined ? undefined : { reason: known, pointer };
}

/** Token counts under the given names; `undefined` without any. */
export function usageFact(
  value: unknown,
  names: { input: string; output: string; cached?: string },
): Entry["usage"] {
  const usage: Fields = fields(value);
  const count = (name: string | undefined): number | undefined => {
    const number = name === undefined ? undefined : usage[name];
    return typeof number === "number" ? number : undefined;
  };
  const [input, output, cached] = [count(names.input), count(names.output), count(names.cached)];
  if (input === undefined && output === undefined) return undefined;
  return {
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    ...(cached !== undefined && { cached }),
  };
}
