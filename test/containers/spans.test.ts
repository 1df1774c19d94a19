import { describe, expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import { check, read } from "../../src/index.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { open, spot, told } from "./stories.ts";

/** One run as tracing tools tell it: what each makes of the same four messages, and of the tool that was offered. */
const user = "How warm is it in Zürich?";
const args = { city: "Zürich" };
const run = [
  `user "${user}" → call weather {"city":"Zürich"} (tool_calls)`,
  `user "${user}", call weather {"city":"Zürich"}, result {"celsius":18} → assistant "It is 18 °C." (stop)`,
];

const text = (value: unknown): string => JSON.stringify(value);

const parts = {
  user: { role: "user", parts: [{ type: "text", content: user }] },
  call: { role: "assistant", parts: [{ type: "tool_call", id: "call_1", name: "weather", arguments: args }] },
  result: { role: "tool", parts: [{ type: "tool_call_response", id: "call_1", response: { celsius: 18 } }] },
  answer: { role: "assistant", parts: [{ type: "text", content: "It is 18 °C." }] },
};

const genAi = [
  {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-5",
    "gen_ai.input.messages": text([parts.user]),
    "gen_ai.output.messages": text([{ ...parts.call, finish_reason: "tool_calls" }]),
  },
  {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-5",
    "gen_ai.input.messages": text([parts.user, parts.call, parts.result]),
    "gen_ai.output.messages": text([parts.answer]),
    "gen_ai.response.finish_reasons": ["stop"],
  },
];

const traceloop = [
  {
    "traceloop.entity.name": "chat",
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": user,
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.finish_reason": "tool_calls",
    "gen_ai.completion.0.tool_calls.0.id": "call_1",
    "gen_ai.completion.0.tool_calls.0.name": "weather",
    "gen_ai.completion.0.tool_calls.0.arguments": text(args),
  },
  {
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": user,
    "gen_ai.prompt.1.role": "assistant",
    "gen_ai.prompt.1.tool_calls.0.id": "call_1",
    "gen_ai.prompt.1.tool_calls.0.name": "weather",
    "gen_ai.prompt.1.tool_calls.0.arguments": text(args),
    "gen_ai.prompt.2.role": "tool",
    "gen_ai.prompt.2.content": '{"celsius":18}',
    "gen_ai.prompt.2.tool_call_id": "call_1",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "It is 18 °C.",
    "gen_ai.completion.0.finish_reason": "stop",
  },
];

const call = "message.tool_calls.0.tool_call";
const openInference = [
  {
    "openinference.span.kind": "LLM",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.contents.0.message_content.type": "text",
    "llm.input_messages.0.message.contents.0.message_content.text": user,
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.finish_reason": "tool_calls",
    [`llm.output_messages.0.${call}.id`]: "call_1",
    [`llm.output_messages.0.${call}.function.name`]: "weather",
    [`llm.output_messages.0.${call}.function.arguments`]: text(args),
    "llm.tools.0.tool.json_schema": text({ type: "function", function: { name: "weather", parameters: {} } }),
  },
  {
    "openinference.span.kind": "LLM",
    "llm.input_messages.2.message.role": "tool",
    "llm.input_messages.2.message.content": '{"celsius":18}',
    "llm.input_messages.2.message.tool_call_id": "call_1",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": user,
    "llm.input_messages.1.message.role": "assistant",
    [`llm.input_messages.1.${call}.id`]: "call_1",
    [`llm.input_messages.1.${call}.function.name`]: "weather",
    [`llm.input_messages.1.${call}.function.arguments`]: text(args),
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "It is 18 °C.",
    "llm.output_messages.0.message.finish_reason": "stop",
  },
];

const sdkCall = { type: "tool-call", toolCallId: "call_1", toolName: "weather", input: args };
const sdkResult = {
  type: "tool-result",
  toolCallId: "call_1",
  toolName: "weather",
  output: { type: "json", value: { celsius: 18 } },
};
const sdkUser = { role: "user", content: [{ type: "text", text: user }] };
const aiSdk = [
  {
    "ai.operationId": "ai.streamText.doStream",
    "ai.prompt.messages": text([sdkUser]),
    "ai.prompt.tools": [
      text({ type: "function", name: "weather", inputSchema: { type: "object", properties: {} } }),
    ],
    "ai.response.finishReason": "tool_calls",
    "ai.response.toolCalls": text([{ toolCallId: "call_1", toolName: "weather", input: text(args) }]),
  },
  {
    "ai.operationId": "ai.streamText.doStream",
    "ai.prompt.messages": text([
      sdkUser,
      { role: "assistant", content: [sdkCall] },
      { role: "tool", content: [sdkResult] },
    ]),
    "ai.response.text": "It is 18 °C.",
    "ai.response.finishReason": "stop",
  },
];

const families: [name: string, spans: Record<string, unknown>[]][] = [
  ["OpenTelemetry", genAi],
  ["OpenLLMetry", traceloop],
  ["OpenInference", openInference],
  ["Vercel AI SDK", aiSdk],
];

/** An attribute as OTLP writes it. */
function otlp(value: unknown): object {
  return Array.isArray(value) ? { arrayValue: { values: value.map(otlp) } } : { stringValue: value };
}

function exported(spans: readonly Record<string, unknown>[]): string {
  const told = spans.map((attributes, index) => ({
    traceId: "c8be2c1f",
    spanId: `span-${index}`,
    parentSpanId: "root",
    name: "chat",
    startTimeUnixNano: `175147484030104${index}016`,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: otlp(value) })),
    status: { code: "STATUS_CODE_OK" },
  }));
  return text({
    resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: "app" }, spans: told }] }],
  });
}

