import { sentSteps } from "../../conversation/active-branch.ts";
import { resultWords } from "../call-words.ts";
import { soRejected } from "../habit.ts";
import { defineRule, refused } from "../rule.ts";

export default defineRule({
  name: "misplaced-tool-result",
  summary: "A result in a place where the provider does not accept it",
  ground: "refused",
  severity: "error",
  needs: "history",
  looksAt: ["results"],
  traits: ["causes-loops", "refuses-call"],
  follows: [{ rules: ["merged-or-split-turns"], by: "calls" }],
  messages: {
    "before-call": (facts: Facts) => `${resultWords(facts)} comes before its call`,
    "not-adjacent": (facts: Facts) =>
      `${resultWords(facts)} does not directly follow its call: ${facts.between} comes between`,
    "not-first": (facts: Facts) =>
      `${resultWords(facts)} does not come first in its message: text comes before it`,
    split: (facts: Facts) => `${resultWords(facts)} is in a different message than the results before it`,
  },

  habit: {
    title: "The client puts tool results where the provider does not accept them",
    consequence: soRejected(
      "So the server may treat the calls as unanswered, and strict providers reject the request",
    ),
    change: "put all results of a reply directly after it, before anything else",
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
            { message: "the call is here", at: call },
            ...(between
              ? [
                  {
                    message: how === "not-first" ? "this comes before it" : "this comes between",
                    at: between,
                  },
                ]
              : []),
          ],
          callIds: facts.callId === "" ? [] : [facts.callId],
          fix: { safety: "safe", title: "moves the result directly after its call" },
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
