import { describe, expect, it, test } from "vitest";
import { checkFiles } from "../src/check/check.ts";
import { memorySource } from "../src/reading/source.ts";

/** Runs as harnesses and data sets record them: healthy, but not in the form in which they were sent. */

async function loud(...records: readonly object[]): Promise<string[]> {
  const log = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  const { report } = await checkFiles([
    { path: "run.jsonl", source: memorySource("run.jsonl", Buffer.from(log)) },
  ]);
  return report.findings
    .filter(({ severity }) => severity !== "info")
    .map(({ rule, kind, severity }) => `${severity} ${rule} ${kind}`);
}

const chatCall = (id: string, name: string, args: object) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});

const asked = (...calls: readonly object[]) => ({ role: "assistant", content: null, tool_calls: calls });
const answered = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content });
const task = { role: "user", content: "Repair the date parser." };

describe("a run whose end the harness notes in a role of its own", () => {
  const submit = chatCall("call_9", "bash", { command: "git diff > patch.txt" });
  const rounds = [
    task,
    asked(chatCall("call_8", "bash", { command: "ls" })),
    answered("call_8", "dates.py"),
    asked(submit),
  ];
  const exit = {
    role: "exit",
    content: "diff --git a/dates.py b/dates.py",
    extra: { exit_status: "Submitted" },
  };

  it("needs no result for its last call", async () => {
    expect(
      await loud({ info: {}, messages: [...rounds, exit], trajectory_format: "mini-swe-agent-1.1" }),
    ).toEqual([]);
  });

  it("needs none with several notes, or with Anthropic's blocks", async () => {
    const blocks = [
      { role: "user", content: "Repair the date parser." },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_1", name: "bash", input: { command: "ls" } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "dates.py" }] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "toolu_2", name: "submit", input: {} }],
      },
      { role: "exit", content: "Submitted" },
    ];
    expect(await loud({ messages: [...rounds, exit, { role: "score", content: "1.0" }] })).toEqual([]);
    expect(await loud({ messages: blocks })).toEqual([]);
  });

  it("lacks the result if somebody speaks after the call", async () => {
    expect(await loud({ messages: [...rounds, { role: "user", content: "And the tests?" }, exit] })).toEqual([
      "warning unanswered-tool-call noResult",
    ]);
  });
});

describe("trials of one task in one file", () => {
  const said = (text: string) => ({ type: "message", role: "user", content: text });
  const call = (id: string, name: string, args: string) => ({
    type: "function_call",
    call_id: id,
    name,
    arguments: args,
  });
  const output = (id: string, text: string) => ({ type: "function_call_output", call_id: id, output: text });
  const system = { type: "message", role: "system", content: "You help customers." };
  const trial = (hello: string, run: string, lines: readonly string[]) => ({
    responses_create_params: {
      model: "policy",
      input: [
        system,
        said(hello),
        ...lines.flatMap((line) => [
          call(`chatcmpl-tool-${run}${line}`, "line_details", `{"line":"${line}"}`),
          output(`chatcmpl-tool-${run}${line}`, `line ${line} is suspended`),
        ]),
      ],
    },
    response: {
      id: `resp_${run}`,
      object: "response",
      status: "completed",
      output: [
        { type: "message", role: "assistant", content: [{ type: "output_text", text: `Found it, ${run}.` }] },
      ],
    },
  });

  it("are runs of their own if no id of one comes back in the other", async () => {
    expect(
      await loud(
        trial("No service.", "a1b2", ["L1", "L2", "L3"]),
        trial("No service.", "c3d4", ["L1", "L2"]),
        trial("No service.", "e5f6", ["L1", "L2"]),
      ),
    ).toEqual([]);
  });

  it("are one run that loses its turns if the ids come back", async () => {
    const findings = await loud(
      trial("No service.", "a1b2", ["L1", "L2", "L3"]),
      trial("No service.", "a1b2", ["L1", "L3"]),
    );
    expect(findings).toContain("error dropped-turns current");
  });
});

describe("simulated talks in one file", () => {
  const hello = { role: "assistant", content: "Hello! What can I do for you?" };
  const user = (content: string) => ({ role: "user", content });
  const lookUp = (id: string, order: string) => [
    { role: "assistant", content: null, tool_calls: [{ id, name: "find_order", arguments: { order } }] },
    { role: "tool", id, content: `Order ${order} is on its way.` },
  ];
  const over = [{ role: "assistant", content: "Goodbye." }, user("###STOP###")];
  const asks = [user("Where is my order 4711?"), ...lookUp("find_order_0", "4711")];
  const talks = [
    [hello, ...asks, { role: "assistant", content: "It left on Monday." }, user("Thanks, bye"), ...over],
    [hello, user("I want my money back for order 12."), ...lookUp("find_order_0", "12"), ...over],
    [hello, ...asks, ...over],
    [hello, user("Never mind."), ...over],
  ];

  it.each([
    [
      "in a document under any name",
      JSON.stringify({ info: {}, simulations: talks.map((messages) => ({ reward: 1, messages })) }),
    ],
    ["in lines", talks.map((messages) => `${JSON.stringify({ task_id: 1, messages })}\n`).join("")],
    [
      "in a list of lists",
      JSON.stringify({ episodes: talks.map((turns) => ({ messages: turns, seed: 3 })) }, null, 2),
    ],
    ["in YAML", `runs:\n${talks.map((messages) => `  - messages: ${JSON.stringify(messages)}\n`).join("")}`],
  ])("are runs of their own, though they greet and part alike: %s", async (_, log) => {
    const { report } = await checkFiles([{ path: "run", source: memorySource("run", Buffer.from(log)) }]);
    expect(report.findings).toEqual([]);
    expect(report.files[0]?.exchanges).toBe(4);
    expect(report.files[0]?.conversations).toBe(4);
  });

  it("are all read, where a wire's form stands beside another's", async () => {
    const wired = [
      user("Where is my order 4711?"),
      asked(chatCall("call_1", "find_order", { order: "4711" })),
      answered("call_1", "Order 4711 is on its way."),
      { role: "assistant", content: "It left on Monday." },
    ];
    const log = JSON.stringify({ simulations: [...talks, wired].map((messages) => ({ messages })) });
    const { report } = await checkFiles([{ path: "run", source: memorySource("run", Buffer.from(log)) }]);
    expect(report.files[0]?.exchanges).toBe(5);
  });
});

