import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { containers } from "../../src/containers/index.ts";
import { sessionHeadOf } from "../../src/containers/sessions/head.ts";
import type { SessionFormat } from "../../src/containers/sessions/session.ts";
import { stitch } from "../../src/conversation/stitch/stitch.ts";
import { check } from "../../src/index.ts";
import type { Origin } from "../../src/reading/origin.ts";
import { answer, asked, city, document, lines, question, stories, usual } from "./sessions.ts";
import { open, spot, told, toldOf } from "./stories.ts";

describe("a session file", () => {
  test.each(Object.entries(stories))("of %s is read as what was said", async (name, story) => {
    const file = await open(story.log);
    expect([file.container, file.kind]).toEqual([name, "transcript"]);
    expect(await told(story.log)).toEqual(story.told);
    expect(file.skipped.map(({ reason }) => reason)).toEqual(story.skipped ?? []);
    expect(file.defects).toEqual([]);
  });

  const inLines = Object.entries(stories).filter(([, { log }]) => /^\{.*\}\n\{/.test(log));
  test.each(inLines)("of %s names a line that is no JSON", async (_, { log }) => {
    const records = log.trimEnd().split("\n");
    for (const [index, record] of records.entries()) {
      const broken = records.with(index, record.replace(/,|\}/, " * $&"));
      const { files, findings } = await check(Buffer.from(broken.join("\n")));
      const places = findings
        .filter(({ rule }) => rule === "unreadable-record")
        .map(({ location }) => location.line);
      // Where too little is left to be a session, the whole file is not understood.
      expect(places, record).toEqual(files.length > 0 ? [index + 1] : [1]);
    }
  });

  test.each(inLines)("of %s: a record alone is read over several lines as on one", async (_, { log }) => {
    for (const record of log.trimEnd().split("\n")) {
      const seen = async (text: string) => {
        const { files, findings } = await check(Buffer.from(text));
        return [
          files.map(({ container, calls }) => [container, calls]),
          findings.map(({ message }) => message),
        ];
      };
      expect(await seen(document(JSON.parse(record))), record).toEqual(await seen(record));
    }
  });

  const masked = inLines.flatMap(([name, story]) =>
    [" \\***@***.*** ", " \t"].map((mask) => {
      const log = story.log.replaceAll(/ (?=17 °C)/g, mask);
      return [name, mask, log, story] as const;
    }),
  );
  test.each(masked.filter(([name, , log, story]) => log !== story.log && !/crush|cursor-db/.test(name)))(
    "of %s reads a line that is no JSON only in a text (%j)",
    async (_name, _mask, log, story) => {
      const { findings, files } = await check(Buffer.from(log));
      expect(files[0]?.calls).toBe((await check(Buffer.from(story.log))).files[0]?.calls);
      expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
      expect(findings.map(({ rule, kind }) => `${rule}/${kind}`)).toContain("unreadable-record/lax");
    },
  );

  test.each(inLines.filter(([name]) => !/crush|cursor-db/.test(name)))(
    "of %s names the end of a record that it begins with",
    async (_, { log }) => {
      const first = log.indexOf("\n");
      for (const at of [1, 3, Math.floor(first / 2), first - 1]) {
        const { files, findings } = await check(Buffer.from(log.slice(at)));
        const found = findings.filter(({ rule }) => rule === "unreadable-record");
        const told = [...found.map(({ location }) => location), ...files.flatMap(({ skipped }) => skipped)];
        expect(
          told.map(({ line }) => line),
          log.slice(at, first),
        ).toContain(1);
      }
    },
  );

  describe.each(inLines.filter(([name]) => !/crush|cursor-db/.test(name)))("of %s", (name, story) => {
    const indented = story.log
      .trimEnd()
      .split("\n")
      .map((record) => JSON.stringify(JSON.parse(record), null, 2));
    test.each([
      ["as jq prints it", indented.join("\n")],
      ["with blank lines", indented.join("\n\n")],
      ["copied out of a list", indented.join(",\n")],
      ["with the bracket of its list", `${indented.join(",\n")}\n]`],
    ])("is read the same with records over several lines, %s", async (_, log) => {
      const file = await open(log);
      expect([file.container, file.defects]).toEqual([name, []]);
      expect(await told(log)).toEqual(story.told);
    });

    test.each(["", "\n"])("takes a last record that is cut for unfinished, before %j", async (end) => {
      const file = await open(`${story.log.trimEnd().slice(0, -8)}${end}`);
      expect(file.defects.map(({ kind }) => kind)).toEqual(["unfinished"]);
    });

    test("names the end of a record over several lines", async () => {
      const file = await open(indented.join(",\n").slice(0, -8));
      expect(file.defects.map(({ message }) => message)).toEqual(["the record ends in the middle"]);
    });
  });

  // A text log reads the other ones' messages as a request.
  const areItems = /^(?:strands|cline|amp|hermes)$/;
  const inDocuments = Object.entries(stories).filter(
    ([name, { log }]) => /^[[{]\n/.test(log) && !areItems.test(name),
  );
  test.each(inDocuments)("of %s is read between words", async (name, { log, told: said }) => {
    for (const [before, after] of [
      ["x", ""],
      ["trajectory = ", "\n"],
      ["The agent ran:\n", "\n\nIt took 3 s.\n"],
    ]) {
      const text = `${before}${log.trimEnd()}${after}`;
      const file = await open(text);
      expect([file.container, file.kind], before).toEqual([name, "transcript"]);
      expect(await told(text)).toEqual(said);
    }
  });

  test("that two formats recognise goes to the one of higher priority", async () => {
    const folder = path.join(import.meta.dirname, "../../src/containers/sessions/agents");
    const modules = readdirSync(folder).map(
      async (file): Promise<{ format?: SessionFormat }> => import(path.join(folder, file)),
    );
    const formats = (await Promise.all(modules)).flatMap(({ format }) => format ?? []);
    for (const [name, { log }] of Object.entries(stories)) {
      const fitting = formats.filter(({ recognize }) => recognize(sessionHeadOf(Buffer.from(log))));
      const others = fitting.filter((format) => format.name !== name);
      const { priority = 0 } = fitting.find((format) => format.name === name) as SessionFormat;
      expect(
        others.filter((other) => (other.priority ?? 0) >= priority),
        name,
      ).toEqual([]);
    }
  });

  test("of every kind that is listed has its story", () => {
    const listed = containers.filter(({ kind }) => kind === "transcript").map(({ name }) => name);
    expect([...Object.keys(stories), "claude-code"].sort()).toEqual(listed.sort());
  });
});

/** How the steps of the conversations came about, in order. */
async function relations(log: string): Promise<string[]> {
  const { exchanges } = await open(log);
  const conversations = stitch(exchanges, { isComplete: false, file: "run", kind: "transcript" });
  return conversations.map(({ steps }) => steps.map(({ relation }) => relation).join(" "));
}

describe("messages of zeroclaw", () => {
  const packed = (id: string): string =>
    [
      { role: "user", content: "Where is order 4711?" },
      {
        role: "assistant",
        content: JSON.stringify({
          content: "I look.",
          tool_calls: [{ id: "call_1", name: "find_order", arguments: '{"number":"4711"}' }],
        }),
      },
      { role: "tool", content: JSON.stringify({ content: "shipped", tool_call_id: id }) },
      { role: "assistant", content: "Shipped." },
    ]
      .map((message) => `${JSON.stringify(message)}\n`)
      .join("");

  test("have their calls and results in their content", async () => {
    expect(await told(packed("call_1"))).toEqual([
      'user "Where is order 4711?" → assistant "I look.", call find_order {"number":"4711"} ()',
      'user "Where is order 4711?", assistant "I look.", call find_order {"number":"4711"}, result shipped → assistant "Shipped." ()',
    ]);
    expect((await check(packed("call_1"))).findings).toEqual([]);
  });

  test("are not what a model writes as text", async () => {
    const { exchanges } = await open(packed("").replace(',\\"tool_call_id\\":\\"\\"', ""));
    expect(exchanges.map(({ protocol }) => protocol)).toEqual(["openai-chat", "openai-chat"]);
  });
});

describe("a saved run of the OpenAI Agents SDK for JavaScript", () => {
  test("has the SDK's own items", async () => {
    const log = document({
      $schemaVersion: "1.1",
      originalInput: [{ role: "user", content: question }],
      generatedItems: [
        {
          type: "tool_call_item",
          rawItem: {
            type: "function_call",
            callId: "call_1",
            name: "weather",
            arguments: JSON.stringify(city),
          },
        },
        {
          type: "tool_call_output_item",
          rawItem: {
            type: "function_call_result",
            callId: "call_1",
            name: "weather",
            output: { type: "text", text: "17 °C" },
          },
        },
        {
          type: "message_output_item",
          rawItem: { role: "assistant", content: [{ type: "output_text", text: answer }] },
        },
      ],
    });
    expect(await told(log)).toEqual(usual);
  });
});

describe("a session that was not a straight line", () => {
  test("a rollout of Codex is compacted, rolled back and aborted", async () => {
    const say = (role: string, text: string): object => ({
      type: "response_item",
      payload: { type: "message", role, content: [{ type: "input_text", text }] },
    });
    const log = lines(
      { type: "session_meta", payload: { id: "r1", cwd: "/home/ada" } },
      say("user", question),
      say("assistant", answer),
      say("user", "And in Basel?"),
      say("assistant", "18 °C."),
      { type: "event_msg", payload: { type: "thread_rolled_back", num_turns: 1 } },
      say("user", "And in Thun?"),
      say("assistant", "16 °C."),
      {
        type: "compacted",
        payload: {
          message: "",
          replacement_history: [(say("user", question) as { payload: object }).payload],
        },
      },
      say("user", "And in Chur?"),
      { type: "event_msg", payload: { type: "turn_aborted", reason: "interrupted" } },
      say("assistant", "Let me"),
    );
    expect(await relations(log)).toEqual(["start continuation branch compaction"]);
    const { exchanges } = await open(log);
    expect(exchanges.map(({ isAborted }) => isAborted)).toEqual([false, false, false, true]);
    expect(await told(log)).toEqual([
      `${asked} → assistant "${answer}" ()`,
      `${asked}, assistant "${answer}", user "And in Basel?" → assistant "18 °C." ()`,
      `${asked}, assistant "${answer}", user "And in Thun?" → assistant "16 °C." ()`,
      `${asked}, user "And in Chur?" → assistant "Let me" ()`,
    ]);
  });

  test("an old rollout of Codex has its items bare, between records of its state", async () => {
    const log = lines(
      { id: "r0", timestamp: "2025-06-01T09:00:00Z", instructions: null, git: {} },
      { record_type: "state" },
      { type: "message", role: "user", content: [{ type: "input_text", text: question }] },
      { type: "function_call", name: "weather", arguments: JSON.stringify(city), call_id: "call_1" },
      { record_type: "state" },
      { type: "function_call_output", call_id: "call_1", output: "17 °C" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: answer }] },
    );
    expect(await told(log)).toEqual(usual);
  });

  test("a chat of Gemini CLI is written line by line, mended, and rewound", async () => {
    const log = lines(
      { sessionId: "g1", projectHash: "0b7d", kind: "main" },
      { id: "m1", type: "user", content: [{ text: question }] },
      { id: "m2", type: "gemini", content: "It" },
      { id: "m2", type: "gemini", content: answer },
      { id: "m3", type: "user", content: "And in Basel?" },
      { id: "m4", type: "gemini", content: "18 °C." },
      { $rewindTo: "m3" },
      { id: "m5", type: "user", content: "And in Thun?" },
      { id: "m6", type: "gemini", content: "16 °C." },
    );
    expect(await relations(log)).toEqual(["start continuation branch"]);
    expect((await told(log)).at(-1)).toBe(
      `${asked}, assistant "${answer}", user "And in Thun?" → assistant "16 °C." ()`,
    );
  });

  test("what comes in pieces through the Agent Client Protocol is one text, and its place is the first of them", async () => {
    const update = (sessionUpdate: string, text: string): object => ({
      dir: "in",
      msg: {
        method: "session/update",
        params: { update: { sessionUpdate, content: { type: "text", text } } },
      },
    });
    const log = lines(
      {
        dir: "out",
        msg: { id: 1, method: "session/prompt", params: { prompt: [{ type: "text", text: question }] } },
      },
      update("agent_thought_chunk", "Bern, "),
      update("agent_thought_chunk", "then."),
      update("agent_message_chunk", answer.slice(0, 5)),
      update("agent_message_chunk", answer.slice(5)),
      { dir: "in", msg: { id: 1, result: { stopReason: "cancelled" } } },
    );
    const { exchanges } = await open(log);
    expect(exchanges.map(toldOf)).toEqual([`${asked} → reasoning, assistant "${answer}" ()`]);
    expect(exchanges.map(({ isAborted }) => isAborted)).toEqual([true]);
    const [reasoning, said] = exchanges[0]?.reply?.items ?? [];
    expect(reasoning?.kind === "reasoning" && reasoning.text).toBe("Bern, then.");
    const reply = exchanges[0]?.reply;
    expect(spot(reply?.place.locate(said?.pointer ?? "") as Origin)).toContain('4:1 {"dir":"in"');
  });

  test("an old chat of Gemini CLI has no hash of its project, and no ids", async () => {
    const log = document({
      sessionId: "g1",
      startTime: "2025-07-01T09:00:00Z",
      messages: [
        { type: "user", content: question },
        { type: "model", content: [{ type: "text", text: answer }] },
        { type: "user", content: "And in Basel?" },
        { type: "model", content: [{ type: "text", text: "18 °C." }] },
      ],
    });
    expect((await open(log)).container).toBe("gemini-cli");
    expect(await told(log)).toEqual([
      `${asked} → assistant "${answer}" ()`,
      `${asked}, assistant "${answer}", user "And in Basel?" → assistant "18 °C." ()`,
    ]);
  });

  test("a clone of Codex writes down how its history changes", async () => {
    const item = (role: string, text: string): object => ({
      type: "message",
      role,
      content: [{ type: role === "user" ? "input_text" : "output_text", text }],
    });
    const log = lines(
      { type: "session_meta", payload: { id: "r1", cwd: "/home/ada", model_provider: "trae" } },
      {
        type: "history_mutation",
        payload: {
          operation: "append",
          items: [
            item("user", question),
            { type: "function_call", name: "weather", arguments: JSON.stringify(city), call_id: "call_1" },
            { type: "trae_extra_info", extra_info: {} },
            { type: "function_call_output", call_id: "call_1", output: "17 °C" },
          ],
        },
      },
      { type: "history_mutation", payload: { operation: "append", items: [item("assistant", answer)] } },
    );
    expect(await told(log)).toEqual(usual);
  });

  test("records that share a line, because their writers did not wait for each other, are all read", async () => {
    const record = (id: string, parent: string | null, type: string, role: string, text: string): string =>
      JSON.stringify({
        uuid: id,
        parentUuid: parent,
        sessionId: "q1",
        type,
        message: { role, parts: [{ text }] },
      });
    const first = record("a", null, "user", "user", question);
    const second = record("b", "a", "assistant", "model", answer);
    const file = await open(`${first}${second}\n${first.slice(0, 40)}`);
    expect(file.container).toBe("qwen-code");
    expect(file.exchanges.map(toldOf)).toEqual([`${asked} → assistant "${answer}" ()`]);
    expect(file.defects.map(({ kind, message }) => [kind, message])).toEqual([
      ["unfinished", "the record ends in the middle"],
    ]);
  });

  test("a checkpoint of Antigravity stands for what was before, and the system speaks beside the tools", async () => {
    const step = (index: number, source: string, type: string, more: object): object => ({
      step_index: index,
      source,
      type,
      ...more,
    });
    const log = lines(
      step(0, "USER_EXPLICIT", "USER_INPUT", { content: question }),
      step(1, "MODEL", "PLANNER_RESPONSE", { content: answer }),
      step(2, "SYSTEM", "CHECKPOINT", { content: "It was about Bern." }),
      step(3, "SYSTEM", "SYSTEM_MESSAGE", { content: "Mind the units." }),
      step(4, "MODEL", "PLANNER_RESPONSE", { content: "I do." }),
    );
    expect(await relations(log)).toEqual(["start compaction"]);
    expect((await told(log)).at(-1)).toBe('compaction, user "Mind the units." → assistant "I do." ()');
  });

  test("steps of Antigravity belong to the calls only where they are as many", async () => {
    const log = (steps: number): string =>
      lines(
        { step_index: 0, source: "USER_EXPLICIT", type: "USER_INPUT", content: question },
        {
          step_index: 1,
          source: "MODEL",
          type: "PLANNER_RESPONSE",
          tool_calls: [{ name: "weather", args: city }],
        },
        ...Array.from({ length: steps }, (_, index) => ({
          step_index: 2 + index,
          source: "MODEL",
          type: "RUN_COMMAND",
          content: "17 °C",
        })),
        { step_index: 9, source: "MODEL", type: "PLANNER_RESPONSE", content: answer },
      );
    const areHosted = async (steps: number): Promise<unknown[]> => {
      const { exchanges } = await open(log(steps));
      return (exchanges[0]?.reply?.items ?? []).map((item) => item.kind === "call" && item.isHosted);
    };
    expect(await areHosted(1)).toEqual([false]);
    expect(await areHosted(2)).toEqual([true]);
  });

  test.each([
    [
      "of the AI SDK",
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "call_1", toolName: "weather", input: city }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "call_1",
            toolName: "weather",
            output: { type: "text", value: "17 °C" },
          },
        ],
      },
    ],
    [
      "of AgentScope",
      { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "weather", input: city }] },
      {
        role: "system",
        content: [
          { type: "tool_result", id: "call_1", name: "weather", output: [{ type: "text", text: "17 °C" }] },
        ],
      },
    ],
    [
      "with flat calls",
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "call_1", name: "weather", arguments: JSON.stringify(city) }],
      },
      { role: "tool", content: "17 °C", tool_call_id: "call_1" },
    ],
  ])(
    "messages a line may be in the words %s, with a head and marks between them",
    async (_, call, result) => {
      const log = lines(
        { id: "z1", createdAt: "2026-01-05T09:00:00Z", version: "1" },
        { role: "user", content: question },
        { role: "permission", data: { allowed: true } },
        call,
        result,
        { role: "assistant", content: [{ type: "text", text: answer }] },
        { role: "finish", reason: "endTurn" },
      );
      const file = await open(log);
      expect(file.container).toBe("messages");
      expect(file.exchanges.map(toldOf)).toEqual(usual);
      expect(file.skipped.map(({ reason, count }) => [reason, count])).toEqual([
        ["a record that is not a message", 3],
      ]);
    },
  );

  test("events may lie under their own names, and say twice that a tool is called and done", async () => {
    const log = lines(
      { type: "session.start", session_start: {} },
      { type: "session.input", session_input: { prompt: question } },
      { type: "thought.end", thought_end: { thought: "Look it up." } },
      { type: "tool_call.parsed", tool_call_parsed: { id: "call_1", name: "weather", args: city } },
      { type: "tool_call.start", tool_call_start: { id: "call_1", name: "weather" } },
      {
        type: "tool_call.result",
        tool_call_result: { id: "call_1", tool_name: "weather", observation: "17 °C" },
      },
      { type: "tool_call.end", tool_call_end: { id: "call_1" } },
      { type: "assistant_message.end", assistant_message_end: { assistant_message: answer } },
    );
    const file = await open(log);
    expect(file.container).toBe("events");
    expect(file.exchanges.map(toldOf)).toEqual([
      `${asked} → reasoning, call weather {"city":"Bern"} ()`,
      `${asked}, reasoning, call weather {"city":"Bern"}, result 17 °C → assistant "${answer}" ()`,
    ]);
    expect(file.skipped.map(({ reason }) => reason)).toEqual([
      "an event that is not a message, call or result",
      "a repeat of an earlier record",
    ]);
  });

  test("events may say inside whose they are", async () => {
    const log = lines(
      { kind: "message", author: { role: "human" }, content: { text: question } },
      { kind: "tool-call", function: { name: "weather" }, parameters: city },
      { event_type: "tool_result", toolName: "weather", message: { content: "17 °C" } },
      { event_type: "message", message: { role: "assistant", content: [{ text: { value: answer } }] } },
    );
    expect((await open(log)).container).toBe("events");
    expect(await told(log)).toEqual(usual);
  });

  test("a session of the DeepSeek harness is compacted: a summary takes the place of what it names", async () => {
    const event = (seq: number, type: string, text: string, surfaceOp: unknown = "append"): object => ({
      type,
      seq,
      data: { message: { id: `m${seq}`, content: [{ type: "text", text }] } },
      surfaceOp,
    });
    const log = lines(
      event(1, "user/message", question),
      event(2, "assistant/message", answer),
      event(3, "user/message", "And in Basel?"),
      event(4, "user/message", "It was warm.", { op: "replace", startSeq: 1, endSeq: 2 }),
      event(5, "assistant/message", "18 °C."),
    );
    expect(await relations(log)).toEqual(["start continuation compaction"]);
    expect((await told(log)).at(-1)).toBe(
      'user "It was warm.", user "And in Basel?" → assistant "18 °C." ()',
    );
  });

  test("a session of pi is compacted: what is kept is not said again", async () => {
    const message = (id: string, parentId: string | null, role: string, text: string): object => ({
      type: "message",
      id,
      parentId,
      message: {
        role,
        content: [{ type: "text", text }],
        ...(role === "assistant" && { stopReason: "stop" }),
      },
    });
    const log = lines(
      { type: "session", version: 3, id: "p1", cwd: "/home/ada" },
      message("a", null, "user", question),
      message("b", "a", "assistant", answer),
      message("c", "b", "user", "And in Basel?"),
      message("d", "c", "assistant", "18 °C."),
      { type: "compaction", id: "e", parentId: "d", summary: "It was warm.", firstKeptEntryId: "c" },
      message("f", "e", "user", "And in Thun?"),
      message("g", "f", "assistant", "16 °C."),
    );
    expect(await relations(log)).toEqual(["start continuation compaction"]);
    expect((await told(log)).at(-1)).toBe(
      'compaction, user "And in Basel?", assistant "18 °C.", user "And in Thun?" → assistant "16 °C." (stop)',
    );
  });

  test("a session of pi goes on from its last record, past words that were given up", async () => {
    const message = (id: string, parentId: string | null, body: object): object => ({
      type: "message",
      id,
      parentId,
      message: body,
    });
    const log = lines(
      { type: "session", version: 3, id: "p1", cwd: "/home/ada" },
      message("a", null, { role: "user", content: [{ type: "text", text: question }] }),
      message("b", "a", {
        role: "assistant",
        content: [{ type: "toolCall", id: "call_1", name: "weather", arguments: { city: "Bern" } }],
        stopReason: "toolUse",
      }),
      message("c", "b", { role: "user", content: [{ type: "text", text: "Never mind" }] }),
      message("d", "b", { role: "toolResult", toolCallId: "call_1", toolName: "weather", content: "18" }),
    );
    expect(await relations(log)).toEqual(["start continuation branch"]);
    const { findings } = await check(log);
    expect(findings).toEqual([]);
  });

  test("a reply of pi may be aborted, or fail", async () => {
    const log = lines(
      { type: "session", id: "p1", cwd: "/home/ada" },
      { type: "message", message: { role: "user", content: question } },
      { type: "message", message: { role: "assistant", stopReason: "aborted", content: [] } },
      { type: "message", message: { role: "user", content: question } },
      {
        type: "message",
        message: { role: "assistant", stopReason: "error", errorMessage: "overloaded", content: [] },
      },
    );
    const { exchanges } = await open(log);
    expect(exchanges.map(({ isAborted, reply }) => [isAborted, reply?.error?.message])).toEqual([
      [true, undefined],
      [false, "overloaded"],
    ]);
  });

  test("a sub-agent of Copilot's has a conversation of its own", async () => {
    const log = lines(
      { type: "user.message", id: "1", data: { content: question } },
      {
        type: "assistant.message",
        id: "2",
        data: {
          messageId: "m1",
          content: "",
          toolRequests: [{ toolCallId: "c1", name: "task", arguments: {} }],
        },
      },
      {
        type: "assistant.message",
        id: "3",
        data: { messageId: "m2", content: answer, toolRequests: [], parentToolCallId: "c1" },
      },
      {
        type: "tool.execution_complete",
        id: "4",
        data: { toolCallId: "c1", success: true, result: { content: answer } },
      },
      { type: "assistant.message", id: "5", data: { messageId: "m3", content: answer, toolRequests: [] } },
    );
    expect(await relations(log)).toEqual(["start continuation", "start"]);
  });

  test("Roo condenses: the summary takes the place of what stays in the file", async () => {
    const log = document([
      { role: "user", ts: 1, content: question },
      { role: "assistant", ts: 2, content: answer },
      { role: "assistant", ts: 3, content: "It was warm.", isSummary: true },
      { role: "user", ts: 4, content: "And in Basel?" },
      { role: "assistant", ts: 5, content: "18 °C." },
    ] as never);
    expect((await relations(log))[0]).toMatch(/^start compaction/);
  });
});

