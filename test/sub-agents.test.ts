import { describe, expect, test } from "vitest";
import { checkFiles } from "../src/check/check.ts";
import { callerOf } from "../src/conversation/callers.ts";
import { openLogs } from "../src/log/open.ts";
import { bytesSource } from "../src/reading/source.ts";
import { describe as shown } from "../src/show/describe.ts";
import { lines } from "./containers/sessions.ts";

const order = "Find the file that holds the parser.";

/** A session of Claude Code in which a sub-agent looks for a file; its work stands in a file of its own. */
const record = (uuid: string, parentUuid: string | null, message: object, more: object = {}): object => ({
  parentUuid,
  sessionId: "5f0c",
  isSidechain: false,
  type: (message as { role: string }).role,
  uuid,
  message,
  ...more,
});
const call = (id: string, name: string, input: object): object => ({ type: "tool_use", id, name, input });
const result = (id: string, content: string): object => ({ type: "tool_result", tool_use_id: id, content });
const session = lines(
  record("u1", null, { role: "user", content: "Where is the parser?" }),
  record("a1", "u1", { id: "m1", role: "assistant", content: [call("toolu_1", "Task", { prompt: order })] }),
  record("u2", "a1", { role: "user", content: [result("toolu_1", "src/parse.ts")] }),
  record("a2", "u2", { id: "m2", role: "assistant", content: [{ type: "text", text: "In src/parse.ts." }] }),
);
const side = { isSidechain: true, agentId: "ab12" };
const agent = lines(
  record("x1", null, { role: "user", content: order }, side),
  record("x2", "x1", { id: "n1", role: "assistant", content: [call("toolu_9", "Grep", {})] }, side),
);

const files = (logs: Readonly<Record<string, string>>) =>
  Object.entries(logs).map(([path, log]) => ({ path, source: bytesSource(path, Buffer.from(log)) }));
const folder = { "p/5f0c.jsonl": session, "p/5f0c/subagents/agent-ab12.jsonl": agent };

describe("a sub-agent's file", () => {
  test("is of the run of the session that called it, and shown as the work for that call", async () => {
    const [run] = await openLogs(files(folder));
    expect(shown(run?.conversations ?? []).map(({ calledBy }) => calledBy)).toEqual([
      null,
      { conversation: "c1", exchange: 1, tool: "Task", callId: "toolu_1" },
    ]);
  });

  test("is not judged by what the session says: a call that waits at its end is no error", async () => {
    const { report } = await checkFiles(files(folder));
    expect(report.findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(report.files.map(({ path }) => path)).toEqual(Object.keys(folder));
  });

  test("stays by itself with `separate`, and where two files claim to be its session", async () => {
    const twice = { ...folder, "p/copy.jsonl": session };
    const apart = await checkFiles(files(folder), { separate: true });
    expect(apart.runs.map((run) => run.files.length)).toEqual([1, 1]);
    expect((await checkFiles(files(twice))).runs.map((run) => run.files.length)).toEqual([1, 1, 1]);
  });
});

test("where the log names the call, its words need not be known", async () => {
  const log = lines(
    { type: "user", session_id: "s1", message: { role: "user", content: "Where is the parser?" } },
    {
      type: "assistant",
      session_id: "s1",
      message: { id: "m1", role: "assistant", content: [call("toolu_1", "Agent", { task: 7 })] },
    },
    {
      type: "assistant",
      session_id: "s1",
      parent_tool_use_id: "toolu_1",
      message: { id: "n1", role: "assistant", content: [{ type: "text", text: "src/parse.ts" }] },
    },
  );
  const [run] = (await checkFiles(files({ "run.jsonl": log }))).runs;
  expect(run?.conversations.map((each) => callerOf(each)?.item.id)).toEqual([undefined, "toolu_1"]);
});

test("requests are sub-agents' work, too, where they begin with the words that a call was given", async () => {
  const ask = (content: string, ...rest: object[]) => ({
    model: "gpt-5",
    messages: [{ role: "user", content }, ...rest],
  });
  const reply = (message: object) => ({ object: "chat.completion", choices: [{ index: 0, message }] });
  const task = {
    id: "call_1",
    type: "function",
    function: { name: "task", arguments: JSON.stringify({ prompt: order }) },
  };
  const log = lines(
    {
      request: ask("Where is the parser?"),
      response: reply({ role: "assistant", content: null, tool_calls: [task] }),
    },
    { request: ask(order), response: reply({ role: "assistant", content: "src/parse.ts" }) },
  );
  const [run] = (await checkFiles(files({ "run.jsonl": log }))).runs;
  expect(run?.conversations.map((each) => callerOf(each)?.item.id)).toEqual([undefined, "call_1"]);
});
