import assert from "node:assert";
import test from "node:test";

const { ask } = await import(process.env.AGENT ?? "./agent.mjs");

const parameters = { type: "object", properties: { number: { type: "string" } } };
const tools = [{ type: "function", function: { name: "find_order", parameters } }];

test("the agent says where an order is", async () => {
  const answer = await ask("Where is order 4711?", tools, () => "left on Monday");
  assert.match(answer, /Monday/);
});