test("a chat of VS Code is read as it grew: as it began, then what was added and set", async () => {
  const log = lines(
    { kind: 0, v: { sessionId: "s1", requests: [] } },
    { kind: 2, k: ["requests"], v: [{ message: { text: question }, response: [] }] },
    { kind: 1, k: ["inputState"], v: {} },
    {
      kind: 1,
      k: ["requests", 0, "result"],
      v: { metadata: { toolCallRounds: [{ id: "r1", response: answer, toolCalls: [] }] } },
    },
  );
  expect(await told(log)).toEqual([`${asked} → assistant "${answer}" ()`]);
});

test("what VS Code did not keep of a call's result is no call without one, unless the chat ends there", async () => {
  const rounds = [
    {
      id: "r1",
      thinking: { text: "Two towns." },
      response: "",
      toolCalls: [{ name: "weather", arguments: "{}" }],
    },
    { id: "r2", response: "And Basel.", toolCalls: [{ id: "call_2", name: "weather", arguments: "{}" }] },
  ];
  const log = document({
    requesterUsername: "ada",
    requests: [
      { message: { text: question }, response: [], result: { metadata: { toolCallRounds: rounds } } },
      { message: { text: "And now?" }, response: [{ value: "It is dark." }] },
    ],
  });
  const { exchanges } = await open(log);
  const calls = exchanges.flatMap(({ reply }) => reply?.items ?? []).filter((item) => item.kind === "call");
  expect(calls.map(({ isHosted }) => isHosted)).toEqual([true, false]);
  expect((await told(log)).at(-1)).toMatch(/user "And now\?" → assistant "It is dark\."/);
});

