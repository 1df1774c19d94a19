import type { Placed, Step } from "../../conversation/conversation.ts";
import { isForOther } from "../../conversation/frames.ts";
import { isReadWhole } from "../../conversation/reply.ts";
import { defineRule } from "../rule.ts";
import { short } from "../words.ts";

export default defineRule({
  name: "dropped-assistant-text",
  summary: "The text of a reply is missing from the next request",
  ground: "misleads",
  severity: "info",
  needs: "wire",
  looksAt: ["continuations"],
  follows: [
    { rules: ["dropped-turns", "dropped-tool-call"], by: "exchange" },
    { rules: ["abandoned-pause"], by: "before" },
  ],
  messages: {
    beside: ({ text }: { text: string }) =>
      `the text \`${text}\`, which the reply had next to its calls, is missing from this request`,
    alone: ({ text }: { text: string }) => `the reply's text \`${text}\` is missing from this request`,
    moved: ({ text }: { text: string }) =>
      `the reply's text \`${text}\` comes back as reasoning and replaces the model's own`,
  },

  habit: {
    title: "The client drops the text that the model wrote next to its tool calls",
    consequence: "So the model loses its own plan between two rounds",
    change: ({ idiom }) => `send the whole reply back, text and calls: ${idiom.append}`,
  },

  kindHabits: {
    moved: {
      title: "The client sends the model's text back as reasoning",
      consequence:
        "So the model takes what it said for what it thought, and a provider that signs reasoning rejects the request",
      change: ({ idiom }) => `send each part of the reply back as it came: ${idiom.append}`,
    },
  },

  *check({ steps }, report) {
    const spoken = steps.filter(hasLostText);
    const kept = steps.filter((step) =>
      step.echoes.some(({ before }) => before.item.kind === "message" && hasCalls(before)),
    );
    const isTextless = steps.some((step) =>
      step.echoes.some(({ after }) => after.item.kind === "call" && after.item.isTextless === true),
    );
    // If it happens in every round, it is the client's habit; once, it is an accident.
    const isHabit = kept.length === 0 && (spoken.length > 1 || isTextless);
    for (const step of spoken) {
      for (const placed of step.missing) {
        if (placed.part !== "response" || placed.item.kind !== "message") continue;
        if (isElsewhere(placed.item.text, step)) continue;
        const moved = movedTo(placed.item.text, step);
        const isQuiet = isHabit || (kept.length === 0 && hasCalls(placed) && wentOn(step));
        const hasOtherLosses = step.missing.some(
          ({ item }) => item.kind === "call" || item.kind === "result",
        );
        const severity = hasOtherLosses || !isQuiet ? "warning" : "info";
        const notes = [{ message: "the text was received here", at: placed }];
        const identity = isHabit ? "habit" : `${step.number}`;
        if (moved) {
          // Putting the text back would duplicate it.
          yield report("moved", { text: short(placed.item.text, 40) }, moved, { severity, notes, identity });
          continue;
        }
        yield report(
          hasCalls(placed) ? "beside" : "alone",
          { text: short(placed.item.text, 40) },
          {
            step,
            part: "request",
            pointer: `${step.request?.historyPointer ?? ""}/${Math.min(step.kept, Math.max(0, (step.request?.history.length ?? 1) - 1))}`,
          },
          {
            severity,
            notes,
            identity,
            fix: { safety: "safe", title: "puts the text back" },
          },
        );
      }
    }
  },
});

/** The reply with this item also calls tools. */
function hasCalls({ step }: Placed): boolean {
  return step.reply?.items.some((item) => item.kind === "call") ?? false;
}

/**
 * The provider's own model went on from the only such round. An answer from an unknown host proves nothing:
 * it may be replayed.
 */
function wentOn({ exchange, reply }: Step): boolean {
  return exchange.isOwnProvider && reply?.state === "complete" && !reply.error;
}

/**
 * The reasoning of the reply that came back with this text in it. Signed reasoning is known by its
 * signature, whatever has become of its text.
 */
function movedTo(text: string, { changed, echoes }: Step): Placed | undefined {
  const words = dense(text).slice(0, 400);
  return [...changed, ...echoes].find(
    ({ before, after: { item } }) =>
      item.kind === "reasoning" &&
      dense(item.text).includes(words) &&
      !(before.item.kind === "reasoning" && dense(before.item.text).includes(words)),
  )?.after;
}

/** Another agent reads it as a report (`[writer] said: …`), or it came back as reasoning. */
function isElsewhere(text: string, { added }: Step): boolean {
  const words = dense(text).slice(0, 400);
  return added.some(({ item }) => {
    if (item.kind !== "message" && item.kind !== "reasoning" && item.kind !== "compaction") return false;
    return dense(item.text).includes(words);
  });
}

function dense(text: string): string {
  return text.replace(/\s+/g, "");
}

/** A complete reply whose text the next request lacks, although it continues that reply. */
function hasLostText(step: Step): boolean {
  const reply = step.parent?.reply;
  if (!reply || step.relation !== "continuation" || step.isPartial || reply.error || !isReadWhole(reply))
    return false;
  // The reply had several choices, and the client used another one.
  if (reply.otherChoices > 0) return false;
  // An agent with instructions of its own gets what its client passes on.
  if (step.parent && isForOther(step.parent, step)) return false;
  return step.missing.some(
    (placed) =>
      placed.part === "response" && placed.item.kind === "message" && placed.item.text.trim() !== "",
  );
}