describe("failures that a benchmark notes beside a run", () => {
  const talk = (order: number) => [
    { role: "user", content: `Where is my order ${order}?` },
    { role: "assistant", content: "" },
    { role: "tool", tool_call_id: "call_1", content: "Request timeout" },
    { role: "assistant", content: "I cannot look it up now." },
  ];

  it.each([
    [
      "of a tool",
      { tool_calls: [{ tool_name: "find_order", arguments: {}, error: "Service completely unavailable" }] },
    ],
    [
      "of its own",
      { info: { error: "1 validation error for Reply", traceback: "Traceback (most recent call last):" } },
    ],
    ["in Java", { failure: { error: "The evaluation was stopped", stackTrace: "at Runner.run" } }],
  ])("are no answers of the provider: %s", async (_, more) => {
    const log = JSON.stringify({
      results: [1, 2].map((id) => ({ id, ...more, log: { messages: talk(id) } })),
    });
    const { report } = await checkFiles([{ path: "run", source: memorySource("run", Buffer.from(log)) }]);
    expect(report.files[0]?.exchanges).toBe(2);
    expect(report.findings.filter(({ rule }) => rule === "provider-rejected")).toEqual([]);
  });
});

describe("a run that was recorded as one reply", () => {
  const call = (id: string) => ({
    type: "function_call",
    call_id: id,
    name: "bash",
    arguments: `{"id":"${id}"}`,
  });
  const output = (id: string) => ({ type: "function_call_output", call_id: id, output: "done" });
  const words = (text: string) => ({
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text }],
  });
  const rollout = (...items: readonly object[]) => ({
    responses_create_params: { model: "policy", input: [{ role: "user", content: "Count the rows." }] },
    response: { id: "resp_1", object: "response", status: "completed", output: items },
  });

  it("may join the results of a batch, as long as it goes on", async () => {
    expect(
      await loud(
        rollout(call("a1"), call("a2"), output("a1"), words("Next."), call("b1"), call("b2"), output("b1")),
      ),
    ).toEqual([]);
  });

  it("ends without a result", async () => {
    expect(await loud(rollout(call("a1"), output("a1"), words("Next."), call("b1")))).toEqual([
      "warning unclosed-loop unclosed",
    ]);
  });
});

test("an id that a snapshot masks differs from no other, and has no form", async () => {
  const history = (id: string, answer: string) => ({
    model: "gpt-5-mini",
    messages: [task, asked(chatCall(id, "bash", { command: "ls" })), answered(answer, "dates.py")],
  });
  expect(await loud({ request: history("<span:1>", "<tool-call-id>") })).toEqual([]);
  expect(await loud({ request: history("call_1", "[id]") })).toEqual([]);
  expect(await loud({ request: history("***", "call_1") })).toEqual([]);
  expect(await loud({ request: history("call_1", "call_2") })).toEqual(["error call-id-mismatch other"]);
  expect(
    await loud({
      request: {
        model: "gpt-5-mini",
        input: [
          task,
          {
            id: "<id>",
            type: "message",
            role: "assistant",
            content: [{ type: "output_text", text: "Done." }],
          },
          { role: "user", content: "And now?" },
        ],
      },
    }),
  ).toEqual([]);
});

test("an excerpt of a log that keeps the comma of its list lacks nothing", async () => {
  const message = { role: "assistant", content: "I list the files." };
  const choices = [{ index: 0, finish_reason: "stop", message }];
  const response = { id: "chatcmpl-1", object: "chat.completion", model: "gpt-5-mini", choices };
  const excerpt = JSON.stringify({ ...message, extra: { response } }, null, 2);
  const labels = (behind: string) => ({ labels: [{ step: 7, content: `${excerpt}${behind}` }] });
  expect(await loud(labels(","))).toEqual([]);
  expect(await loud(labels(",\n"))).toEqual([]);
  expect(await loud(labels(" and so on"))).toEqual(["warning unreadable-record broken"]);
});

describe("histories of which each names its session", () => {
  const said = (content: string) => ({ role: "assistant", content });
  const coder = { role: "system", content: "You are a coder." };
  const first = [
    said("A chat of Monday."),
    task,
    said("I look at the output first."),
    said("The year was wrong."),
  ];
  const second = [
    coder,
    task,
    said("I look at the output first."),
    asked(chatCall("call_1", "bash", {})),
    answered("call_1", "12 passed"),
  ];
  const inSession = (id: string, messages: object[]): object => ({ session_id: id, tools: [], messages });

  it("lost nothing of one another", async () => {
    expect(await loud(inSession("s-1", first), inSession("s-2", second))).toEqual([]);
  });

  it("lost turns where it is the same session", async () => {
    expect(await loud(inSession("s-1", first), inSession("s-1", second))).toEqual([
      "error dropped-turns current",
    ]);
  });
});