test("what `opencode run --format json` prints is read as the session that it is of", async () => {
  const part = (messageID: string, rest: object) => ({
    sessionID: "ses_1",
    type: "x",
    part: { messageID, ...rest },
  });
  const log = lines(
    part("msg_1", { type: "step-start" }),
    part("msg_1", {
      type: "tool",
      tool: "weather",
      callID: "call_1",
      state: { status: "completed", input: city, output: "17 °C" },
    }),
    part("msg_1", { type: "step-finish", reason: "tool-calls" }),
    part("msg_2", { type: "text", text: answer }),
  );
  expect(await told(log)).toEqual([
    ' → call weather {"city":"Bern"} (tool-calls)',
    `call weather {"city":"Bern"}, result 17 °C → assistant "${answer}" ()`,
  ]);
});

test("an older trajectory of OpenHands without tools pairs what was done with what came of it by its number", async () => {
  const log = document([
    { id: 1, source: "user", action: "message", args: { content: question } },
    { id: 2, source: "agent", action: "run", args: { command: "curl wttr.in/Bern", thought: "I ask." } },
    { id: 3, source: "agent", cause: 2, observation: "run", content: "17 °C", extras: {} },
    { id: 4, source: "agent", action: "message", args: { content: answer } },
  ] as never);
  expect((await told(log))[1]).toBe(
    `${asked}, assistant "I ask.", call run {"command":"curl wttr.in/Bern","thought":"I ask."}, result 17 °C → assistant "${answer}" ()`,
  );
});

