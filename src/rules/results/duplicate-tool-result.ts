import { isOnlyRecorded, linkedSteps } from "../../conversation/active-branch.ts";
import { callWords } from "../call-words.ts";
import { defineRule, refused } from "../rule.ts";

export default defineRule({
  name: "duplicate-tool-result",
  summary: "Two results for one call in one round",
  ground: "refused",
  severity: "error",
  needs: "anything",
  traits: ["refuses-call"],
  follows: [{ rules: ["duplicate-call-id"], by: "calls" }],
  messages: {
    stub: (facts: Facts) => `${callWords(facts)} has two results, one of them a stub of the client`,
    different: (facts: Facts) => `${callWords(facts)} has two different results`,
    identical: (facts: Facts) => `${callWords(facts)} has the same result twice`,
  },

  habit: {
    title: "The client answers one call twice",
    consequence:
      "So a strict provider refuses the request, and elsewhere the model cannot tell which result holds",
    change: "keep one result for each call; when the real one comes late, put it in place of the stub",
  },

  *check(conversation, report) {
    for (const step of linkedSteps(conversation)) {
      const { refusesDuplicateResults, pairsBy } = step.exchange.demands;
      for (const { call, first, second } of step.pairing.duplicates) {
        const isSame = first.item.text.trim() === second.item.text.trim();
        // If order pairs calls and results, another result with the same id may be a part of the first.
        if (!isSame && !refusesDuplicateResults && pairsBy === "order") continue;
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
            isSame && isInOneElement && !step.exchange.demands.refusesDuplicateResults
              ? "info"
              : step.exchange.demands.refusesDuplicateResults && conversation.kind === "requests"
                ? refused(step.exchange)
                : "warning",
          notes: [{ message: "the first result stands here", at: first }],
          callIds: call.item.id === undefined ? [] : [call.item.id],
          fix: { safety: isSame ? "safe" : "lossy", title: "keeps one result" },
        });
      }
    }
  },
});

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
