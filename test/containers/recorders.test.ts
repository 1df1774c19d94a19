import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { openLog } from "../../src/log/open.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { answers, asks, chunks, goesOn, open, run, spot, stream, told, url, wantsTool } from "./stories.ts";

const text = (value: unknown): string => JSON.stringify(value);
const base64 = (value: string): string => Buffer.from(value).toString("base64");

/** Both exchanges of the run, as pairs of a request and a reply. */
const pairs = [
  [asks, wantsTool],
  [goesOn, answers],
] as const;

/** One file for each exchange. */
describe("a recording of one exchange, as it is kept by", () => {
  const shapes: [name: string, write: (request: object, reply: object) => string][] = [
    [
      "the test agent of Datadog",
      (request, reply) =>
        text({
          request: {
            method: "POST",
            url,
            headers: { "Content-Type": "application/json" },
            body: text(request),
          },
          response: {
            status: { code: 200, message: "OK" },
            headers: { "Content-Encoding": "gzip" },
            body: text(reply),
          },
        }),
    ],
    [
      "the test agent of Datadog, in base64",
      (request, reply) =>
        text({
          request: { method: "POST", url, headers: {}, body: text(request) },
          response: {
            status: { code: 200, message: "OK" },
            headers: {},
            body: `base64:${base64(text(reply))}`,
          },
        }),
    ],
    [
      "llama-stack",
      (request, reply) =>
        text({
          test_id: "tests/weather.py::test",
          request: {
            method: "POST",
            url,
            headers: {},
            body: { ...request, stream: false },
            endpoint: "/v1/chat/completions",
            model: "gpt-5",
          },
          response: {
            body: { __type__: "openai.types.chat.chat_completion.ChatCompletion", __data__: reply },
            is_streaming: false,
          },
        }),
    ],
    [
      "opencode's recorder",
      (request, reply) =>
        text({
          version: 1,
          metadata: { name: "weather", recordedAt: "2026-05-05T20:08:42.597Z", tags: ["tools"] },
          interactions: [
            {
              request: { method: "POST", url, headers: {}, body: text(request) },
              response: { status: 200, headers: {}, body: text(reply) },
            },
          ],
        }),
    ],
    [
      "LiteLLM's completion log",
      (request, reply) =>
        text({
          ...request,
          kwargs: { temperature: 0 },
          response: reply,
          cost: 0.01,
          timestamp: 1757015025.972,
          latency_sec: 3.1,
        }),
    ],
    [
      "LiteLLM's logging payload",
      (request, reply) =>
        text({
          id: "chatcmpl-1",
          trace_id: "t",
          call_type: "acompletion",
          status: "success",
          ...request,
          response: reply,
          metadata: {},
          startTime: 1757015025.97,
        }),
    ],
    [
      "WireMock",
      (request, reply) =>
        text({
          id: "0a1b",
          name: "chat",
          request: {
            url: "/v1/chat/completions",
            method: "POST",
            bodyPatterns: [{ equalToJson: text(request), ignoreArrayOrder: true }],
          },
          response: { status: 200, body: text(reply), headers: { "Content-Type": "application/json" } },
        }),
    ],
    [
      "Betamax",
      (request, reply) =>
        text({
          http_interactions: [
            {
              request: {
                body: { encoding: "utf-8", string: text(request) },
                headers: {},
                method: "POST",
                uri: url,
              },
              response: {
                body: { encoding: "utf-8", base64_string: gzipSync(text(reply)).toString("base64") },
                status: { code: 200, message: "OK" },
                url,
              },
              recorded_at: "2026-05-05T20:08:42",
            },
          ],
          recorded_with: "betamax/0.9.0",
        }),
    ],
    [
      "claude-trace, a line for each",
      (request, reply) =>
        `${text({ request: { timestamp: 1757015025.9, method: "POST", url, headers: {}, body: request }, response: { timestamp: 1757015027.1, status_code: 200, headers: {}, body: reply }, logged_at: "2026-05-05T20:08:42Z" })}\n`,
    ],
    [
      "llm-interceptor, merged",
      (request, reply) =>
        `${text({ request_id: "r1", timestamp: "2026-05-05T20:08:42Z", url, request_body: request, response_body: reply })}\n`,
    ],
  ];

  test.each(shapes)("%s", async (_, write) => {
    expect(await told(write(...pairs[0]))).toEqual(run.slice(0, 1));
    expect(await told(write(...pairs[1]))).toEqual(run.slice(1));
  });
});