describe("a session of a managed agent", () => {
  const sent = { type: "user.message", content: [{ type: "text", text: question }] };
  const run = [
    { ...sent, id: "e1" },
    { type: "agent.custom_tool_use", id: "e2", name: "weather", input: city },
    {
      type: "user.custom_tool_result",
      id: "e3",
      custom_tool_use_id: "e2",
      content: [{ type: "text", text: "17 °C" }],
    },
    { type: "agent.message", id: "e4", content: [{ type: "text", text: answer }] },
  ];

  test.each<[string, string]>([
    ["as its API lists the events", document({ data: run, has_more: false })],
    ["with what the client sent", lines(sent, ...run)],
    ["with a stream that was opened again", lines(...run.slice(0, 3), ...run.slice(1))],
    [
      "with the name of a method before each event",
      run.map((one) => `${JSON.stringify(["stream", one])}\n`).join(""),
    ],
    [
      "as server-sent events",
      run.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join(""),
    ],
  ])("is read %s", async (_, log) => {
    expect(await told(log)).toEqual(usual);
    expect((await check(Buffer.from(log))).findings).toEqual([]);
  });

  test("may have a call that waits for leave, and was refused", async () => {
    const log = lines(
      ...run.slice(0, 1),
      { type: "agent.mcp_tool_use", id: "e2", name: "weather", input: city, evaluated_permission: "ask" },
      { type: "user.tool_confirmation", id: "e3", tool_use_id: "e2", result: "deny" },
      {
        type: "agent.mcp_tool_result",
        id: "e4",
        mcp_tool_use_id: "e2",
        is_error: true,
        content: [{ type: "text", text: "rejected" }],
      },
    );
    expect((await told(log)).at(-1)).toContain("result rejected");
    expect((await check(Buffer.from(log))).findings).toEqual([]);
  });

  test("is not seen in lists that hold several records on a line", async () => {
    const log = `${JSON.stringify(["stream", run[1], run[2]])}\n${JSON.stringify([run[0], run[3]])}\n`;
    expect((await open(log)).container).not.toBe("claude-managed");
  });
});

