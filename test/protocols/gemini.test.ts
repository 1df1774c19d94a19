import { expect, test } from "vitest";
import { peekValue } from "../../src/containers/payloads/peek.ts";
import type { Item } from "../../src/conversation/item.ts";
import { check } from "../../src/index.ts";
import { gemini } from "../../src/protocols/gemini/index.ts";
import { protocols } from "../../src/protocols/index.ts";
import { urlFits } from "../../src/protocols/paths.ts";
import type { Frame, RequestBody } from "../../src/protocols/protocol.ts";
import { place, requestBody, streamBody } from "./bodies.ts";

function request(body: Record<string, unknown>, around: Partial<RequestBody> = {}) {
  return gemini.decodeRequest(requestBody(body, "contents", around));
}

const items = (content: unknown): readonly Item[] => gemini.decodeElement(content).items;

function stream(chunks: unknown[], framing: "sse" | "array" = "sse") {
  return gemini.decodeStream(streamBody(chunks, { framing }));
}

const says = (...parts: unknown[]) => ({
  candidates: [{ content: { role: "model", parts }, index: 0 }],
  responseId: "r1",
});
const stops = (finishReason: string, ...parts: unknown[]) => ({
  candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }],
  usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 4, thoughtsTokenCount: 6 },
});
const oslo = { functionCall: { name: "weather", args: { city: "Oslo" } }, thoughtSignature: "c2ln" };

test("a call has no id and a result names its function", () => {
  expect(items({ role: "model", parts: [{ text: "Looking." }, oslo] })).toMatchObject([
    { kind: "message", role: "assistant", pointer: "/parts/0", text: "Looking." },
    { kind: "call", pointer: "/parts/1", name: "weather", argumentsText: '{"city":"Oslo"}', isHosted: false },
  ]);
  expect(items({ role: "model", parts: [oslo] })[0]).not.toHaveProperty("id");
  const response = { functionResponse: { name: "weather", response: { output: "-3 °C" } } };
  expect(gemini.decodeElement({ role: "function", parts: [response] })).toMatchObject({
    role: "user",
    items: [{ kind: "result", role: "user", name: "weather", text: "-3 °C" }],
  });
});

test("the text of a response is what the tool said, without the usual wrapper", () => {
  const text = (response: unknown) => {
    const [item] = items({ parts: [{ functionResponse: { name: "weather", response } }] });
    return item?.kind === "result" ? [item.text, item.isError] : undefined;
  };
  expect(text({ result: { degrees: -3 } })).toEqual(['{"degrees":-3}', undefined]);
  expect(text({ degrees: -3, sky: "clear" })).toEqual(['{"degrees":-3,"sky":"clear"}', undefined]);
  expect(text({ error: "no such city" })).toEqual(["no such city", true]);
});

test("thoughts are reasoning, and what Google runs is hosted", () => {
  const read = items({
    role: "model",
    parts: [
      { text: "I need the sum.", thought: true, thoughtSignature: "c2ln" },
      { executableCode: { language: "PYTHON", code: "print(1+1)" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } },
      { toolCall: { toolType: "GOOGLE_SEARCH_WEB", id: "t1", args: { queries: ["Oslo"] } } },
      { toolResponse: { toolType: "GOOGLE_SEARCH_WEB", id: "t1", response: { hits: 3 } } },
      { inlineData: { mimeType: "image/png", data: "" } },
    ],
  });
  expect(read).toMatchObject([
    { kind: "reasoning", text: "I need the sum.", seal: "c2ln" },
    { kind: "call", name: "code_execution", isHosted: true, arguments: { language: "PYTHON" } },
    { kind: "result", text: "2", isHosted: true, isError: false },
    { kind: "call", id: "t1", name: "GOOGLE_SEARCH_WEB", isHosted: true },
    { kind: "result", callId: "t1", isHosted: true },
    { kind: "message", text: "", hasMedia: true },
  ]);
});

test("empty texts, which streaming clients keep, are neither items nor flaws", () => {
  expect(items({ role: "model", parts: [{ text: "" }] })).toEqual([]);
});

test("what is wrong with a content is named, and where", () => {
  const flaws = (content: unknown) => items(content).flatMap((item) => item.flaws ?? []);
  expect(flaws({ role: "user", parts: [] })).toEqual([{ kind: "empty-message", pointer: "/parts" }]);
  expect(flaws({ role: "user" })).toEqual([{ kind: "empty-message", pointer: "" }]);
  expect(flaws({ role: "user", content: "Oslo?" })).toEqual([
    { kind: "other-protocol", pointer: "/content", detail: "content" },
  ]);
  expect(flaws({ parts: [{ functionCall: { name: "weather", args: '{"city":"Oslo"}' } }] })).toEqual([
    { kind: "arguments-type", pointer: "/parts/0/functionCall/args", detail: "string" },
  ]);
  expect(flaws({ parts: [{ functionResponse: { name: "weather", response: "-3" } }] })).toEqual([
    { kind: "bad-content", pointer: "/parts/0/functionResponse/response", detail: "string" },
  ]);
  expect(flaws({ parts: [{ functionCall: { name: "now" } }] })).toEqual([]);
});

