import { describe, expect, test } from "vitest";
import { asks, fixed, found, looks, tells } from "./log.ts";

const request = (model: string, messages: readonly object[]): string =>
  `${JSON.stringify({ request: { model, messages } })}\n`;

describe("turns that a template refuses", () => {
  const more = { role: "user", content: "And in Bergen?" };
  const both = { role: "user", content: "What is the weather in Oslo?\n\nAnd in Bergen?" };

  test("become one where two messages of the user follow each other", async () => {
    const { text } = await fixed(request("gemma-2-9b-it", [asks, more]), { profile: "llama.cpp" });
    expect(text).toBe(request("gemma-2-9b-it", [both]));
  });

  test("stay apart where the model takes them", async () => {
    const log = request("gpt-5", [asks, more]);
    expect((await fixed(log)).text).toBe(log);
  });

  test("stay as they are where one message is text and the other has parts", async () => {
    const parts = { role: "user", content: [{ type: "text", text: "And in Bergen?" }] };
    const log = request("gemma-2-9b-it", [asks, parts]);
    expect((await fixed(log, { profile: "llama.cpp" })).text).toBe(log);
  });

  test("get the system message to the front", async () => {
    const system = { role: "system", content: "Be brief." };
    const { text } = await fixed(request("qwen3.5-9b", [asks, tells, system, more]), {
      profile: "llama.cpp",
    });
    expect(text).toBe(request("qwen3.5-9b", [system, asks, tells, more]));
  });
});

describe("words of another API", () => {
  test("for those who speak are written as this history writes them", async () => {
    const ai = { ...tells, role: "ai" };
    const human = { ...asks, role: "human" };
    const { text } = await fixed(request("gpt-5", [asks, tells, human, ai, asks]));
    expect(text).toBe(request("gpt-5", [asks, tells, asks, tells, asks]));
  });

  test("for a call go where the call stands beside them", async () => {
    const block = { type: "tool_use", id: "call_1", name: "get_weather", input: { city: "Oslo" } };
    const text = { type: "text", text: "I'll look." };
    const { text: log } = await fixed(request("gpt-5", [asks, { ...looks, content: [text, block] }, found]));
    expect(log).toBe(request("gpt-5", [asks, { ...looks, content: [text] }, found]));
  });

  test("for a call stay where they are all that holds it", async () => {
    const block = { type: "tool_use", id: "call_2", name: "get_weather", input: { city: "Bergen" } };
    const log = request("gpt-5", [asks, { ...looks, content: [block] }, found]);
    expect((await fixed(log)).text).toBe(log);
  });
});
