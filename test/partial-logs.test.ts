import { describe, expect, test } from "vitest";
import { check } from "../src/index.ts";

/** What a log of Responses requests is told of: level, rule and exchange. */
async function found(records: readonly object[]): Promise<string[]> {
  const { findings } = await check(
    Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join("")),
  );
  return findings.map(({ rule, severity, location }) => `${severity} ${rule} in ${location.exchange}`);
}

const user = (content: string) => ({ role: "user", content });
const call = (id: string, name: string) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name,
  arguments: `{"of":"${id}"}`,
  status: "completed",
});
const output = (id: string) => ({
  type: "function_call_output",
  call_id: `call_${id}`,
  output: `{"is":"${id}"}`,
});
const message = (id: string, text: string) => ({
  type: "message",
  id: `msg_${id}`,
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});
const reply = (id: string, ...items: readonly object[]) => ({
  id: `resp_${id}`,
  object: "response",
  status: "completed",
  output: items,
});
const exchange = (request: object, response: object) => ({
  request: { model: "gpt-5", ...request },
  response,
});

const question = user("How is order 4711?");
const reference = (id: string) => ({ type: "item_reference", id });

test("a log that begins in the middle of a run that names earlier items is put together by what it holds", async () => {
  const early = [question, reference("rs_before"), call("a", "find_order"), output("a")];
  const thought = (id: string) => ({ type: "reasoning", id: `rs_${id}`, summary: [] });
  const middle = [...early, reference("rs_b"), call("b", "find_carrier"), output("b")];
  const late = [...middle, reference("rs_c"), call("c", "find_stops"), output("c")];
  const records = [
    exchange({ input: early }, reply("2", thought("b"), call("b", "find_carrier"))),
    exchange({ input: middle }, reply("3", thought("c"), call("c", "find_stops"))),
    exchange({ input: late }, reply("4", message("d", "On its way."))),
  ];
  expect(await found(records)).toEqual([]);
});

describe("a log that lacks a request of a chain that the server holds", () => {
  const first = exchange({ input: [question] }, reply("1", call("a", "find_order")));
  const second = exchange(
    { previous_response_id: "resp_1", input: [output("a")] },
    reply("2", call("b", "find_stops")),
  );
  const third = exchange(
    { previous_response_id: "resp_2", input: [output("b")] },
    reply("3", message("c", "On its way.")),
  );

  test("does not say that the loop before the gap was left open", async () => {
    expect(await found([first, third])).toEqual(["info unclosed-loop in 1"]);
  });

  test("and is silent where nothing is lacking", async () => {
    expect(await found([first, second, third])).toEqual([]);
  });
});

test("a log whose last line is half written says nothing of how the run goes on", async () => {
  const ask = exchange({ input: [question] }, reply("1", call("a", "find_order")));
  const next = JSON.stringify(
    exchange({ input: [question, call("a", "find_order"), output("a")] }, reply("2")),
  );
  const whole = Buffer.from(`${JSON.stringify(ask)}\n${JSON.stringify(ask)}\n`);
  const half = Buffer.from(`${JSON.stringify(ask)}\n${next.slice(0, 60)}`);
  const levels = async (log: Buffer) =>
    (await check(log)).findings.map(({ rule, severity }) => `${severity} ${rule}`);
  expect(await levels(half)).toEqual(["info unclosed-loop", "info unreadable-record"]);
  expect(await levels(whole)).toContain("warning unclosed-loop");
});

test("a history that the server was asked to put together is no loss", async () => {
  const summary = { type: "compaction", id: "cmp_1", encrypted_content: "gAAAAABh" };
  const grown = [question, call("a", "find_order"), output("a"), message("b", "It is on its way.")];
  const tools = [{ type: "function", name: "find_order", parameters: { type: "object", properties: {} } }];
  const records = [
    exchange({ input: [question], tools }, reply("1", call("a", "find_order"))),
    exchange({ input: grown.slice(0, 3), tools }, reply("2", message("b", "It is on its way."))),
    exchange({ input: grown }, { id: "resp_3", object: "response.compaction", output: [question, summary] }),
    exchange({ input: [question, summary, user("Since when?")], tools }, reply("4", message("c", "Monday."))),
  ];
  expect(await found(records)).toEqual([]);
});

test("a run that prunes its history may stand in a log twice, word for word", async () => {
  const last = message("d", "On its way.");
  const run = [
    exchange({ input: [question] }, reply("1", call("a", "find_order"))),
    exchange(
      { input: [question, call("a", "find_order"), output("a")] },
      reply("2", call("b", "find_stops")),
    ),
    exchange({ input: [question, call("b", "find_stops"), output("b")] }, reply("3", call("c", "find_time"))),
    exchange({ input: [question, call("c", "find_time"), output("c")] }, reply("4", last)),
  ];
  const once = await found(run);
  expect((await found([...run, ...run])).filter((finding) => finding.includes("unclosed-loop"))).toEqual([]);
  expect(once.filter((finding) => finding.includes("unclosed-loop"))).toEqual([]);
});
