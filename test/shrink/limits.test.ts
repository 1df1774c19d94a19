import { describe, expect, test } from "vitest";
import { bytesSource } from "../../src/reading/source.ts";
import { shrink } from "../../src/shrink/shrink.ts";
import type { Choice } from "../../src/shrink/subject.ts";
import { Unshrinkable } from "../../src/shrink/unshrinkable.ts";

/** A log of many small requests, each with a text that UTF-8 cannot encode. */
function halves(count: number, content = "\\ud800"): string {
  return `{"model":"gpt-5","messages":[{"role":"user","content":"${content}"}]}\n`.repeat(count);
}

async function shrunk(text: string, choice: Choice = {}, laterChecks = 0): ReturnType<typeof shrink> {
  const path = "run.jsonl";
  return shrink([{ path, source: bytesSource(path, Buffer.from(text)) }], choice, { laterChecks });
}

describe("a log in which each of thousands of requests is wrong", () => {
  test.each([0, 3])("is one request, whatever follows: %s checks", async (laterChecks) => {
    const { shrunk: small } = await shrunk(halves(4_000), {}, laterChecks);
    expect(small?.after.file.exchanges).toHaveLength(1);
    expect(small?.checks).toBeLessThan(20);
  });
});

/** Sessions in which a model makes one call after another, and no call is answered. */
const sessions: Readonly<Record<string, (count: number) => object[]>> = {
  "Claude Code": (count) => [
    {
      type: "user",
      uuid: "u",
      parentUuid: null,
      sessionId: "s",
      message: { role: "user", content: "go" },
    },
    ...Array.from({ length: count }, (_, index) => ({
      type: "assistant",
      uuid: `u${index}`,
      parentUuid: index === 0 ? "u" : `u${index - 1}`,
      sessionId: "s",
      message: {
        id: `m${index}`,
        role: "assistant",
        content: [{ type: "tool_use", id: `t${index}`, name: "Read", input: {} }],
      },
    })),
  ],
  Pi: (count) => [
    { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00Z", cwd: "/" },
    {
      type: "message",
      id: "e",
      parentId: null,
      timestamp: "2026-01-01T00:00:00Z",
      message: { role: "user", content: "go" },
    },
    ...Array.from({ length: count }, (_, index) => ({
      type: "message",
      id: `e${index}`,
      parentId: index === 0 ? "e" : `e${index - 1}`,
      timestamp: "2026-01-01T00:00:01Z",
      message: {
        role: "assistant",
        content: [{ type: "toolCall", id: `t${index}`, name: "ls", arguments: {} }],
        stopReason: "toolUse",
      },
    })),
  ],
};

test.each(Object.keys(sessions))(
  "a session of thousands of open calls is a few records: %s",
  async (agent) => {
    const records = sessions[agent]?.(3_000) ?? [];
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
    const { shrunk: small } = await shrunk(text, {}, 3);
    expect(small?.before.subject.rule).toBe("unanswered-tool-call");
    expect(small?.written.bytes.length).toBeLessThan(2_000);
  },
);

describe("a finding that says how large a log is", () => {
  test("is not what a log is shrunk for, if there is another", async () => {
    const { shrunk: small } = await shrunk(halves(5_500));
    expect(small?.before.subject.rule).toBe("invalid-request");
  });

  test.each<[string, Choice]>([
    [halves(5_500, "hi"), {}],
    [halves(5_500), { rules: ["unreadable-record"] }],
  ])("is in no smaller log", async (text, choice) => {
    await expect(shrunk(text, choice)).rejects.toThrow(Unshrinkable);
    await expect(shrunk(text, choice)).rejects.toThrow("split it");
  });
});

test("a finding that stands for others is not shrunk", async () => {
  const calls = Array.from({ length: 1_500 }, (_, index) => ({
    id: `c${index}`,
    type: "function",
    function: { name: "ls", arguments: "{" },
  }));
  const messages = [
    { role: "user", content: "hi" },
    { role: "assistant", content: null, tool_calls: calls },
    ...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "ok" })),
  ];
  const text = JSON.stringify({ model: "gpt-5", messages });
  const { result } = await shrunk(text);
  const rest = result.report.findings.find(({ data }) => data["unlisted"] !== undefined);
  await expect(shrunk(text, { finding: rest?.id ?? "" })).rejects.toThrow("others that are not listed");
});
