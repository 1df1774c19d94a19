import type { Placed } from "../../conversation/conversation.ts";
import { defineRule } from "../rule.ts";

export default defineRule({
  name: "reordered-blocks",
  summary: "The history has text and calls in a different order than the reply",
  ground: "misleads",
  severity: "info",
  needs: "wire",
  looksAt: ["continuations"],
  follows: [{ rules: ["dropped-turns", "dropped-tool-call", "misplaced-tool-result"], by: "exchange" }],
  messages: {
    text: ({ what, other }: { what: string; other: string }) =>
      `the reply's ${what} and ${other} have swapped places here`,
  },

  habit: {
    title: "The client stores text and calls in a different order than the model wrote them",
    consequence: "So the model sees its calls in the wrong place",
    change: "keep one ordered list of blocks per reply, not one field for text and one for calls",
  },

  *check({ steps }, report) {
    for (const step of steps) {
      // Only the order within a reply is the model's own; elsewhere, items move for other reasons.
      const moved = step.moved.filter(({ before }) => before.part === "response");
      const [first] = moved;
      if (!first || step.relation !== "continuation") continue;
      const others = step.echoes.filter(
        ({ before }) =>
          !moved.some((move) => move.before === before) && kindOf(before) !== kindOf(first.before),
      );
      if (others.length === 0) continue;
      yield report(
        "text",
        { what: kindOf(first.before), other: kindOf(others[0]?.before ?? first.before) },
        first.after,
        {
          notes: [{ message: "the reply had it here", at: first.before }],
          identity: "client",
          fix: { safety: "safe", title: "restores the reply's order" },
        },
      );
    }
  },
});

function kindOf({ item }: Placed): "text" | "call" | "reasoning" | "items" {
  return item.kind === "message"
    ? "text"
    : item.kind === "call" || item.kind === "reasoning"
      ? item.kind
      : "items";
}
