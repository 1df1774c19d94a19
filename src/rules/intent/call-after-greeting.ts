import { answeredWithCalls } from "../../conversation/answered-with-calls.ts";
import { wordsOf } from "../../conversation/tool-names.ts";
import { defineRule } from "../rule.ts";
import { short, toolName } from "../words.ts";
import { permitStop } from "./advice.ts";
import { isGreeting } from "./small-talk.ts";

/** Tools that fit after a greeting: they fetch what the agent must know, or speak. */
const opening =
  /^(?:memory|memories|context|recall|remember|load|init|initialize|start|begin|setup|session|profile|history|instructions|greet|greeting|welcome|say|speak|respond|reply|answer|message|skill|skills|time|date|user)$/;

export default defineRule({
  name: "call-after-greeting",
  summary: "A call in answer to a bare greeting",
  ground: "misleads",
  severity: "info",
  needs: "anything",
  looksAt: ["calls"],
  messages: {
    greeting: ({ tool, said }: { tool: string; said: string; callIds: readonly string[] }) =>
      `the user only says \`${short(said)}\`, and the model calls ${toolName(tool)}`,
  },

  habit: {
    title: "The model answers a greeting with tool calls",
    consequence: "So tools run that the user did not ask for",
    change: permitStop,
    changeIn: "prompt",
  },

  *check({ steps }, report) {
    for (const { user, calls, step } of answeredWithCalls(steps)) {
      const call = calls.find(({ item }) => !wordsOf(item.name).some((word) => opening.test(word)));
      if (!call || !isGreeting(user.item.text)) continue;
      const callIds = calls.flatMap(({ item }) => item.id ?? []);
      yield report("greeting", { tool: call.item.name, said: user.item.text.trim(), callIds }, call, {
        notes: [{ message: "the greeting", at: user }],
        identity: `${user.element} ${step.turn}`,
        callIds,
      });
    }
  },
});