describe("rows of results", () => {
  const eventsOf = (name: string): object[] => {
    const log = stories[name]?.log ?? "";
    return log.startsWith("[")
      ? JSON.parse(log)
      : log
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line));
  };

  test.each(["openhands-trajectory", "claude-managed", "events"])(
    "may hold the sessions that led to them: %s",
    async (name) => {
      const row = (id: string): object => ({ id, passed: true, history: eventsOf(name), cost: { usd: 0.1 } });
      const log = lines(row("shop-1"), row("shop-2"));
      expect((await open(log)).container).toBe(name);
      expect(await told(log)).toEqual([...usual, ...usual]);
      expect((await check(Buffer.from(log))).findings).toEqual([]);
    },
  );

  test("name the line of the session", async () => {
    const again = (id: number): object[] => [
      { id, source: "agent", action: "run", args: { command: "make" } },
      { id: id + 1, source: "agent", cause: id, observation: "run", content: "no rule", extras: {} },
    ];
    const asks = { id: 0, source: "user", action: "message", args: { content: question } };
    const row = { id: "shop-2", history: [asks, ...again(1), ...again(3), ...again(5)] };
    const log = lines({ id: "shop-1", history: eventsOf("openhands-trajectory") }, row);
    const { findings } = await check(Buffer.from(log));
    expect(findings.map(({ rule, location }) => [rule, location.line])).toEqual([["repeated-call", 2]]);
  });
});

