import { type Change, isWholeElement, type Placed, type Step } from "../../conversation/conversation.ts";
import { contentOf } from "../../conversation/identity.ts";
import type { Message } from "../../conversation/item.ts";
import { isUndecided } from "../../conversation/pairing/answers.ts";
import { pairOfResult } from "../../conversation/pairing/pairs.ts";
import { isReadWhole } from "../../conversation/reply.ts";
import { defineRule } from "../rule.ts";
import { isSchemaReading } from "../schema/read-arguments.ts";
import { shortApart } from "../words.ts";

export default defineRule({
  name: "rewritten-history",
  summary: "An earlier assistant item or tool result whose content has changed",
  ground: "misleads",
  severity: "warning",
  needs: "wire",
  looksAt: ["continuations"],
  traits: ["causes-loops"],
  follows: [
    { rules: ["lost-fragments", "reordered-blocks"], by: "exchange" },
    { rules: ["misencoded-arguments", "malformed-tool-result"], by: "calls" },
  ],
  messages: {
    text: ({ before, after }: Facts) => `the assistant's text is \`${after}\` here; it was \`${before}\``,
    result: ({ before, after, tool }: Facts) =>
      `the result of \`${tool}\` is \`${after}\` here; it was \`${before}\``,
    arguments: ({ before, after, tool }: Facts) =>
      `the arguments of \`${tool}\` are \`${after}\` here; they were \`${before}\``,
    cleared: ({ tool, before }: Facts) =>
      `the result of \`${tool}\`, \`${before}\`, was replaced with a placeholder`,
    reminded: ({ tool }: Facts) => `the result of \`${tool}\` comes back with a different client reminder`,
    shortened: ({ tool, before }: Facts) => `the result of \`${tool}\`, \`${before}\`, was shortened`,
    renamed: ({ before, after }: Facts) =>
      after === ""
        ? `the call to \`${before}\` has no tool name here`
        : `the call to \`${before}\` has the tool name \`${after}\` here`,
  },

  habit: {
    title: "The client changes earlier turns when it sends them again",
    consequence:
      "So the model reads a past that did not happen, and the provider's prompt cache no longer matches",
    change: "store replies and results as first received and sent, and resend exactly that",
  },
  kindHabits: {
    reminded: {
      title: "The client moves its own reminders from one result to another",
      consequence: "So the provider's prompt cache stops matching at the first moved reminder",
      change: "leave reminders where they were first sent, and add new ones only to the newest message",
    },
  },

  *check({ steps }, report) {
    for (const step of steps) {
      if (step.relation !== "continuation") continue;
      for (const change of step.changed) {
        const kind = kindOf(change);
        if (!kind || isPutRight(change) || isOfOther(change)) continue;
        if (!isWholeElement(step, change.after.element)) continue;
        const { before, after } = change;
        const words = kind === "renamed" ? nameOf : said;
        const [was, is] = shortApart(words(before.item), words(after.item), 50);
        const facts = { before: was, after: is, tool: toolOf(change) };
        const callId =
          after.item.kind === "call"
            ? after.item.id
            : after.item.kind === "result"
              ? after.item.callId
              : undefined;
        yield report(kind, facts, after, {
          severity:
            kind === "cleared" ||
            kind === "reminded" ||
            kind === "shortened" ||
            (kind === "renamed" ? !isGarbled(facts) : isHarmless(change))
              ? "info"
              : "warning",
          notes: [
            { message: before.part === "response" ? "it was received here" : "it was sent here", at: before },
          ],
          callIds: callId === undefined ? [] : [callId],
          fix: { safety: "safe", title: "restores what was received" },
        });
      }
    }
  },
});

interface Facts {
  readonly before: string;
  readonly after: string;
  readonly tool: string;
}

