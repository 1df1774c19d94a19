import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { fixed, kept, lines, records, unsafe, whole } from "./log.ts";

async function staysAsItIs(log: string): Promise<void> {
  const { text, report } = await fixed(log, unsafe);
  expect(report.edits).toEqual([]);
  expect(text).toBe(log);
}

/** The rules whose repair is safe, of those that find something to repair. */
async function repairs(log: string): Promise<string[]> {
  const { findings } = await check(Buffer.from(log));
  return findings.flatMap(({ rule, kind, fix }) => (fix ? `${fix.safety} ${rule}/${kind}` : []));
}

describe("a session of pi", () => {
  const header = { type: "session", version: 3, id: "019a", timestamp: "2026-05-12T10:00:00Z", cwd: "/shop" };
  const id = (number: number): string => `00000a0${number}`;
  const at = (own: number, before: number | null): object => ({
    type: "message",
    id: id(own),
    parentId: before === null ? null : id(before),
    timestamp: `2026-05-12T10:00:0${own}Z`,
  });
  const user = (own: number, before: number | null, text: string): object => ({
    ...at(own, before),
    message: { role: "user", content: [{ type: "text", text }], timestamp: own },
  });
  const model = (own: number, before: number, part: object, stopReason = "stop"): object => ({
    ...at(own, before),
    message: {
      role: "assistant",
      content: [part],
      api: "anthropic-messages",
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      stopReason,
      timestamp: own,
    },
  });
  const says = (own: number, before: number, text: string): object =>
    model(own, before, { type: "text", text });
  const call = (own: number, before: number, name: string, stopReason = "toolUse"): object =>
    model(own, before, { type: "toolCall", id: name, name: "bash", arguments: {} }, stopReason);
  const result = (own: number, before: number, name: string, text: string): object => ({
    ...at(own, before),
    message: {
      role: "toolResult",
      toolCallId: name,
      toolName: "bash",
      content: [{ type: "text", text }],
      isError: false,
      timestamp: own,
    },
  });
  const start = [
    header,
    user(1, null, "Fix the failing test."),
    call(2, 1, "toolu_1"),
    result(3, 2, "toolu_1", "1 failed"),
    call(4, 3, "toolu_2"),
  ];
  const end = (own: number, before: number): object[] => [
    says(own, before, "cart.ts is wrong."),
    user(own + 1, own, "Mend it."),
  ];

  test("that is healthy comes back byte for byte", async () => {
    await staysAsItIs(lines([...start, result(5, 4, "toolu_2", "let sum"), ...end(6, 5)]));
  });

  test("that lost a result gets one in pi's form, which those who followed the call follow", async () => {
    const broken = [...start, user(5, 4, "Are you there?"), says(6, 5, "Yes."), user(7, 6, "Go on.")];
    const repaired = records(await whole(lines(broken)));
    const made = repaired[5] as { id: string; parentId: string };
    expect(made).toEqual({
      type: "message",
      id: expect.stringMatching(/^[0-9a-f]{8}$/),
      parentId: id(4),
      timestamp: "2026-05-12T10:00:04Z",
      message: {
        role: "toolResult",
        toolCallId: "toolu_2",
        toolName: "bash",
        content: [{ type: "text", text: kept }],
        isError: true,
        timestamp: 4,
      },
    });
    expect(lines(repaired)).toBe(
      lines([...broken.slice(0, 5), made, { ...broken[5], parentId: made.id }, ...broken.slice(6)]),
    );
  });

  test("whose result came after the next words of the user gets it back behind the call", async () => {
    const late = lines([...start, user(5, 4, "Hurry."), result(6, 5, "toolu_2", "let sum"), ...end(7, 6)]);
    expect(await repairs(late)).toEqual(["safe misplaced-tool-result/not-adjacent"]);
    expect(await whole(late)).toBe(
      lines([...start, result(6, 4, "toolu_2", "let sum"), user(5, 6, "Hurry."), ...end(7, 5)]),
    );
  });

  test("keeps one of two results, and who followed the other follows the record before it", async () => {
    const twice = [
      ...start,
      result(5, 4, "toolu_2", "let sum"),
      result(6, 5, "toolu_2", "let sum"),
      ...end(7, 6),
    ];
    expect(await repairs(lines(twice))).toEqual(["safe duplicate-tool-result/identical"]);
    expect(await whole(lines(twice))).toBe(
      lines([...start, result(5, 4, "toolu_2", "let sum"), ...end(7, 5)]),
    );
  });

  test("says a result as words of the user when its call is gone, or is in a reply that failed and is left out", async () => {
    const words = (own: number, before: number): object =>
      user(own, before, "[Result of a tool call that is not in this history (bash, toolu_9)]\nlet sum");
    const answered = [...start, result(5, 4, "toolu_2", "let sum")];
    const orphan = [...answered, result(6, 5, "toolu_9", "let sum"), ...end(7, 6)];
    expect(await repairs(lines(orphan))).toEqual(["lossy orphaned-tool-result/inSession"]);
    expect(await whole(lines(orphan))).toBe(lines([...answered, words(6, 5), ...end(7, 6)]));
    const failed = [...answered, call(6, 5, "toolu_9", "error"), result(7, 6, "toolu_9", "let sum")];
    expect(await repairs(lines([...failed, ...end(8, 7)]))).toEqual([
      "lossy orphaned-tool-result/failedCall",
    ]);
    expect(await whole(lines([...failed, ...end(8, 7)]))).toBe(
      lines([...failed.slice(0, -1), words(7, 6), ...end(8, 7)]),
    );
  });

  test("gets the id of the call into a result that nearly has it", async () => {
    const named = (name: string): string => lines([...start, result(5, 4, name, "let sum"), ...end(6, 5)]);
    expect(await whole(named("TOOLU_2"))).toBe(named("toolu_2"));
  });
});