describe("a home-made log of events", () => {
  const call = { type: "tool_call", name: "weather", args: city };
  const result = { type: "tool_result", name: "weather", result: "17 °C" };
  test.each([
    [
      "with names beside what they tell",
      [{ type: "user", text: question }, call, result, { type: "assistant", text: answer }],
    ],
    [
      "in the words of functions",
      [
        { role: "user", message: question },
        { type: "function_call", function: { name: "weather" }, arguments: city },
        { type: "function_result", name: "weather", result: "17 °C" },
        { role: "assistant", content: answer },
      ],
    ],
    [
      "with the result in the call's event",
      [
        { type: "user", text: question },
        { type: "tool_call", tool: "weather", args: city, result: "17 °C", duration_ms: 5 },
        { type: "assistant", text: answer },
      ],
    ],
    [
      "with calls that a reply lists before they run",
      [
        { type: "user", text: question },
        {
          type: "assistant",
          text: "",
          tool_calls: [{ id: "c1", name: "weather", args: city }],
        },
        { type: "tool_call", tool: "weather", args: city },
        { type: "tool_result", call_id: "c1", result: "17 °C" },
        { type: "assistant", text: answer },
      ],
    ],
    [
      "with calls in the form of OpenAI, and events of their runs",
      [
        { type: "user_message", content: question },
        {
          type: "assistant_message",
          content: "",
          toolCalls: [
            {
              id: "c1",
              type: "function",
              function: { name: "weather", arguments: JSON.stringify(city, undefined, 1) },
            },
          ],
        },
        { type: "tool_call", name: "weather", arguments: city },
        { type: "tool_result", toolCallId: "c1", content: "17 °C" },
        { type: "assistant_message", content: answer },
      ],
    ],
  ])("%s is read", async (_, events) => {
    const steps = (await told(lines(...events))).map((step) => step.replace('assistant "", ', ""));
    expect(steps.map((step) => step.replace(/\{\n "city": "Bern"\n\}/, JSON.stringify(city)))).toEqual(usual);
  });

  test("a result answers the call that only its reply lists, since it could not run", async () => {
    const log = (list: object): string =>
      lines(
        { type: "user_message", content: question },
        { type: "assistant_message", content: "", ...list },
        {
          type: "tool_result",
          toolCallId: "c1",
          name: "weather",
          content: "Error: no JSON",
          error: "no JSON",
        },
        { type: "assistant_message", content: "", tool_calls: [{ id: "c2", name: "weather", args: city }] },
        { type: "tool_call", toolCallId: "c2", name: "weather", args: city },
        { type: "tool_result", toolCallId: "c2", name: "weather", content: "17 °C" },
        { type: "assistant_message", content: answer },
      );
    const call = { name: "weather", arguments: '{"city": "Bern\n"' };
    for (const list of [
      { toolCalls: [{ id: "c1", type: "function", function: call }] },
      { tool_calls: [{ id: "c1", type: "function", function: call }] },
      { toolCalls: [{ toolCallId: "c1", toolName: "weather", args: '{"city": "Bern\n"' }] },
    ]) {
      const { findings } = await check(Buffer.from(log(list)));
      expect(findings.map(({ rule }) => rule)).not.toContain("orphaned-tool-result");
    }
  });

  const recorded = [
    { seq: 1, type: "run_started", input: question },
    {
      seq: 2,
      type: "llm_call",
      prompt: question,
      response: "",
      tool_calls: [
        { id: "c1", name: "weather", args: city },
        { id: "c2", name: "weather", args: { city: "Basel" } },
      ],
    },
    { seq: 3, type: "tool_call", tool: "weather", args: { city: "Basel" }, result: { degrees: 18 } },
    { seq: 4, type: "tool_call", tool: "weather", args: city, result: { degrees: 17 } },
    { seq: 5, type: "llm_call", prompt: question, response: answer, tool_calls: null },
  ];

  test("may have one event for a request and its reply, and one for a call and its result", async () => {
    const log = lines(...recorded);
    expect((await told(log)).at(-1)).toMatch(
      /call weather \{"city":"Bern"\}, call weather \{"city":"Basel"\}, result \{"degrees":18\}, result \{"degrees":17\} → assistant/,
    );
    expect((await check(Buffer.from(log))).findings).toEqual([]);
  });

  test("is no log of events where a reply is there as the provider sent it", async () => {
    const response = { choices: [{ index: 0, message: { role: "assistant", content: answer } }] };
    const log = lines(...recorded.slice(0, 4), { seq: 5, type: "llm_call", response });
    expect((await open(log)).container).not.toBe("events");
  });

  test("shows a loop where calls and results share an event", async () => {
    const again = { type: "tool_call", tool: "weather", args: city, result: "try again" };
    const log = lines({ type: "user", text: question }, again, again, again);
    expect((await check(Buffer.from(log))).findings.map(({ rule }) => rule)).toContain("repeated-call");
  });

  test.each([
    ["without results", [{ type: "user", text: question }, call]],
    [
      "that holds requests",
      [call, result, { type: "user", messages: [{ role: "user", content: question }] }],
    ],
    [
      "that holds a stream",
      [{ type: "user", text: question }, call, result, { type: "text_delta", delta: "It" }],
    ],
  ])("%s is not taken for one", async (_, events) => {
    expect((await open(lines(...events))).container).not.toBe("events");
  });
});

test("messages as LangChain's stores keep them, a line each, are a session", async () => {
  const log = lines(
    { type: "human", data: { content: question } },
    { type: "ai", data: { content: "", tool_calls: [{ name: "weather", args: city, id: "call_1" }] } },
    { type: "tool", data: { content: "17 °C", tool_call_id: "call_1" } },
    { type: "ai", data: { content: answer } },
  );
  expect(await told(log)).toEqual(usual);
});

test("rows of a database are one chat each, also where a message has a column for each of its members", async () => {
  const row = (id: number, chat_id: string, role: string, content: string) => ({
    table: "messages",
    id,
    chat_id,
    role,
    content,
  });
  const log = lines(
    { sqlite: { tables: { messages: ["id", "chat_id", "role", "content"] } } },
    row(1, "a", "user", question),
    row(2, "b", "user", "And in Basel?"),
    row(3, "a", "assistant", answer),
    row(4, "b", "assistant", "18 °C."),
  );
  expect(await told(log)).toEqual([
    `${asked} → assistant "${answer}" ()`,
    'user "And in Basel?" → assistant "18 °C." ()',
  ]);
});

