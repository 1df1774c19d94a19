import { pointerOf } from "../conversation/conversation.ts";
import type { Reply } from "../conversation/exchange.ts";
import { matchErrorText } from "./error-texts.ts";
import { hasSucceeded, refusalOf } from "./refusal.ts";
import { idsOf, nameOf, refusedItem } from "./refused-item.ts";
import { defineRule } from "./rule.ts";
import { errorSpot } from "./spots.ts";
import { short } from "./words.ts";

interface Facts {
  readonly status: number | undefined;
  readonly error: string;
  /** The rule that names the defect, where the text tells. */
  readonly defect: string | undefined;
  readonly callIds: readonly string[];
}

const code = (status: number | undefined): string => (status === undefined ? "" : ` (${status})`);

export default defineRule({
  name: "provider-rejected",
  summary: "A request that the provider refused because of its history",
  ground: "refused",
  severity: "error",
  needs: "requests",
  messages: {
    item: ({ status, error, item }: Facts & { readonly item: string }) =>
      `the provider refuses the request${code(status)} because of ${item}: ${short(error, 160)}`,
    history: ({ status, error }: Facts) =>
      `the provider refuses the history${code(status)}: ${short(error, 160)}`,
    attempt: ({ status, error }: Facts) =>
      `a provider behind the gateway refuses the history${code(status)}, and another one answers: ${short(error, 160)}`,
  },

  *check({ steps }, report) {
    const lastSuccess = steps.findLast(hasSucceeded)?.number ?? 0;
    for (const step of steps) {
      for (const { error, status, pointer } of attemptsOf(step.reply)) {
        const match = matchErrorText(error);
        if (match?.about !== "history") continue;
        yield report(
          "attempt",
          { status, error, defect: match.rule, callIds: match.callIds },
          { step, part: "response", pointer },
          { severity: "info", identity: `${match.rule}` },
        );
      }

      const refusal = refusalOf(step);
      // Size and what the model wrote are other mistakes; an error inside a stream is told where streams are.
      if (!refusal || step.reply?.error?.isMidStream || (refusal.match?.about ?? "history") !== "history")
        continue;
      const { error, status, match } = refusal;
      const item = refusedItem(step, error, match);
      // Unknown words count when they point at something in the history.
      if (!match && !item) continue;
      const callIds = [...new Set([...(match?.callIds ?? []), ...(item ? idsOf(item.item) : [])])];
      const facts = { status, error, defect: match?.rule, callIds };
      const options = {
        severity: lastSuccess > step.number ? ("warning" as const) : ("error" as const),
        callIds,
        // The same refusal again, as when a client keeps sending a broken history.
        identity: `${match?.rule ?? short(error, 80)} ${item ? pointerOf(item) : ""}`,
      };
      const at = errorSpot(step);
      const notes = [{ message: "what the provider answers", at }];
      if (item) yield report("item", { ...facts, item: nameOf(item) }, item, { ...options, notes });
      else yield report("history", facts, at, options);
    }
  },
});

/** An attempt that failed before the one that a reply tells of. */
interface FailedAttempt {
  readonly status: number | undefined;
  readonly error: string;
  /** RFC 6901 pointer into the reply's body. */
  readonly pointer: string;
}

/** What a gateway tells of providers that it had asked before. */
function attemptsOf(
  reply: (Reply & { readonly attempts?: readonly FailedAttempt[] }) | undefined,
): readonly FailedAttempt[] {
  return reply?.attempts ?? [];
}