describe("events of OpenHands", () => {
  const id = (number: number): string => `0000000${number}-6a1e-4f7b-9d3e-2b8f6f0c7a11`;
  const at = (own: number): object => ({ id: id(own), timestamp: `2026-06-16T10:00:0${own}` });
  const user = (own: number, text: string): object => ({
    ...at(own),
    source: "user",
    llm_message: { role: "user", content: [{ type: "text", text }] },
    kind: "MessageEvent",
  });
  const says = (own: number, text: string): object => ({
    ...at(own),
    source: "agent",
    llm_message: { role: "assistant", content: [{ type: "text", text }] },
    llm_response_id: `chatcmpl-${own}`,
    kind: "MessageEvent",
  });
  const action = (own: number, call: string): object => ({
    ...at(own),
    source: "agent",
    thought: [],
    action: { command: "npm test", kind: "TerminalAction" },
    tool_name: "terminal",
    tool_call_id: call,
    tool_call: { id: call, name: "terminal", arguments: '{"command":"npm test"}', origin: "completion" },
    llm_response_id: `chatcmpl-${own}`,
    kind: "ActionEvent",
  });
  const observation = (own: number, of: number, call: string, text: string): object => ({
    ...at(own),
    source: "environment",
    tool_name: "terminal",
    tool_call_id: call,
    observation: { content: [{ type: "text", text }], is_error: false, kind: "TerminalObservation" },
    action_id: id(of),
    kind: "ObservationEvent",
  });
  const start = [
    user(1, "Fix the failing test."),
    action(2, "call_1"),
    observation(3, 2, "call_1", "1 failed"),
  ];

  test("that are healthy come back byte for byte", async () => {
    await staysAsItIs(lines([...start, says(4, "cart.ts is wrong."), user(5, "Mend it.")]));
  });

  test("without an observation get the error that OpenHands writes when it was restarted during a call", async () => {
    const broken = [...start, action(4, "call_2"), user(5, "Well?"), says(6, "Yes."), user(7, "Go on.")];
    const repaired = records(await whole(lines(broken)));
    expect(repaired[4]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
      timestamp: "2026-06-16T10:00:04",
      source: "agent",
      tool_name: "terminal",
      tool_call_id: "call_2",
      error: kept,
      kind: "AgentErrorEvent",
    });
    expect(lines([...repaired.slice(0, 4), ...repaired.slice(5)])).toBe(lines(broken));
  });

  test("with two observations of one action keep the true one", async () => {
    const restarted = { ...at(5), source: "agent", tool_name: "terminal", tool_call_id: "call_2" };
    const error = { ...restarted, error: "The call was interrupted by a restart.", kind: "AgentErrorEvent" };
    const end = [says(7, "cart.ts is wrong."), user(8, "Mend it.")];
    const truth = observation(6, 4, "call_2", "let sum");
    expect(await whole(lines([...start, action(4, "call_2"), error, truth, ...end]))).toBe(
      lines([...start, action(4, "call_2"), truth, ...end]),
    );
  });

  test("with an observation whose action is gone stay as they are: OpenHands leaves it out", async () => {
    const end = [says(6, "cart.ts is wrong."), user(7, "Mend it.")];
    await staysAsItIs(lines([...start, observation(4, 9, "call_9", "let sum"), ...end]));
  });
});

