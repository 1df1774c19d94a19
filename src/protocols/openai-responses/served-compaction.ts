import { type ReplyContext, tokensIn } from "../server-side.ts";
import { type Fields, fields } from "../wire.ts";
import { asItem, listedItem } from "./listed-items.ts";

/**
 * A history made short: the messages of users, and the rest as one sealed item.
 * @see https://platform.openai.com/docs/api-reference/responses/compact
 */
export function compacted(elements: readonly unknown[], context: ReplyContext): Fields {
  const { newId, created, size } = context;
  const kept = elements.map(asItem).filter((element) => fields(element)["role"] === "user");
  const sealed = newId("gAAAAAB", 400);
  const [input, output] = [tokensIn(size), tokensIn(sealed.length)];
  return {
    id: newId("resp_", 50, "hex"),
    object: "response.compaction",
    created_at: created,
    output: [
      ...kept.map((element) => listedItem(element, context)),
      { id: newId("cmp_", 50, "hex"), type: "compaction", encrypted_content: sealed },
    ],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  };
}