describe.each(families)("spans of %s", (_, spans) => {
  test("are read from their attributes", async () => {
    const log = spans
      .map((attributes, index) => text({ name: "chat", spanId: `${index}`, attributes }))
      .join("\n");
    expect(await told(log)).toEqual(run);
  });

  test("are read from an OTLP export", async () => {
    expect(await told(exported(spans))).toEqual(run);
  });

  test("are read when a logger quotes them", async () => {
    const log = spans.map((attributes) => text({ msg: "export", span: text({ attributes }) })).join("\n");
    expect(await told(`${log}\n`)).toEqual(run);
  });

  test("tell what was sent in their own words", async () => {
    const { exchanges } = await open(exported(spans));
    expect(exchanges.map(({ protocol, fidelity }) => [protocol, fidelity])).toEqual([
      ["sdk-messages", "reported"],
      ["sdk-messages", "reported"],
    ]);
  });
});

test("each value of a span keeps its place in the log", async () => {
  const log = exported(openInference);
  const { exchanges } = await open(log);
  const place = exchanges[1]?.request?.place;
  const at = place?.locate("/llm.input_messages/2/message/tool_call_id");
  const column = log.indexOf('"call_1"', log.indexOf("llm.input_messages.2.message.tool_call_id")) + 1;
  expect(at && spot(at)).toBe(`1:${column} "call_1"`);
});

test("a key of more parts than any span has is left out, and the others are read", async () => {
  const deep = `gen_ai.prompt.0.${"tool_calls.0.".repeat(20_000)}id`;
  const attributes = { [deep]: "call_1", ...traceloop[0] };
  expect(await told(text({ attributes }))).toEqual(run.slice(0, 1));
});

test("tools stand in a span as JSON text", async () => {
  const { exchanges } = await open(exported(aiSdk));
  expect(exchanges[0]?.request?.tools).toMatchObject([
    { name: "weather", parameters: { type: "object", properties: {} } },
  ]);
});