test("goose keeps all sessions in a database, a message a row", async () => {
  const row = (session_id: string, role: string, text: string) => ({
    table: "messages",
    session_id,
    role,
    content_json: [{ type: "text", text }],
  });
  const log = lines(
    { sqlite: { tables: { messages: ["session_id", "role", "content_json"] } } },
    row("1", "user", question),
    row("1", "assistant", answer),
    row("2", "user", "And in Basel?"),
  );
  expect(await told(log)).toEqual([`${asked} → assistant "${answer}" ()`, 'user "And in Basel?" → ?']);
});

test("what Codex's app server tells is read as what `codex exec` prints, with what the user said", async () => {
  const item = (word: string, value: object) => ({
    method: `item/${word}`,
    params: { threadId: "t1", turnId: "u1", item: value },
  });
  const command = { id: "c1", type: "commandExecution", command: "curl wttr.in/Bern" };
  const log = lines(
    { method: "thread/started", params: { thread: { id: "t1" } } },
    item("completed", { id: "m1", type: "userMessage", content: [{ type: "text", text: question }] }),
    item("started", { ...command, status: "inProgress", aggregatedOutput: null }),
    { method: "item/commandExecution/outputDelta", params: { threadId: "t1", itemId: "c1", delta: "17" } },
    item("completed", { ...command, status: "completed", aggregatedOutput: "17 °C", exitCode: 0 }),
    item("completed", { id: "m2", type: "agentMessage", text: answer }),
    { method: "turn/completed", params: { threadId: "t1", turn: { id: "u1", status: "completed" } } },
  );
  expect((await told(log)).at(-1)).toBe(
    `${asked}, call command_execution {"command":"curl wttr.in/Bern"}, result 17 °C → assistant "${answer}" ()`,
  );
});

test("Kimi CLI streams the arguments of a call, each conversation its own", async () => {
  const event = (type: string, payload: object): object => ({ timestamp: 1, message: { type, payload } });
  const call = (id: string, written: string | null): object =>
    event("ToolCall", { type: "function", id, function: { name: "weather", arguments: written } });
  const result = (id: string): object =>
    event("ToolResult", { tool_call_id: id, return_value: { output: "17 °C" } });
  const part = (text: string): object => event("ToolCallPart", { arguments_part: text });
  const within = (inner: object): object =>
    event("SubagentEvent", { agent_id: "a1", event: (inner as { message: object }).message });
  const calls = async (...events: readonly object[]): Promise<string[]> => {
    const log = lines(event("TurnBegin", { user_input: question }), ...events);
    return (await told(log)).flatMap((step) => step.split(" → ")[1]?.match(/call .*?\}/)?.[0] ?? []);
  };
  const usualCall = 'call weather {"city":"Bern"}';
  expect(await calls(call("c1", '{"city":'), part('"Be'), part('rn"}'), result("c1"))).toEqual([usualCall]);
  expect(await calls(call("c1", null), part('{"city":"Bern"}'), result("c1"))).toEqual([usualCall]);
  expect(await calls(call("c1", null), result("c1"))).toEqual(["call weather {}"]);
  expect(
    await calls(
      call("c1", '{"city":"Bern"}'),
      call("c2", '{"city":"Basel'),
      result("c1"),
      part('"}'),
      result("c2"),
    ).then((steps) => steps.length),
  ).toBe(1);
  expect(await calls(call("c1", '{"city":'), result("c0"), part('"Bern"}'), result("c1"))).toEqual([
    usualCall,
  ]);
  expect(
    await calls(
      call("c1", '{"city":'),
      within(call("c2", '{"city":')),
      part('"Bern"}'),
      within(part('"Basel"}')),
      within(result("c2")),
      result("c1"),
    ),
  ).toEqual([usualCall, 'call weather {"city":"Basel"}']);
});

test("a rollout of Codex without items is read by its events", async () => {
  const event = (payload: object) => ({ timestamp: "2026-03-01T09:00:00Z", type: "event_msg", payload });
  const log = lines(
    { type: "session_meta", payload: { id: "r1", cwd: "/home/ada" } },
    event({ type: "user_message", message: question }),
    event({ type: "exec_command_begin", call_id: "c1", command: ["curl", "wttr.in/Bern"] }),
    event({
      type: "exec_command_end",
      call_id: "c1",
      command: ["curl", "wttr.in/Bern"],
      aggregated_output: "17 °C",
      exit_code: 0,
    }),
    event({ type: "agent_message", message: answer }),
    event({ type: "task_complete" }),
  );
  expect((await told(log)).at(-1)).toBe(
    `${asked}, call exec_command {"command":["curl","wttr.in/Bern"]}, result 17 °C → assistant "${answer}" ()`,
  );
  expect((await open(log)).skipped.map(({ reason }) => reason)).toEqual([
    "a record of type `session_meta`, not a message",
    "a display event of type `exec_command_begin`, not a message",
    "a display event of type `task_complete`, not a message",
  ]);
});

test("goose's export is one document", async () => {
  const log = document({
    working_dir: "/home/ada",
    conversation: [
      { role: "user", content: [{ type: "text", text: question }] },
      { role: "assistant", content: [{ type: "text", text: answer }] },
    ],
  });
  expect(await told(log)).toEqual([`${asked} → assistant "${answer}" ()`]);
});

test("items of the Responses API, a line each, are a session, and what the model says in a row is one reply", async () => {
  const log = lines(
    { role: "user", content: question },
    { type: "reasoning", summary: [] },
    { type: "function_call", call_id: "call_1", name: "weather", arguments: JSON.stringify(city) },
    { type: "function_call_output", call_id: "call_1", output: "17 °C" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: answer }] },
  );
  expect((await told(log)).length).toBe(2);
  expect((await told(log))[1]).toContain(`result 17 °C → assistant "${answer}"`);
});

test("what pi prints ends in a message that was cut, and goes on after a compaction with its summary", async () => {
  const message = (role: string, text: string) => ({ role, content: [{ type: "text", text }] });
  const log = lines(
    { type: "agent_start" },
    { type: "message_end", message: message("user", question) },
    { type: "message_end", message: message("assistant", answer) },
    { type: "agent_end", messages: [] },
    { type: "compaction_end", reason: "manual", result: { summary: "They asked about Bern." } },
    { type: "agent_start" },
    { type: "message_end", message: message("user", "And in Oslo?") },
    { type: "message_start", message: message("assistant", "") },
    { type: "message_update", message: message("assistant", "It is") },
  );
  expect(await told(log)).toEqual([
    `${asked} → assistant "${answer}" ()`,
    'compaction, user "And in Oslo?" → assistant "It is" ()',
  ]);
  const { findings } = await check(Buffer.from(log));
  expect(findings).toEqual([]);
});