describe("a chat of Gemini CLI", () => {
  const user = (own: number, content: string): object => ({
    id: `u${own}`,
    timestamp: "2026-04-29T10:00:00Z",
    type: "user",
    content,
  });
  const says = (own: number, content: string): object => ({
    id: `g${own}`,
    timestamp: "2026-04-29T10:00:00Z",
    type: "gemini",
    content,
  });
  const calls = (own: number, ...toolCalls: object[]): object => ({ ...says(own, ""), toolCalls });
  const call = { id: "read-1", name: "read_file", args: { path: "cart.ts" } };
  const shown = { timestamp: "2026-04-29T10:00:01Z", displayName: "ReadFile" };
  const given = (id: string, response: object): object => ({
    result: [{ functionResponse: { id, name: "read_file", response } }],
  });
  const done = { ...call, ...given("read-1", { output: "let sum" }), status: "success", ...shown };
  const chat = (...messages: object[]): object => ({
    sessionId: "s1",
    projectHash: "p1",
    startTime: "2026-04-29T10:00:00Z",
    messages,
  });
  const laidOut = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

  test("that is healthy comes back byte for byte, also as lines", async () => {
    const messages = [user(1, "Fix it."), calls(2, done), says(3, "Done."), user(4, "Thanks.")];
    await staysAsItIs(laidOut(chat(...messages)));
    const [head] = records(lines([chat()]));
    const { messages: _, ...header } = head as { messages: unknown };
    await staysAsItIs(lines([header, ...messages]));
  });

  test("with a call that has no result gets one beside it, and is found although Gemini never answered since", async () => {
    const open = { ...call, id: "read-2", status: "executing", ...shown };
    const closed = {
      ...call,
      id: "read-2",
      ...given("read-2", { error: kept }),
      status: "error",
      ...shown,
    };
    for (const end of [[user(4, "Well?")], [user(4, "Well?"), says(5, "Yes."), user(6, "Go on.")]]) {
      const messages = (second: object): object[] => [user(1, "Fix it."), calls(2, done, second), ...end];
      expect(await whole(laidOut(chat(...messages(open))))).toBe(laidOut(chat(...messages(closed))));
      const [head] = records(lines([chat()]));
      const { messages: _, ...header } = head as { messages: unknown };
      const asLines = (second: object): string => lines([header, ...messages(second)]);
      expect(await whole(asLines(open))).toBe(asLines(closed));
    }
  });

  test("that was saved is mended as it is sent", async () => {
    const hears = (...parts: object[]): object => ({ role: "user", parts });
    const says = (...parts: object[]): object => ({ role: "model", parts });
    const asked = (id: string): object => ({ functionCall: { id, name: "read_file", args: {} } });
    const answer = (id: string, response: object): object => ({
      functionResponse: { id, name: "read_file", response },
    });
    const saved = (...answers: object[]): string =>
      laidOut({
        history: [
          hears({ text: "Fix it." }),
          says(asked("read-1"), asked("read-2")),
          hears(answer("read-1", { output: "let sum" }), ...answers),
          says({ text: "cart.ts is wrong." }),
          hears({ text: "Mend it." }),
        ],
        authType: "oauth-personal",
      });
    expect(await whole(saved())).toBe(saved(answer("read-2", { error: kept })));
    await staysAsItIs(saved(answer("read-2", { output: "test" })));
  });

  test("that ends with a call is still at work", async () => {
    await staysAsItIs(laidOut(chat(user(1, "Fix it."), calls(2, { ...call, status: "executing" }))));
  });

  describe("of a version that keeps results in messages of the user, too", () => {
    const second = {
      ...call,
      id: "read-2",
      ...given("read-2", { output: "let tax" }),
      status: "success",
      ...shown,
    };
    const [header] = records(lines([{ ...chat(), messages: undefined }]));
    const response = (id: string, output: string): object => ({
      functionResponse: { id, name: "read_file", response: { output } },
    });
    const answers = (own: number, ...parts: object[]): object => ({
      id: `u${own}`,
      timestamp: "2026-04-29T10:00:00Z",
      type: "user",
      content: parts,
    });
    const one = response("read-1", "let sum");
    const two = response("read-2", "let tax");
    const end = [says(4, "Done."), user(5, "Thanks.")];
    const log = (...messages: object[]): string =>
      lines([header as object, user(1, "Fix it."), ...messages, ...end]);
    const found = async (text: string): Promise<string[]> =>
      (await check(Buffer.from(text))).findings.map(
        ({ severity, rule, kind }) => `${severity} ${rule}/${kind}`,
      );

    test("is healthy with both, and with either", async () => {
      const both = log(calls(2, done, second), answers(3, one, two));
      expect(await found(both)).toEqual(["info duplicate-tool-result/kept"]);
      const inCalls = log(calls(2, done, second));
      expect(await found(inCalls)).toEqual([]);
      await staysAsItIs(both);
      const bare = { ...call, status: "success", ...shown };
      const inMessage = log(calls(2, bare, second), answers(3, one));
      expect(await found(inMessage)).toEqual([]);
      await staysAsItIs(inMessage);
    });

    test("has results whose call is gone, twice, or not as in the call, and is repaired without the agent's copies", async () => {
      const lost = log(calls(2, second), answers(3, one, two));
      expect(await found(lost)).toEqual([
        "warning orphaned-tool-result/inSession",
        "info duplicate-tool-result/kept",
      ]);
      const words = "[Result of a tool call that is not in this history (read_file, read-1)]\nlet sum";
      expect(await whole(lost)).toBe(log(calls(2, second), answers(3, { text: words })));
      const twice = log(calls(2, done), answers(3, one), answers(6, one));
      expect(await found(twice)).toEqual([
        "info duplicate-tool-result/kept",
        "warning duplicate-tool-result/identical",
      ]);
      expect(await whole(twice)).toBe(log(calls(2, done)));
      const other = log(calls(2, done), answers(3, response("read-1", "let tax")));
      expect(await found(other)).toEqual(["warning duplicate-tool-result/different"]);
      expect(await whole(other)).toBe(log(calls(2, done)));
    });

    test("has them before their calls", async () => {
      const early = log(answers(3, one), calls(2, done));
      expect(await whole(early)).toBe(log(calls(2, done)));
    });
  });
});