test("events of a span, one for each message, are one request", async () => {
  const event = (name: string, attributes: object) => ({ name, time: "2025-09-14T12:00:00Z", attributes });
  const asked = event("gen_ai.user.message", { content: user });
  const toolCalls = [
    { id: "call_1", type: "function", function: { name: "weather", arguments: text(args) } },
  ];
  const log = [
    [
      asked,
      event("gen_ai.choice", {
        finish_reason: "tool_calls",
        message: text({ role: "assistant", tool_calls: toolCalls }),
      }),
    ],
    [
      asked,
      event("gen_ai.assistant.message", { tool_calls: text(toolCalls) }),
      event("gen_ai.tool.message", { id: "call_1", content: '{"celsius":18}' }),
      event("gen_ai.choice", {
        finish_reason: "stop",
        message: text({ role: "assistant", content: "It is 18 °C." }),
      }),
    ],
  ];
  expect(await told(log.map((events) => text({ name: "chat gpt-5", events })).join("\n"))).toEqual(run);
});

describe("spans of Monocle", () => {
  const span = (type: string, input: unknown, response: unknown): object => ({
    name: "create",
    context: { trace_id: "0x1", span_id: `0x${Math.abs(hash(text([type, input])))}` },
    attributes: { "monocle_apptrace.version": "0.6.0", "span.type": type },
    events: [
      { name: "data.input", timestamp: "2026-01-05T12:00:00Z", attributes: { input } },
      { name: "data.output", timestamp: "2026-01-05T12:00:01Z", attributes: { response } },
      { name: "metadata", attributes: { prompt_tokens: 20 } },
    ],
  });
  const hash = (of: string): number => [...of].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) | 0, 7);
  const written = text(args);
  const sentWith = (words: { asks: string; says: string; call: unknown; result: unknown }) => [
    span("agentic.turn", [user], "It is 18 °C."),
    span("inference", [text({ [words.asks]: user })], text(words.call)),
    span("agentic.tool.invocation", "{'city': 'Zürich'}", '{"celsius":18}'),
    span(
      "inference",
      [text({ [words.asks]: user }), text(words.call), text(words.result)],
      text({ [words.says]: "It is 18 °C." }),
    ),
  ];
  const withoutReason = run.map((step) => step.replace(/\((?:tool_calls|stop)\)$/, "()"));

  test.each<[string, object[]]>([
    [
      "in the words of LangChain",
      sentWith({
        asks: "human",
        says: "ai",
        call: { ai: text([{ name: "weather", args, id: "call_1", type: "tool_call" }]) },
        result: { tool: '{"celsius":18}' },
      }),
    ],
    [
      "in the words of the Responses API",
      sentWith({
        asks: "user",
        says: "assistant",
        call: { tool_function: "weather", tool_arguments: written, call_id: "call_1" },
        result: { call_id: "call_1", output: '{"celsius":18}' },
      }),
    ],
    [
      "with a list of calls",
      sentWith({
        asks: "user",
        says: "assistant",
        call: { tools: [{ tool_id: "call_1", tool_name: "weather", tool_arguments: written }] },
        result: { call_id: "call_1", output: '{"celsius":18}' },
      }),
    ],
    [
      "with calls as texts in a list",
      sentWith({
        asks: "user",
        says: "assistant",
        call: { assistant: [text({ tool_function: "weather", tool_arguments: written })] },
        result: { tool: '{"celsius":18}' },
      }),
    ],
  ])("are read %s", async (_, spans) => {
    expect(await told(text(spans))).toEqual(withoutReason);
    expect(await told(spans.map(text).join("\n"))).toEqual(withoutReason);
    expect(await findingsIn(text(spans))).toEqual([]);
  });

  test("may keep nothing of a reply but who spoke", async () => {
    const calls = { assistant: [text({ tool_function: "weather", tool_arguments: written })] };
    const spans = [
      span("inference", [text({ user })], text({ assistant: null })),
      span(
        "inference",
        [text({ user }), text(calls), text({ tool: '{"celsius":18}' })],
        text({ assistant: null }),
      ),
    ];
    expect((await told(text(spans))).at(-1)).toBe(
      `user "${user}", call weather ${written}, result {"celsius":18} → ?`,
    );
    expect(await findingsIn(text(spans))).toEqual([]);
  });

  test("show a loop", async () => {
    const round = [
      text({ ai: text([{ name: "weather", args, id: "", type: "tool_call" }]) }),
      text({ tool: "try again" }),
    ];
    const spans = [0, 1, 2, 3].map((count) =>
      span("inference.framework", [text({ human: user }), ...Array(count).fill(round).flat()], round[0]),
    );
    expect(await findingsIn(text(spans))).toContain("repeated-call");
  });
});

