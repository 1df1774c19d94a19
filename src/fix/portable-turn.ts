import type { Item } from "../conversation/item.ts";
import { protocolNamed } from "../protocols/index.ts";
import type { Block } from "../protocols/portable-request.ts";
import { supported } from "../protocols/protocol.ts";

/** The model's output and its results as documented history elements; empty for read-only protocols. */
export function turnIn(name: string, turn: Block): readonly unknown[] {
  const protocol = protocolNamed(name);
  const encoded = supported(protocol?.encode)?.(
    {
      system: undefined,
      blocks: [turn],
      tools: undefined,
      toolChoice: undefined,
      maxTokens: undefined,
      temperature: undefined,
    },
    undefined,
    false,
  );
  const history = encoded?.body[protocol?.historyKeys[0] ?? ""];
  return Array.isArray(history) ? history : [];
}

/** A reply as a turn; `undefined` if it has more than texts and calls, or a call without a name. */
export function portableTurn(items: readonly Item[]): Block | undefined {
  const texts = items.flatMap((item) =>
    item.kind === "message" && item.text !== "" ? [{ text: item.text }] : [],
  );
  const rounds = items.flatMap((item) =>
    item.kind === "call" && item.id !== undefined && item.isJson && item.arguments !== undefined
      ? [{ id: item.id, name: item.name, arguments: item.arguments }]
      : [],
  );
  const calls = items.filter(({ kind }) => kind === "call");
  const isPlain = items.every((item) => (item.kind === "message" && !item.hasMedia) || item.kind === "call");
  return isPlain && rounds.length === calls.length ? { role: "assistant", parts: texts, rounds } : undefined;
}