test("snake case is read like camel case, and pointers keep the spelling of the log", () => {
  const call = { function_call: { name: "weather", args: "Oslo" }, text: null, thought: null };
  expect(items({ role: "model", parts: [call] })).toMatchObject([
    { kind: "call", name: "weather", flaws: [{ pointer: "/parts/0/function_call/args" }] },
  ]);
  const read = request({
    contents: [{ parts: [{ text: "Oslo?" }] }],
    system_instruction: { parts: [{ text: "Be brief." }] },
    tools: [{ function_declarations: [{ name: "weather", parameters: { type: "OBJECT" } }] }],
    tool_config: { function_calling_config: { mode: "any", allowed_function_names: ["weather"] } },
    generation_config: { max_output_tokens: 99, thinking_config: { thinking_budget: 0 } },
  });
  expect(read).toMatchObject({
    system: "Be brief.",
    tools: [{ name: "weather", pointer: "/tools/0/function_declarations/0" }],
    toolChoice: { mode: "tool", name: "weather" },
    maxTokens: 99,
    settings: { reasoning: false },
  });
});

test("declared functions are the client's, other tools are Google's", () => {
  const tools = [
    { functionDeclarations: [{ name: "weather", parametersJsonSchema: { type: "object" } }] },
    { googleSearch: {} },
  ];
  expect(request({ contents: [], tools }).tools).toEqual([
    {
      name: "weather",
      parameters: { type: "object" },
      isHosted: false,
      pointer: "/tools/0/functionDeclarations/0",
    },
    { name: "googleSearch", isHosted: true, pointer: "/tools/1/googleSearch" },
  ]);
});

test.each([
  [{ mode: "AUTO" }, { mode: "auto" }],
  [{ mode: "ANY" }, { mode: "required" }],
  [{ mode: "ANY", allowedFunctionNames: ["a", "b"] }, { mode: "required" }],
  [
    { mode: "ANY", allowedFunctionNames: ["a"] },
    { mode: "tool", name: "a" },
  ],
  [{ mode: "NONE" }, { mode: "none" }],
])("function calling config %j is read", (functionCallingConfig, choice) => {
  expect(request({ contents: [], toolConfig: { functionCallingConfig } }).toolChoice).toEqual(choice);
});

test("the path names model and streaming", () => {
  const at = (url: string) => request({ contents: [] }, { url });
  expect(at("/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse")).toMatchObject({
    model: "gemini-3-flash",
    isStreaming: true,
    settings: {},
  });
});

test("Code Assist keeps the request in an envelope, and pointers go through it", () => {
  const envelope = { model: "gemini-3-pro", project: "p" };
  const fields = {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    session_id: "s1",
    tools: [{ googleSearch: {} }],
  };
  expect(request(fields, { envelope, base: "/request" })).toMatchObject({
    historyPointer: "/request/contents",
    model: "gemini-3-pro",
    links: { clientKey: "s1" },
    tools: [{ pointer: "/request/tools/0/googleSearch" }],
  });
  const reply = gemini.decodeReply({
    value: { response: stops("STOP", oslo), traceId: "t" },
    place,
    status: 200,
  });
  expect(reply.items).toMatchObject([{ kind: "call", pointer: "/response/candidates/0/content/parts/0" }]);
  expect(reply.finish?.pointer).toBe("/response/candidates/0/finishReason");
  expect(stream([{ response: says(oslo) }, { response: stops("STOP") }]).items).toMatchObject([
    { kind: "call", pointer: "/response/candidates/0/content/parts/0" },
  ]);
});

test.each([
  ["STOP", "answer"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "filter"],
  ["MALFORMED_FUNCTION_CALL", "malformed-call"],
  ["UNEXPECTED_TOOL_CALL", "malformed-call"],
  ["FinishReason.STOP", "answer"],
  ["OTHER", "other"],
])("finishReason %s means %s", (reason, meaning) => {
  expect(gemini.decodeReply({ value: stops(reason, oslo), place, status: 200 }).finish).toMatchObject({
    reason,
    meaning,
  });
});