test("a result in a session like Claude Code's that names no call answers the only open one", async () => {
  const record = (uuid: string, parentUuid: string | null, type: string, message: object) => ({
    uuid,
    parentUuid,
    sessionId: "s1",
    type,
    message,
  });
  const call = { type: "tool_use", id: "toolu_1", name: "weather", input: city };
  const kept = (...calls: readonly object[]) =>
    lines(
      record("a", null, "user", { role: "user", content: question }),
      record("b", "a", "assistant", { id: "msg_1", role: "assistant", content: calls }),
      record("c", "b", "tool_result", { role: "tool", content: "17 °C" }),
      record("d", "c", "assistant", { id: "msg_2", role: "assistant", content: answer }),
    );
  expect(await told(kept(call))).toEqual(usual);
  // Two calls are open, and nobody knows which of them it answers.
  const { findings } = await check(Buffer.from(kept(call, { ...call, id: "toolu_2" })));
  expect(findings.map(({ rule }) => rule)).toEqual(["unanswered-tool-call", "unanswered-tool-call"]);
});

test("notes between the messages of Kimi's context are no messages", async () => {
  const log = lines(
    { role: "_checkpoint", id: 0 },
    { role: "user", content: question },
    { role: "assistant", content: answer },
    { role: "_usage", token_count: 20 },
  );
  expect(await told(log)).toEqual([`${asked} → assistant "${answer}" ()`]);
});

test("an export that holds no result of any call proves nothing about them, and that is said; a call at the end is only open", async () => {
  const node = (
    id: string,
    parent: string | null,
    role: string,
    parts: readonly string[],
    recipient = "all",
  ) => ({
    id,
    parent,
    children: [],
    message: {
      id,
      author: { role },
      recipient,
      content: {
        content_type: recipient === "all" ? "text" : "code",
        ...(recipient === "all" ? { parts } : { text: parts[0] }),
      },
    },
  });
  const nodes = [
    node("n1", null, "user", [question]),
    node("n2", "n1", "assistant", ['{"city":"Bern"}'], "weather"),
    node("n3", "n2", "user", ["Well?"]),
    node("n4", "n3", "assistant", [answer]),
  ];
  const exported = (count: number): Buffer => {
    const kept = nodes.slice(0, count);
    const mapping = Object.fromEntries(kept.map((each) => [each.id, each]));
    return Buffer.from(document({ title: "Bern", mapping, current_node: `n${count}` }));
  };
  const why = async (count: number) => {
    const { findings, notChecked } = await check(exported(count));
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    return notChecked.find(({ rule }) => rule === "unanswered-tool-call")?.why;
  };
  expect(await why(4)).toBe("no call has a result in the session, which may not record them");
  expect(await why(2)).toBeUndefined();
});

test("a session with few of the results is told to keep them not, one with most lacks some", async () => {
  const round = (n: number, isAnswered: boolean): object[] => [
    {
      type: "assistant",
      message: {
        role: "assistant",
        content: [{ type: "tool_use", id: `toolu_${n}`, name: "weather", input: { day: n } }],
      },
    },
    ...(isAnswered
      ? [
          {
            type: "user",
            message: {
              role: "user",
              content: [{ type: "tool_result", tool_use_id: `toolu_${n}`, content: `${n} °C` }],
            },
          },
        ]
      : []),
  ];
  const checked = async (answered: number) => {
    const rounds = Array.from({ length: 8 }, (_, n) => round(n, n < answered)).flat();
    const says = {
      type: "assistant",
      message: { role: "assistant", content: [{ type: "text", text: answer }] },
    };
    const log = lines({ type: "user", message: { role: "user", content: question } }, ...rounds, says);
    const { findings, notChecked } = await check(Buffer.from(log));
    const open = findings.filter(({ rule }) => rule === "unanswered-tool-call").length;
    return [open, notChecked.find(({ rule }) => rule === "unanswered-tool-call")?.why];
  };
  expect(await checked(2)).toEqual([
    0,
    "most calls have no result in the session, which may not record all of them",
  ]);
  expect(await checked(6)).toEqual([2, undefined]);
});

describe("a file that can hold no conversation says what to use in its place", () => {
  test.each([
    [
      "a message of opencode's storage without its parts",
      document({ id: "msg_1", sessionID: "ses_1", role: "assistant", time: {} }),
      /name the folder above `message` and `part`/,
    ],
    [
      "what Cline showed",
      document([{ ts: 1, type: "say", say: "text", text: "Hello" }] as never),
      /api_conversation_history/,
    ],
    [
      "a rollout without messages",
      lines({ type: "session_meta", payload: { id: "r1", cwd: "/" } }, { type: "event_msg", payload: {} }),
      /^a session file \(codex\) without a message/,
    ],
  ])("%s", async (_, log, advice) => {
    const file = await open(log);
    expect(file.exchanges).toEqual([]);
    expect(file.advice).toMatch(advice);
  });
});

test("a prompt of Kimi Code counts once, also without the message that repeats it", async () => {
  const loop = (event: object) => ({ type: "context.append_loop_event", event });
  const prompt = { type: "turn.prompt", input: [{ type: "text", text: question }] };
  const message = { type: "context.append_message", message: { role: "user", content: prompt.input } };
  const said = [
    loop({ type: "step.begin", turnId: "0", step: 1 }),
    loop({ type: "tool.call", turnId: "0", step: 1, toolCallId: "weather_0", name: "weather", args: city }),
    loop({ type: "step.end", turnId: "0", step: 1, finishReason: "tool_use" }),
    loop({ type: "tool.result", toolCallId: "weather_0", result: { output: "17 °C" } }),
    loop({ type: "step.begin", turnId: "0", step: 2 }),
    loop({ type: "content.part", turnId: "0", step: 2, part: { type: "text", text: answer } }),
    loop({ type: "step.end", turnId: "0", step: 2, finishReason: "end_turn" }),
  ];
  const metadata = { type: "metadata", protocol_version: "1.4" };
  const whole = await told(lines(metadata, prompt, message, ...said));
  expect(whole).toHaveLength(2);
  expect(whole.at(-1)).toMatch(/^user .*, call weather .*, result .* → assistant/);
  expect(await told(lines(metadata, prompt, ...said))).toEqual(whole);
});