async function findingsIn(log: string): Promise<string[]> {
  const { report } = await checkFiles([
    { path: "spans.json", source: bytesSource("spans.json", Buffer.from(log)) },
  ]);
  return report.findings.map(({ rule }) => rule);
}

describe("a record with an input and an output", () => {
  const chat = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", function: { name: "weather", arguments: text(args) } }],
  };
  const result = { role: "tool", tool_call_id: "call_1", content: '{"celsius":18}' };
  const sent = [[{ role: "user", content: user }], [{ role: "user", content: user }, chat, result]];
  const came = [
    { ...chat, finish_reason: "tool_calls" },
    { role: "assistant", content: "It is 18 °C.", finish_reason: "stop" },
  ];
  const lc = (name: string, kwargs: object) => ({
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", name],
    kwargs,
  });
  const human = lc("HumanMessage", { content: user });
  const ai = lc("AIMessage", {
    content: "",
    tool_calls: [{ id: "call_1", name: "weather", args, type: "tool_call" }],
  });
  const tool = lc("ToolMessage", { content: '{"celsius":18}', tool_call_id: "call_1" });
  const generation = (message: object, reason: string) => ({
    generations: [[{ message, generation_info: { finish_reason: reason } }]],
  });

  test("may be a generation of Langfuse, its values quoted once more", async () => {
    const observations = sent.map((input, index) => ({
      id: `o${index}`,
      traceId: "t",
      type: "GENERATION",
      parentObservationId: "root",
      startTime: `2025-09-14T12:00:0${index}.000Z`,
      model: "gpt-5",
      input: text(input),
      output: index === 0 ? text([came[0]]) : came[1],
    }));
    const root = { id: "root", traceId: "t", type: "SPAN", input: text(sent[0]), output: "It is 18 °C." };
    expect(await told(text({ trace: { id: "t" }, observations: [root, ...observations] }))).toEqual(run);
  });

  test("may be a run of LangSmith, told once when it begins and once when it ends", async () => {
    const log = sent.map((messages, index) => {
      const inputs = { model: "gpt-5", messages };
      const { finish_reason, ...message } = came[index] as { finish_reason: string };
      const outputs = { choices: [{ index: 0, message, finish_reason }] };
      const run = { trace_id: `t${index}`, run_type: "llm", inputs };
      return text({ post: [{ id: `r${index}`, ...run }], patch: [{ ...run, outputs }] });
    });
    expect(await told(log.join("\n"))).toEqual(run);
  });

  test("may hold LangChain's own messages, in a batch of one", async () => {
    const runs = [
      { run_type: "llm", id: "a", inputs: { messages: [[human]] }, outputs: generation(ai, "tool_calls") },
      {
        run_type: "llm",
        id: "b",
        inputs: { messages: [[human, ai, tool]] },
        outputs: generation(lc("AIMessage", { content: "It is 18 °C." }), "stop"),
      },
    ];
    expect(await told(runs.map(text).join("\n"))).toEqual(run);
  });

  test("may hold the prompt as plain text, where it says that a model was asked", async () => {
    const record = {
      id: "o",
      traceId: "t",
      type: "GENERATION",
      input: "How warm is it?",
      output: "It is 18 °C.",
    };
    expect(await told(text({ observations: [record, { ...record, type: "SPAN" }] }))).toEqual([
      'user "How warm is it?" → assistant "It is 18 °C." ()',
    ]);
  });

  test("may lack what was sent, and then tells what came back", async () => {
    const record = { spanId: "s", traceId: "t", input: { tools: [{ name: "weather" }] }, output: came[0] };
    const tool = { spanId: "u", traceId: "t", input: args, output: "18 °C" };
    expect(await told(text([record, tool]))).toEqual(['? → call weather {"city":"Zürich"} (tool_calls)']);
  });

  test("may come in two rows that share the id of their span", async () => {
    const rows = sent.flatMap((input, index) => [
      { span_id: `s${index}`, span_attributes: { type: "llm" }, input },
      { span_id: `s${index}`, _is_merge: true, output: [came[index]] },
    ]);
    expect(await told(text(rows))).toEqual(run);
  });

  test("is left out where the spans below it hold what was really sent", async () => {
    const outer = {
      id: "agent",
      trace_id: "t",
      run_type: "chain",
      inputs: { messages: sent[0] },
      outputs: { messages: [...(sent[1] ?? []), came[1]] },
    };
    const inner = sent.map((messages, index) => ({
      id: `r${index}`,
      trace_id: "t",
      parent_run_id: "agent",
      run_type: "llm",
      inputs: { messages },
      outputs: came[index],
    }));
    expect(await told(text([outer, ...inner]))).toEqual(run);
  });

  test("may hold the items of another API, which are retold like messages", async () => {
    const asked = { type: "message", role: "user", content: user };
    const made = { type: "function_call", call_id: "call_1", name: "weather", arguments: text(args) };
    const given = { type: "function_call_output", call_id: "call_1", output: '{"celsius":18}' };
    const records = [[asked], [asked, made, given]].map((input, index) => ({
      id: `o${index}`,
      traceId: "t",
      type: "GENERATION",
      input,
    }));
    expect(await told(text({ observations: records }))).toEqual(
      run.map((line) => line.replace(/→ .*/, "→ ?")),
    );
  });

  test("is left out where it says that no model was asked", async () => {
    const tool = {
      id: "x",
      trace_id: "t",
      run_type: "tool",
      inputs: { messages: sent[0] },
      outputs: came[0],
    };
    const prompt = { ...tool, id: "y", run_type: "prompt", outputs: { messages: sent[0] } };
    expect(await told(text([tool, prompt]))).toEqual([]);
  });

  test("is left out also where parents stand in a list, or in a context", async () => {
    const chat = (index: number, more: object) => ({
      span_id: `s${index}`,
      ...more,
      input: sent[index],
      output: [came[index]],
    });
    const listed = { span_id: "chain", span_parents: ["root"], input: sent[0], output: came[1] };
    const rows = [listed, chat(0, { span_parents: ["chain"] }), chat(1, { span_parents: ["chain"] })];
    expect(await told(text(rows))).toEqual(run);
    const spans = [
      { name: "agent", spanContext: { traceId: "t", spanId: "agent" }, attributes: genAi[1] },
      ...genAi.map((attributes, index) => ({
        name: "chat",
        spanContext: { traceId: "t", spanId: `s${index}` },
        parentSpanContext: { spanId: "agent" },
        attributes,
      })),
    ];
    expect(await told(text(spans))).toEqual(run);
  });
});