describe("a session of goose", () => {
  const message = (role: string, ...content: object[]): object => ({ role, created: 1700000000, content });
  const says = (text: string): object => ({ type: "text", text });
  const call = (id: string): object => ({
    type: "toolRequest",
    id,
    toolCall: { status: "success", value: { name: "shell", arguments: {} } },
  });
  const answer = (id: string, toolResult: object): object => ({ type: "toolResponse", id, toolResult });
  const ok = { status: "success", value: [{ type: "text", text: "1 failed" }] };
  const start = [
    { working_dir: "/shop", description: "", message_count: 4 },
    message("user", says("Fix it.")),
    message("assistant", call("call_1")),
    message("user", answer("call_1", ok)),
  ];

  test("gets a result where the next words of the user are, and loses none that it has", async () => {
    const log = (...added: object[]): string =>
      lines([
        ...start,
        message("assistant", call("call_2")),
        message("user", ...added, says("Well?")),
        message("assistant", says("Yes.")),
        message("user", says("Go on.")),
      ]);
    expect(await whole(log())).toBe(log(answer("call_2", { status: "error", error: kept })));
    await staysAsItIs(log(answer("call_2", ok)));
  });
});

describe("a chat of Qwen Code", () => {
  const uuid = (number: number): string => `0000000${number}-6a1e-4f7b-9d3e-2b8f6f0c7a11`;
  const record = (own: number, before: number | null, type: string, message: object): object => ({
    uuid: uuid(own),
    parentUuid: before === null ? null : uuid(before),
    sessionId: "s1",
    timestamp: "2026-08-17T10:00:00Z",
    type,
    cwd: "/shop",
    message,
  });
  const user = (own: number, before: number | null, text: string): object =>
    record(own, before, "user", { role: "user", parts: [{ text }] });
  const model = (own: number, before: number, part: object): object =>
    record(own, before, "assistant", { role: "model", parts: [part] });
  const call = (id: string): object => ({ functionCall: { id, name: "read_file", args: {} } });
  const response = (id: string, given: object): object => ({
    role: "user",
    parts: [{ functionResponse: { id, name: "read_file", response: given } }],
  });
  const start = [
    user(1, null, "Fix it."),
    model(2, 1, call("call_1")),
    record(3, 2, "tool_result", response("call_1", { output: "1 failed" })),
  ];

  test("gets a record with the result behind that of the call", async () => {
    const broken = [
      ...start,
      model(4, 3, call("call_2")),
      user(5, 4, "Well?"),
      model(6, 5, { text: "Yes." }),
      user(7, 6, "Go on."),
    ];
    const repaired = records(await whole(lines(broken)));
    expect(repaired[4]).toMatchObject({
      type: "tool_result",
      parentUuid: uuid(4),
      sessionId: "s1",
      message: { role: "user", parts: [{ functionResponse: { id: "call_2", name: "read_file" } }] },
    });
    expect(repaired[5]).toEqual({ ...broken[4], parentUuid: repaired[4]?.["uuid"] });
  });
});

