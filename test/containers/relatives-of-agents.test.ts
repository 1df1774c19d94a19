import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { answer, asked, city, document, lines, question, usual } from "./sessions.ts";
import { told } from "./stories.ts";

/** What programs write that were made from an agent, or that keep its records without some members. */

const written = JSON.stringify(city);

async function rules(log: string): Promise<string[]> {
  const { findings } = await check(Buffer.from(log));
  return findings.map(({ rule, severity }) => `${severity} ${rule}`);
}

describe("events of a program made from opencode", () => {
  const step = (part: object) => ({ type: "step_finish", part });
  const log = lines(
    { type: "step_start", sessionID: "s1", timestamp: 1 },
    { type: "reasoning", part: { type: "reasoning", text: "I need the forecast." } },
    {
      type: "tool_use",
      part: { type: "tool", tool: "weather", callID: "call_1", state: { input: city, output: "17 °C" } },
    },
    step({ tokens: { input: 10, output: 5 }, cost: 0.1 }),
    { type: "step_start", sessionID: "s1", timestamp: 2 },
    { type: "text", part: { type: "text", text: answer } },
    step({ tokens: { input: 20, output: 5 }, cost: 0.1 }),
  );

  test("need no ids of messages, no status of a tool, and no part in the first line", async () => {
    const { files, findings } = await check(Buffer.from(log));
    expect(files).toMatchObject([{ container: "opencode", conversations: 1, calls: 1 }]);
    expect(findings).toEqual([]);
    expect(await told(log)).toEqual([
      ' → reasoning, call weather {"city":"Bern"} ()',
      `reasoning, call weather {"city":"Bern"}, result 17 °C → assistant "${answer}" ()`,
    ]);
  });
});

describe("chats of Qwen Code without ids", () => {
  const said = (type: string, ...parts: object[]) => ({ type, message: { parts } });
  const call = { functionCall: { id: "c1", name: "weather", args: city } };
  const response = { functionResponse: { id: "c1", name: "weather", response: { output: "17 °C" } } };

  test("are one conversation, in their order", async () => {
    const log = lines(
      { sessionId: "q", version: "1.0.0", model: "qwen3-coder-plus" },
      said("user", { text: question }),
      said("assistant", call),
      said("tool_result", response),
      said("assistant", { text: answer }),
    );
    expect((await check(Buffer.from(log))).files).toMatchObject([
      { container: "qwen-code", conversations: 1, calls: 1 },
    ]);
    expect(await told(log)).toEqual([
      `${asked} → call weather {"city":"Bern"} ()`,
      `${asked}, call weather {"city":"Bern"}, result 17 °C → assistant "${answer}" ()`,
    ]);
  });
});

describe("messages of SWE-agent, one per line", () => {
  const messages = [
    { role: "user", content: question, message_type: "observation" },
    {
      role: "assistant",
      content: "",
      message_type: "action",
      tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: written } }],
    },
    { role: "tool", content: "17 °C", message_type: "observation", tool_call_ids: ["call_1"] },
    { role: "assistant", content: answer, message_type: "action" },
  ];

  test("name the calls of a result in a list", async () => {
    expect(await told(lines(...messages))).toEqual(usual);
    expect(await rules(lines(...messages))).toEqual([]);
  });

  test("and a call without a result is still reported", async () => {
    const [user, action, result, end] = messages as [object, object, object, object];
    const calls = [{ id: "call_2", type: "function", function: { name: "weather", arguments: "{}" } }];
    const open = { ...action, tool_calls: calls };
    expect(await rules(lines(user, action, result, open, end))).toEqual(["warning unanswered-tool-call"]);
  });
});

describe("steps of Antigravity's SDK", () => {
  const step = (index: number, source: string, type: string, more: object) => ({
    id: `step-${index}`,
    step_index: index,
    source,
    type,
    status: "DONE",
    content: "",
    thinking: "",
    tool_calls: [],
    ...more,
  });

  test("hold the model's words and calls; its tools leave no results", async () => {
    const log = lines(
      step(0, "SYSTEM", "SYSTEM_MESSAGE", { content: "Be brief." }),
      step(1, "USER", "TEXT_RESPONSE", { content: question }),
      step(2, "MODEL", "THINKING", { thinking: "I need the forecast." }),
      step(3, "MODEL", "TOOL_CALL", { tool_calls: [{ id: "call-3", name: "weather", args: city }] }),
      step(4, "MODEL", "TEXT_RESPONSE", { content: answer }),
    );
    expect(await told(log)).toEqual([
      `user "Be brief.", ${asked} → reasoning, call weather {"city":"Bern"}, assistant "${answer}" ()`,
    ]);
    expect(await rules(log)).toEqual([]);
  });
});

