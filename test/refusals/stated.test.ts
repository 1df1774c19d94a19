import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { matchErrorText } from "../../src/rules/match-error-text.ts";
import { answer, calling, chat, history, question, result, system, weatherCall } from "./chats.ts";

/** The roots above info. */
async function roots(log: string | object): Promise<string[]> {
  const { findings } = await check(typeof log === "string" ? Buffer.from(log) : log);
  const own = findings.filter(({ cause, severity }) => cause === null && severity !== "info");
  return own.map(({ rule, severity, location }) => `${severity} ${rule} ${location.pointer}`);
}

/** A request to a server of which nothing is known, and how it refused. */
const refused = (request: object, message: string, status = 400): object => ({
  url: "https://models.example.org/v1/chat/completions",
  request,
  status,
  response: { error: { message, type: "invalid_request_error", code: null } },
});

describe("a server that says what it demands is judged by it", () => {
  const alternate = "Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...";
  test.each([
    [
      "turns alternate",
      "error bad-turn-order /messages/2/content",
      history("house-model", [system, question, question]),
      alternate,
    ],
    [
      "the user speaks after a result",
      "error bad-turn-order /messages/3/content",
      history("house-model", [question, calling, result, question]),
      alternate,
    ],
    [
      "the system speaks first",
      "error bad-turn-order /messages/1/content",
      history("house-model", [question, system]),
      "System message must be at the beginning.",
    ],
    [
      "the user has to say something",
      "error bad-turn-order /messages/0/content",
      history("house-model", [system, calling, result]),
      "The messages parameter is illegal. Please check the documentation.",
    ],
    [
      "no message is empty",
      "error empty-content /messages/1",
      history("house-model", [question, { role: "assistant", content: "" }, question]),
      "Invalid assistant message: role='assistant' content=None tool_calls=None prefix=False",
    ],
  ])("%s", async (_, found, request, message) => {
    expect(await roots({ url: "https://models.example.org/v1/chat/completions", request })).toEqual([]);
    expect(await roots(refused(request, message))).toEqual([found]);
  });

  test("also with the status of its own failures, and in a stream", async () => {
    const request = history("house-model", [system, question, question], { stream: true });
    const found = ["error bad-turn-order /messages/2/content"];
    expect(await roots(refused(request, alternate, 500))).toEqual(found);
    const event = JSON.stringify({ error: { code: "server_error", message: alternate } });
    expect(await roots({ request, response: `data: ${event}\n\ndata: [DONE]\n\n` })).toEqual(found);
  });

  test("and a list of messages pasted above its words was sent", async () => {
    const messages = [system, calling, result];
    const error = { error: { code: "1214", message: "messages 参数非法。请检查文档。" } };
    const log = `messages = ${JSON.stringify(messages)}\n\nError code: 400 ${JSON.stringify(error)}\n`;
    expect(await roots(log)).toEqual(["error bad-turn-order /0/content"]);
  });

  test("unless the words are of something else", async () => {
    const found = await roots(refused(history("house-model", [system, question]), alternate));
    expect(found).toEqual(["error provider-rejected /error"]);
  });

  test("unless the question is what another provider would say", async () => {
    const log = refused(history("house-model", [question, answer, question, question]), alternate);
    const { findings } = await check(log, { target: "openai" });
    expect(findings.filter(({ rule }) => rule === "bad-turn-order")).toEqual([]);
  });
});

describe("a setting that a refusal names in words only is found", () => {
  const words = "tool_choice may only be specified while providing tools.";

  test("in the request", async () => {
    const request = chat("anthropic/claude-sonnet-4", { tools: undefined, tool_choice: "auto" });
    const log = { ...refused(request, words), url: "https://openrouter.ai/api/v1/chat/completions" };
    expect(await roots(log)).toContain("error invalid-request /tool_choice");
  });

  test("behind the words of a gateway", async () => {
    const raw = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: words } });
    const request = { model: "anthropic/claude-sonnet-4", messages: [question], tool_choice: "auto" };
    const error = {
      message: "Provider returned error",
      code: 400,
      metadata: { raw, provider_name: "Anthropic" },
    };
    const log = `POST {'body': ${JSON.stringify(request)}}\nOpenrouterException - ${JSON.stringify({ error })}\n`;
    expect(await roots(log)).toEqual(["error invalid-request /tool_choice"]);
  });

  test("or told where the request has no such member", async () => {
    const log = refused(
      { model: "house-model", messages: [question] },
      "invalid params, invalid tool type: (2013)",
    );
    expect(await roots(log)).toEqual(["error provider-rejected /error"]);
  });
});

test.each([
  ["TypeError: Can only get item pairs from a mapping.", "invalid-arguments"],
  ["jinja2.exceptions.UndefinedError: 'str object' has no attribute 'items'", "invalid-arguments"],
  ["Extra data: line 1 column 32 (char 31)", "incomplete-arguments"],
  ["Invalid assistant message: role='assistant' content=None tool_calls=None prefix=False", "empty-content"],
  ["invalid params, chat content has invalid message role: system (2013)", "bad-turn-order"],
  ["invalid params, invalid chat setting (2013)", "bad-turn-order"],
  ["invalid params, function name or parameters is empty (2013)", "invalid-request"],
  [
    "Invalid request content: A tool_choice was set on the request but no tools were specified.",
    "invalid-request",
  ],
  [
    "invalid request: cannot specify message if the last entry in chat history contains tool results",
    "invalid-request",
  ],
])("%s means %s", (text, rule) => {
  expect(matchErrorText(text)?.rule).toBe(rule);
});

describe("an id of 46 characters", () => {
  const id = "chatcmpl-tool-5f0e2c4e9a114b8f9d0c7be1aa62f0d3";
  const request = history("gpt-5-mini", [
    question,
    { ...calling, tool_calls: [{ ...weatherCall, id }] },
    { ...result, tool_call_id: id },
  ]);
  const found = async (log: object): Promise<string[]> => {
    const { findings } = await check(log);
    return findings.filter(({ cause }) => cause === null).map(({ kind, severity }) => `${severity} ${kind}`);
  };

  test("is too long for Azure, which a body alone may have been sent to", async () => {
    expect(await found(request)).toEqual(["info elsewhere"]);
    expect(await found({ url: "https://api.openai.com/v1/chat/completions", request })).toEqual([]);
    const azure = "https://house.openai.azure.com/openai/v1/chat/completions";
    expect(await found({ url: azure, request })).toEqual(["error length"]);
  });

  test("is too long for a server that says so", async () => {
    const words =
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 46 instead.";
    expect(await found(refused(request, words))).toEqual(["error length"]);
  });
});