describe("a wire of Kimi Code", () => {
  const user = (time: number, text: string): object => ({
    type: "context.append_message",
    message: { role: "user", content: [{ type: "text", text }], toolCalls: [] },
    time,
  });
  const event = (time: number, of: object): object => ({
    type: "context.append_loop_event",
    event: of,
    time,
  });
  const call = (time: number, name: string): object =>
    event(time, {
      type: "tool.call",
      uuid: name,
      turnId: "0",
      step: time,
      stepUuid: `step-${time}`,
      toolCallId: name,
      name: "Bash",
      args: { command: "npm test" },
    });
  const result = (time: number, name: string, given: object): object =>
    event(time, { type: "tool.result", parentUuid: name, toolCallId: name, result: given });
  const end = (time: number, of: number): object =>
    event(time, { type: "step.end", uuid: `step-${of}`, step: of, finishReason: "tool_use" });
  const start = [
    { type: "metadata", protocol_version: "1.4", created_at: 0 },
    user(1, "Fix it."),
    call(2, "Bash_0"),
    result(3, "Bash_0", { output: "1 failed" }),
    end(4, 2),
  ];

  test("whose program was killed during a call gets the result, before the end of the step", async () => {
    const killed = (given?: object): string =>
      lines([
        ...start,
        call(5, "Bash_1"),
        ...(given ? [result(5, "Bash_1", given)] : []),
        end(6, 5),
        user(7, "Are you there?"),
      ]);
    expect(await repairs(killed())).toEqual(["inventing unanswered-tool-call/goesOn"]);
    expect(await whole(killed())).toBe(killed({ output: kept, isError: true }));
    await staysAsItIs(killed({ output: "let sum" }));
  });

  test("keeps one of two equal results", async () => {
    const twice = result(5, "Bash_0", { output: "1 failed" });
    expect(await whole(lines([...start, twice, user(6, "Go on.")]))).toBe(
      lines([...start, user(6, "Go on.")]),
    );
  });
});

test("items of the Responses API, a line each, get a missing output", async () => {
  const item = (id: string): object => ({
    type: "function_call",
    call_id: id,
    name: "shell",
    arguments: "{}",
  });
  const output = (id: string, text: string): object => ({
    type: "function_call_output",
    call_id: id,
    output: text,
  });
  const user = { type: "message", role: "user", content: "Fix it." };
  const log = (...more: object[]): string =>
    lines([user, item("call_1"), output("call_1", "1 failed"), item("call_2"), ...more, user]);
  expect(await whole(log())).toBe(log(output("call_2", kept)));
});
