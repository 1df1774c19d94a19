import { ApiError, type Content, type GenerateContentResponse, GoogleGenAI } from "@google/genai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServedReply } from "../../src/protocols/server-side.ts";
import { type RunningServer, startModelServer } from "../../src/serve/serve.ts";

let replies: ServedReply[] = [];
let server: RunningServer;
let client: GoogleGenAI;

beforeAll(async () => {
  const answers = {
    answer: () => ({ kind: "reply" as const, reply: replies.shift() ?? { items: [{ kind: "text", text }] } }),
  } as const;
  server = await startModelServer({ port: 0, answers });
  client = new GoogleGenAI({ apiKey: "test", httpOptions: { baseUrl: server.url } });
});
afterAll(async () => {
  await server.close();
  expect(server.model.misses).toEqual([]);
});

const text = "It is 18 degrees — and cloudy 🌥 in Lima, and it will stay like this until Thursday.";
const thought = "The user asks about the weather, so I call the tool.";
const served = (...cities: string[]): ServedReply => ({
  items: cities.map((city) => ({ kind: "call", name: "get_weather", arguments: { city } })),
});
const user = (...parts: object[]): Content => ({ role: "user", parts });
const model = (...parts: object[]): Content => ({ role: "model", parts });
const question = user({ text: "What is the weather in Lima?" });
const call = (more: object = {}) => ({
  functionCall: { name: "get_weather", args: { city: "Lima" }, ...more },
});
const result = (more: object = {}) => ({
  functionResponse: { name: "get_weather", response: { degrees: 18 }, ...more },
});
const tools = [
  {
    functionDeclarations: [
      {
        name: "get_weather",
        parametersJsonSchema: { type: "object", properties: { city: { type: "string" } } },
      },
    ],
  },
];