test("a blocked prompt finishes without any candidate", () => {
  const reply = gemini.decodeReply({
    value: { promptFeedback: { blockReason: "SAFETY" } },
    place,
    status: 200,
  });
  expect(reply.finish).toEqual({
    reason: "SAFETY",
    meaning: "filter",
    pointer: "/promptFeedback/blockReason",
  });
});

test("an error is read, also inside the array of a stream that failed at once", () => {
  const error = { code: 429, message: "Resource has been exhausted", status: "RESOURCE_EXHAUSTED" };
  const expected = { message: error.message, type: "RESOURCE_EXHAUSTED", code: "429", isMidStream: false };
  expect(gemini.decodeReply({ value: { error }, place, status: 429 }).error).toMatchObject({
    ...expected,
    pointer: "/error",
  });
  expect(gemini.decodeReply({ value: [{ error }], place, status: 429 }).error).toMatchObject({
    ...expected,
    pointer: "/0/error",
  });
  expect(stream([says({ text: "Ok" }), { error }]).error).toMatchObject({
    isMidStream: true,
    extent: { start: 10, end: 19 },
  });
});

test.each(["sse", "array"] as const)(
  "chunks of a stream (%s) are one turn: texts join, calls stay apart",
  (framing) => {
    const bergen = { functionCall: { name: "weather", args: { city: "Bergen" } } };
    const reply = stream(
      [
        says({ text: "First I ", thought: true }),
        says({ text: "look.", thought: true, thoughtSignature: "c2ln" }),
        says({ text: "Reading " }),
        says({ text: "both." }, oslo),
        says(bergen),
        stops("STOP", { text: "" }),
        { usageMetadata: { promptTokenCount: 31 } },
      ],
      framing,
    );
    expect(reply.items).toMatchObject([
      { kind: "reasoning", text: "First I look.", seal: "c2ln", fragments: { count: 2 } },
      { kind: "message", text: "Reading both.", pointer: "/candidates/0/content/parts/1" },
      { kind: "call", arguments: { city: "Oslo" }, fragments: { count: 1, first: { start: 30, end: 39 } } },
      { kind: "call", arguments: { city: "Bergen" }, state: "complete" },
    ]);
    expect(reply).toMatchObject({
      id: "r1",
      state: "complete",
      finish: { meaning: "answer" },
      usage: { input: 31 },
    });
  },
);

test("clients may keep each chunk of a stream, or all parts in one content", () => {
  const contents = [
    [{ text: "I look ", thought: true }],
    [{ text: "it up.", thought: true }],
    [{ text: "Let me " }],
    [{ text: "see" }],
    [{ text: "", thoughtSignature: "c2ln" }],
    [{ text: " and" }, oslo],
    [{ text: "Then" }],
    [{ text: " more." }],
  ].map((parts) => ({ role: "model", parts }));
  const reply = stream([
    ...contents.map((content) => ({ candidates: [{ content, index: 0 }], responseId: "r1" })),
    stops("STOP"),
  ]);
  // The event with the reason to stop has an empty list of parts.
  const chunks = [...contents, { role: "model", parts: [] }];
  expect(reply.moreWritings?.()).toEqual([
    chunks,
    [{ role: "model", parts: chunks.flatMap(({ parts }) => parts) }],
  ]);
});

test("a stream without a reason to stop is open", () => {
  expect(stream([says({ text: "Reading" })])).toMatchObject({ state: "open", items: [{ text: "Reading" }] });
});

test("arguments that Vertex sends in pieces are put together by their paths", () => {
  const piece = (willContinue: boolean, ...partialArgs: unknown[]) =>
    says({ functionCall: { partialArgs, willContinue } });
  const reply = stream([
    says({ functionCall: { name: "trip", willContinue: true } }),
    piece(true, { jsonPath: "$.stops[0].city", stringValue: "Os", willContinue: true }),
    piece(
      true,
      { jsonPath: "$.stops[0].city", stringValue: "lo" },
      { jsonPath: "$['days']", numberValue: 3 },
    ),
    piece(true, { jsonPath: "$.__proto__.admin", boolValue: true }),
    says({ functionCall: {} }),
    stops("STOP"),
  ]);
  expect(reply.items).toMatchObject([
    { kind: "call", name: "trip", state: "complete", fragments: { count: 5 } },
  ]);
  const [call] = reply.items;
  expect(call?.kind === "call" && call.argumentsText).toBe(
    '{"stops":[{"city":"Oslo"}],"days":3,"__proto__":{"admin":true}}',
  );
  expect({}).not.toHaveProperty("admin");
});

