import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { lines, question } from "./sessions.ts";
import { told } from "./stories.ts";

/** What `streamEvents` of LangChain gives, with `version: "v2"`: an event for each step of a graph. */

type Message = Readonly<Record<string, unknown>>;

const message = (kind: string, kwargs: Message): Message => ({
  lc: 1,
  type: "constructor",
  id: ["langchain_core", "messages", kind],
  kwargs: { additional_kwargs: {}, response_metadata: {}, ...kwargs },
});

const human = message("HumanMessage", { content: "How warm is it in Bern?" });
const asks = message("AIMessageChunk", {
  content: "",
  tool_calls: [{ name: "weather", args: { city: "Bern" }, id: "call_1", type: "tool_call" }],
  tool_call_chunks: [
    { name: "weather", args: '{"city":"Bern"}', id: "call_1", index: 0, type: "tool_call_chunk" },
  ],
});
const result = message("ToolMessage", { content: "17 °C", tool_call_id: "call_1", name: "weather" });
const answers = message("AIMessageChunk", { content: "It is 17 °C.", tool_calls: [], tool_call_chunks: [] });

const event = (name: string, run: string, data: Message): Message => ({
  event: name,
  name: "step",
  run_id: run,
  tags: [],
  metadata: {},
  data,
});

function modelCall(run: string, history: readonly Message[], reply: Message): Message[] {
  const input = { messages: [history] };
  return [
    event("on_chain_start", `${run}-chain`, { input: { messages: history } }),
    event("on_chat_model_start", run, { input }),
    event("on_chat_model_stream", run, { chunk: reply }),
    event("on_chat_model_end", run, { output: reply, input }),
    event("on_chain_end", `${run}-chain`, { output: { messages: [reply] }, input: { messages: history } }),
  ];
}

const toolRun = [
  event("on_chain_start", "tools", { input: { messages: [asks] } }),
  event("on_tool_start", "t", { input: { city: "Bern" } }),
  event("on_tool_end", "t", { output: result, input: { city: "Bern" } }),
  event("on_chain_stream", "graph", { chunk: { tools: { messages: [result] } } }),
];

describe("the events of LangChain's callbacks", () => {
  const run = [
    ...modelCall("1", [human], asks),
    ...toolRun,
    ...modelCall("2", [human, asks, result], answers),
  ];

  test("are the requests that began and the replies that ended", async () => {
    const log = lines(...run);
    expect(await told(log)).toEqual([
      'user "How warm is it in Bern?" → call weather {"city":"Bern"} ()',
      'user "How warm is it in Bern?", call weather {"city":"Bern"}, result 17 °C → assistant "It is 17 °C." ()',
    ]);
    expect((await check(Buffer.from(log))).findings).toEqual([]);
  });

  test("show a history that lost its call", async () => {
    const log = lines(
      ...modelCall("1", [human], asks),
      ...toolRun,
      ...modelCall("2", [human, result], answers),
    );
    const { findings } = await check(Buffer.from(log));
    expect(findings.map(({ rule }) => rule)).toContain("dropped-tool-call");
  });
});

test("a long-running tool of Google's kit gives its state more than once", async () => {
  const event = (author: string, role: string, part: Message): Message => ({
    invocationId: "e-1",
    author,
    content: { role, parts: [part] },
    longRunningToolIds: ["adk-1"],
  });
  const states = ["pending", "approved"].map((status) =>
    event("clerk", "user", { functionResponse: { id: "adk-1", name: "approve", response: { status } } }),
  );
  const log = lines(
    event("user", "user", { text: question }),
    event("clerk", "model", { functionCall: { id: "adk-1", name: "approve", args: {} } }),
    ...states,
    event("clerk", "model", { text: "Approved." }),
  );
  const { findings, files } = await check(Buffer.from(log));
  expect(findings).toEqual([]);
  expect(files[0]?.skipped.map(({ reason }) => reason)).toContain("a later state of a long-running tool");
});

describe("what the SDKs for Node print", () => {
  const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];
  const user = { role: "user", content: question };

  test("a request for Ollama looks like one for OpenAI until its reply comes", async () => {
    const model = "llama3.2";
    const message = {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "call_1", function: { index: 0, name: "weather", arguments: { city: "Bern" } } }],
    };
    const answers = { role: "assistant", content: "17 °C." };
    const reply = (said: Message): string =>
      JSON.stringify({
        model,
        created_at: "2026-11-27T13:01:31.000Z",
        message: said,
        done: true,
        done_reason: "stop",
      });
    const asks = (messages: readonly Message[]): string => JSON.stringify({ model, messages, tools });
    const result = { role: "tool", tool_name: "weather", content: "17 °C" };
    const log = `request: ${asks([user])}\nresponse: ${reply(message)}\nrequest: ${asks([user, message, result])}\nresponse: ${reply(answers)}\n`;
    const report = await check(Buffer.from(log));
    expect(report.findings).toEqual([]);
    expect(report.files[0]).toMatchObject({ exchanges: 2, conversations: 1, protocols: ["ollama"] });
  });

  test("chunks without what was left out of them promise nothing", async () => {
    const head = "id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-5'";
    const log = [
      `{ ${head}, choices: [ { index: 0, delta: { role: 'assistant', tool_calls: [Array] }, finish_reason: null } ] }`,
      `{ ${head}, choices: [ { index: 0, delta: {}, finish_reason: 'tool_calls' } ] }`,
    ].join("\n");
    const { findings } = await check(Buffer.from(`${log}\n`));
    expect(findings.map(({ rule, severity }) => `${severity} ${rule}`)).toEqual(["info unreadable-record"]);
  });

  test("a call whose arguments were left out has them, somewhere", async () => {
    const log = `response {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-6',
  content: [
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: [Object] }
  ],
  stop_reason: 'tool_use'
}
`;
    const { findings } = await check(Buffer.from(log));
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
  });

  test("the error of OpenAI's SDK has headers and copies of its members", async () => {
    const said =
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1";
    const log = `BadRequestError: 400 ${said}
    at APIError.generate (file:///app/node_modules/openai/core/error.mjs:41:20)
    at async file:///app/agent.mjs:10:3 {
  status: 400,
  headers: Headers {
    'content-type': 'application/json',
    'x-request-id': 'req_1',
    date: 'Fri, 27 Nov 2026 12:59:25 GMT'
  },
  requestID: 'req_1',
  error: {
    message: "${said}",
    type: 'invalid_request_error',
    param: 'messages.[3].role',
    code: null
  },
  code: null,
  param: 'messages.[3].role',
  type: 'invalid_request_error'
}
`;
    const { findings } = await check(Buffer.from(log));
    expect(findings.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
      expect.stringMatching(/^provider-rejected: .*must be followed by tool messages/),
    ]);
  });
});
