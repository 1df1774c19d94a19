// Runs of an agent that looks after a shop's stock, written down as logs.

/** One round: what the model calls, and what comes back. */
export interface Round {
  readonly tool: string;
  readonly arguments: object;
  readonly result: string;
  /** What the model says beside the call. */
  readonly text?: string;
}

export interface Run {
  readonly question: string;
  readonly rounds: readonly Round[];
  readonly answer: string;
  readonly system?: string;
  /** Behind what call ids begin with: another run has others. */
  readonly id?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export const stock: Run = {
  question: "How many blue cups are left, and when do new ones come?",
  rounds: [
    {
      tool: "find_article",
      arguments: { name: "blue cup" },
      result: '{"article":"A-17"}',
      text: "I'll look it up.",
    },
    { tool: "count_stock", arguments: { article: "A-17", store: "Graz" }, result: '{"count":4}' },
    { tool: "next_delivery", arguments: { article: "A-17" }, result: '{"date":"in two weeks"}' },
  ],
  answer: "Four are left; new ones come in two weeks.",
};

type Message = Record<string, unknown>;
type Exchange = {
  request: { messages: Message[]; [key: string]: unknown };
  response: Record<string, unknown>;
  status?: number;
};

export const toolNames = ["find_article", "count_stock", "next_delivery"];
const definitions = toolNames.map((name) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: { article: { type: "string" } } } },
}));

/** The run as exchanges of a chat API, each request with the whole history. */
export function chatExchanges({ question, rounds, answer, system, id = "a", parameters }: Run): Exchange[] {
  const messages: Message[] = [
    ...(system === undefined ? [] : [{ role: "system", content: system }]),
    { role: "user", content: question },
  ];
  const exchanges: Exchange[] = [];
  const exchange = (reply: Message, reason: string): void => {
    const request = { model: "gpt-4.1", messages: [...messages], tools: definitions, ...parameters };
    const choices = [{ index: 0, message: reply, finish_reason: reason }];
    const response = {
      id: `chatcmpl-${id}${exchanges.length}`,
      object: "chat.completion",
      model: "gpt-4.1",
      choices,
    };
    exchanges.push({ request, response });
    messages.push(reply);
  };
  for (const [number, round] of rounds.entries()) {
    const callId = `call_${id}${number}`;
    const call = { name: round.tool, arguments: JSON.stringify(round.arguments) };
    exchange(
      {
        role: "assistant",
        content: round.text ?? null,
        tool_calls: [{ id: callId, type: "function", function: call }],
      },
      "tool_calls",
    );
    messages.push({ role: "tool", tool_call_id: callId, content: round.result });
  }
  exchange({ role: "assistant", content: answer }, "stop");
  return exchanges;
}

/** The same run over another API, whose results stand in messages of the user. */
export function blockExchanges({ question, rounds, answer, system, id = "a" }: Run): object[] {
  const messages: Message[] = [{ role: "user", content: question }];
  const exchanges: object[] = [];
  const tools = definitions.map(({ function: { name, parameters } }) => ({ name, input_schema: parameters }));
  const exchange = (content: object[], reason: string): void => {
    const request = {
      model: "claude-sonnet-4-5",
      max_tokens: 1000,
      ...(system !== undefined && { system }),
      tools,
      messages: [...messages],
    };
    const response = {
      id: `msg_${id}${exchanges.length}`,
      type: "message",
      role: "assistant",
      content,
      stop_reason: reason,
    };
    exchanges.push({ request, response });
    messages.push({ role: "assistant", content });
  };
  for (const [number, round] of rounds.entries()) {
    const callId = `toolu_${id}${number}`;
    const call = { type: "tool_use", id: callId, name: round.tool, input: round.arguments };
    exchange([...(round.text === undefined ? [] : [{ type: "text", text: round.text }]), call], "tool_use");
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: callId, content: round.result }],
    });
  }
  exchange([{ type: "text", text: answer }], "end_turn");
  return exchanges;
}

/** One exchange a line. */
export function lines(exchanges: readonly object[]): string {
  return exchanges.map((exchange) => `${JSON.stringify(exchange)}\n`).join("");
}

/** A HAR file of the exchanges, as a proxy keeps them. */
export function har(exchanges: readonly { readonly request: object; readonly response: object }[]): string {
  const entries = exchanges.map(({ request, response }) => ({
    startedDateTime: "2026-01-05T12:00:00.000Z",
    time: 12,
    request: {
      method: "POST",
      url: "https://api.example.com/v1/chat/completions",
      headers: [],
      postData: { mimeType: "application/json", text: JSON.stringify(request, undefined, 1) },
    },
    response: {
      status: 200,
      headers: [],
      content: { mimeType: "application/json", text: JSON.stringify(response) },
    },
  }));
  return JSON.stringify({ log: { version: "1.2", creator: { name: "proxy", version: "1" }, entries } });
}

/** The run as a coding agent keeps it in a session file: each item once. */
export function session({ question, rounds, answer, id = "s" }: Run): string {
  const records: object[] = [];
  const add = (type: "user" | "assistant", message: object): void => {
    const number = records.length;
    const parentUuid = number === 0 ? null : `u${number - 1}`;
    records.push({
      parentUuid,
      uuid: `u${number}`,
      sessionId: "5f0c",
      isSidechain: false,
      cwd: "/home/ada",
      version: "2.1.9",
      type,
      message,
    });
  };
  const say = (number: number, block: object): void =>
    add("assistant", {
      id: `msg_${id}${number}`,
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5",
      content: [block],
    });
  add("user", { role: "user", content: question });
  for (const [number, round] of rounds.entries()) {
    const callId = `toolu_${id}${number}`;
    if (round.text !== undefined) say(number, { type: "text", text: round.text });
    say(number, { type: "tool_use", id: callId, name: round.tool, input: round.arguments });
    add("user", {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: callId, content: round.result }],
    });
  }
  say(rounds.length, { type: "text", text: answer });
  return lines(records);
}