test("what was sent is read, where a tool keeps it beside what it tells of it", async () => {
  const body = { model: "gpt-5", messages: [{ role: "user", content: user }], stream: true };
  const chunk = (delta: object, reason: string | null) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const step = {
    id: "s1",
    run_id: "r1",
    model_id: "gpt-5",
    input: text({ prompt: [sdkUser], tools: [] }),
    output: text({
      textParts: [{ id: "0", text: "It is 18 °C." }],
      toolCalls: [],
      finishReason: { unified: "stop", raw: "stop" },
    }),
    raw_request: text(body),
    raw_response: text([
      { type: "stream-start" },
      { type: "text-delta", id: "0", delta: "It is 18 °C." },
      { type: "finish", finishReason: "stop" },
    ]),
    raw_chunks: text([chunk({ content: "It is 18 °C." }, null), chunk({}, "stop")]),
  };
  const log = text({
    runs: [{ id: "r1" }],
    steps: [step, { ...step, id: "s2", raw_request: null, raw_response: null, raw_chunks: null }],
  });
  const { exchanges } = await open(log);
  expect(exchanges.map(({ protocol }) => protocol)).toEqual(["openai-chat", "sdk-messages"]);
  expect(await told(log)).toEqual([
    `user "${user}" → assistant "It is 18 °C." (stop)`,
    `user "${user}" → assistant "It is 18 °C." (stop)`,
  ]);
});

