import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { fixed, kept, lines, records, unsafe, whole } from "./log.ts";

/** What a record of Claude Code says beside its message. */
const place = (own: number, before: number | null, time = own): object => ({
  parentUuid: before === null ? null : uuid(before),
  isSidechain: false,
  cwd: "/home/kim/shop",
  sessionId: "0f5a1c52-6a1e-4f7b-9d3e-2b8f6f0c7a11",
  version: "2.0.14",
  uuid: uuid(own),
  timestamp: `2025-09-14T10:00:0${time}.000Z`,
});
const uuid = (number: number): string => `0000000${number}-6a1e-4f7b-9d3e-2b8f6f0c7a11`;
const user = (own: number, before: number | null, content: unknown, more: object = {}): object => ({
  type: "user",
  message: { role: "user", content },
  ...place(own, before),
  ...more,
});
const model = (own: number, before: number, id: string, block: object): object => ({
  type: "assistant",
  message: { id, type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [block] },
  requestId: `req_${id}`,
  ...place(own, before),
});
const text = (words: string): object => ({ type: "text", text: words });
const use = (id: string, input: object): object => ({ type: "tool_use", id, name: "Bash", input });
const result = (id: string, content: string): object => ({ type: "tool_result", tool_use_id: id, content });

const start = [
  user(1, null, "Fix the failing test."),
  model(2, 1, "msg_1", use("toolu_1", { command: "npm test" })),
  user(3, 2, [result("toolu_1", "1 failed")], { toolUseResult: { stdout: "1 failed" } }),
];

describe("a session of Claude Code", () => {
  const healthy = lines([...start, model(4, 3, "msg_2", text("cart.ts is wrong.")), user(5, 4, "Mend it.")]);
  const crashed = [
    ...start,
    model(4, 3, "msg_2", use("toolu_2", { command: "cat cart.ts" })),
    user(5, 4, "Are you there?"),
    model(6, 5, "msg_3", text("Yes.")),
    user(7, 6, "Go on."),
  ];

  test("that is healthy comes back byte for byte", async () => {
    expect((await fixed(healthy, unsafe)).text).toBe(healthy);
  });

  test("whose program died during a call gets a result in the agent's own form, and who followed the call follows it", async () => {
    const repaired = await whole(lines(crashed));
    const [result] = records(repaired).slice(4, 5);
    expect(result).toEqual({
      type: "user",
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_2", content: kept, is_error: true }],
      },
      ...place(4, 3),
      parentUuid: uuid(4),
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
    });
    expect(repaired).toBe(
      lines([
        ...crashed.slice(0, 4),
        result as object,
        { ...crashed[4], parentUuid: result?.["uuid"] },
        ...crashed.slice(5),
      ]),
    );
  });

  test("gets a result in the agent's own form however far the last record is that it could be like", async () => {
    const longName = (number: number): string => `${10_000_000 + number}${uuid(0).slice(8)}`;
    const open = Array.from({ length: 2_100 }, (_, index) => ({
      ...model(2, 1, `msg_${index}`, use(`toolu_${index}`, {})),
      uuid: longName(index + 1),
      parentUuid: index === 0 ? uuid(1) : longName(index),
    }));
    const { text: repaired, report } = await fixed(
      lines([user(1, null, "Fix the failing test."), ...open]),
      unsafe,
    );
    expect(report.edits.filter(({ applied }) => !applied)).toEqual([]);
    const [last] = records(repaired).slice(-2);
    expect(last).toMatchObject({
      type: "user",
      sessionId: "0f5a1c52-6a1e-4f7b-9d3e-2b8f6f0c7a11",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_2098" }] },
    });
  });

  test("whose records all name a lost one is put on one path: the new record does not take that name", async () => {
    const lost = uuid(9);
    const loose = crashed.map((record, index) => (index === 0 ? record : { ...record, parentUuid: lost }));
    const repaired = records(await whole(lines(loose)));
    expect(repaired[4]).toMatchObject({
      parentUuid: uuid(4),
      message: { content: [{ tool_use_id: "toolu_2" }] },
    });
    expect(repaired.map(({ uuid: own }) => own)).not.toContain(lost);
    const others = repaired.map(({ parentUuid }) => parentUuid);
    expect(others).toEqual([null, ...repaired.slice(0, -1).map(({ uuid: own }) => own)]);
  });

  test("one of whose records names no other keeps who follows it: that record is not lost", async () => {
    const { parentUuid: _, ...loose } = crashed[6] as { parentUuid: string };
    const answered = model(8, 7, "msg_4", text("Going on."));
    const repaired = records(await whole(lines([...crashed.slice(0, 6), loose, answered])));
    expect(repaired.at(-1)).toEqual(answered);
  });

  test("is only told what could be done as long as nothing may be invented", async () => {
    const { text: same, report } = await fixed(lines(crashed));
    expect(same).toBe(lines(crashed));
    expect(report.edits.map(({ rule, applied, why }) => [rule, applied, why])).toEqual([
      [
        "unanswered-tool-call",
        false,
        "it adds what the log does not contain, so it needs `--unsafe` (or `--unsafe-inventing`)",
      ],
    ]);
  });

  test("of two calls made at once, of which one was answered, keeps the result of that", async () => {
    const both = [
      ...start,
      model(4, 3, "msg_2", use("toolu_2", { command: "cat cart.ts" })),
      model(5, 4, "msg_2", use("toolu_3", { command: "cat cart.test.ts" })),
      user(6, 4, [result("toolu_2", "let sum")]),
      user(7, 6, "And now?"),
      model(8, 7, "msg_3", text("I am not sure.")),
      user(9, 8, "Go on."),
    ];
    const repaired = records(await whole(lines(both)));
    const [made] = repaired.slice(6, 7);
    expect(made).toMatchObject({ parentUuid: uuid(6), message: { content: [{ tool_use_id: "toolu_3" }] } });
    expect(repaired).toEqual([
      ...both.slice(0, 5),
      // The first result is on the path of the others, which nobody walked before.
      { ...both[5], parentUuid: uuid(5) },
      made,
      { ...both[6], parentUuid: made?.["uuid"] },
      ...both.slice(7),
    ]);
  });
});