test.each([
  ["a path of 5,000 steps", "$.trip".padEnd(10_006, ".a")],
  ["a list with 99,998 elements left out", "$.stops[99999]"],
  ["a path to several places", "$.stops[*].city"],
])("%s is told, and the other arguments are kept", (_, jsonPath) => {
  const partialArgs = [
    { jsonPath, stringValue: "Oslo" },
    { jsonPath: "$.days", numberValue: 3 },
  ];
  const reply = stream([says({ functionCall: { name: "trip", partialArgs } }), stops("STOP")]);
  expect(reply.items).toMatchObject([{ kind: "call", argumentsText: '{"days":3}' }]);
  expect(reply.flaws).toMatchObject([{ kind: "unplaced-fragment", isHarmless: false }]);
});

test("payloads are told by contents with parts, and by candidates", () => {
  const recognize = (value: object) => gemini.recognize(peekValue(value));
  expect(recognize({ contents: [{ parts: [{ text: "hi" }] }] })).toMatchObject({
    part: "request",
    certainty: 0.95,
  });
  expect(recognize({ contents: ["a", "b"] })).toBeUndefined();
  expect(recognize({ candidates: ["Ada", "Bob"] })).toBeUndefined();
  expect(recognize(stops("STOP", { text: "hi" }))?.part).toBe("reply");
  expect(recognize(says({ text: "hi" }))?.part).toBe("event");
  expect(recognize({ response: says({ text: "hi" }) })?.part).toBe("event");
  expect(recognize({ usageMetadata: { promptTokenCount: 3 }, modelVersion: "m" })?.part).toBe("event");
});

test("a record of a log that holds a reply is not itself the reply", () => {
  const recognize = (value: object) => gemini.recognize(peekValue(value));
  expect(recognize({ request: {}, response: stops("STOP") })).toBeUndefined();
  expect(recognize({ sessionId: "s", usageMetadata: { promptTokenCount: 3 } })).toBeUndefined();
});

test("the chunk that says why it stopped ends the stream", () => {
  const frame = (value: unknown): Frame => ({ value, data: "", extent: { start: 0, end: 0 } });
  expect(gemini.isTerminal(frame(says({ text: "hi" })))).toBe(false);
  expect(gemini.isTerminal(frame({ response: stops("STOP") }))).toBe(true);
  expect(gemini.replyId(frame({ response: says() }))).toBe("r1");
});

test.each([
  ["/v1beta/models/gemini-3-flash:generateContent", 1],
  ["/v1internal:streamGenerateContent?alt=sse", 1],
  ["/v1beta/openai/chat/completions", -1],
  ["/v1/messages", -1],
  ["/healthz", 0],
])("the path %s counts %i", (url, fit) => {
  expect(urlFits(protocols)(gemini, url)).toBe(fit);
});

test("an enumeration may be a number, and a lone object is no stream", () => {
  const numbered = {
    candidates: [{ content: { role: "model", parts: [{ text: "Cold." }] }, finishReason: 1 }],
  };
  expect(gemini.recognize(peekValue(numbered))?.part).toBe("reply");
  expect(gemini.decodeReply({ value: numbered, place, status: 200 }).finish).toMatchObject({
    reason: "STOP",
    meaning: "answer",
  });
  const long = { candidates: [{ content: { role: "model", parts: [{ text: "Co" }] }, finishReason: 2 }] };
  expect(gemini.decodeReply({ value: long, place, status: 200 }).finish?.meaning).toBe("length");
  const unsaid = says({ text: "Cold." });
  expect(stream([unsaid], "array")).toMatchObject({ form: "json", state: "complete" });
  expect(stream([unsaid])).toMatchObject({ form: "stream", state: "open" });
});

test("a content may have one part without a list", () => {
  expect(items({ role: "user", parts: { text: "Oslo?" } })).toMatchObject([
    { kind: "message", text: "Oslo?", pointer: "/parts" },
  ]);
  const contents = [{ role: "user", parts: { text: "Oslo?" } }];
  expect(gemini.recognize(peekValue({ contents }))?.part).toBe("request");
});

test("one entry of tools may stand without a list, and no schema minds", async () => {
  const declared = { function_declarations: [{ name: "tide", parameters: { type: "object" } }] };
  const body = { contents: [{ role: "user", parts: [{ text: "Kiel?" }] }], tools: declared };
  const report = await check(
    Buffer.from(
      JSON.stringify({
        url: "https://generativelanguage.googleapis.com/v1beta/models/gemini-3-flash:generateContent",
        request: body,
      }),
    ),
  );
  expect(report.findings).toEqual([]);
  const wrong = { ...body, tools: { function_declarations: [{ parameters: { type: "object" } }] } };
  const { findings } = await check(Buffer.from(JSON.stringify({ model: "gemini-3-flash", ...wrong })));
  expect(findings).toMatchObject([
    { rule: "invalid-request", location: { pointer: "/tools/function_declarations/0" } },
  ]);
});
