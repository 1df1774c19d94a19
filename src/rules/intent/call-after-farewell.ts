import { answeredWithCalls } from "../../conversation/answered-with-calls.ts";
import { wordsOf } from "../../conversation/tool-names.ts";
import { defineRule } from "../rule.ts";
import { short, toolName } from "../words.ts";
import { permitStop } from "./advice.ts";
import { isFarewell } from "./small-talk.ts";

/** Tools that fit after a goodbye: they end, save, or speak. */
const closing =
  /^(?:end|ends|hang|hangup|goodbye|bye|farewell|close|exit|quit|terminate|disconnect|leave|finish|complete|done|stop|cancel|abort|interrupt|kill|cleanup|shutdown|logout|save|store|persist|archive|memory|memories|remember|memorize|log|note|record|feedback|rating|rate|survey|summary|summarize|session|transfer|handoff|say|speak|respond|reply|answer|message)$/;

export default defineRule({
  name: "call-after-farewell",
  summary: "A call in answer to a goodbye",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  looksAt: ["calls"],
  messages: {
    farewell: ({ tool, said }: { tool: string; said: string; callIds: readonly string[] }) =>
      `the user says \`${short(said)}\`, and the model calls ${toolName(tool)}`,
  },

  habit: {
    title: "The model calls tools after the user has said goodbye",
    consequence: "So tools run that the user did not ask for",
    change: permitStop,
    changeIn: "prompt",
  },

  *check({ steps }, report) {
    for (const { user, calls, before, step } of answeredWithCalls(steps)) {
      const call = calls.find(({ item }) => !wordsOf(item.name).some((word) => closing.test(word)));
      if (!call || !isFarewell(user.item.text, before)) continue;
      const callIds = calls.flatMap(({ item }) => item.id ?? []);
      yield report("farewell", { tool: call.item.name, said: user.item.text.trim(), callIds }, call, {
        notes: [{ message: "the farewell", at: user }],
        identity: `${user.element} ${step.turn}`,
        callIds,
      });
    }
  },
});
