import type { Placed, Step } from "../../conversation/conversation.ts";
import { replyItems } from "../../conversation/conversation.ts";
import { echoOf, isFollowed, resentAs } from "../../conversation/reply-followups.ts";
import type { Severity } from "../../findings/finding.ts";
import { defineRule, type Spot } from "../rule.ts";
import { count, toolName } from "../words.ts";

/** How to handle a stream that failed. */
export const sendAgain = "send the same request again, and keep the partial reply out of the history";

const partWords = {
  beginning: "the log has only a part of the stream, without its beginning",
  both: "the log has only a part of the stream, without its beginning and its end",
  end: "the log ends in the middle of an event of the stream",
  others: "the log has only single events of the stream, without the others",
  last: "the log has no last event of the stream; a record that was not read may be it",
};

export default defineRule({
  name: "truncated-stream",
  summary: "A stream that ends without its terminal event",
  ground: "lost",
  severity: "error",
  needs: "anything",
  looksAt: ["replies"],
  evidence: ["replies"],
  follows: [{ rules: ["stream-error"], by: "exchange" }],
  messages: {
    call: ({ tool }: { tool: string; callIds: readonly string[] }) =>
      `the stream ends without its terminal event, inside the call to ${toolName(tool)}`,
    items: ({ items }: { items: number; callIds: readonly string[] }) =>
      `the stream ends without its terminal event, after ${count(items, "item")}`,
    nothing: (_: { callIds: readonly string[] }) =>
      "the stream ends without its terminal event, before any content",
    part: ({ lacking }: { lacking: keyof typeof partWords; callIds: readonly string[] }) =>
      partWords[lacking],
  },

  habit: {
    title: "The stream ended before the reply was complete",
    consequence: "So the rest of the reply is lost",
    change: `treat a stream without its final event as failed: ${sendAgain}`,
  },
  kindHabits: {
    call: {
      title: "The stream ended in the middle of a tool call",
      consequence:
        "So the call's arguments are incomplete, and the client can neither run the call nor send it back",
      change: `treat a stream without its final event as failed, and run no call from it: ${sendAgain}`,
    },
    nothing: {
      title: "The stream ended before the model said anything",
      consequence: "So the client has no reply to act on",
      change: "treat a stream without its final event as failed, and send the same request again",
    },
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const { reply, exchange } = step;
      if (reply?.form !== "stream" || exchange.isCut || reply.error) continue;
      if (reply.state !== "open" && !reply.lacking) continue;
      const fate = fateOfPart(step);
      const { at, callIds } = fate;
      if (reply.lacking === "others" && reply.state !== "open") continue;
      if (reply.lacking) {
        const lacking = reply.lacking === "beginning" && reply.state === "open" ? "both" : reply.lacking;
        yield report("part", { lacking, callIds }, at, { severity: "info", callIds });
        continue;
      }
      const open = fate.parts.find(({ item }) => item.kind === "call" && item.state === "open");
      // A collected reply, as in a test's snapshot, may never have had a place for its end.
      const isExcerpt = reply.isList === true && !step.request && !open && fate.parts.length > 0;
      const severity = isExcerpt ? "info" : fate.severity;
      const options = { severity, notes: fate.notes, callIds };
      if (open?.item.kind === "call")
        yield report("call", { tool: open.item.name, callIds }, open, { ...options, ...lastFragment(open) });
      else if (fate.parts.length > 0)
        yield report("items", { items: fate.parts.length, callIds }, at, {
          ...options,
          ...lastFragment(fate.parts.at(-1)),
        });
      else yield report("nothing", { callIds }, at, options);
    }
  },
});

/** The place where the stream breaks off. */
function lastFragment(placed: Placed | undefined): { readonly extent?: NonNullable<Spot["extent"]> } {
  return placed?.item.fragments ? { extent: placed.item.fragments.last } : {};
}

/** What the client did with a partial reply. */
export interface Fate {
  readonly parts: readonly Placed[];
  readonly at: Placed | Spot;
  readonly severity: Severity;
  readonly notes: readonly { readonly message: string; readonly at: Placed | Spot }[];
  readonly callIds: readonly string[];
}

/**
 * An error if the partial reply entered the history or nothing followed; info if the request was repeated or
 * the user interrupted the model.
 */
export function fateOfPart(step: Step): Fate {
  const parts = replyItems(step);
  const callIds = parts.flatMap(({ item }) => (item.kind === "call" ? (item.id ?? []) : []));
  const at = parts.at(-1) ?? { step, part: "response" as const, pointer: "" };
  const echo = parts
    .map(({ item }, index) => (isHalf(item, index === parts.length - 1) ? echoOf(step, item) : undefined))
    .find((placed) => placed !== undefined);
  if (echo)
    return {
      parts,
      at,
      callIds,
      severity: isInterruption(step) ? (step.exchange.isAborted ? "info" : "warning") : "error",
      notes: [{ message: "the partial reply is sent as if it were complete", at: echo }],
    };
  const goneOn = wentOnWithRest(step, parts);
  if (goneOn)
    return {
      parts,
      at,
      callIds,
      severity: "info",
      notes: [
        {
          message: "the client continues here without the partial reply",
          at: { step: goneOn, part: "request", pointer: "" },
        },
      ],
    };
  const again = resentAs(step);
  if (again) {
    const request = { step: again, part: "request" as const, pointer: "" };
    return {
      parts,
      at,
      callIds,
      severity: "info",
      notes: [{ message: "the same request is sent again here", at: request }],
    };
  }
  if (step.exchange.isAborted && isInterruption(step))
    return { parts, at, callIds, severity: "info", notes: [] };
  const isLast = step.children.length === 0;
  return {
    parts,
    at,
    callIds,
    severity: isLast && (step.request || isFollowed(step)) && !step.exchange.isAborted ? "error" : "warning",
    notes: [],
  };
}

/** The user interrupted the model's text, without calls, and spoke next. Its text so far may stay. */
function isInterruption({ reply, children }: Step): boolean {
  return (
    !reply?.items.some(({ kind }) => kind === "call") &&
    children.some(({ added }) => added.some(({ item }) => item.kind === "message" && item.role === "user"))
  );
}

/** Items that are incomplete or misleading when cut off. Complete calls and texts before others may stay. */
function isHalf(item: Placed["item"], isLast: boolean): boolean {
  return (item.kind === "call" && item.state === "open") || (item.kind === "message" && isLast);
}

/**
 * The request that keeps the finished items of the reply, without the last one, and asks for the rest: nobody
 * spoke in between.
 */
function wentOnWithRest(step: Step, parts: readonly Placed[]): Step | undefined {
  const last = parts.at(-1)?.item;
  if (!last || parts.length < 2 || !isHalf(last, true)) return undefined;
  return step.children.find(
    ({ relation, echoes, added }) =>
      relation === "continuation" &&
      echoes.some(({ before }) => before.item !== last) &&
      echoes.every(({ before }) => before.item !== last) &&
      !added.some(({ item }) => item.kind === "message" && item.role === "user"),
  );
}
