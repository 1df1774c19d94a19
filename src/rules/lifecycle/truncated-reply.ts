import { hasBrokenArguments } from "../../conversation/call-arguments.ts";
import type { Placed, Step } from "../../conversation/conversation.ts";
import { replyItems } from "../../conversation/conversation.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { clientCalls, echoOf, resultFor } from "../../conversation/reply-followups.ts";
import { defineRule } from "../rule.ts";
import { short, toolName } from "../words.ts";

export default defineRule({
  name: "truncated-reply",
  summary: "A reply cut off by the token limit",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  looksAt: ["replies"],
  messages: {
    call: ({ tool, proof }: { tool: string; proof: string; callIds: readonly string[] }) =>
      `the token limit cuts the reply off inside its call to ${toolName(tool)} (${proof})`,
    executed: ({ tool, proof }: { tool: string; proof: string; callIds: readonly string[] }) =>
      `the token limit cuts the reply off inside its call to ${toolName(tool)} (${proof}), and the client continues with it`,
    text: ({ proof }: { proof: string }) => `the token limit cuts the reply off inside its text (${proof})`,
    nothing: ({ proof }: { proof: string }) =>
      `the token limit cuts the reply off before any content (${proof})`,
  },

  habit: {
    title: "The token limit cuts replies off",
    consequence: "So a call or text ends in the middle",
    change: "raise the request's token limit, and never run or store a call that was cut off",
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const { reply, request } = step;
      if (
        !reply ||
        reply.error ||
        step.exchange.isCut ||
        request?.settings.isProbe ||
        request?.maxTokens === 1
      )
        continue;
      const cut = cutCall(step);
      const proof = proofOf(step, cut !== undefined && isBroken(cut.item));
      if (proof === undefined) continue;
      if (cut) {
        const callIds = cut.item.id === undefined ? [] : [cut.item.id];
        const data = { tool: cut.item.name, proof, callIds };
        const used = resultFor(step, cut.item) ?? echoOf(step, cut.item);
        if (!used) yield report("call", data, cut, { callIds });
        else
          yield report("executed", data, cut, {
            severity: "error",
            notes: [{ message: "the client continues with it here", at: used }],
            callIds,
          });
      } else {
        const last = replyItems(step).findLast(({ item }) => item.kind === "message");
        const at = last ?? { step, part: "response" as const, pointer: reply.finish?.pointer ?? "" };
        if (last) yield report("text", { proof }, at, { severity: "info", identity: "text" });
        else yield report("nothing", { proof }, at, { severity: "info", identity: "nothing" });
      }
    }
  },
});

/** The call in which a truncated reply ends: invalid JSON, or its last item. */
function cutCall(step: Step): Placed<ToolCall> | undefined {
  const calls = clientCalls(step);
  const last = calls.at(-1);
  return (
    calls.findLast(({ item }) => isBroken(item)) ??
    (last && last.item === step.reply?.items.at(-1) ? last : undefined)
  );
}

function isBroken(call: ToolCall): boolean {
  return call.state === "open" || hasBrokenArguments(call);
}

/** The evidence that the limit was reached. A stop reason alone may be wrong. */
function proofOf({ reply, request }: Step, isCallBroken: boolean): string | undefined {
  const finish = reply?.finish;
  if (finish?.meaning === "length") return `\`${short(finish.reason)}\``;
  if (finish?.native !== undefined && /length|max/i.test(finish.native))
    return `\`${short(finish.native)}\` behind \`${short(finish.reason)}\``;
  const { output } = reply?.usage ?? {};
  const limit = request?.maxTokens;
  if (!isCallBroken || output === undefined || limit === undefined || output < limit) return undefined;
  return `${output} of ${limit} tokens`;
}
