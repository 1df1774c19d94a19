import { isOnlyRecorded, linkedSteps } from "../../conversation/active-branch.ts";
import type { Step } from "../../conversation/conversation.ts";
import { callWords } from "../call-words.ts";
import { soRejected } from "../habit.ts";
import { refusalOf } from "../requests/refusal.ts";
import { defineRule, refused } from "../rule.ts";

export default defineRule({
  name: "duplicate-tool-result",
  summary: "Two results for one call in one round",
  ground: "refused",
  severity: "error",
  needs: "anything",
  looksAt: ["results"],
  traits: ["refuses-call"],
  follows: [{ rules: ["duplicate-call-id"], by: "calls" }],
  messages: {
    stub: (facts: Facts) => `${callWords(facts)} has two results, one of them a placeholder from the client`,
    different: (facts: Facts) => `${callWords(facts)} has two different results`,
    identical: (facts: Facts) => `${callWords(facts)} has the same result twice`,
    kept: ({ results }: { readonly results: number }) =>
      `the agent keeps ${results === 1 ? "the result of a call" : `the results of ${results} calls`} in two places, and may send both when it resumes the session`,
  },

  habit: {
    title: "The client answers one call twice",
    consequence: soRejected(
      "So the model cannot tell which result is real, and strict providers reject the request",
    ),
    change: "keep one result per call; when the real one arrives late, replace the placeholder with it",
  },

  advice: {
    identical: () => "append the result of a call once",
    different: () => "append one result per call, and keep the real one",
  },

  *check(conversation, report) {
    for (const step of linkedSteps(conversation)) {
      const { refusesDuplicateResults, pairsBy } = step.exchange.demands;
      const { duplicates } = step.pairing;
      const kept = duplicates.filter(({ second }) => second.item.isCopy);
      const [firstKept] = kept;
      if (firstKept)
        yield report("kept", { results: kept.length }, firstKept.second, {
          severity: "info",
          notes: [{ message: "the first result is here", at: firstKept.first }],
          callIds: kept.flatMap(({ call }) => call.item.id ?? []),
          fix: { safety: "safe", title: "keeps one of each" },
        });
      for (const { call, first, second } of duplicates) {
        if (second.item.isCopy) continue;
        const isSame = first.item.text.trim() === second.item.text.trim();
        const isApart = conversation.kind === "transcript" && first.element !== second.element;
        // If order pairs calls and results, another result with the same id may be a part of the first.
        if (!isSame && !refusesDuplicateResults && pairsBy === "order" && !isApart) continue;
        if (isOnlyRecorded(step) && (second.item.callId === undefined || !isSame)) continue;
        const kind = isSame
          ? "identical"
          : isStub(first.item.text) || isStub(second.item.text)
            ? "stub"
            : "different";
        const isInOneElement = first.element === second.element;
        // A placeholder of the client gives way to the real result.
        const drops = isStub(first.item.text) && !isStub(second.item.text) ? "first" : "second";
        yield report(kind, { callId: call.item.id ?? "", tool: call.item.name, drops }, second, {
          // A resumed session repeats results inside one content; APIs without a limit of one accept that.
          severity:
            isSame && isInOneElement && !refusesDuplicateResults && !isRefusedFor(step)
              ? "info"
              : (isRefusedFor(step) || refusesDuplicateResults) && conversation.kind === "requests"
                ? refused(step.exchange)
                : "warning",
          notes: [{ message: "the first result is here", at: first }],
          callIds: call.item.id === undefined ? [] : [call.item.id],
          fix: { safety: isSame ? "safe" : "lossy", title: keptResult(kind, drops) },
        });
      }
    }
  },
});

/** Which of two results a repair keeps. */
function keptResult(kind: "identical" | "stub" | "different", drops: "first" | "second"): string {
  if (kind === "identical") return "keeps one of the equal results";
  if (kind === "different") return "keeps the first result";
  return drops === "first" ? "keeps the second result, the first is a placeholder" : "keeps the first result";
}

/** Rules whose defects a provider describes when it counts calls and results. */
const counted: ReadonlySet<string | undefined> = new Set([
  "duplicate-tool-result",
  "unanswered-tool-call",
  "orphaned-tool-result",
  "misplaced-tool-result",
]);

/** Whether the log holds the provider's refusal, and nothing else is known to be its reason. */
function isRefusedFor(step: Step): boolean {
  const refusal = refusalOf(step);
  if (!refusal) return false;
  return refusal.match === undefined || counted.has(refusal.match.rule);
}

interface Facts {
  readonly callId: string;
  readonly tool: string;
  /** The result that a fix drops. */
  readonly drops: "first" | "second";
}

/** Texts that clients write in place of a result when a tool did not finish. */
function isStub(text: string): boolean {
  return (
    text.length < 200 &&
    /\b(aborted|interrupted|cancel(?:l)?ed|no result|not executed|rejected by user)\b/i.test(text)
  );
}