describe("events of OpenHands before version 1", () => {
  const events = [
    { id: 0, timestamp: "1", source: "user", action: "message", args: { content: question } },
    {
      id: 1,
      timestamp: "2",
      source: "agent",
      action: "run",
      args: { command: "weather Bern" },
      tool_call_metadata: { function_name: "weather", tool_call_id: "call_1", model_response: { id: "r1" } },
    },
    {
      id: 2,
      timestamp: "3",
      source: "agent",
      observation: "run",
      content: "17 °C",
      cause: 1,
      extras: {},
      tool_call_metadata: { function_name: "weather", tool_call_id: "call_1" },
    },
  ];

  test("are read as the server's answer has them, under `trajectory`", async () => {
    expect((await check(Buffer.from(document({ trajectory: events })))).files).toMatchObject([
      { container: "openhands-trajectory", calls: 1 },
    ]);
  });

  test("are read alone, as the program stores them in a file each", async () => {
    const { files, findings } = await check(Buffer.from(document(events[1] as object)));
    expect(files).toMatchObject([{ container: "openhands-trajectory", calls: 1 }]);
    expect(findings.every(({ severity }) => severity === "info")).toBe(true);
  });

  test("and an observation alone is no result without a call", async () => {
    const report = await check(Buffer.from(document(events[2] as object)));
    expect(report.findings.map(({ rule }) => rule)).not.toContain("orphaned-tool-result");
  });
});

describe("records of Claude Code as other programs keep them", () => {
  test("leave the type to the role of the message", async () => {
    const record = (uuid: string, role: string, content: unknown) => ({
      sessionId: "s1",
      uuid,
      cwd: "/work",
      message: { role, content },
    });
    const use = { type: "tool_use", id: "toolu_1", name: "weather", input: city };
    const log = lines(
      record("u1", "user", [{ type: "text", text: question }]),
      record("a1", "assistant", [use]),
      record("u2", "user", [{ type: "tool_result", tool_use_id: "toolu_1", content: "17 °C" }]),
      record("a2", "assistant", [{ type: "text", text: answer }]),
    );
    expect((await check(Buffer.from(log))).files).toMatchObject([
      { container: "claude-code", conversations: 1, calls: 1 },
    ]);
    expect(await told(log)).toEqual(usual);
  });
});

describe("events of opencode's server", () => {
  const part = { id: "p1", messageID: "m2", type: "tool", tool: "weather", callID: "call_1" };
  const running = { ...part, state: { status: "running", input: city } };
  const completed = { ...part, state: { status: "completed", input: city, output: "17 °C" } };

  test.each(["properties", "data"])(
    "have messages and parts under `%s`; the last one of each counts",
    async (key) => {
      const event = (type: string, more: object) => ({ type, [key]: { sessionID: "s1", ...more } });
      const log = lines(
        event("custom.server_ready", { url: "http://localhost:4096" }),
        event("session.created", { info: { title: "Weather" } }),
        event("message.updated", { info: { id: "m1", role: "user" } }),
        event("message.part.updated", { part: { id: "p0", messageID: "m1", type: "text", text: question } }),
        event("message.updated", { info: { id: "m2", role: "assistant" } }),
        event("message.part.updated", { part: running }),
        event("message.part.updated", { part: completed }),
      );
      const { files, findings } = await check(Buffer.from(log));
      expect(files).toMatchObject([{ container: "opencode", conversations: 1, calls: 1 }]);
      expect(findings).toEqual([]);
      expect((await told(log))[0]).toBe(`${asked} → call weather {"city":"Bern"} ()`);
    },
  );
});

