import { dumps } from "./frameworks.ts";
import { answer, city, question } from "./sessions.ts";
import { answers, asks, chunks, goesOn, url, wantsTool } from "./stories.ts";

const text = (value: unknown): string => JSON.stringify(value);
const lines = (...records: readonly object[]): string =>
  records.map((record) => `${text(record)}\n`).join("");

const asked = { role: "user", content: question };
const written = text(city);
const called = { id: "call_1", type: "function", function: { name: "weather", arguments: written } };
/** A history in the words of the chat API. */
const history = [
  asked,
  { role: "assistant", content: null, tool_calls: [called] },
  { role: "tool", tool_call_id: "call_1", content: "17 °C" },
  { role: "assistant", content: answer },
];
const parts = [
  { role: "user", parts: [{ type: "text", content: question }] },
  { role: "assistant", parts: [{ type: "tool_call", id: "call_1", name: "weather", arguments: city }] },
];
const attributes = (of: Readonly<Record<string, string>>) =>
  Object.entries(of).map(([key, stringValue]) => ({ key, value: { stringValue } }));
const exported = (of: Readonly<Record<string, string>>): string =>
  text({ resourceSpans: [{ scopeSpans: [{ spans: [{ spanId: "s1", attributes: attributes(of) }] }] }] });

/** Each shape that `toollint formats` names, as small as it comes. */
export const logs: Readonly<Record<string, string>> = {
  pairs: lines({ step: 1, payload: asks, reply: wantsTool }, { step: 2, payload: goesOn, reply: answers }),
  curl: `$ curl ${url} -H 'Content-Type: application/json' -d '${text(asks)}'\n${text(wantsTool)}\n`,
  "claude-trace": lines({
    request: { timestamp: 1, method: "POST", url, headers: {}, body: asks },
    response: { timestamp: 2, status_code: 200, headers: {}, body: wantsTool },
    logged_at: "2026-01-05T12:00:00Z",
  }),
  "llm-interceptor": lines(
    { type: "request", id: "r1", method: "POST", url, body: asks },
    ...chunks("chatcmpl-1", undefined).map((content, chunk_index) => ({
      type: "response_chunk",
      request_id: "r1",
      chunk_index,
      content,
    })),
  ),
  litellm: text({ id: "c1", call_type: "acompletion", ...asks, response: wantsTool, status: "success" }),
  "bedrock-invocations": lines({
    schemaType: "ModelInvocationLog",
    operation: "Converse",
    modelId: "amazon.nova-pro-v1:0",
    input: { inputBodyJson: { messages: [{ role: "user", content: [{ text: question }] }] } },
    output: {
      outputBodyJson: {
        output: { message: { role: "assistant", content: [{ text: answer }] } },
        stopReason: "end_turn",
      },
    },
  }),
  "openhands-completions": text({
    ...asks,
    kwargs: {},
    response: wantsTool,
    timestamp: 1767600000.5,
    cost: 0,
  }),
  devtools: text({
    runs: [{ id: "r1" }],
    steps: [{ run_id: "r1", input: "{}", raw_request: text(asks), raw_response: text(wantsTool) }],
  }),
  "openai-debug": `[2026-01-05 12:00:00 - openai._base_client:482 - DEBUG] Request options: {'method': 'post', 'json_data': {'messages': [{'role': 'user', 'content': 'Hello'}], 'model': 'gpt-5', 'stream': False}}\n`,
  "autogen-events": `INFO:autogen_core.events:${text({ type: "LLMCall", messages: [asked], response: wantsTool })}\n`,
  wiremock: text({
    request: { url: "/v1/chat/completions", method: "POST", body: text(asks) },
    response: { status: 200, body: text(wantsTool) },
  }),
  collections: text({
    item: [
      { request: {}, response: [{ originalRequest: { url, body: text(asks) }, body: text(wantsTool) }] },
    ],
  }),
  "llama-stack": text({
    request: { method: "POST", url, body: asks },
    response: { body: { __type__: "ChatCompletion", __data__: wantsTool }, is_streaming: false },
  }),
  mlflow: lines(
    {
      span_id: "s1",
      attributes: {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.spanInputs": text(asks),
        "mlflow.spanOutputs": text(wantsTool),
      },
    },
    { id: "c1", op_name: "openai.chat.completions.create", trace_id: "t1", inputs: asks, output: wantsTool },
    {
      span_id: "s2",
      trace_id: "t2",
      attributes: { request_data: text(asks), response_data: text({ message: history[3] }) },
    },
  ),
  "mini-swe-agent": text({
    info: { exit_status: "Submitted" },
    messages: [asked, { role: "assistant", content: "```bash\nls\n```" }, { role: "user", content: "a.txt" }],
    trajectory_format: "mini-swe-agent-1",
  }),
  training: lines({ messages: history, tools: [] }, { messages: history, tools: [] }),
  opentelemetry: exported({
    "gen_ai.operation.name": "chat",
    "gen_ai.input.messages": text(parts.slice(0, 1)),
    "gen_ai.output.messages": text(parts.slice(1)),
  }),
  openinference: exported({
    "openinference.span.kind": "LLM",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": question,
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": answer,
  }),
  "ai-sdk-spans": exported({
    "ai.operationId": "ai.generateText.doGenerate",
    "ai.prompt.messages": text([{ role: "user", content: [{ type: "text", text: question }] }]),
    "ai.response.text": answer,
  }),
  langfuse: text({
    trace: { id: "t" },
    observations: [
      { id: "o1", traceId: "t", type: "GENERATION", input: text([asked]), output: text(history[3]) },
    ],
  }),
  langsmith: text({
    post: [{ id: "r1", trace_id: "t", run_type: "llm", inputs: { messages: [asked] } }],
    patch: [{ id: "r1", trace_id: "t", outputs: { generations: [[{ text: answer }]] } }],
  }),
  braintrust: text({
    span_id: "s1",
    span_attributes: { type: "llm" },
    input: [asked],
    output: [{ index: 0, message: history[3], finish_reason: "stop" }],
  }),
  datadog: text({
    data: [
      {
        type: "span",
        attributes: { span_kind: "llm", input: { messages: [asked] }, output: { messages: [history[3]] } },
      },
    ],
  }),
  langchain: text([
    { type: "human", data: { content: question } },
    { type: "ai", data: { content: "", tool_calls: [{ name: "weather", args: city, id: "call_1" }] } },
    { type: "tool", data: { content: "17 °C", tool_call_id: "call_1" } },
  ]),
  "ai-sdk": text([
    { id: "1", role: "user", parts: [{ type: "text", text: question }] },
    {
      id: "2",
      role: "assistant",
      parts: [
        {
          type: "tool-weather",
          toolCallId: "call_1",
          state: "output-available",
          input: city,
          output: "17 °C",
        },
      ],
    },
  ]),
  inspect: text({
    version: 2,
    eval: { task: "weather" },
    samples: [
      {
        id: 1,
        messages: [
          asked,
          {
            role: "assistant",
            content: "",
            tool_calls: [{ id: "call_1", function: "weather", arguments: city }],
          },
          { role: "tool", content: "17 °C", tool_call_id: "call_1", function: "weather" },
        ],
      },
    ],
  }),
  "swe-agent": text({
    trajectory: [],
    history: [
      { ...asked, agent: "main" },
      { role: "assistant", content: "I look.", agent: "main", tool_calls: [called] },
      { role: "tool", content: [{ type: "text", text: "17 °C" }], agent: "main", tool_call_ids: ["call_1"] },
    ],
    info: {},
  }),
  "tau-bench": text([{ task_id: 0, reward: 1, info: {}, traj: history, trial: 0 }]),
  "pydantic-ai": text([
    { kind: "request", parts: [{ part_kind: "user-prompt", content: question }] },
    {
      kind: "response",
      parts: [{ part_kind: "tool-call", tool_name: "weather", args: written, tool_call_id: "call_1" }],
    },
    {
      kind: "request",
      parts: [{ part_kind: "tool-return", tool_name: "weather", content: "17 °C", tool_call_id: "call_1" }],
    },
  ]),
  adk: text({
    id: "s1",
    events: [
      { author: "user", invocationId: "e1", content: { role: "user", parts: [{ text: question }] } },
      { author: "guide", invocationId: "e1", content: { role: "model", parts: [{ text: answer }] } },
    ],
  }),
  frameworks: text(dumps["Haystack"]),
  exports: text(dumps["the export of claude.ai"]),
};