/** The records that an agent meets on its way from the last record to the first. */
function walked(log: string): string[] {
  const all = records(log);
  const met: string[] = [];
  for (let record = all.at(-1); record; ) {
    met.unshift(String(record["uuid"]));
    const parent = record["parentUuid"];
    record = all.find((other) => other["uuid"] === parent);
  }
  return met;
}

describe("a repaired session of Claude Code keeps every record on the path of the last one, when", () => {
  const calls = (third: number): object[] => [
    model(4, 3, "msg_2", use("toolu_2", { command: "cat cart.ts" })),
    model(5, third, "msg_2", use("toolu_3", { command: "cat tax.ts" })),
  ];
  const answer = (own: number, before: number, id: string): object =>
    user(own, before, [result(id, `let ${id}`)]);
  const end = (own: number, before: number): object[] => [
    model(own, before, "msg_3", text("cart.ts is wrong.")),
    user(own + 1, own, "Mend it."),
  ];
  /** The walk after the repair; a made record has the name 0. */
  async function path(...log: readonly object[]): Promise<number[]> {
    const before = lines(log);
    const names = new Set(records(before).map(({ uuid: own }) => own));
    const after = await whole(before);
    expect(walked(after).length).toBe(records(after).length);
    return walked(after).map((name) => (names.has(name) ? Number(name.slice(0, 8)) : 0));
  }

  test("the result of the first of two calls is gone, and the others form a chain", async () => {
    expect(await path(...start, ...calls(4), answer(6, 5, "toolu_3"), ...end(8, 6))).toEqual([
      1, 2, 3, 4, 5, 6, 0, 8, 9,
    ]);
  });

  test("its followers still name the lost record", async () => {
    const [first, second] = [answer(6, 5, "toolu_3"), answer(6, 5, "toolu_2")];
    expect(await path(...start, ...calls(4), first, ...end(8, 7))).toEqual([1, 2, 3, 4, 5, 6, 0, 8, 9]);
    expect(await path(...start, ...calls(4), second, ...end(8, 7))).toEqual([1, 2, 3, 4, 5, 6, 0, 8, 9]);
    const chained = [answer(7, 6, "toolu_2"), ...end(8, 7)];
    expect(await path(...start, ...calls(4), ...chained)).toEqual([1, 2, 3, 4, 5, 0, 7, 8, 9]);
  });

  test("each result follows its own call", async () => {
    const others = [answer(6, 5, "toolu_3"), ...end(8, 4)];
    expect(await path(...start, ...calls(4), ...others)).toEqual([1, 2, 3, 4, 5, 6, 0, 8, 9]);
    expect(await path(...start, ...calls(4), answer(6, 4, "toolu_2"), ...end(8, 6))).toEqual([
      1, 2, 3, 4, 5, 6, 0, 8, 9,
    ]);
  });

  test("a result came before its call's round, or long after it", async () => {
    const early = [user(7, 1, [result("toolu_2", "let sum")]), ...start.slice(1)];
    expect(
      await path(...start.slice(0, 1), ...early, ...calls(4), answer(6, 5, "toolu_3"), ...end(8, 6)),
    ).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const late = [answer(6, 5, "toolu_3"), user(8, 6, "Hurry."), answer(7, 8, "toolu_2")];
    expect(await path(...start, ...calls(4), ...late, model(9, 7, "msg_3", text("Done.")))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
  });

  test("a call is gone, and the records after it still name it", async () => {
    const [, second] = calls(4);
    const answers = [answer(6, 5, "toolu_2"), answer(7, 6, "toolu_3")];
    const repaired = await path(...start, second as object, ...answers, ...end(8, 7));
    // The result without its call, now words of the user, comes last.
    expect(repaired).toEqual([1, 2, 3, 5, 7, 6, 8, 9]);
  });

  test("a result beside the path becomes words of the user", async () => {
    const [first] = calls(4);
    const beside = [answer(6, 4, "toolu_3"), answer(7, 4, "toolu_2"), ...end(8, 7)];
    expect(await path(...start, first as object, ...beside)).toEqual([1, 2, 3, 4, 7, 6, 8, 9]);
    const last = [answer(7, 4, "toolu_2"), answer(6, 4, "toolu_3"), ...end(8, 7)];
    expect(await path(...start, first as object, ...last)).toEqual([1, 2, 3, 4, 7, 6, 8, 9]);
  });

  test("both results are gone, or one is there twice", async () => {
    expect(await path(...start, ...calls(4), ...end(8, 5))).toEqual([1, 2, 3, 4, 5, 0, 0, 8, 9]);
    const twice = [answer(6, 5, "toolu_2"), answer(7, 6, "toolu_2"), answer(8, 7, "toolu_3")];
    expect(await path(...start, ...calls(4), ...twice, model(9, 8, "msg_3", text("Done.")))).toEqual([
      1, 2, 3, 4, 5, 6, 8, 9,
    ]);
  });
});

describe("a session of Claude Code in which results", () => {
  const goesOn = (last: number): object[] => [
    model(last + 1, last, "msg_3", text("cart.ts is wrong.")),
    user(last + 2, last + 1, "Mend it."),
  ];
  const second = model(4, 3, "msg_2", use("toolu_2", { command: "cat cart.ts" }));

  test("were written twice keeps the true one, and who followed the stub follows the record before it", async () => {
    const stub = user(5, 4, [result("toolu_2", "[Request interrupted by user for tool use]")]);
    const truth = (before: number): object => user(6, before, [result("toolu_2", "let sum")]);
    expect(await whole(lines([...start, second, stub, truth(5), ...goesOn(6)]))).toBe(
      lines([...start, second, truth(4), ...goesOn(6)]),
    );
  });

  test("lost their calls says them as words of the user", async () => {
    const orphan = (content: object): string => lines([...start, user(4, 3, [content]), ...goesOn(4)]);
    expect(await whole(orphan(result("toolu_gone", "let sum")))).toBe(
      orphan(text("[Result of a tool call that is not in this history (toolu_gone)]\nlet sum")),
    );
  });

  test("lost one of several calls says its result behind those of the others, which must not be parted from theirs", async () => {
    const calls = ["toolu_2", "toolu_3"].map((id, index) =>
      model(4 + index, 3 + index, "msg_2", use(id, { command: "cat cart.ts" })),
    );
    const answer = (own: number, before: number, ...content: object[]): object => user(own, before, content);
    const first = answer(6, 5, result("toolu_2", "let sum"));
    const last = (before: number): object => answer(8, before, result("toolu_3", "let sum"));
    const gone = answer(7, 6, result("toolu_gone", "let tax"));
    const told = text("[Result of a tool call that is not in this history (toolu_gone)]\nlet tax");
    expect(
      await whole(lines([...start, ...calls, first, gone, last(7), model(9, 8, "msg_3", text("So it is."))])),
    ).toBe(
      lines([
        ...start,
        ...calls,
        first,
        last(6),
        answer(7, 8, told),
        model(9, 7, "msg_3", text("So it is.")),
      ]),
    );
  });

  test("name their calls in other case gets the right ids, which is safe", async () => {
    const named = (id: string): string =>
      lines([...start, second, user(5, 4, [result(id, "let sum")]), ...goesOn(5)]);
    expect((await fixed(named("TOOLU_2"))).text).toBe(named("toolu_2"));
    expect(await whole(named("TOOLU_2"))).toBe(named("toolu_2"));
  });
});

describe("a session of Claude Code in which something", () => {
  const second = (own: number, before: number): object =>
    model(own, before, "msg_2", use("toolu_2", { command: "cat cart.ts" }));
  const answer = (own: number, before: number): object =>
    user(own, before, [result("toolu_2", "let sum")], { toolUseResult: { stdout: "let sum" } });
  const end = (own: number, before: number): object[] => [
    model(own, before, "msg_4", text("cart.ts is wrong.")),
    user(own + 1, own, "Mend it."),
  ];

  test("stands between a call and its result gets the record of the result behind that of the call, links and all", async () => {
    const said = (before: number): object => user(5, before, "Are you there?");
    const told = model(6, 5, "msg_3", text("Yes."));
    const late = lines([...start, second(4, 3), said(4), told, answer(7, 6), ...end(8, 7)]);
    const right = lines([...start, second(4, 3), answer(7, 4), said(7), told, ...end(8, 6)]);
    expect((await fixed(late)).text).toBe(right);
    expect(await whole(late)).toBe(right);
  });

  test("stands between a call and a result that the model is said to have written moves nothing", async () => {
    const odd = lines([
      ...start.slice(0, 2),
      user(3, 2, "Wait a moment."),
      model(4, 3, "msg_2", result("toolu_1", "1 failed")),
      model(5, 4, "msg_2", text("cart.ts is wrong.")),
      user(6, 5, "Mend it."),
    ]);
    const { text: same, report } = await fixed(odd);
    expect(same).toBe(odd);
    expect(report.edits.map(({ rule, why }) => [rule, why])).toEqual([
      ["misplaced-tool-result", "the log lacks what the repair needs"],
    ]);
  });

  test("is empty loses the empty text, and with it its record where it stands alone", async () => {
    const silent = model(4, 3, "msg_2", text(""));
    expect(await whole(lines([...start, silent, second(5, 4), answer(6, 5), ...end(7, 6)]))).toBe(
      lines([...start, second(5, 3), answer(6, 5), ...end(7, 6)]),
    );
    const beside = (...more: object[]): object => user(5, 4, [...more, text("Look at cart.ts.")]);
    expect(
      await whole(lines([...start, model(4, 3, "msg_2", text("Where?")), beside(text("")), ...end(6, 5)])),
    ).toBe(lines([...start, model(4, 3, "msg_2", text("Where?")), beside(), ...end(6, 5)]));
  });

  test("is empty and written twice goes with its copy, which would take its place", async () => {
    const empty = user(3, 2, []);
    const open = [...start.slice(0, 2), empty, empty, model(4, 3, "msg_2", text("cart.ts is wrong."))];
    const { text: repaired } = await fixed(lines(open), unsafe);
    expect(records(repaired).map(({ uuid: own }) => own)).toEqual([
      uuid(1),
      uuid(2),
      expect.stringMatching(/^(?!0000)/),
      uuid(4),
    ]);
    expect(repaired).toContain(kept);
  });

  test("was refused for a call without a result gets one, although nothing was said since", async () => {
    const refusal = (id: string): object => ({
      ...model(
        6,
        5,
        "msg_3",
        text(
          `API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.5: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message."}}`,
        ),
      ),
      isApiErrorMessage: true,
    });
    const stuck = (id: string): string =>
      lines([...start, second(4, 3), user(5, 4, "Are you there?"), refusal(id), user(7, 6, "Hello?")]);
    const rules = async (log: string): Promise<string[]> =>
      (await check(Buffer.from(log))).findings.flatMap(({ rule, fix }) => (fix ? rule : []));
    expect(await rules(stuck("toolu_2"))).toEqual(["unanswered-tool-call"]);
    expect(await rules(stuck("toolu_8"))).toEqual([]);
    expect(records(await whole(stuck("toolu_2")))[4]).toMatchObject({
      message: { content: [{ tool_use_id: "toolu_2", content: kept }] },
    });
  });

  test("cannot be read says that the record behind it follows another one", async () => {
    const log = lines([
      ...start,
      model(4, 3, "msg_2", text("cart.ts is wrong.")),
      user(6, 5, "Mend it."),
      model(7, 6, "msg_3", use("toolu_2", { command: "cat cart.ts" })),
      user(8, 7, "Are you there?"),
      model(9, 8, "msg_4", text("Yes.")),
    ]);
    const broken = log
      .split("\n")
      .toSpliced(4, 0, `{"uuid":"${uuid(5)}","parentUuid":`)
      .join("\n");
    const { report } = await fixed(broken, unsafe);
    expect(report.files.flatMap(({ notes }) => notes)).toEqual([
      "the record of line 6 named a predecessor that the file does not have or that cannot be read, and now follows the one before",
    ]);
  });

  test("is refused thinking loses it, and nothing else is done as long as the model answers", async () => {
    const thinks = (own: number, before: number, id: string): object =>
      model(own, before, id, { type: "thinking", thinking: "", signature: "EqQBCgYIAhgC" });
    const refusal = {
      ...model(
        8,
        7,
        "msg_3",
        text(
          'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.3.content.4: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response."}}',
        ),
      ),
      isApiErrorMessage: true,
    };
    const thoughtful = [...start, thinks(4, 3, "msg_2"), second(5, 4), answer(6, 5), user(7, 6, "And now?")];
    const again = user(9, 8, "Hello?");
    const stuck = lines([...thoughtful, refusal, again]);
    expect((await fixed(stuck)).report.edits).toMatchObject([
      { rule: "refused-reasoning", safety: "lossy", applied: false, location: { line: 4 } },
    ]);
    expect(await whole(stuck)).toBe(
      lines([...start, second(5, 3), answer(6, 5), user(7, 6, "And now?"), refusal, again]),
    );
    const answered = lines([...thoughtful, model(8, 7, "msg_3", text("Done.")), again]);
    expect((await fixed(answered, unsafe)).text).toBe(answered);
  });

  test("stands twice, as two records of one call, loses the second", async () => {
    const twice = { ...second(5, 4), uuid: uuid(5) };
    const log = lines([...start, second(4, 3), twice, answer(6, 5), ...end(7, 6)]);
    expect(await whole(log)).toBe(lines([...start, second(4, 3), answer(6, 4), ...end(7, 6)]));
  });

  test("is wrong says where in lines and steps, not in requests", async () => {
    const silent = model(4, 3, "msg_2", text(""));
    const log = lines([...start, silent, second(5, 4), answer(6, 5), ...end(7, 6)]);
    const { report } = await fixed(log);
    expect(report.edits).toMatchObject([
      { rule: "empty-content", location: { line: 4, part: "transcript", step: 2 }, applied: true },
    ]);
    expect(report.edits[0]?.location).not.toHaveProperty("exchange");
    expect(report.files).toMatchObject([{ kind: "transcript", isChanged: true, requests: [] }]);
    expect(report.summary).toEqual({ applied: 1, left: 0, requests: 0, sessions: 1 });
  });
});

describe("a rollout of Codex", () => {
  const item = (second: number, payload: object): object => ({
    timestamp: `2025-09-14T10:00:0${second}.000Z`,
    type: "response_item",
    payload,
  });
  const words = (role: string, said: string): object => ({
    type: "message",
    role,
    content: [{ type: role === "user" ? "input_text" : "output_text", text: said }],
  });
  const call = (id: string): object => ({
    type: "function_call",
    name: "shell",
    arguments: "{}",
    call_id: id,
  });
  const rollout = [
    {
      timestamp: "2025-09-14T10:00:00.000Z",
      type: "session_meta",
      payload: { id: "s1", originator: "codex_cli_rs" },
    },
    item(1, words("user", "Fix the failing test.")),
    item(2, call("call_1")),
    item(3, { type: "function_call_output", call_id: "call_1", output: "1 failed" }),
    item(4, call("call_2")),
    item(6, words("user", "Are you there?")),
    item(7, words("assistant", "Yes.")),
    item(8, words("user", "Go on.")),
  ];

  test("that lost an output gets one behind its call", async () => {
    expect(await whole(lines(rollout))).toBe(
      lines([
        ...rollout.slice(0, 5),
        item(4, { type: "function_call_output", call_id: "call_2", output: kept }),
        ...rollout.slice(5),
      ]),
    );
  });

  test("that lost a call says its output in the form of the user's other items: Codex skips any other", async () => {
    const output = (second: number, id: string): object =>
      item(second, { type: "function_call_output", call_id: id, output: "1 failed" });
    const rest = [...rollout.slice(4, 5), output(5, "call_2"), ...rollout.slice(5)];
    const told = "[Result of a tool call that is not in this history (call_1)]\n1 failed";
    expect(await whole(lines([...rollout.slice(0, 2), output(3, "call_1"), ...rest]))).toBe(
      lines([...rollout.slice(0, 2), item(3, words("user", told)), ...rest]),
    );
  });
});

describe("a history of Cline", () => {
  const messages = [
    { role: "user", content: [text("<task>Fix it</task>")], ts: 1 },
    { role: "assistant", content: [use("toolu_1", {})], ts: 2 },
    { role: "user", content: [result("toolu_1", "1 failed")], ts: 3 },
    { role: "assistant", content: [use("toolu_2", {})], ts: 4 },
    { role: "user", content: [text("Are you there?")], ts: 5 },
    { role: "assistant", content: [text("Yes.")], ts: 6 },
    { role: "user", content: [text("Go on.")], ts: 7 },
  ];

  test("gets the result at the beginning of the message that has to bring it", async () => {
    const closed = { ...result("toolu_2", kept), is_error: true };
    expect(await whole(JSON.stringify(messages))).toBe(
      JSON.stringify(
        messages.map((message, index) =>
          index === 4 ? { ...message, content: [closed, ...message.content] } : message,
        ),
      ),
    );
  });
});