describe("what a tool retells", () => {
  const check = async (log: string) => {
    const source = bytesSource("run.json", Buffer.from(log));
    const { report } = await checkFiles([{ path: "run.json", source }]);
    return report;
  };

  test("is not judged by its form, and that is said", async () => {
    const { findings, notChecked } = await check(exported(genAi));
    expect(findings).toEqual([]);
    expect(notChecked).toContainEqual({
      file: "run.json",
      rule: "invalid-call-id",
      why: "an SDK, a tracing tool or a data set describes the requests: the log does not show their wire format",
    });
  });

  test("shows a result whose call is gone, where others have theirs", async () => {
    const lost = { role: "tool", parts: [{ type: "tool_call_response", id: "call_0", response: "none" }] };
    const span = { ...genAi[1], "gen_ai.input.messages": text([parts.user, parts.call, parts.result, lost]) };
    const { findings } = await check(exported([span]));
    expect(findings).toMatchObject([{ rule: "orphaned-tool-result", severity: "warning" }]);
  });

  test("may be the new results only, where the server holds the rest", async () => {
    const span = { ...genAi[1], "gen_ai.input.messages": text([parts.result]) };
    const { findings, notChecked } = await check(exported([genAi[0] ?? {}, span]));
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(notChecked.map(({ rule }) => rule)).toContain("orphaned-tool-result");
  });

  test.each([
    ["as a list", (id: string) => ["run_1", id]],
    ["as text", (id: string) => JSON.stringify(["run_1", id])],
  ])("goes on with a run on the server where the ids of its calls name one, %s", async (_, idOf) => {
    const named = ({ parts: given, ...message }: { readonly parts: readonly object[] }): object => ({
      ...message,
      parts: given.map((part) => ("id" in part ? { ...part, id: idOf(`${part.id}`) } : part)),
    });
    const [first, second] = genAi;
    const [call, result] = [named(parts.call), named(parts.result)];
    const { findings } = await check(
      exported([
        { ...first, "gen_ai.output.messages": text([call]) },
        { ...second, "gen_ai.input.messages": text([call, result]) },
      ]),
    );
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
  });

  test("may leave out ids, and then proves nothing about them", async () => {
    const said = { role: "tool", parts: [{ type: "tool_call_response", response: "18 °C" }] };
    const span = { ...genAi[1], "gen_ai.input.messages": text([parts.user, said, said]) };
    expect((await check(exported([span]))).findings).toEqual([]);
  });
});

describe("a history without any result", () => {
  const checked = async (log: object) => {
    const source = bytesSource("run.json", Buffer.from(text(log)));
    const { report } = await checkFiles([{ path: "run.json", source }]);
    const why = report.notChecked.find(({ rule }) => rule === "unanswered-tool-call")?.why;
    return { rules: report.findings.map(({ rule, severity }) => `${severity} ${rule}`), why };
  };
  const says = (role: string, words: string) => ({ role, content: [{ type: "text", text: words }] });

  test("proves nothing where results are messages of their own, and that is said", async () => {
    const call = { type: "tool-call", toolCallId: "call_1", toolName: "weather", input: { city: "Zürich" } };
    const log = [says("user", user), { role: "assistant", content: [call] }, says("user", "Well?")];
    expect(await checked(log)).toEqual({
      rules: [],
      why: "no call has a result in the log, which may not record them",
    });
  });

  test("lacks one where a call's own record has a place for it", async () => {
    const part = (state: string) => ({ type: "tool-weather", toolCallId: "call_1", state, input: {} });
    const messages = (state: string) => [
      { id: "1", role: "user", parts: [{ type: "text", text: user }] },
      { id: "2", role: "assistant", parts: [part(state)] },
      { id: "3", role: "user", parts: [{ type: "text", text: "Well?" }] },
    ];
    expect(await checked(messages("input-available"))).toEqual({
      rules: ["warning unanswered-tool-call"],
      why: undefined,
    });
    // The AI SDK leaves out what had not arrived whole.
    expect((await checked(messages("input-streaming"))).rules).toEqual([]);
  });
});

