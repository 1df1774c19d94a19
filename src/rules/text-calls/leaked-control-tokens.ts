import { isCall, type Placed, placedItems, replyItems, type Step } from "../../conversation/conversation.ts";
import type { Message, ToolCall } from "../../conversation/item.ts";
import { clientCalls } from "../../conversation/reply-followups.ts";
import {
  type ControlToken,
  findControlTokens,
  findTextCalls,
  isSameCall,
  type TextCall,
} from "../../protocols/text-calls/index.ts";
import { defineRule } from "../rule.ts";
import { short, toolName } from "../words.ts";

interface Facts {
  readonly token: string;
  readonly family: string;
}

export default defineRule({
  name: "leaked-control-tokens",
  summary: "Chat-template tokens in text, in a tool name or in arguments",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  looksAt: ["calls", "answers"],
  messages: {
    name: ({
      tool,
      token,
      meant,
    }: Facts & { tool: string; meant: string | undefined; callIds: readonly string[] }) =>
      `the name of the called tool, ${toolName(tool)}, contains the template token \`${short(token)}\`${meant === undefined ? "" : `; the tool is ${toolName(meant)}`}`,
    arguments: ({ tool, token }: Facts & { tool: string; callIds: readonly string[] }) =>
      `an argument of ${toolName(tool)} begins or ends with the template token \`${short(token)}\``,
    text: ({ token, family }: Facts) =>
      `the model's text contains the template token \`${short(token)}\` (${family} syntax) outside any call`,
    residue: ({ tool, family }: Facts & { tool: string; callIds: readonly string[] }) =>
      `the structured call to ${toolName(tool)} is also in the text (${family} syntax)`,
  },

  habit: {
    title: "Chat-template tokens leak into the conversation",
    consequence: "So tool names may not match, and the model reads its own control tokens as text",
    change: "use the chat template and tool parser made for the model, and strip such tokens from replies",
    changeIn: "server",
  },

  *check({ steps }, report) {
    for (const step of steps) {
      // A message whose reply is in the log is checked there.
      const sent = step.parent?.reply ? [] : step.added.filter(({ item }) => item.role === "assistant");
      for (const group of [sent, replyItems(step)]) {
        const calls = group.filter(isCall);
        for (const call of group === sent ? calls : clientCalls(step)) {
          const callIds = call.item.id === undefined ? [] : [call.item.id];
          const inName = nameToken(step, call.item);
          const found = inName ?? argumentToken(step, call.item);
          if (!found) continue;
          const facts = { tool: call.item.name, token: found.token, family: found.family, callIds };
          if (inName)
            yield report("name", { ...facts, meant: inName.meant }, call, {
              callIds,
              identity: `name ${found.family}`,
            });
          else yield report("arguments", facts, call, { callIds, identity: `arguments ${found.family}` });
        }
        for (const said of group.filter(isText)) {
          const leak = leakIn(step, said.item, calls);
          if (leak?.call) {
            const { id, name } = leak.call;
            const callIds = id === undefined ? [] : [id];
            yield report("residue", { ...leak.facts, tool: name, callIds }, said, {
              severity: "info",
              callIds,
              identity: `residue ${leak.facts.family}`,
            });
          } else if (leak)
            yield report("text", leak.facts, said, {
              // Reasoning that the server did not separate does not affect tools.
              severity: leak.facts.family === "reasoning" ? "info" : "warning",
              identity: `text ${leak.facts.family}`,
            });
        }
      }
    }
  },
});

/** Template tokens in a text: around a copy of a structured call, or without any call. */
function leakIn(
  step: Step,
  { text }: Message,
  calls: readonly Placed<ToolCall>[],
): { readonly facts: Facts; readonly call?: ToolCall } | undefined {
  const token = findControlTokens(text, toolsOf(step)).find((each) => isOwn(step, each));
  if (!token && calls.length === 0) return undefined;
  const [first, ...others] = findTextCalls(text, toolsOf(step));
  if (!first) return token && { facts: { token: token.token, family: token.family } };
  const copied = (written: TextCall): ToolCall | undefined =>
    calls.find(({ item }) => isSameCall(item, written))?.item;
  const call = copied(first);
  // `text-tool-call` reports calls that are only text, including their tokens.
  if (!call || !others.every(copied)) return undefined;
  return { facts: { token: text.slice(first.start, first.start + 40), family: first.family }, call };
}

function isText(placed: Placed): placed is Placed<Message> {
  return placed.item.kind === "message" && placed.item.role === "assistant" && placed.item.text.length > 4;
}

function toolsOf({ request }: Step): { readonly tools?: NonNullable<NonNullable<Step["request"]>["tools"]> } {
  return request?.tools ? { tools: request.tools } : {};
}

/** The token in a tool's name, and the name without it. */
function nameToken(
  { request }: Step,
  { name }: ToolCall,
): (ControlToken & { readonly meant: string | undefined }) | undefined {
  const [token] = findControlTokens(name);
  if (!token) return undefined;
  const before = name.slice(0, token.start).trim();
  const isOffered = request?.tools?.some((tool) => tool.name === before);
  return { ...token, meant: before !== "" && isOffered !== false ? before : undefined };
}

/** Longer values are files or similar, which may contain anything. */
const maxValue = 400;

/** A token at the start or end of an argument, which a parser failed to remove. */
function argumentToken(step: Step, call: ToolCall): ControlToken | undefined {
  const value = call.arguments;
  if (typeof value !== "object" || value === null) return undefined;
  for (const text of Object.values(value)) {
    if (typeof text !== "string" || text.length > maxValue) continue;
    const tokens = findControlTokens(text).filter(({ family }) => family !== "reasoning");
    const token = tokens.find(
      ({ start, end }) => text.slice(0, start).trim() === "" || text.slice(end).trim() === "",
    );
    if (token && isOwn(step, token)) return token;
  }
  return undefined;
}

/** Only the model uses the token; no prompt, file or question contains it. */
function isOwn(step: Step, { token }: ControlToken): boolean {
  if (step.request?.system?.includes(token)) return false;
  for (const { item } of placedItems(step)) {
    if (item.role === "assistant") continue;
    if ((item.kind === "message" || item.kind === "result") && item.text.includes(token)) return false;
  }
  return true;
}
