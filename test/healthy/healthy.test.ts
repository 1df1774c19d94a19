import { describe, expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import { memorySource } from "../../src/reading/source.ts";
import { type Client, clients, Run } from "./client.ts";
import { holds, stories } from "./stories.ts";

/** What a log is told above info, without what only follows; a healthy run of a real client hears nothing. */
async function told(log: string): Promise<string[]> {
  const source = memorySource("run.jsonl", Buffer.from(log));
  const { report } = await checkFiles([{ path: "run.jsonl", source }]);
  expect(report.files).toHaveLength(1);
  return report.findings
    .filter(({ severity, cause }) => severity !== "info" && !cause)
    .map(
      ({ severity, rule, location, message }) =>
        `${severity} ${rule} at ${location.exchange ?? "?"}: ${message}`,
    );
}

describe.each(clients.map((client) => [client.protocol, client] as const))(
  "%s: nothing is said about",
  (_, client) => {
    test.each(Object.entries(stories))("%s", async (_, story) => {
      const run = story(client);
      expect(await told(run.text())).toEqual([]);
    });
  },
);

describe("nothing is said about", () => {
  const [chat, responses, anthropic] = clients as [Client, Client, Client];
  const asked = { prompt: "You help in a shop.", tools: ["look_up"] };

  test("the second of two choices, which the client took", async () => {
    const run = new Run(chat, asked).says("Order 17 or order 18?");
    run.send({ calls: [run.call("look_up", { order: 17 })] });
    const second = [run.call("look_up", { order: 18 })];
    const [record] = run.log as [{ response: { choices: object[] } }];
    const [message] = chat.answers({ calls: second });
    record.response.choices.push({ index: 1, message, finish_reason: "tool_calls" });
    run.history.push(...chat.answers({ calls: second }), ...chat.results(second, ["9.00"]));
    expect(await told(run.answers("Order 18 costs 9.00.").text())).toEqual([]);
  });

  test("a computer that the request offers under the name of its version", async () => {
    const run = new Run(responses, {}).says("Open the shop.");
    const call = {
      type: "computer_call",
      id: "cu_1",
      call_id: "call_1",
      status: "completed",
      action: { type: "click", button: "left", x: 10, y: 10 },
      pending_safety_checks: [],
    };
    const screen = { type: "computer_screenshot", image_url: "data:image/png;base64,AAAA" };
    const tools = [
      { type: "computer_use_preview", display_width: 1024, display_height: 768, environment: "browser" },
    ];
    run.send({});
    run.history.push(call, { type: "computer_call_output", call_id: "call_1", output: screen });
    run.answers("The shop is open.");
    const [first, second] = run.log as { request: object; response: object }[];
    Object.assign(first?.request ?? {}, { tools });
    Object.assign(second?.request ?? {}, { tools });
    Object.assign(first?.response ?? {}, { output: [call] });
    expect(await told(run.text())).toEqual([]);
  });

  test("reasoning that an open model writes out, with nothing stored", async () => {
    const question = { role: "user", content: "How old is order 17?" };
    const reasoning = {
      type: "reasoning",
      id: "rs_1",
      summary: [],
      content: [{ type: "reasoning_text", text: "I look it up." }],
    };
    const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "look_up", arguments: "{}" };
    const result = { type: "function_call_output", call_id: "call_1", output: "9 days" };
    const text = { type: "output_text", text: "Nine days.", annotations: [] };
    const message = { type: "message", id: "msg_1", role: "assistant", content: [text] };
    const exchange = (id: string, input: object[], output: object[]) =>
      JSON.stringify({
        request: { model: "gpt-oss-120b", store: false, input },
        response: { id, object: "response", status: "completed", model: "gpt-oss-120b", output },
      });
    const first = exchange("resp_1", [question], [reasoning, call]);
    expect(
      await told(`${first}\n${exchange("resp_2", [question, reasoning, call, result], [message])}\n`),
    ).toEqual([]);
  });

  test("a reply that sums up what came before, where nothing from before is sent again", async () => {
    const run = new Run(anthropic, asked)
      .says("What about order 17?")
      .round("look_up", { order: 17 }, "12.50");
    const summary = { type: "compaction", content: "The user asked for order 17, which costs 12.50." };
    const calls = [run.call("look_up", { order: 18 })];
    run.send({ calls });
    const { response } = run.log.at(-1) as { response: { content: object[] } };
    response.content.unshift(summary);
    run.history = [{ role: "assistant", content: response.content }, ...anthropic.results(calls, ["9.00"])];
    expect(await told(run.answers("Order 18 costs 9.00.").text())).toEqual([]);
  });

  test("a refusal after which the user asks for something else", async () => {
    const run = new Run(chat, asked).says("Refund everything.");
    run.send({});
    const [record] = run.log as [{ response: { choices: { message: object }[] } }];
    const message = { role: "assistant", content: null, refusal: "I cannot do that." };
    Object.assign(record.response.choices[0] as object, { message });
    run.history.push(message);
    expect(await told(run.says("Then look up order 17.").answers("It costs 12.50.").text())).toEqual([]);
  });

  test("ids longer than OpenAI's, in the requests to a server of one's own", async () => {
    const call = { id: "chatcmpl-tool-3f0e2c4e9a114b8f9d0c7be1aa62f0d3", tool: "look_up", arguments: {} };
    const history = [
      ...chat.says("What about order 17?"),
      ...chat.answers({ calls: [call] }),
      ...chat.results([call], ["12.50"]),
    ];
    const request = { ...chat.request(history, asked), model: "qwen3-32b" };
    expect(await told(`${JSON.stringify({ request })}\n`)).toEqual([]);
  });

  test("a request that only warms a connection up", async () => {
    const run = new Run(responses, asked).says("What about order 17?");
    run.send({});
    Object.assign((run.log[0] as { request: object }).request, { generate: false });
    expect(await told(run.round("look_up", { order: 17 }, "12.50").answers("12.50.").text())).toEqual([]);
  });

  describe("words of the model that the user interrupts", () => {
    const pieces = ["The history of lamps ", "begins with fire, and "];
    const stream = pieces
      .map((content) => ({ object: "chat.completion.chunk", choices: [{ index: 0, delta: { content } }] }))
      .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
      .join("");

    test.each([
      ["and that are kept as far as they were shown", ["The history of lamps"]],
      ["and that are forgotten", []],
    ])("%s", async (_, kept) => {
      const run = new Run(chat, asked).says("Tell me all about lamps.");
      run.send({});
      Object.assign(run.log[0] as object, { response: stream.slice(0, -20), aborted: "by client" });
      run.history.push(...kept.flatMap((text) => chat.answers({ text })));
      expect(await told(run.says("Shorter, please.").answers("Lamps give light.").text())).toEqual([]);
    });
  });
});