async function post(path: string, body: unknown) {
  const response = await fetch(server.url + path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

const flash = "/v1beta/models/gemini-2.5-flash";

const read = (response: GenerateContentResponse) => ({
  text: response.candidates?.[0]?.content?.parts
    ?.flatMap((part) => (part.thought ? [] : [part.text ?? ""]))
    .join(""),
  cities: (response.functionCalls ?? []).map(({ args }) => args?.["city"]),
  stop: response.candidates?.[0]?.finishReason,
});

describe("Google's own client reads", () => {
  test.each<[string, ServedReply, { text: string; cities: string[]; stop: string }]>([
    ["a text", { items: [{ kind: "text", text }] }, { text, cities: [], stop: "STOP" }],
    ["a call", served("Lima"), { text: "", cities: ["Lima"], stop: "STOP" }],
    ["parallel calls", served("Lima", "Oslo"), { text: "", cities: ["Lima", "Oslo"], stop: "STOP" }],
    [
      "a text that is cut",
      { items: [{ kind: "text", text: "It is" }], stop: "length" },
      { text: "It is", cities: [], stop: "MAX_TOKENS" },
    ],
  ])("%s", async (_, reply, expected) => {
    for (const name of ["gemini-2.5-flash", "gemini-3.6-flash"]) {
      replies = [reply, reply];
      const asked = { model: name, contents: [question], config: { tools } };
      const whole = await client.models.generateContent(asked);
      expect(read(whole)).toEqual(expected);
      expect(whole.modelVersion).toBe(name);
      expect(whole.usageMetadata?.promptTokenCount).toBeGreaterThan(0);

      const streamed = { text: "", cities: [] as unknown[], stop: undefined as string | undefined };
      for await (const chunk of await client.models.generateContentStream(asked)) {
        const { text: said, cities, stop } = read(chunk);
        streamed.text += said;
        streamed.cities.push(...cities);
        streamed.stop ??= stop;
      }
      expect(streamed).toEqual(expected);
    }
  });

  test("thoughts, if the request wants to see them", async () => {
    const reply: ServedReply = {
      items: [
        { kind: "reasoning", text: thought },
        { kind: "text", text },
      ],
    };
    replies = [reply, reply];
    const asked = { model: "gemini-2.5-flash", contents: "Hi" };
    const shown = await client.models.generateContent({
      ...asked,
      config: { thinkingConfig: { includeThoughts: true } },
    });
    expect(shown.candidates?.[0]?.content?.parts).toEqual([{ text: thought, thought: true }, { text }]);
    const hidden = await client.models.generateContent(asked);
    expect(hidden.candidates?.[0]?.content?.parts).toEqual([{ text }]);
    expect(hidden.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
  });

  test.each([false, true])(
    "a chat with calls, whose signatures it sends back; streamed: %s",
    async (streams) => {
      replies = [served("Lima", "Oslo"), served("Quito"), { items: [{ kind: "text", text }] }];
      const chat = client.chats.create({ model: "gemini-3.6-flash", config: { tools } });
      const send = async (message: string | object[]): Promise<string> => {
        if (!streams) return read(await chat.sendMessage({ message })).text ?? "";
        let said = "";
        for await (const chunk of await chat.sendMessageStream({ message })) said += read(chunk).text ?? "";
        return said;
      };
      await send("Where is it warmest?");
      await send([result(), result()]);
      expect(await send([result()])).toBe(text);
      expect(server.model.refused.filter(({ rule }) => rule === "dropped-reasoning")).toEqual([]);
    },
  );

  test("a refusal, as an error with its status", async () => {
    const error = await client.models
      .generateContent({ model: "gemini-2.5-flash", contents: [question, model(call()), question] })
      .catch((refused: unknown) => refused);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).status).toBe(400);
    expect(JSON.parse((error as ApiError).message).error.status).toBe("INVALID_ARGUMENT");
  });

  test("counts of tokens, and models", async () => {
    const { totalTokens } = await client.models.countTokens({ model: "gemini-2.5-flash", contents: "Hi" });
    expect(totalTokens).toBeGreaterThan(0);
    expect((await client.models.get({ model: "gemini-2.5-flash" })).name).toBe("models/gemini-2.5-flash");
    const listed = await client.models.list();
    expect(listed.page).toHaveLength(1);
  });

  test("Vertex", async () => {
    const vertex = new GoogleGenAI({
      vertexai: true,
      apiKey: "test",
      httpOptions: { baseUrl: server.url },
    });
    const { text: said } = await vertex.models.generateContent({ model: "gemini-2.5-flash", contents: "Hi" });
    expect(said).toBe(text);
  });
});

describe("what is refused, in Google's words", () => {
  const counts =
    "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  const declared = (parameters: object) => ({
    contents: [question],
    tools: [{ functionDeclarations: [{ name: "f", parameters }] }],
  });

  test.each<[string, object, string, string?]>([
    ["a call without a result", { contents: [question, model(call()), question] }, counts],
    [
      "more results than calls",
      { contents: [question, model(call()), user(result(), result({ response: { degrees: 9 } }))] },
      counts,
    ],
    [
      "a result without a call",
      { contents: [question, model({ text: "Hm." }), user(result())] },
      "Please ensure that function response turn comes immediately after a function call turn.",
    ],
    [
      "a call at the beginning",
      { contents: [model(call()), user(result())] },
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    ],
    [
      "an unknown role",
      { contents: [question, { role: "assistant", parts: [{ text: "Hm." }] }, question] },
      "Please use a valid role: user, model.",
    ],
    ["no contents", { contents: [] }, "* GenerateContentRequest.contents: contents is not specified\n"],
    [
      "a content without parts",
      { contents: [question, model(), question] },
      "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n",
    ],
    [
      "a result without a name",
      { contents: [question, model(call()), user(result({ name: "" }))] },
      "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\n",
    ],
    [
      "arguments that are text",
      { contents: [question, model(call({ args: "Lima" })), user(result())] },
      "Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), \"Lima\"",
      "contents[1].parts[0].function_call.args",
    ],
    [
      "a result that is a list",
      { contents: [question, model(call()), user(result({ response: [18] }))] },
      "Invalid JSON payload received. Unknown name \"response\" at 'contents[2].parts[0].function_response': Proto field is not repeating, cannot start list.",
      "contents[2].parts[0].function_response",
    ],
    [
      "a member that a schema does not have, in the second property",
      declared({ type: "object", properties: { a: { type: "string" }, b: { type: "string", const: "x" } } }),
      "Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[0].parameters.properties[1].value': Cannot find field.",
      "tools[0].function_declarations[0].parameters.properties[1].value",
    ],
    [
      "a list without the type of its items",
      declared({ type: "object", properties: { cities: { type: "array" } } }),
      "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[cities].items: missing field.\n",
    ],
  ])("%s", async (_, body, message, field) => {
    const { status, text: sent } = await post(`${flash}:generateContent`, body);
    const details = {
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [{ field, description: message }],
    };
    expect([status, JSON.parse(sent)]).toEqual([
      400,
      { error: { code: 400, message, status: "INVALID_ARGUMENT", ...(field && { details: [details] }) } },
    ]);
  });

  const unsigned = { contents: [question, model(call()), user(result())] };

  test.each([
    [
      "/v1beta/models/gemini-3-pro-preview",
      "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:get_weather` , position 2. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
    ],
    [
      "/v1/projects/p/locations/global/publishers/google/models/gemini-3-pro-preview",
      "Unable to submit request because function call `get_weather` in the 2. content block is missing a `thought_signature`. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/thought-signatures",
    ],
  ])("a call without its signature at %s", async (path, message) => {
    const { status, text: sent } = await post(`${path}:generateContent`, unsigned);
    expect([status, JSON.parse(sent).error.message]).toEqual([400, message]);
  });

  test.each([
    [flash, "Tool use with function calling is unsupported"],
    [
      "/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-flash",
      "Multiple tools are supported only when they are all search tools.",
    ],
  ])("Google's search beside functions at %s", async (path, message) => {
    const body = { contents: [question], tools: [...tools, { googleSearch: {} }] };
    const { status, text: sent } = await post(`${path}:generateContent`, body);
    expect([status, JSON.parse(sent).error.message]).toEqual([400, message]);
  });

  test("and Vertex wants roles", async () => {
    const body = { contents: [{ parts: [{ text: "Hi" }] }] };
    const vertex = "/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-flash";
    const { status, text: sent } = await post(`${vertex}:generateContent`, body);
    expect([status, JSON.parse(sent).error.message]).toEqual([400, "Please use a valid role: user, model."]);
    expect((await post(`${flash}:generateContent`, body)).status).toBe(200);
  });

  test.each([
    ["{bad", "Expected an object key or }.\n{bad\n ^"],
    ['{"contents":[1 2]}', 'Expected , or ] after array value.\n{"contents":[1 2]}\n               ^'],
    ['{"contents":', "Unexpected end of string. Expected a value."],
    ['{"contents":x}', "Unexpected token."],
  ])("bytes that are no JSON: %s", async (body, reason) => {
    const { status, text: sent } = await post(`${flash}:generateContent`, body);
    const message = `Invalid JSON payload received. ${reason}`;
    expect([status, JSON.parse(sent)]).toEqual([
      400,
      { error: { code: 400, message, status: "INVALID_ARGUMENT" } },
    ]);
  });

  test("a signature that was cut", async () => {
    replies = [served("Lima")];
    const path = "/v1beta/models/gemini-3.6-flash:generateContent";
    const { text: sent } = await post(path, { contents: [question], tools });
    const { content } = JSON.parse(sent).candidates[0];
    const sentBack = (contents: Content[]) => post(path, { contents, tools });
    expect((await sentBack([question, content, user(result())])).status).toBe(200);
    // google-genai for Python sends bytes in the alphabet for URLs.
    const [{ thoughtSignature: seal, ...part }] = content.parts;
    const forUrls = Buffer.from(seal, "base64").toString("base64url");
    expect(forUrls).not.toBe(seal);
    const same = { ...content, parts: [{ ...part, thoughtSignature: forUrls }] };
    expect((await sentBack([question, same, user(result())])).status).toBe(200);
    content.parts[0].thoughtSignature = content.parts[0].thoughtSignature.slice(0, -4);
    const { status, text: said } = await sentBack([question, content, user(result())]);
    expect([status, JSON.parse(said).error.message]).toEqual([400, "Corrupted thought signature."]);
  });
});

