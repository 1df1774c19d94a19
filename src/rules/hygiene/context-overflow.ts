import type { Step } from "../../conversation/conversation.ts";
import { hasSucceeded, refusalOf } from "../requests/refusal.ts";
import { defineRule } from "../rule.ts";
import { errorSpot } from "../spots.ts";
import { count, short } from "../words.ts";

interface Growth {
  readonly tokens: number;
  readonly requests: number;
  /** The history's size in bytes, in the first request and in the last. */
  readonly from: number;
  readonly to: number;
}

export default defineRule({
  name: "context-overflow",
  summary: "A request longer than the model's context window",
  ground: "refused",
  severity: "error",
  needs: "requests",
  looksAt: ["replies"],
  messages: {
    refused: ({ error }: { readonly error: string; readonly status: number | undefined }) =>
      `the request exceeds the model's context window: ${short(error, 160)}`,
    truncated: ({ tokens, requests, from, to }: Growth) =>
      `the server reads ${tokens} tokens of each of ${count(requests, "request")} in a row, although the history grows from ${from} to ${to} bytes: it silently drops the rest`,
  },

  habit: {
    title: "The history has outgrown the model's context window",
    consequence: "So the server rejects the request or silently cuts off its oldest part",
    change: "shorten large results before first sending them, and replace old turns with a summary",
  },

  *check({ steps }, report) {
    const lastSuccess = steps.findLast(hasSucceeded)?.number ?? 0;
    for (const step of steps) {
      const refusal = refusalOf(step);
      if (refusal?.match?.about !== "size") continue;
      const hasShrunk = steps.some((later) => later.number > step.number && isShorter(later, step));
      const isBegunAnew = beganAnew(step);
      const isResolved = lastSuccess > step.number || isBegunAnew;
      yield report("refused", { error: refusal.error, status: refusal.status }, errorSpot(step), {
        // A client that then sends a shorter history has already fixed the problem.
        severity: isResolved && (hasShrunk || isBegunAnew) ? "info" : isResolved ? "warning" : "error",
        identity: "refused",
      });
    }

    for (const run of plateaus(steps)) {
      const [first] = run;
      const last = run.at(-1);
      const tokens = first?.reply?.usage?.input;
      if (!first || !last || tokens === undefined) continue;
      yield report(
        "truncated",
        { tokens, requests: run.length, from: sizeOf(first), to: sizeOf(last) },
        { step: first, part: "request", pointer: first.request?.historyPointer ?? "" },
        {
          severity: "warning",
          identity: "truncated",
          notes: [
            {
              message: "the history has grown to this size, but the server reads no more tokens",
              at: { step: last, part: "request", pointer: last.request?.historyPointer ?? "" },
            },
          ],
        },
      );
    }
  },
});

function isShorter(later: Step, step: Step): boolean {
  return later.relation === "compaction" || sizeOf(later) < sizeOf(step);
}

/** A later conversation begins with the same words and succeeds: the client shortened its history. */
function beganAnew({ exchange, conversation }: Step): boolean {
  const opening = openingOf(conversation.steps[0]);
  return (
    opening !== undefined &&
    conversation.log.conversations.some(
      (other) =>
        other !== conversation &&
        openingOf(other.steps[0]) === opening &&
        other.steps.some((step) => step.exchange.position > exchange.position && hasSucceeded(step)),
    )
  );
}

/** The first user message. */
function openingOf(step: Step | undefined): string | undefined {
  const first = step?.added.find(({ item }) => item.kind === "message" && item.role === "user")?.item;
  return first?.kind === "message" ? first.text : undefined;
}

/** The size of a history in bytes. */
function sizeOf({ request }: Step): number {
  const run = request?.history.run;
  return run ? run.arrayEnd - run.arrayStart : 0;
}

/** Fewer requests, or less growth, prove nothing. */
const minRequests = 4;
const minGrowth = 1.25;
/** The minimum size of a token in bytes; a smaller history fits into the window. */
const minBytes = 2;
/** How far a server's token count may be below its window, as a share. */
const slack = 0.03;

/** Series of continuing requests for which the server counts as many tokens as its window has. */
function* plateaus(steps: readonly Step[]): Generator<readonly Step[]> {
  const inRun = new Set<Step>();
  for (const step of steps) {
    if (inRun.has(step) || !fillsWindow(step)) continue;
    const run = [step];
    for (let next = carriedOn(step); next; next = carriedOn(next)) run.push(next);
    for (const each of run) inRun.add(each);
    const last = run.at(-1) as Step;
    const isFull = sizeOf(last) >= (last.reply?.usage?.input ?? 0) * minBytes;
    if (run.length >= minRequests && isFull && sizeOf(last) >= sizeOf(step) * minGrowth) yield run;
  }
}

function carriedOn(step: Step): Step | undefined {
  return step.children.find(
    (child) =>
      child.relation === "continuation" &&
      fillsWindow(child) &&
      windowOf(child) === windowOf(step) &&
      sizeOf(child) > sizeOf(step),
  );
}

function fillsWindow({ reply, isPartial }: Step): boolean {
  return !isPartial && reply?.usage?.input !== undefined && windowOf({ reply }) !== undefined;
}

/** The power of two just above the token count; servers with their own window (`num_ctx`) use such sizes. */
function windowOf({ reply }: Pick<Step, "reply">): number | undefined {
  const tokens = reply?.usage?.input ?? 0;
  for (let window = 2048; window <= 1 << 18; window *= 2)
    if (tokens <= window && tokens >= window * (1 - slack)) return window;
  return undefined;
}
