import { type Body, type Call, wires } from "./wires.ts";

/** A small run of one agent in each of the five protocols: two rounds of a weather assistant, then its answer. */

export const rounds: readonly (readonly Call[])[] = [
  [{ name: "find_city", args: { query: "Oslo" } }],
  [
    { name: "forecast", args: { city: 3143244, days: 1 } },
    { name: "warnings", args: { city: 3143244 } },
  ],
];
const results: Readonly<Record<string, string>> = {
  find_city: '{"id":3143244}',
  forecast: '{"sky":"rain"}',
  warnings: '{"list":"none"}',
};
export const answer = "Rain in Oslo, no warnings.";
const question = "Do I need an umbrella in Oslo?";

type Made = Call & { readonly id: string };

interface Form {
  readonly historyKey: string;
  readonly url: string;
  user(text: string): unknown;
  calls(calls: readonly Made[]): readonly unknown[];
  results(calls: readonly Made[]): readonly unknown[];
}

const chatForm: Form = {
  historyKey: "messages",
  url: "https://api.openai.com/v1/chat/completions",
  user: (content) => ({ role: "user", content }),
  calls: (calls) => [
    {
      role: "assistant",
      content: null,
      tool_calls: calls.map(({ id, name, args }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      })),
    },
  ],
  results: (calls) =>
    calls.map(({ id, name }) => ({ role: "tool", tool_call_id: id, content: results[name] })),
};

export const forms: Readonly<Record<string, Form>> = {
  "openai-chat": chatForm,
  "openai-responses": {
    historyKey: "input",
    url: "https://api.openai.com/v1/responses",
    user: (content) => ({ role: "user", content }),
    calls: (calls) =>
      calls.map(({ id, name, args }) => ({
        type: "function_call",
        call_id: id,
        name,
        arguments: JSON.stringify(args),
      })),
    results: (calls) =>
      calls.map(({ id, name }) => ({ type: "function_call_output", call_id: id, output: results[name] })),
  },
  anthropic: {
    historyKey: "messages",
    url: "https://api.anthropic.com/v1/messages",
    user: (content) => ({ role: "user", content }),
    calls: (calls) => [
      {
        role: "assistant",
        content: calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
      },
    ],
    results: (calls) => [
      {
        role: "user",
        content: calls.map(({ id, name }) => ({
          type: "tool_result",
          tool_use_id: id,
          content: results[name],
        })),
      },
    ],
  },
  gemini: {
    historyKey: "contents",
    url: "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent",
    user: (text) => ({ role: "user", parts: [{ text }] }),
    calls: (calls) => [
      { role: "model", parts: calls.map(({ name, args }) => ({ functionCall: { name, args } })) },
    ],
    results: (calls) => [
      {
        role: "user",
        parts: calls.map(({ name }) => ({
          functionResponse: { name, response: JSON.parse(results[name] ?? "{}") },
        })),
      },
    ],
  },
  ollama: {
    historyKey: "messages",
    url: "http://127.0.0.1:11434/api/chat",
    user: (content) => ({ role: "user", content }),
    calls: (calls) => [
      {
        role: "assistant",
        content: "",
        tool_calls: calls.map(({ name, args }) => ({ function: { name, arguments: args } })),
      },
    ],
    results: (calls) => calls.map(({ name }) => ({ role: "tool", tool_name: name, content: results[name] })),
  },
};

/** How the client spoils its requests from the second on. */
export type Fault = "none" | "forgets-calls" | "forgets-rounds";

/** The run as JSON lines: three exchanges, each request with the history that the client would send. */
export function storyLog(protocol: string, fault: Fault, isStreaming = false): string {
  const form = forms[protocol];
  const wire = wires[protocol];
  if (!form || !wire) throw new Error(`no story in ${protocol}`);
  const first = form.user(question);
  const made = rounds.map((calls, round) =>
    calls.map((call, at) => ({ ...call, id: `call_r${round}${at}` })),
  );
  const parts = made.map((calls) => ({ calls: form.calls(calls), results: form.results(calls) }));
  const history = (upTo: number): readonly unknown[] => {
    const past = parts.slice(0, upTo);
    if (fault === "forgets-calls") return [first, ...past.flatMap(({ results: sent }) => sent)];
    if (fault === "forgets-rounds")
      return [first, ...past.slice(-1).flatMap(({ calls, results: sent }) => [...calls, ...sent])];
    return [first, ...past.flatMap(({ calls, results: sent }) => [...calls, ...sent])];
  };
  return [...made, []]
    .map((calls, at) => {
      const request: Body = {
        ...(protocol !== "gemini" && { model: "scripted" }),
        ...(protocol === "anthropic" && { max_tokens: 1000 }),
        ...(protocol === "ollama" || isStreaming ? protocol !== "gemini" && { stream: isStreaming } : {}),
        [form.historyKey]: history(at),
      };
      const text = calls.length > 0 ? "" : answer;
      const response = isStreaming ? wire.stream(calls, text).join("") : wire.reply(calls, text);
      const url = isStreaming
        ? form.url.replace(":generateContent", ":streamGenerateContent?alt=sse")
        : form.url;
      return `${JSON.stringify({ url, request, response })}\n`;
    })
    .join("");
}
