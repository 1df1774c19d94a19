import { hasBrokenArguments } from "../../conversation/call-arguments.ts";
import { isCall, type Placed, type Step } from "../../conversation/conversation.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { enteredItems } from "../../conversation/new-items.ts";
import { clientCalls, echoOf, resultFor } from "../../conversation/reply-followups.ts";
import { uncutSlice } from "../../secrets/masks.ts";
import { longestSecret } from "../../secrets/secret.ts";
import { defineRule } from "../rule.ts";
import { short, toolName } from "../words.ts";
import { faultOf } from "./json-fault.ts";

interface Facts {
  readonly tool: string;
  readonly arguments: string;
  readonly callId: string | undefined;
}

const notCut = ["glued", "prefixed", "broken"];

export default defineRule({
  name: "incomplete-arguments",
  summary: "Arguments that are not valid JSON: cut off, concatenated, or wrapped in other text",
  ground: "lost",
  severity: "error",
  needs: "anything",
  looksAt: ["calls"],
  traits: ["refuses-call"],
  follows: [
    { rules: ["lost-fragments", "malformed-stream"], by: "calls" },
    // What broke off is cut, and nothing else.
    { rules: ["truncated-reply", "truncated-stream", "stream-error"], by: "calls", except: notCut },
    { rules: ["lost-fragments"], by: "exchange", kinds: ["apart"] },
    { rules: ["leaked-control-tokens", "rewritten-history"], by: "calls" },
    { rules: ["truncated-reply", "truncated-stream", "stream-error"], by: "exchange", except: notCut },
  ],
  messages: {
    cut: ({ tool, arguments: text }: Facts) =>
      `the arguments of ${toolName(tool)} are cut off: they end in \`${end(text)}\``,
    glued: ({ tool, arguments: text, objects }: Facts & { readonly objects: number }) =>
      `the arguments of ${toolName(tool)} are ${objects} concatenated JSON values: \`${short(text)}\``,
    prefixed: ({ tool, arguments: text }: Facts) =>
      `the arguments of ${toolName(tool)} are JSON wrapped in other text: \`${short(text)}\``,
    shortened: ({ tool, arguments: text }: Facts) =>
      `the log has only a shortened form of the arguments of ${toolName(tool)}: \`${end(text)}\``,
    broken: ({ tool, arguments: text }: Facts) =>
      `the arguments of ${toolName(tool)} are not valid JSON: \`${short(text)}\``,
  },

  habit: {
    title: "Tool calls carry broken arguments",
    consequence: "So the arguments cannot be parsed, and the tool runs without them or not at all",
    change:
      "append all fragments of a call, parse them once the call is complete, and never run or store arguments that do not parse",
  },
  kindHabits: {
    broken: {
      title: "Tool calls carry arguments that are not valid JSON",
      consequence: "So the arguments cannot be parsed, and the tool runs without them or not at all",
      change:
        "parse the arguments before a call is run or stored; where they do not parse, repair them, or ask the model again",
    },
    glued: {
      title: "The client concatenates the arguments of several calls",
      consequence: "So none of these calls can be parsed",
      change: "collect streamed fragments separately for each call, by its index or id",
    },
  },
  effect: { rank: 9, words: () => "arguments were cut off" },

  *check({ steps }, report) {
    for (const step of steps) {
      const sent = enteredItems(step)
        .filter(isCall)
        .filter(({ item }) => isBroken(item) && !isInOtherForm(item, step))
        .filter(({ element }) => !endsInCut(step, element));
      const received = step.exchange.isCut
        ? []
        : clientCalls(step).filter(({ item }) => item.state === "complete" && isBroken(item));
      for (const call of [...sent, ...received]) {
        const { item } = call;
        const { kind, values } = faultOf(item.argumentsText);
        const used = call.part === "response" ? useOf(step, item) : undefined;
        const options = {
          // If the client completed the arguments before it continued, they are valid JSON again.
          severity:
            call.part === "request" || (used && !isRepaired(used))
              ? ("error" as const)
              : ("warning" as const),
          notes: used ? [{ message: "the client continues with it here", at: used }] : [],
          callIds: item.id === undefined ? [] : [item.id],
          ...(isLeftAlone(call, used) && { fix: wrapping }),
        };
        const facts = { tool: item.name, arguments: short(item.argumentsText, 200), callId: item.id };
        if (isShortened(call)) {
          const cut = { ...facts, arguments: lastOf(item.argumentsText, 200) };
          yield report("shortened", cut, call, { severity: "info", callIds: options.callIds });
          continue;
        }
        if (kind === "glued") yield report("glued", { ...facts, objects: values }, call, options);
        else
          yield report(
            kind,
            kind === "cut" ? { ...facts, arguments: lastOf(item.argumentsText, 200) } : facts,
            call,
            options,
          );
      }
    }
  },
});

function isBroken(call: ToolCall): boolean {
  return hasBrokenArguments(call) && !call.isHosted && !standIn.test(call.argumentsText);
}

/** The log breaks off in the last of messages that somebody printed. */
function endsInCut({ request }: Step, element: number): boolean {
  return request?.isCut === true && request.isBare === true && element === request.history.length - 1;
}

/** What people write for a text that they leave out of a paste, or a log for one that it keeps elsewhere. */
const standIn =
  /^\s*(?:x{3,}|\*{3,}|\.{2,}|…+|<(?=[^<>]*[a-z.…])[^<>{}"\n]{1,60}>|attachment:\/\/[0-9a-f]{32}|\[(?:redacted|omitted|masked|\.{3}|…)\])\s*$/i;

/** A log that reports calls may write arguments in another form, as code. Broken JSON begins as JSON. */
function isInOtherForm({ argumentsText }: ToolCall, { exchange }: Step): boolean {
  return exchange.fidelity === "reported" && !/^\s*[{["]/.test(argumentsText);
}

/** How programs end a text that they shorten before they write it down. */
const mark =
  /(?:\.\.\.|…|\[|\(|<)[^\n"{}]{0,60}\b(?:truncated|omitted|shortened|elided|more (?:characters|chars|bytes|tokens))\b[^\n"{}]{0,40}["'}\]\s]*$/i;

/** A program shortened what it logged. In a request, this form was sent: it is a fault of the client. */
function isShortened({ item, part, step }: Placed<ToolCall>): boolean {
  const isSent = part === "request" && step.exchange.fidelity !== "reported";
  return (!isSent || step.conversation.kind === "transcript") && mark.test(item.argumentsText);
}

const wrapping = { safety: "lossy", title: "keeps the raw arguments as a string in a JSON object" } as const;

/** The text is sent again unchanged, and the log does not show what it should have been. */
function isLeftAlone({ part, step }: Placed, used: Placed | undefined): boolean {
  const { exchange, request, conversation } = step;
  if (exchange.demands.argumentsAre !== "text") return false;
  if (part === "response") return conversation.kind === "transcript" && used !== undefined;
  return request?.model === undefined && exchange.url === undefined && !exchange.reply;
}

function useOf(step: Step, call: ToolCall): Placed | undefined {
  return echoOf(step, call) ?? resultFor(step, call);
}

function isRepaired({ item }: Placed): boolean {
  return item.kind === "call" && item.arguments !== undefined && Object.keys(item.arguments ?? {}).length > 0;
}

/** The end of a text on one line, where it breaks off. */
function end(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= 60 ? line : `…${lastOf(line, 59)}`;
}

/** The last characters of a text; a credential that would be cut is masked. */
function lastOf(text: string, size: number): string {
  return uncutSlice(text, Math.max(0, text.length - size), text.length, longestSecret);
}