describe("forms of a stream", () => {
  const body = { contents: [question] };

  test("events without a name, with `alt=sse`", async () => {
    replies = [served("Lima", "Oslo")];
    const { type, text: sent } = await post(`${flash}:streamGenerateContent?alt=sse`, body);
    expect(type).toBe("text/event-stream; charset=utf-8");
    const chunks = sent
      .trimEnd()
      .split("\n\n")
      .map((event) => JSON.parse(event.replace(/^data: /, "")));
    expect(
      chunks.map(({ candidates: [{ content, finishReason }] }) => [content.parts, finishReason]),
    ).toEqual([
      [[{ functionCall: { name: "get_weather", args: { city: "Lima" } } }], undefined],
      [[{ functionCall: { name: "get_weather", args: { city: "Oslo" } } }], "STOP"],
    ]);
    expect(new Set(chunks.map(({ responseId }) => responseId)).size).toBe(1);
  });

  test("one array without", async () => {
    replies = [{ items: [{ kind: "text", text }] }];
    const { type, text: sent } = await post(`${flash}:streamGenerateContent`, body);
    expect(type).toBe("application/json; charset=UTF-8");
    const chunks: { candidates: { content: { parts: { text: string }[] } }[] }[] = JSON.parse(sent);
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.map(({ candidates }) => candidates[0]?.content.parts[0]?.text).join("")).toBe(text);
    expect(JSON.parse((await post(`${flash}:streamGenerateContent`, { contents: [] })).text)).toMatchObject([
      { error: { code: 400 } },
    ]);
  });

  test("only the first call of a reply of Gemini 3 is signed; a text is signed behind its end", async () => {
    replies = [served("Lima", "Oslo"), { items: [{ kind: "text", text: "Hm." }] }];
    const path = "/v1beta/models/gemini-3.6-flash:streamGenerateContent";
    const partsIn = (sent: string) =>
      JSON.parse(sent).flatMap(
        ({ candidates }: { candidates: [{ content: Content }] }) => candidates[0].content.parts,
      );
    const signature = expect.stringMatching(/^[\w+/]+=*$/);
    expect(partsIn((await post(path, body)).text)).toEqual([
      {
        functionCall: { id: expect.any(String), name: "get_weather", args: { city: "Lima" } },
        thoughtSignature: signature,
      },
      { functionCall: { id: expect.any(String), name: "get_weather", args: { city: "Oslo" } } },
    ]);
    expect(partsIn((await post(path, body)).text)).toEqual([
      { text: "Hm." },
      { text: "", thoughtSignature: signature },
    ]);
  });
});