describe("runs that were written out one after the other, and begin alike,", () => {
  const call = (id: string, city: string) => [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id, type: "function", function: { name: "weather", arguments: `{"city":"${city}"}` } }],
    },
    { role: "tool", tool_call_id: id, content: `18 °C in ${city}` },
  ];
  const says = (role: string, content: string) => ({ role, content });
  const asked = [
    says("system", "You tell the weather."),
    says("user", user),
    says("assistant", "Of which city do you speak?"),
    says("user", "Of those by the lake."),
  ];
  const first = [
    ...asked,
    ...call("call_pQ7xV2mK9sLd", "Biel"),
    ...call("call_wE4rT8yU1iOp", "Thun"),
    says("assistant", "18 °C in both."),
  ];
  const second = [
    ...asked,
    ...call("call_zX6cV3bN5mQw", "Thun"),
    says("assistant", "18 °C in Thun. And Biel?"),
    says("user", "Yes."),
    ...call("call_aS9dF2gH7jKl", "Biel"),
    says("assistant", "18 °C there as well."),
  ];
  const checked = async (records: readonly object[]) => {
    const log = records.map((record) => `${text(record)}\n`).join("");
    const { report } = await checkFiles([
      { path: "runs.jsonl", source: bytesSource("runs.jsonl", Buffer.from(log)) },
    ]);
    const rules = report.findings.flatMap(({ rule, severity }) => (severity === "info" ? [] : [rule]));
    return { rules, conversations: report.files[0]?.conversations };
  };

  test("as examples for training, are conversations of their own", async () => {
    const expected = { rules: [], conversations: 2 };
    expect(await checked([{ messages: first }, { messages: second }])).toEqual(expected);
  });

  test("as trials of one task that end with the user, too", async () => {
    const trial = (traj: readonly object[], number: number) => ({
      task_id: 4,
      trial: number,
      reward: 1,
      traj: [...traj, says("user", "###STOP###")],
    });
    expect(await checked([trial(first, 0), trial(second, 1)])).toEqual({ rules: [], conversations: 2 });
  });

  test("are one conversation where a later one holds what the earlier one ended with, and more behind it", async () => {
    const later = [
      ...asked,
      ...first.slice(-1),
      says("user", "And tomorrow?"),
      ...call("call_zX6cV3bN5mQw", "Bern"),
      says("assistant", "20 °C."),
    ];
    expect(await checked([{ messages: first }, { messages: later }])).toEqual({
      rules: [],
      conversations: 1,
    });
  });

  test("are one conversation where it is one reply by which the histories differ: a client forgets its rounds", async () => {
    const forgets = [...asked, ...call("call_wE4rT8yU1iOp", "Thun")];
    expect(await checked([{ messages: first.slice(0, 6) }, { messages: forgets }])).toEqual({
      rules: ["dropped-turns"],
      conversations: 1,
    });
  });
});

test("a history that was kept alone may end with calls: nobody says that it was sent", async () => {
  const called = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } }],
  };
  const log = text([{ role: "user", content: user }, called]);
  const { report } = await checkFiles([
    { path: "run.json", source: bytesSource("run.json", Buffer.from(log)) },
  ]);
  expect(report.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
  const example = text({
    messages: [{ role: "user", content: user }, called],
    tools: [{ type: "function", function: { name: "weather" } }],
  });
  const training = await checkFiles([
    { path: "run.jsonl", source: bytesSource("run.jsonl", Buffer.from(`${example}\n${example}\n`)) },
  ]);
  expect(training.report.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
});