describe("the messages of a session, as opencode's server lists them", () => {
  const message = (id: string, role: string, ...parts: object[]) => ({
    info: { id, sessionID: "ses_1", role },
    parts,
  });
  const quoted = 'Tool `weather` expects {"city": "Bern" "country": "CH"}';

  test("are a session, whose texts may quote broken JSON", async () => {
    const state = { status: "completed", input: city, output: quoted };
    const log = document([
      message("msg_1", "user", { type: "text", text: question }),
      message("msg_2", "assistant", { type: "tool", tool: "weather", callID: "c1", state }),
      message("msg_3", "assistant", { type: "text", text: answer }),
    ]);
    const { files, findings } = await check(Buffer.from(log));
    expect(files).toMatchObject([{ container: "opencode", conversations: 1, calls: 1 }]);
    expect(findings).toEqual([]);
    expect((await told(log))[0]).toBe(`${asked} → call weather {"city":"Bern"} ()`);
  });
});

describe("messages with calls in another spelling", () => {
  test("are no chat messages, so that their results are found", async () => {
    const log = lines(
      { message: { role: "user", content: question } },
      {
        message: {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "c1", function: { name: "weather", arguments: written } }],
        },
      },
      { message: { role: "tool", toolCallId: "c1", content: "17 °C" } },
      { message: { role: "assistant", content: answer } },
    );
    expect((await check(Buffer.from(log))).files).toMatchObject([{ conversations: 1, calls: 1 }]);
    expect(await told(log)).toEqual(usual);
  });
});

describe("event logs whose results have names of their own", () => {
  test("show the calls, and miss no results", async () => {
    const log = lines(
      { kind: "user_message", content: question },
      { kind: "agent_message", content: "Let me see." },
      { kind: "tool_call", tool_name: "weather", arguments: city },
      { kind: "command", command: "weather Bern", exit_code: 0, stdout: "17 °C" },
      { kind: "agent_message", content: answer },
    );
    expect((await check(Buffer.from(log))).files).toMatchObject([{ container: "events", calls: 1 }]);
    expect(await rules(log)).toEqual([]);
  });
});

describe("records in which a tool speaks the results of Anthropic's form", () => {
  const call = { type: "tool_use", id: "toolu_1", name: "weather", input: city };
  const give = { type: "tool_result", tool_use_id: "toolu_1", content: "17 °C" };
  const record = (role: string, ...content: object[]): object => ({ role, message: { content } });
  const said = (results: object[]): string =>
    lines(
      record("user", { type: "text", text: question }),
      record("assistant", call),
      ...results,
      record("assistant", { type: "text", text: answer }),
    );

  test("answer the calls", async () => {
    expect(await told(said([record("tool", give)]))).toEqual(usual);
    expect(await rules(said([record("tool", give)]))).toEqual([]);
    expect(await rules(said([]))).toEqual(["warning unanswered-tool-call"]);
  });
});

describe("the events of Kimi CLI", () => {
  const fn = { name: "weather", arguments: written };
  const ask = { type: "TurnBegin", payload: { user_input: [{ type: "text", text: question }] } };
  const rest = [
    { type: "StepBegin", payload: { n: 1 } },
    { type: "ToolCall", payload: { type: "function", id: "tool_1", function: fn } },
    { type: "ToolResult", payload: { tool_call_id: "tool_1", return_value: { output: "17 °C" } } },
    { type: "StepBegin", payload: { n: 2 } },
    { type: "ContentPart", payload: { type: "text", text: answer } },
  ];

  test("are read as wire mode prints them, between its own messages", async () => {
    const printed = [ask, ...rest].map((params) => ({ jsonrpc: "2.0", method: "event", params }));
    const log = lines(...printed, { jsonrpc: "2.0", id: "1", result: { status: "finished" } });
    expect(await told(log)).toEqual(usual);
  });

  test("of a sub-agent are a conversation of their own", async () => {
    const own = [ask, ...rest].map((message) => ({ timestamp: 1, message }));
    const inside = [ask, ...rest].map((event) => ({
      timestamp: 1,
      message: { type: "SubagentEvent", payload: { parent_tool_call_id: "tool_1", event } },
    }));
    const log = lines(...own.slice(0, 3), ...inside, ...own.slice(3));
    expect(await told(log)).toEqual([...usual, ...usual]);
    expect(await rules(log)).toEqual([]);
  });

  test("without a result leave a call unanswered, where others have one", async () => {
    const other = { type: "ToolCall", payload: { type: "function", id: "tool_2", function: fn } };
    const log = lines(...[ask, ...rest, other, ...rest.slice(3)].map((message) => ({ message })));
    expect(await rules(log)).toEqual(["warning unanswered-tool-call"]);
  });
});
