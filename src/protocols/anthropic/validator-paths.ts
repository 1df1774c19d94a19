import { pointerTokens, valueAt } from "../../reading/pointer.ts";
import type { RefusalFacts } from "../refusals.ts";
import { fields, string } from "../wire.ts";

/** Members whose values are one of several kinds, which their `type` names. */
const variants: ReadonlySet<string> = new Set(["tool_choice", "thinking", "source", "cache_control"]);

/** Inside them, members have the names that the user gave. */
const opaque: ReadonlySet<string> = new Set(["input", "input_schema"]);

/**
 * A place as Anthropic's validator writes it. The kind of a block or tool follows its index:
 * `messages.3.content.0.tool_use.id`, `tools.0.custom.name`, `thinking.enabled.budget_tokens`.
 */
export function validatorPath(pointer: string, { body }: Pick<RefusalFacts, "body">): string {
  const names: string[] = [];
  const tokens = pointerTokens(pointer);
  let at: unknown = body;
  let isOpaque = false;
  for (const [depth, token] of tokens.entries()) {
    names.push(token);
    at = Array.isArray(at) ? at[Number(token)] : fields(at)[token];
    isOpaque ||= opaque.has(token);
    const isLast = depth === tokens.length - 1;
    // A validator names the kind only when it has found it.
    if (isOpaque || isLast || (tokens[depth + 1] === "type" && depth + 2 === tokens.length)) continue;
    const kind = kindOf(at, token, tokens[depth - 1]);
    if (kind !== undefined) names.push(kind);
  }
  return names.join(".");
}

/** The kind of a value, as its path names it; `undefined` where all values are of one kind. */
function kindOf(value: unknown, token: string, list: string | undefined): string | undefined {
  const type = string(fields(value)["type"]);
  if (list === "tools") return type ?? "custom";
  return list === "content" || variants.has(token) ? type : undefined;
}

/** The pointer to a block or message and no deeper: `/messages/3/content/0`. */
export function blockPointer(pointer: string): string {
  return /^\/messages\/\d+(?:\/content\/\d+)?/.exec(pointer)?.[0] ?? pointer;
}

/** The block at a pointer, or the one that contains the place. */
export function blockAt({ body, pointer }: Pick<RefusalFacts, "body" | "pointer">) {
  return fields(valueAt(body, blockPointer(pointer)));
}
