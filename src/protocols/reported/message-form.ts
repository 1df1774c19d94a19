import type { Item, Role, ToolResult } from "../../conversation/item.ts";
import type { DecodedElement } from "../protocol.ts";
import { defined, type Fields, filled, lookUp } from "../wire.ts";
import { resultText } from "./parts.ts";

/** How one framework or program writes an element of a history down; `undefined` for elements of any other form. */
export type Form = (message: Fields) => DecodedElement | undefined;

const roles: Readonly<Record<string, Role>> = {
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

/** What somebody said, as the items of a message: none where it is empty. */
export function said(value: unknown, role: Role, pointer: string): Item[] {
  const text = typeof value === "string" ? value : resultText(value);
  return text === "" ? [] : [{ kind: "message", role, pointer, text, hasMedia: false }];
}

/** What a tool gave back, under the names that its keeper has for the members. */
export function result(
  told: { callId: unknown; name?: unknown; output: unknown; isError?: boolean },
  pointer: string,
): ToolResult {
  return defined({
    kind: "result" as const,
    role: "tool" as const,
    pointer,
    callId: filled(told.callId),
    name: filled(told.name),
    text: resultText(told.output),
    hasMedia: false,
    isError: told.isError === true ? true : undefined,
    wireType: "tool-result",
    isHosted: false,
  });
}