describe("it is still said that", () => {
  const [chat] = clients as [Client];

  test("calls are forced, which is why they repeat", async () => {
    for (const client of clients.filter(({ protocol }) => protocol !== "ollama")) {
      const run = new Run(client, { prompt: "You help in a shop.", tools: ["look_up"], forced: "look_up" });
      run.says("What about order 17?");
      for (let times = 0; times < 4; times++) run.round("look_up", { order: 17 }, "12.50");
      const roots = (await told(run.text())).map((root) => root.replace(/:.*/, ""));
      expect(roots).toEqual(["warning forced-tool-loop at 3"]);
    }
  });

  test("everything but the newest turn is gone", async () => {
    const run = new Run(chat);
    for (const order of [17, 18]) {
      run.says(`What about order ${order}?`).round("look_up", { order }, `order ${order}: 12.50`);
      run.answers(`Order ${order} costs 12.50.`);
    }
    run.says("Refund the dearer one.").round("refund", { order: 17 }, "done");
    run.history = run.history.slice(run.history.findIndex((element) => holds(element, "dearer")));
    expect(await told(run.answers("Done.").text())).toEqual([
      "warning dropped-turns at 6: 8 items of older turns are missing here; request 5 had them",
    ]);
  });

  test("the user's question is gone while the answer to it goes on", async () => {
    const run = new Run(chat).says("What about order 17?").answers("It costs 12.50.");
    run.says("Refund it.").round("refund", { order: 17 }, "done");
    run.history = run.history.filter((element) => !holds(element, "Refund it."));
    expect(await told(run.answers("Done.").text())).toEqual([
      "error dropped-turns at 3: 1 item of the turn in progress is missing here; request 2 had it",
    ]);
  });

  test("the same is read again and again with the same result", async () => {
    const run = new Run(chat).says("What about order 17?");
    for (let times = 0; times < 3; times++)
      run.round("look_up", { order: 17 }, '{"order":17,"status":"paid"}');
    expect(await told(run.answers("It is paid.").text())).toEqual([
      "warning repeated-call at 2: `look_up` is called 3 times in one turn, with the same arguments and the same result",
    ]);
  });

  test("a run stops although its reply asks for a tool that had already answered", async () => {
    const run = new Run(chat).says("Orders 17 and 18?").round("look_up", { order: 17 }, "12.50");
    run.send({ calls: [run.call("look_up", { order: 18 })] });
    expect(await told(run.text())).toEqual([
      "warning unclosed-loop at 2: the reply asks for `look_up`, and no later request carries a result",
    ]);
  });
});
