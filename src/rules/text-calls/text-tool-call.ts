import { isCall, type Placed, placedItems, replyItems, type Step } from "../../conversation/conversation.ts";
import type { Item, Message, Reasoning } from "../../conversation/item.ts";
import type { Fix, Severity } from "../../findings/finding.ts";
import {
  lostTextCalls,
  splitParallelWrapper,
  type TextCall,
  textRoundAt,
} from "../../protocols/text-calls/index.ts";
import { groupBy } from "../../reading/group-by.ts";
import { once } from "../../reading/once.ts";
import { defineRule } from "../rule.ts";
import { count, toolName } from "../words.ts";

interface Facts {
  readonly tool: string;
  readonly family: string;
  readonly confidence: TextCall["confidence"];
  readonly count: number;
  readonly isDeclared: boolean;
}

const what = ({ tool, count: calls }: Facts): string =>
  `a call to ${toolName(tool)}${calls > 1 ? ` and ${count(calls - 1, "more call")}` : ""}`;

export default defineRule({
  name: "text-tool-call",
  summary: "A call that the model wrote as text, so nothing runs it",
  ground: "lost",
  severity: "warning",
  needs: "anything",
  looksAt: ["calls", "answers"],
  messages: {
    ended: (facts: Facts) =>
      `the turn ends with ${what(facts)} written as plain text (${facts.family} syntax), so nothing runs it`,
    text: (facts: Facts) =>
      `${what(facts)} ${facts.count > 1 ? "are" : "is"} in the text (${facts.family} syntax), not a structured call`,
    answered: (facts: Facts) =>
      `${what(facts)} ${facts.count > 1 ? "are" : "is"} kept as text (${facts.family} syntax), and ${facts.count > 1 ? "results follow" : "a result follows"} without a structured call`,
    thought: (facts: Facts) =>
      `${what(facts)} ${facts.count > 1 ? "are" : "is"} in the reasoning (${facts.family} syntax), and the reply has neither the call nor an answer`,
    wrapper: ({
      tools,
      tool,
    }: {
      readonly tool: string;
      readonly tools: readonly string[];
      readonly callId: string | undefined;
    }) =>
      `the model calls its own wrapper ${toolName(tool)} instead of ${tools.map((name) => toolName(name, 40)).join(" and ")}`,
  },

  habit: {
    title: "The model's tool calls arrive as text, and nothing runs them",
    consequence: "So the tool never ran, and the user sees the call instead of an answer",
    change:
      "use the chat template and tool parser made for the model, or let the client parse such calls from the text",
    changeIn: "server",
  },
  kindHabits: {
    answered: {
      title: "The history keeps tool calls as text",
      consequence:
        "So the model reads its calls as words, and may write the next call as words, which nothing runs",
      change: ({ idiom }) =>
        `store each call in the reply's own field for calls, and send its result as a tool result: ${idiom.append}`,
    },
    thought: {
      title: "The model writes a tool call into its reasoning and never makes it",
      consequence: "So the tool never ran, and the reply answers nothing",
      change:
        "use the reasoning parser and the tool parser made for the model; if it still happens, send the request again",
      changeIn: "server",
    },
    wrapper: {
      title: "The model calls a wrapper that the request does not offer",
      consequence: "So the client finds no such tool, and none of the calls inside the wrapper runs",
      change:
        "run each entry of the wrapper's `tool_uses` as a call of its own, and answer the wrapper's call with all results",
    },
  },

  *check({ steps }, report) {
    for (const step of steps) {
      const prompt = once(() => promptOf(step));
      for (const call of [...step.added.filter(isCall), ...replyItems(step).filter(isCall)]) {
        const { item } = call;
        const inner = splitParallelWrapper(item.name, item.arguments ?? item.argumentsText);
        if (inner.length === 0) continue;
        const callIds = item.id === undefined ? [] : [item.id];
        yield report(
          "wrapper",
          { tool: item.name, tools: inner.map(({ name }) => name), callId: item.id },
          call,
          { callIds },
        );
      }

      const texts = step.added.filter(isOwnText);
      const elements = groupBy(texts.length > 0 ? step.added : [], ({ element }) => element);
      for (const said of texts) {
        const facts = factsOf(step, said, elements.get(said.element) ?? [], prompt);
        if (facts && said.item.kind === "message")
          yield report(isAnsweredInHistory(said) ? "answered" : "text", facts, said, {
            severity: byConfidence(facts),
            identity: `history ${facts.family}`,
            ...fixOf(said),
          });
      }

      const reply = replyItems(step);
      for (const said of reply.filter(isOwnText)) {
        const facts = factsOf(step, said, reply, prompt);
        if (!facts || isAnsweredAsText(step)) continue;
        if (said.item.kind === "reasoning") {
          if (!reply.some(({ item }) => isAnswer(item)))
            yield report("thought", facts, said, {
              severity: facts.confidence === "likely" ? "info" : "warning",
            });
        } else if (
          facts.isAtEnd &&
          endsTurn(step) &&
          (facts.confidence !== "likely" || !step.request?.tools)
        ) {
          // Without a tool list, only the shape of the text shows that a call was meant.
          yield report("ended", facts, said, {
            severity: facts.confidence === "likely" ? "warning" : "error",
          });
        } else yield report("text", facts, said, { severity: byConfidence(facts) });
      }
    }
  },
});