describe("attributes of a span that are not valid JSON", () => {
  const log = exported([families[2]?.[1][0] ?? {}]);

  test.each([
    [
      "a control character in a name",
      "llm.input_messages.0.message.role",
      "\u0001llm.input_messages.0.message.role",
    ],
    ["a bad escape in a name", "llm.output_messages.0", "llm.output\\x41_messages.0"],
  ])("are named: %s", async (_, old, by) => {
    expect(log).toContain(old);
    const source = bytesSource("run.json", Buffer.from(log.replace(old, by)));
    const { report } = await checkFiles([{ path: "run.json", source }]);
    expect(report.findings.map(({ rule }) => rule)).toContain("unreadable-record");
  });
});

describe("messages that an attribute holds as JSON of JSON", () => {
  const messages = JSON.stringify([{ role: "user", content: "How warm is it in Bern?" }]);
  const encoded = (text: string, times: number): string =>
    times === 0 ? text : encoded(JSON.stringify(text), times - 1);
  const log = (value: string): Buffer =>
    Buffer.from(
      JSON.stringify({
        name: "ai.generateText.doGenerate",
        attributes: { "ai.prompt.messages": value, "ai.response.text": "It is 17 °C." },
      }),
    );

  test.each([1, 2, 3])("are read: encoded %i times more", async (times) => {
    const { exchanges } = await read(log(encoded(messages, times)), { name: "run.jsonl" });
    expect(exchanges.map(({ request, reply }) => [request?.history.length, reply !== undefined])).toEqual([
      [1, true],
    ]);
  });

  test.each([1, 2, 3])("are named at their fault: encoded %i times more", async (times) => {
    const broken = log(encoded(messages.replace('"role":', '"role" '), times));
    const { findings } = await check(broken, { name: "run.jsonl" });
    const [found] = findings.filter(({ rule }) => rule === "unreadable-record");
    expect(found?.message).toBe("not valid JSON: a colon is expected here; this part was not checked");
    const column = found?.location.column ?? 0;
    expect(broken.toString("utf8").slice(column - 1, column + 3)).toMatch(/^\\/);
  });
});

describe("messages that an attribute holds in several texts", () => {
  const input = text([{ role: "user", content: user }]);
  const output = text([{ role: "assistant", content: "It is 17 °C.", finish_reason: "stop" }]);
  const span = (messages: unknown): string =>
    exported([
      {
        "gen_ai.request.model": "gpt-5",
        "gen_ai.input.messages": messages,
        "gen_ai.output.messages": output,
      },
    ]);

  test.each<[string, readonly string[]]>([
    ["the list in two parts", [input.slice(0, 24), input.slice(24)]],
    ["the list in one", [input]],
    ["a message in each", [text({ role: "user", content: user })]],
  ])("are read: %s", async (_, messages) => {
    const flat = `${text({ "gen_ai.request.model": "gpt-5", "gen_ai.input.messages": messages, "gen_ai.output.messages": output })}\n`;
    for (const log of [flat, span(messages)])
      expect(await told(log)).toEqual([`user "${user}" → assistant "It is 17 °C." (stop)`]);
  });

  test("are named where a part is missing", async () => {
    const log = span([input.slice(0, 24), input.slice(26, 40)]);
    const { report } = await checkFiles([
      { path: "run.json", source: bytesSource("run.json", Buffer.from(log)) },
    ]);
    expect(report.findings.map(({ rule }) => rule)).toContain("unreadable-record");
  });

  test("may be words, which are no broken list", async () => {
    const rules = async (messages: string): Promise<string[]> => {
      const source = bytesSource("run.json", Buffer.from(span(messages)));
      const { report } = await checkFiles([{ path: "run.json", source }]);
      return report.findings.map(({ rule }) => rule);
    };
    expect(await rules("./sky.sh --help")).not.toContain("unreadable-record");
    expect(await rules(input.replace("[", ""))).toContain("unreadable-record");
  });
});