/** Placeholders of context editing, forks and aborted calls, as clients write them. */
const placeholder =
  /^\W*(?:(?:old |previous )?(?:tool )?(?:result|output|content|response)s?\b.{0,60}\b(?:cleared|removed|omitted|truncated|elided|pruned|hidden|masked)|aborted|fork started|\(?(?:cleared|truncated|omitted|compacted)\b)/i;

function kindOf({
  before,
  after,
  what,
}: Change): "text" | "result" | "arguments" | "cleared" | "reminded" | "shortened" | "renamed" | undefined {
  const { item } = after;
  if (before.item.role === "user" && before.item.kind === "message") return undefined;
  const reply = before.part === "response" ? before.step.reply : undefined;
  if (reply?.state === "complete" && !isReadWhole(reply)) return undefined;
  // The server reads its own calls and results back in any of its forms.
  if ((item.kind === "call" || item.kind === "result") && item.isHosted) return undefined;
  if (what === "text" && item.kind === "message" && item.role === "assistant")
    return isShownPart(before, item) ? undefined : "text";
  if (what === "result" && item.kind === "result" && before.item.kind === "result") {
    const isFork = placeholder.test(before.item.text.trim());
    if (isFork || isPlaceholder(item.text.trim())) return "cleared";
    if (withoutReminders(item.text) === withoutReminders(before.item.text)) return "reminded";
    return isShortened(item.text, before.item.text) ? "shortened" : "result";
  }
  // `lost-fragments` reports fragments lost from a stream; these calls were complete once.
  if (what === "arguments" && item.kind === "call" && before.item.kind === "call") {
    const wasWhole = before.item.arguments !== undefined && before.item.state === "complete";
    if (before.part === "request") return "arguments";
    return wasWhole && before.step.reply?.form === "json" && item.argumentsText.trim() !== "{}"
      ? "arguments"
      : undefined;
  }
  return what === "name" ? "renamed" : undefined;
}

/** A client's note in brackets about the removed text: `[[NOTE] This file read has been removed …]` (Roo). */
const note =
  /\b(?:removed|cleared|summary|summari[sz]ed|truncated|omitted|saved|stored|elided|compacted|compressed|pruned|hidden|collapsed|archived|offloaded)\b/i;

function isPlaceholder(text: string): boolean {
  if (placeholder.test(text)) return true;
  const isWrapped = /^(?:\[[^[{"\d][\s\S]*\]|\[\[[A-Z][\s\S]*\]|<[\s\S]*>|\([\s\S]*\))$/.test(text);
  return isWrapped && note.test(text.slice(0, 600));
}

/** Clients add reminders to the newest result and take them away again. */
function withoutReminders(text: string): string {
  return text.replace(/<([\w-]{0,30}reminder[\w-]{0,10})>[\s\S]{0,20000}?<\/\1>/gi, "").replace(/\s+/g, "");
}

/** The mark with which clients cut the middle or end of a long text. */
const ellipsis =
  /(?:\.\.\.|…|\[|\(|<|(?<!-)-{3,})[^\n]{0,80}\b(?:truncated|omitted|trimmed|elided|cut|removed|skipped|hidden|remaining|more|characters|chars|lines|tokens|bytes)\b/i;

/** The beginning of what was sent, with a mark in place of the rest. */
function isShortened(text: string, before: string): boolean {
  if (text.length >= before.length) return false;
  const mark = ellipsis.exec(text.slice(0, 100_000));
  const head = text.slice(0, mark?.index ?? 0).trim();
  return mark !== null && head !== "" && before.trimStart().startsWith(head);
}

/** After a reply broke off, the client keeps the part that it had displayed. */
function isShownPart(before: Placed, after: Message): boolean {
  return (
    before.part === "response" &&
    before.step.reply?.state === "open" &&
    before.item.kind === "message" &&
    before.item.text.startsWith(after.text.trim())
  );
}

/** The item is again as it was received, after an earlier request had changed it. */
function isPutRight({ before, after }: Change): boolean {
  for (let step: Step | undefined = before.step; step && before.part === "request"; step = step.parent) {
    const earlier = step.changed.find((change) => change.after.item === before.item);
    if (earlier) return contentOf(earlier.before.item) === contentOf(after.item);
  }
  return false;
}

/** Whether the result may be that of another call, which has the same id. */
function isOfOther({ after: { item, step } }: Change): boolean {
  return item.kind === "result" && isUndecided(step, item.callId);
}

/** Only white space or thinking tags changed, or the arguments only as the tool's schema reads them. */
function isHarmless({ before, after }: Change): boolean {
  if (before.item.kind === "call" && after.item.kind === "call")
    return isSchemaReading(before.item, after.item, before.step);
  if (before.item.kind !== "message" || after.item.kind !== "message") return false;
  const plain = (text: string): string =>
    text.replace(/<think(?:ing)?>[\s\S]{0,100000}?<\/think(?:ing)?>/g, "").replace(/\s+/g, "");
  return plain(before.item.text) === plain(after.item.text);
}

function said(item: Change["before"]["item"]): string {
  if (item.kind === "call") return item.argumentsText || item.name;
  return item.kind === "message" || item.kind === "result" ? item.text : item.kind;
}

function nameOf(item: Change["before"]["item"]): string {
  return item.kind === "call" ? item.name : item.kind;
}

/** The client did not choose this name: it is empty, or the original twice. */
function isGarbled({ before, after }: Facts): boolean {
  return after === "" || after === before.repeat(2);
}

function toolOf({ before, after }: Change): string {
  const { item } = after;
  if (item.kind === "call") return item.name;
  if (item.kind === "result") {
    const pair = pairOfResult(after.step, item) ?? pairOfResult(before.step, before.item);
    return pair?.call.item.name ?? item.name ?? "the tool";
  }
  return "";
}