test("arguments that are no object end as a malformed call", async () => {
  replies = [{ items: [{ kind: "call", name: "get_weather", arguments: '{"city":' }] }];
  const { text: sent } = await post(`${flash}:generateContent`, { contents: [question] });
  expect(JSON.parse(sent).candidates).toEqual([
    {
      content: {},
      finishReason: "MALFORMED_FUNCTION_CALL",
      index: 0,
      finishMessage: 'Malformed function call: get_weather({"city":)',
    },
  ]);
});

test("Cloud Code Assist has an envelope around requests and replies", async () => {
  const path = "/v1internal:streamGenerateContent?alt=sse";
  const asked = { model: "gemini-2.5-flash", project: "p", request: { contents: [question] } };
  replies = [{ items: [{ kind: "text", text: "Hm." }] }];
  const { text: sent } = await post(path, asked);
  expect(JSON.parse(sent.replace(/^data: /, ""))).toMatchObject({
    response: { candidates: [{ content: { parts: [{ text: "Hm." }] }, finishReason: "STOP" }] },
  });
  const broken = {
    ...asked,
    request: { contents: [question, model(call()), user(result({ response: "rain" }))] },
  };
  const message =
    "Invalid value at 'request.contents[2].parts[0].function_response.response' (type.googleapis.com/google.protobuf.Struct), \"rain\"";
  expect(JSON.parse((await post(path, broken)).text)).toMatchObject([
    { error: { code: 400, message, errors: [{ message, domain: "global", reason: "badRequest" }] } },
  ]);
});

test("tokens of any part of a history are counted", async () => {
  const contents = [model(call())];
  expect((await post(`${flash}:countTokens`, { contents })).status).toBe(200);
  const { text: sent } = await post(`${flash}:countTokens`, { generateContentRequest: { contents, tools } });
  expect(JSON.parse(sent)).toEqual({
    totalTokens: expect.any(Number),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: expect.any(Number) }],
  });
});
