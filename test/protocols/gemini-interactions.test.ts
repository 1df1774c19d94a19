import { expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { told } from "../containers/stories.ts";

const url = "https://generativelanguage.googleapis.com/v1beta/interactions";
const tools = [{ type: "function", name: "tide", parameters: { type: "object" } }];
const said = (type: string, text: string) => ({ type, content: [{ type: "text", text }] });
const call = { type: "function_call", id: "fc_1", name: "tide", arguments: { port: "Kiel" } };
const result = { type: "function_result", call_id: "fc_1", name: "tide", result: { metres: 0.4 } };

const asks = { model: "gemini-3-flash", input: [said("user_input", "How high is the tide in Kiel?")], tools };
const wants = {
  id: "v1_1",
  object: "interaction",
  status: "requires_action",
  steps: [{ type: "thought", signature: "c2ln" }, call],
  usage: { total_input_tokens: 30, total_output_tokens: 9 },
};
const goesOn = {
  model: "gemini-3-flash",
  previous_interaction_id: "v1_1",
  input: [{ type: "user_input", content: [result] }],
  tools,
};
const answers = {
  id: "v1_2",
  object: "interaction",
  status: "completed",
  steps: [said("model_output", "It is 40 cm.")],
};
const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");
const log = lines({ url, request: asks, response: wants }, { url, request: goesOn, response: answers });

test("a run is read, whose second request goes on from what the server keeps", async () => {
  expect(await told(log)).toEqual([
    'user "How high is the tide in Kiel?" → reasoning, call tide {"port":"Kiel"} (requires_action)',
    'result {"metres":0.4} → assistant "It is 40 cm." (completed)',
  ]);
  const { files, findings } = await check(Buffer.from(log));
  expect(files).toMatchObject([{ protocols: ["gemini-interactions"], conversations: 1, calls: 1 }]);
  expect(findings).toEqual([]);
});

test("it is known without its address, and not taken for the Responses API", async () => {
  const bare = lines({ request: asks, response: wants }, { request: goesOn, response: answers });
  expect((await check(Buffer.from(bare))).files).toMatchObject([{ protocols: ["gemini-interactions"] }]);
  const single = { model: "gemini-3-flash", previous_interaction_id: "v1_1", input: [result] };
  expect((await check(Buffer.from(JSON.stringify(single)))).files).toMatchObject([
    { protocols: ["gemini-interactions"] },
  ]);
});

test("a history that is sent along stands in steps, or in turns with contents", async () => {
  const steps = {
    ...asks,
    input: [...asks.input, call, result, said("model_output", "40 cm.")],
    store: false,
  };
  const turns = {
    ...asks,
    input: [
      { role: "user", content: "How high is the tide in Kiel?" },
      { role: "model", content: [call] },
      { role: "user", content: [result] },
      { role: "model", content: [{ type: "text", text: "40 cm." }] },
    ],
  };
  const expected =
    'user "How high is the tide in Kiel?", call tide {"port":"Kiel"}, result {"metres":0.4}, assistant "40 cm." → ?';
  expect(await told(lines({ request: steps }))).toEqual([expected]);
  expect(await told(lines({ request: turns }))).toEqual([expected]);
});

test("older replies keep contents under outputs", async () => {
  const older = { ...wants, steps: undefined, outputs: [call] };
  expect(await told(lines({ url, request: asks, response: older }))).toEqual([
    'user "How high is the tide in Kiel?" → call tide {"port":"Kiel"} (requires_action)',
  ]);
});

test("what a step begins with is a part of its text", async () => {
  const events = [
    { event_type: "interaction.created", interaction: { id: "v1_1", status: "in_progress" } },
    { event_type: "step.start", index: 0, step: said("model_output", "It is") },
    { event_type: "step.delta", index: 0, delta: { type: "text", text: " high." } },
    { type: "step.stop", index: 0 },
    { type: "interaction.completed", interaction: { id: "v1_1", status: "completed" } },
  ];
  const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  expect(await told(stream)).toEqual(['? → assistant "It is high." (completed)']);
});

test("a step that a tracer put together has its text itself", async () => {
  const steps = [{ index: 0, type: "model_output", text: "40 cm." }];
  const traced = { id: "v1_1", object: "interaction", status: "completed", steps };
  const log = lines({ url, request: asks, response: traced });
  expect((await check(Buffer.from(log))).findings).toEqual([]);
  expect(await told(log)).toEqual(['user "How high is the tide in Kiel?" → assistant "40 cm." (completed)']);
});

test("a stream is put together, by contents and by steps", async () => {
  const stream = (kind: string, holder: string, begin: string, end: string) =>
    [
      { event_type: begin, interaction: { id: "v1_1", object: "interaction", status: "in_progress" } },
      { event_type: `${kind}.start`, index: 0, [holder]: { type: "text" } },
      { event_type: `${kind}.delta`, index: 0, delta: { type: "text", text: "Let me " } },
      { event_type: `${kind}.delta`, index: 0, delta: { type: "text", text: "look." } },
      { event_type: `${kind}.stop`, index: 0 },
      { event_type: `${kind}.start`, index: 1, [holder]: { type: "function_call" } },
      { event_type: `${kind}.delta`, index: 1, delta: call },
      { event_type: `${kind}.stop`, index: 1 },
      { event_type: end, interaction: { id: "v1_1", object: "interaction", status: "requires_action" } },
    ]
      .map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");
  const expected = ['? → assistant "Let me look.", call tide {"port":"Kiel"} (requires_action)'];
  expect(await told(stream("content", "content", "interaction.start", "interaction.complete"))).toEqual(
    expected,
  );
  expect(await told(stream("step", "step", "interaction.created", "interaction.completed"))).toEqual(
    expected,
  );
});

test("what the server keeps of an interaction is a reply, although it repeats its input", async () => {
  const kept = {
    id: "interactions/01",
    status: "requires_action",
    model: "gemini-3-flash",
    input: "How high is the tide in Kiel?",
    system_instruction: "Be brief.",
    tools,
    steps: [said("user_input", "How high is the tide in Kiel?"), call],
  };
  expect(await told(JSON.stringify(kept))).toEqual(['? → call tide {"port":"Kiel"} (requires_action)']);
  expect((await check(Buffer.from(JSON.stringify(kept)))).files).toMatchObject([{ calls: 1 }]);
  const ended = {
    ...kept,
    status: "completed",
    steps: [...kept.steps, result, said("model_output", "40 cm.")],
  };
  expect((await check(Buffer.from(JSON.stringify(ended)))).findings).toEqual([]);
});