/** Makes calls and results from the texts that represent them; missing results need placeholders. */
function fixOf({ step, element }: Placed): { readonly fix?: Fix } {
  const { history, tools } = step.request ?? {};
  const round = history && textRoundAt(history, element, tools);
  if (!round) return {};
  const isAnswered = round.results.length + round.ids.length > 0;
  return {
    fix: isAnswered
      ? { safety: "safe", title: "turns the text into structured calls, with their results" }
      : {
          safety: "inventing",
          title: "turns the text into structured calls, with placeholder results",
        },
  };
}

function byConfidence({ confidence }: Facts): Severity {
  return confidence === "likely" ? "info" : "warning";
}

/** Text that the model wrote; in a history, text whose reply is not in the log. */
function isOwnText(placed: Placed): placed is Placed<Message | Reasoning> {
  const { item } = placed;
  return (
    item.role === "assistant" &&
    (item.kind === "message" || item.kind === "reasoning") &&
    item.text.length > 8
  );
}

/** The calls in a text that have no structured form in the same message; `undefined` if there are none. */
function factsOf(
  step: Step,
  { item }: Placed<Message | Reasoning>,
  siblings: readonly Placed[],
  prompt: () => string,
): (Facts & { readonly isAtEnd: boolean }) | undefined {
  const tools = step.request?.tools;
  const structured = siblings.filter(isCall).map((placed) => placed.item);
  const lost = lostTextCalls(item.text, { tools, prompt, structured });
  const [first] = lost;
  const last = lost.at(-1);
  if (!first || !last) return undefined;
  return {
    tool: first.name,
    family: first.family,
    confidence: lost.some(({ confidence }) => confidence === "certain") ? "certain" : first.confidence,
    count: lost.length,
    isDeclared: tools?.some(({ name }) => name === first.name) === true,
    isAtEnd: isResidue(item.text.slice(last.end)),
  };
}

/** Only closing tokens follow. */
function isResidue(text: string): boolean {
  return /^(?:\s|<\/?[^<>\s]{1,40}>|\[\/[A-Z_]{1,40}\]|`)*$/.test(text.slice(0, 400));
}

/** The prompts that may explain a call syntax: the system prompt and the first user message. */
function promptOf(step: Step): string {
  const texts = [step.request?.system ?? ""];
  let users = 0;
  for (const { item } of placedItems(step)) {
    if (item.kind !== "message" || item.role === "assistant") continue;
    if (item.role === "system" || users++ === 0) texts.push(item.text);
  }
  return texts.join("\n");
}

/** The reply contains an answer for the user, or a call that will be run. */
function isAnswer(item: Item): boolean {
  return item.kind === "call" || (item.kind === "message" && item.text.trim() !== "");
}

/** The model stopped there without a call. */
function endsTurn({ reply }: Step): boolean {
  const meaning = reply?.finish?.meaning;
  return (meaning === "answer" || meaning === "calls") && !reply?.items.some(({ kind }) => kind === "call");
}

const textResult =
  /^\s*(?:<(?:tool_response|tool_result|function_results?|function_response)\b|\[TOOL_RESULTS\]|\[?(?:tool|function) (?:result|response|output)|observation:|✿RESULT✿)/i;

/** The next element of the history holds a result: as text, or with the id of a call that is only text. */
function isAnsweredInHistory({ step, element }: Placed): boolean {
  const history = step.request?.history;
  if (!history || element + 1 >= history.length) return false;
  if (history.items(element).some(({ kind }) => kind === "call")) return false;
  return history
    .items(element + 1)
    .some(
      (item) =>
        item.kind === "result" ||
        (item.kind === "message" && item.role === "user" && isResultText(item.text)),
    );
}

function isResultText(text: string): boolean {
  return textResult.test(text.slice(0, 200));
}

/** The client parses the model's text and answers in text: they have their own protocol. */
function isAnsweredAsText(step: Step): boolean {
  return step.children.some(({ added }) =>
    added.some(({ item }) => item.kind === "message" && item.role === "user" && isResultText(item.text)),
  );
}
