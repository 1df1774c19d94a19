import type { Item, Reasoning, Role, ToolResult } from "../../conversation/item.ts";
import { defined, type Fields, filled, lookUp, string } from "../wire.ts";
import { resultText } from "./parts.ts";

/** The roles of messages as APIs name them. */
export const roles: Readonly<Record<string, Role>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  model: "assistant",
  tool: "tool",
  function: "tool",
};

/** The role that a word names, in any case; `undefined` for words that are no role. */
export function roleOf(word: string | undefined): Role | undefined {
  return lookUp(roles, word?.toLowerCase());
}

/** A text of somebody as the items of a message: none where it is empty. */
export function said(value: unknown, role: Role, pointer: string): Item[] {
  const text = typeof value === "string" ? value : resultText(value);
  return text === "" ? [] : [{ kind: "message", role, pointer, text, hasMedia: false }];
}

export function reasoning(text: unknown, role: Role, pointer: string): Reasoning {
  return { kind: "reasoning", role, pointer, text: string(text) ?? "" };
}

/** The result of a call, from members that the caller has looked up by its framework's names. */
export function result(
  members: { callId: unknown; name?: unknown; output: unknown; isError?: boolean },
  pointer: string,
): ToolResult {
  return defined({
    kind: "result" as const,
    role: "tool" as const,
    pointer,
    callId: filled(members.callId),
    name: filled(members.name),
    text: resultText(members.output),
    hasMedia: false,
    isError: members.isError === true ? true : undefined,
    wireType: "tool-result",
    isHosted: false,
  });
}

/** A member by the first of its names, whether it is written with a capital or not, and its key. */
export function member(value: Fields, ...names: readonly string[]): readonly [key: string, value: unknown] {
  for (const name of names)
    for (const key of [name, name[0]?.toUpperCase() + name.slice(1)])
      if (value[key] !== undefined) return [key, value[key]];
  return ["", undefined];
}

/** An item that stands below `base`; where nobody is named, the model said it. */
export function itemBelow(item: Item, base: string): Item {
  return {
    ...item,
    ...(item.role === "unknown" && { role: "assistant" as const }),
    pointer: `${base}${item.pointer}`,
    ...(item.flaws && { flaws: item.flaws.map((flaw) => ({ ...flaw, pointer: `${base}${flaw.pointer}` })) }),
  };
}
