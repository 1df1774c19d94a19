import { sentSteps } from "../../conversation/active-branch.ts";
import { resultWords } from "../call-words.ts";
import { defineRule, refused } from "../rule.ts";

export default defineRule({
  name: "misplaced-tool-result",
  summary: "A result that stands where its provider does not accept it",
  ground: "refused",
  severity: "error",
  needs: "history",
  traits: ["causes-loops", "refuses-call"],
  follows: [{ rules: ["merged-or-split-turns"], by: "calls" }],
  messages: {
    "before-call": (facts: Facts) => `${resultWords(facts)} stands before its call`,
    "not-adjacent": (facts: Facts) =>
      `${resultWords(facts)} does not follow its call: ${facts.between} stands between`,
    "not-first": (facts: Facts) =>
      `${resultWords(facts)} does not come first in its message: text stands before it`,
    split: (facts: Facts) => `${resultWords(facts)} stands in another message than the results before it`,
  },

  habit: {
    title: "The client puts tool results where the provider does not look for them",
    consequence: "So the provider refuses the request, or treats the calls as unanswered",
    change: "put all results of a reply directly behind it, before anything else",
  },

  *check(conversation, report) {
    for (const step of sentSteps(conversation)) {
      for (const { call, result, how, between } of step.pairing.misplaced) {
        const facts = {
          callId: call.item.id ?? "",
          tool: call.item.name,
          between: described(between?.item.role),
        };
        yield report(how, facts, result, {
          severity: refused(step.exchange),
          notes: [
            { message: "the call stands here", at: call },
            ...(between
              ? [
                  {
                    message: how === "not-first" ? "this stands before it" : "this stands between",
                    at: between,
                  },
                ]
              : []),
          ],
          callIds: facts.callId === "" ? [] : [facts.callId],
          fix: { safety: "safe", title: "moves the result behind its call" },
        });
      }
    }
  },
});

interface Facts {
  readonly callId: string;
  readonly tool: string;
  readonly between: string;
}

function described(role: string | undefined): string {
  if (role === undefined) return "another turn";
  return role === "assistant" ? "an assistant message" : `a ${role} message`;
}