describe("a recording of several exchanges, as it is kept by", () => {
  test("go-vcr", async () => {
    const interaction = (id: number, request: object, reply: object) =>
      [
        `- id: ${id}`,
        "  request:",
        "    proto: HTTP/1.1",
        "    content_length: 42",
        `    body: '${text(request)}'`,
        "    headers: {}",
        `    url: ${url}`,
        "    method: POST",
        "  response:",
        "    proto: HTTP/2.0",
        "    uncompressed: true",
        `    body: '${text(reply)}'`,
        "    status: 200 OK",
        "    code: 200",
        "    duration: 1.2s",
      ].join("\n");
    const log = `---\nversion: 2\ninteractions:\n${pairs.map(([request, reply], id) => interaction(id, request, reply)).join("\n")}\n`;
    expect(await told(log)).toEqual(run);
  });

  test("LangChain, side by side and compressed", async () => {
    const list = (values: readonly object[]) =>
      values.map(
        (value) =>
          `- body: !!binary |\n    ${base64(text(value))}\n  headers: '**REDACTED**'\n  status: {code: 200, message: OK}`,
      );
    const requests = pairs.map(
      ([request]) =>
        `- body: !!binary |\n    ${base64(text(request))}\n  headers: '**REDACTED**'\n  method: POST\n  uri: ${url}`,
    );
    const log = `requests:\n${requests.join("\n")}\nresponses:\n${list(pairs.map(([, reply]) => reply)).join("\n")}\n`;
    expect(await told(gzipSync(log))).toEqual(run);
  });

  test("llama-stack, streamed", async () => {
    const body = chunks("chatcmpl-1", undefined).map((data) => ({
      __type__: "openai.types.chat.chat_completion_chunk.ChatCompletionChunk",
      __data__: data,
    }));
    const log = text({
      request: { method: "POST", url, body: asks },
      response: { body, is_streaming: true },
    });
    expect(await told(log)).toEqual(run.slice(0, 1).map((line) => line));
  });

  test("the test proxy of Azure's SDKs, a stream as its lines", async () => {
    const entry = (body: object, lines: unknown) => ({
      RequestUri: url,
      RequestMethod: "POST",
      RequestHeaders: { "Content-Type": "application/json" },
      RequestBody: body,
      StatusCode: 200,
      ResponseHeaders: { "Content-Type": "text/event-stream" },
      ResponseBody: lines,
    });
    const Entries = [entry(asks, stream("chatcmpl-1").split(/(?<=\n)/)), entry(goesOn, answers)];
    expect(await told(text({ Entries, Variables: {} }))).toEqual(run);
  });

  describe("a stream in pieces:", () => {
    const said = stream("chatcmpl-1");
    const cuts = [0, 40, 41, 130, 300, said.length];
    const pieces = cuts.slice(1).map((cut, index) => said.slice(cuts[index], cut));
    const bytes = pieces.map((piece) => Buffer.from(piece));

    test.each<[string, object]>([
      ["as they arrived", { chunks: pieces }],
      ["as lines without their ends", { chunks: said.split("\n") }],
      ["as events without their ends", { chunks: said.trimEnd().split("\n\n") }],
      [
        "as named events, without blank lines",
        {
          chunks: chunks("chatcmpl-1", undefined).flatMap((chunk) => [
            "event: chunk",
            `data: ${text(chunk)}`,
          ]),
        },
      ],
      ["in base64", { chunks: bytes.map((piece) => piece.toString("base64")) }],
      ["in hex", { chunks: bytes.map((piece) => piece.toString("hex")) }],
      ["of compressed bytes", { chunks: [gzipSync(said).toString("base64")] }],
      [
        "with the time at which each came, as req_llm keeps them",
        {
          chunks: pieces.map((decoded, at) => ({
            b64: Buffer.from(decoded).toString("base64"),
            decoded,
            at_us: at,
          })),
        },
      ],
      ["under a key each", { chunks: pieces.map((chunk, at) => ({ at, chunk })) }],
      ["as a buffer of Node", { stream: { type: "Buffer", data: [...Buffer.from(said)] } }],
    ])("%s", async (_, kept) => {
      const log = text({
        request: {
          method: "POST",
          url,
          headers: {},
          body: { b64: Buffer.from(text(asks)).toString("base64") },
          canonical_json: asks,
        },
        response: { status: 200, headers: {}, ...kept },
      });
      expect(await told(log)).toEqual(run.slice(0, 1));
    });

    test("what it said is placed in the piece that says it", async () => {
      const body = said.split(/(?<=\n)/);
      const { exchanges } = await open(text([{ url, request: asks, response: body }]));
      const { place, items } = exchanges[0]?.reply ?? {};
      const first = items?.[0]?.fragments?.first;
      expect(first && place && spot(place.locateAt(first)).split(" ")[1]).toContain(
        String.raw`{\"id\":\"chatcmpl-1\"`,
      );
    });

    test("texts in a list that are no body are none", async () => {
      const log = text({ request: asks, response: wantsTool, notes: ["data: seen", "data: twice"] });
      expect(await told(log)).toEqual(run.slice(0, 1));
    });
  });

  test("WireMock's journal, newest first and each body twice", async () => {
    const kept = (content: string) => ({ bodyAsBase64: base64(content), body: content });
    const entry = (request: object, reply: string, loggedDate: number) => ({
      id: `r${loggedDate}`,
      request: { url: "/v1/chat/completions", method: "POST", loggedDate, ...kept(text(request)) },
      responseDefinition: { status: 200, body: reply },
      response: { status: 200, headers: {}, ...kept(reply) },
      wasMatched: true,
    });
    const requests = [
      entry(goesOn, text(answers), 1757852425000),
      entry(asks, stream("chatcmpl-1"), 1757852423000),
    ];
    const log = text({ requests, meta: { total: 2 } });
    expect(await told(log)).toEqual([...run].reverse());
    expect((await open(log)).exchanges.map(({ time }) => time)).toEqual([1757852425000, 1757852423000]);
  });

  test("Google's replays", async () => {
    const generate = { contents: [{ role: "user", parts: [{ text: "How warm is it?" }] }] };
    const chunk = (said: string, reason?: string) => ({
      candidates: [
        { content: { role: "model", parts: [{ text: said }] }, ...(reason && { finishReason: reason }) },
      ],
    });
    const log = text({
      replayId: "weather",
      interactions: [
        {
          request: {
            method: "POST",
            url: "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
            headers: {},
            bodySegments: [generate],
          },
          response: {
            statusCode: 200,
            headers: {},
            bodySegments: [chunk("It is "), chunk("18 °C.", "STOP")],
            sdkResponseSegments: [{ text: "It is 18 °C." }],
          },
        },
      ],
    });
    expect(await told(log)).toEqual(['user "How warm is it?" → assistant "It is 18 °C." (STOP)']);
  });

  test("gemini-cli, whose replies stand alone", async () => {
    const part = (parts: object[], reason?: string) => ({
      candidates: [{ content: { role: "model", parts }, ...(reason && { finishReason: reason }) }],
    });
    const log = [
      {
        method: "generateContentStream",
        response: [part([{ functionCall: { name: "weather", args: { city: "Zürich" } } }], "STOP")],
      },
      {
        method: "generateContentStream",
        response: [part([{ text: "It is " }]), part([{ text: "18 °C." }], "STOP")],
      },
    ];
    expect(await told(`${log.map(text).join("\n")}\n`)).toEqual([
      '? → call weather {"city":"Zürich"} (STOP)',
      '? → assistant "It is 18 °C." (STOP)',
    ]);
  });

  test("a server's chunks, a line each", async () => {
    const log = chunks("chatcmpl-1", undefined).map(text).join("\n");
    expect(await told(`${log}\n`)).toEqual(['? → call weather {"city":"Zürich"} (tool_calls)']);
  });

  test("claude-trace, where a stream stays as it came", async () => {
    const record = (body: object, raw: string) =>
      text({
        request: { timestamp: 1, method: "POST", url, headers: {}, body },
        response: { timestamp: 2, status_code: 200, headers: {}, body_raw: raw },
        logged_at: "2026-05-05T20:08:42Z",
      });
    const aborted = text({
      request: { timestamp: 3, method: "POST", url, headers: {}, body: goesOn },
      response: null,
      logged_at: "2026-05-05T20:09:42Z",
    });
    expect(await told(`${record(asks, stream("chatcmpl-1"))}\n${aborted}\n`)).toEqual([
      run[0],
      `${run[1]?.split(" →")[0]} → ?`,
    ]);
  });

  test("llm-interceptor, where a reply comes in lines of chunks", async () => {
    const lines = [
      { type: "request", id: "r1", timestamp: "2026-05-05T20:08:42Z", method: "POST", url, body: asks },
      ...chunks("chatcmpl-1", undefined).map((content, chunk_index) => ({
        type: "response_chunk",
        request_id: "r1",
        chunk_index,
        content,
      })),
      { type: "response_meta", request_id: "r1", total_chunks: 4, error: null },
    ];
    expect(await told(`${lines.map(text).join("\n")}\n`)).toEqual(run.slice(0, 1));
  });

  test("Bedrock's own log of invocations", async () => {
    const record = (input: object, output: object) =>
      text({
        schemaType: "ModelInvocationLog",
        schemaVersion: "1.0",
        timestamp: "2026-05-05T20:08:42Z",
        operation: "Converse",
        modelId: "anthropic.claude-sonnet-4-5-20250929-v1:0",
        input: { inputContentType: "application/json", inputBodyJson: input, inputTokenCount: 12 },
        output: { outputContentType: "application/json", outputBodyJson: output, outputTokenCount: 7 },
      });
    const user = { role: "user", content: [{ text: "How warm is it?" }] };
    const call = {
      role: "assistant",
      content: [{ toolUse: { toolUseId: "t1", name: "weather", input: {} } }],
    };
    const result = {
      role: "user",
      content: [{ toolResult: { toolUseId: "t1", content: [{ text: "18 °C" }] } }],
    };
    const config = { inferenceConfig: { maxTokens: 100 } };
    const log = [
      record(
        { messages: [user], ...config },
        { output: { message: call }, stopReason: "tool_use", metrics: {} },
      ),
      record(
        { messages: [user, call, result], ...config },
        {
          output: { message: { role: "assistant", content: [{ text: "18 °C." }] } },
          stopReason: "end_turn",
          metrics: {},
        },
      ),
    ];
    expect(await told(gzipSync(`${log.join("\n")}\n`))).toEqual([
      'user "How warm is it?" → call weather {} (tool_use)',
      'user "How warm is it?", call weather {}, result 18 °C → assistant "18 °C." (end_turn)',
    ]);
  });

  test("Bedrock's own log holds the bodies as they went over the wire, also those that name no model", async () => {
    const log = text({
      schemaType: "ModelInvocationLog",
      operation: "InvokeModel",
      modelId: "anthropic.claude-sonnet-4-5-20250929-v1:0",
      input: {
        inputBodyJson: {
          anthropic_version: "bedrock-2023-05-31",
          max_tokens: 100,
          messages: [{ role: "user", content: "How warm is it?" }],
        },
      },
      output: {
        outputBodyJson: {
          id: "msg_1",
          type: "message",
          role: "assistant",
          model: "claude",
          content: [{ type: "text", text: "18 °C." }],
          stop_reason: "end_turn",
        },
      },
    });
    const { exchanges } = await openLog({
      path: "run.jsonl",
      source: bytesSource("run.jsonl", Buffer.from(log)),
    });
    expect(exchanges.map(({ protocol, fidelity }) => ({ protocol, fidelity }))).toEqual([
      { protocol: "anthropic", fidelity: "wire" },
    ]);
  });

  test("Bedrock's own log, where a streamed reply is a list of its events", async () => {
    const events = [
      { type: "message_start", message: { id: "msg_1", role: "assistant", content: [], model: "claude" } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "18 °C." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } },
      { type: "message_stop" },
    ];
    const log = text({
      schemaType: "ModelInvocationLog",
      operation: "InvokeModelWithResponseStream",
      modelId: "anthropic.claude-sonnet-4-5-20250929-v1:0",
      input: {
        inputBodyJson: {
          anthropic_version: "bedrock-2023-05-31",
          max_tokens: 100,
          messages: [{ role: "user", content: "How warm is it?" }],
        },
      },
      output: { outputBodyJson: events },
    });
    expect(await told(log)).toEqual(['user "How warm is it?" → assistant "18 °C." (end_turn)']);
  });
});
