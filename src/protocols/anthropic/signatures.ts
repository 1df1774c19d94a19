import { createHash } from "node:crypto";
import type { ProviderError } from "../refusals.ts";
import { type Fields, fields, list, string } from "../wire.ts";
import { thinkingOf } from "./served-thinking.ts";

/** Signatures are base64 of a protocol buffer and begin with `E`; a model server's own begin with this. */
const mark = "EtoollintX1v";

const digest = (text: string): string => createHash("sha384").update(text).digest("base64");

const sealed = (sum: string): string => mark + sum + digest(mark + sum).slice(0, 12);

/** The signature of a `thinking` block that a model server writes: it holds the hash of the text. */
export function signatureOf(thinking: string): string {
  return sealed(digest(thinking));
}

/**
 * What a client changed of a `thinking` block with such a signature. `undefined` if it changed nothing, or if
 * another server signed the block, which nobody else can judge.
 */
function changeIn(block: Fields): "text" | "signature" | undefined {
  const signature = string(block["signature"]) ?? "";
  if (!signature.startsWith(mark)) return undefined;
  const sum = signature.slice(mark.length, mark.length + 64);
  if (signature !== sealed(sum)) return "signature";
  return sum === digest(string(block["thinking"]) ?? "") ? undefined : "text";
}

/**
 * The error for thinking that the client changed after this server had signed it. Without thinking in the
 * request, the API leaves the blocks unread; of the texts, it compares those of the latest message only.
 * @see https://github.com/anthropics/claude-code/issues/10627
 * @see https://github.com/anthropics/claude-code/issues/63203
 */
export function alteredThinking(request: Fields): ProviderError | undefined {
  if (thinkingOf(request) === undefined) return undefined;
  const all = list(request["messages"]).map(fields);
  const latest = all.findLastIndex(({ role }) => role === "assistant");
  for (const [index, { content }] of all.entries())
    for (const [at, block] of list(content).entries()) {
      const change = changeIn(fields(block));
      const place = `messages.${index}.content.${at}`;
      if (change === "signature")
        return { status: 400, message: `${place}: Invalid \`signature\` in \`thinking\` block` };
      if (change === "text" && index === latest)
        return {
          status: 400,
          message: `${place}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
        };
    }
  return undefined;
}
