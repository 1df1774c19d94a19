import { describe, expect, test } from "vitest";
import { checkFiles } from "../../src/check.ts";
import { memorySource } from "../../src/reading/source.ts";
import { type Client, clients, Run } from "./client.ts";

/** What a log is told above info; a healthy run of a real client hears nothing. */
async function told(log: string): Promise<string[]> {
  const source = memorySource("run.jsonl", Buffer.from(log));
  const { report } = await checkFiles([{ path: "run.jsonl", source }]);
  expect(report.files).toHaveLength(1);
  return report.findings
    .filter(({ severity }) => severity !== "info")
    .map(
      ({ severity, rule, location, message }) =>
        `${severity} ${rule} at ${location.exchange ?? "?"}: ${message}`,
    );
}

/** Text of one element anywhere in a history. */
const holds = (element: object, text: string): boolean => JSON.stringify(element).includes(text);

const stories: Readonly<Record<string, (client: Client) => Run>> = {
  "words at the end of one request that the next one leaves out again": (client) => {
    const run = new Run(client).says("Refund order 17 and order 18, please.");
    for (const order of [17, 18, 19]) {
      const note = client.says(`Steps left: ${30 - order}. Work on.`);
      run.round("look_up", { order }, `order ${order}: 12.50`, undefined, [...run.history, ...note]);
    }
    return run.answers("All three were looked up.");
  },

  "a window that keeps some of the older turns": (client) => {
    const run = new Run(client);
    for (const order of [17, 18, 19, 20]) {
      run.says(`What about order ${order}?`).round("look_up", { order }, `order ${order}: 12.50`);
      run.answers(`Order ${order} costs 12.50.`);
    }
    run.history = run.history.slice(run.history.findIndex((element) => holds(element, "order 19")));
    return run.says("Which of them was the last?").answers("Order 20.");
  },

  "a memory of what the user and the model said, without the calls between": (client) => {
    const run = new Run(client);
    run.says("What about order 17?").round("look_up", { order: 17 }, "12.50", "I am looking it up.");
    run.answers("Order 17 costs 12.50.");
    run.history = [
      ...client.says("What about order 17?"),
      ...client.answers({ text: "Order 17 costs 12.50." }),
      ...client.says("And order 18?"),
    ];
    return run.round("look_up", { order: 18 }, "9.00").answers("Order 18 costs 9.00.");
  },

  "old results that make room for new ones": (client) => {
    const run = new Run(client).says("Compare the orders 17 to 20.");
    for (const order of [17, 18, 19, 20]) {
      run.round("look_up", { order }, `order ${order}: a long list of things that were bought`);
      run.history = run.history.map((element) =>
        holds(element, `order ${order - 2}: a long`)
          ? JSON.parse(
              JSON.stringify(element).replace(/order \d+: a long[^"]*/, "[Old tool result content cleared]"),
            )
          : element,
      );
    }
    return run.answers("They are much the same.");
  },

  "asking again while the answer is that it is not finished": (client) => {
    const run = new Run(client).says("Refund order 17, and tell me when the money is there.");
    for (let times = 0; times < 5; times++)
      run.round("look_up", { order: 17 }, '{"order":17,"status":"pending"}', "Not yet. I look again.");
    return run.answers("The refund is still pending.");
  },

  "going one page further, again and again": (client) => {
    const run = new Run(client, { prompt: "You read catalogues.", tools: ["next_page"] });
    run.says("Go to the end of the catalogue.");
    for (let page = 0; page < 6; page++) run.round("next_page", {}, "turned");
    return run.answers("That was the last page.");
  },

  "an answer by a forced tool, sent back with what is wrong about it": (client) => {
    const run = new Run(client, { prompt: "Extract the order.", tools: ["order"], forced: "order" });
    run.says("Two lamps for 12.50, please.");
    run.round(
      "order",
      { count: "two" },
      "1 validation error: count is no number. Fix the errors and try again.",
    );
    run.send({ calls: [run.call("order", { count: 2, price: 12.5 })] });
    return run;
  },

  "a final answer by a tool, acknowledged before the next question": (client) => {
    const run = new Run(client, { prompt: "You help in a shop.", tools: ["look_up", "final_result"] });
    run.says("What about order 17?").round("look_up", { order: 17 }, "12.50");
    run.round("final_result", { price: 12.5 }, "Final result processed.");
    run.says("And order 18?").round("look_up", { order: 18 }, "9.00");
    run.send({ calls: [run.call("final_result", { price: 9 })] });
    return run;
  },

  "calls that are left out because the answer was there already": (client) => {
    const run = new Run(client, { prompt: "You help in a shop.", tools: ["look_up", "final_result"] });
    run.says("What about order 17?");
    const made = [run.call("final_result", { price: 12.5 }), run.call("look_up", { order: 17 })];
    run.send({ calls: made });
    run.history.push(
      ...client.answers({ calls: made }),
      ...client.results(made, [
        "Final result processed.",
        "Tool not executed - a final result was already processed.",
      ]),
    );
    return run.says("Thanks!").answers("You are welcome.");
  },

  "a hand-off to an agent that gets the user's words alone": (client) => {
    const run = new Run(client, { prompt: "Find the right agent.", tools: ["transfer_to_refunds"] });
    run.says("I want my money back for order 17.");
    run.send({ text: "One moment.", calls: [run.call("transfer_to_refunds")] });
    run.frame = { prompt: "You refund orders.", tools: ["refund"] };
    return run.round("refund", { order: 17 }, "done").answers("Order 17 is refunded.");
  },

  "an agent that takes over another one's answer, and not the rounds that led to it": (client) => {
    const boss = new Run(client, { prompt: "You ask the right expert.", tools: ["transfer_to_prices"] });
    boss.says("What do the orders 17 and 18 cost?");
    boss.round("transfer_to_prices", {}, "Successfully transferred to prices.");
    const expert = new Run(client, { prompt: "You know prices.", tools: ["look_up"] });
    expert.history = [...boss.history];
    expert.round("look_up", { order: 17 }, "12.50").round("look_up", { order: 18 }, "9.00");
    expert.answers("The orders 17 and 18 cost 21.50 in all.");
    boss.log.push(...expert.log);
    boss.history.push(...client.answers({ text: "The orders 17 and 18 cost 21.50 in all." }));
    const back = [boss.call("transfer_back_to_boss")];
    boss.history.push(...client.answers({ calls: back }), ...client.results(back, ["Transferred back."]));
    return boss.answers("They cost 21.50.");
  },

  "a summary of the client's own in place of the middle of a long turn": (client) => {
    const run = new Run(client).says("Look up the orders 11 to 17.");
    for (let order = 11; order < 17; order++)
      run.round("look_up", { order }, `order ${order}: 12.50`, `Looking up order ${order}.`);
    const summary = client.answers({
      text: "Summary of previous steps: the orders 11 to 14 cost 12.50 each.",
    });
    const kept = run.history.slice(run.history.findIndex((element) => holds(element, "up order 15")));
    run.history = [...run.history.slice(0, 1), ...summary, ...kept];
    return run.round("look_up", { order: 17 }, "order 17: 12.50").answers("12.50 each.");
  },

  "a summary that is asked for without tools": (client) => {
    const run = new Run(client);
    run.says("What about order 17?").round("look_up", { order: 17 }, "12.50").answers("It costs 12.50.");
    const asked = client.says("Summarize this conversation for another agent.");
    run.send(
      { text: "The user asked for the price of order 17, which is 12.50." },
      [...run.history, ...asked],
      {
        prompt: "You summarize conversations.",
      },
    );
    run.history = client.says("Summary so far: The user asked for the price of order 17, which is 12.50.");
    return run.says("Refund it.").round("refund", { order: 17 }, "done").answers("Refunded.");
  },

  "a question about the newest rounds, asked beside the conversation": (client) => {
    const run = new Run(client).says("Look up the orders 11 to 15.");
    for (let order = 11; order < 16; order++) run.round("look_up", { order }, `order ${order}: 12.50`);
    const newest = run.history.slice(
      run.history.findIndex((element) => holds(element, "13}") || holds(element, ":13}")),
    );
    const question = client.says("Is the agent above stuck? Answer with yes or no.");
    run.send({ text: "no" }, [...client.says("Here is what happened."), ...newest, ...question], {
      prompt: "You watch agents.",
    });
    return run.answers("12.50 each.");
  },

  "two agents at once that were asked the same": (client) => {
    const [one, other] = [new Run(client), new Run(client)];
    one.says("What about order 17?");
    other.says("What about order 17?");
    const asked = [one.call("look_up", { order: 17 })];
    const again = [{ ...(asked[0] as (typeof asked)[0]), id: "call_other" }];
    one.send({ calls: asked });
    other.send({ calls: again });
    const log = [...one.log, ...other.log];
    for (const [run, calls] of [
      [one, asked],
      [other, again],
    ] as const) {
      run.history.push(...client.answers({ calls }), ...client.results(calls, ["12.50"]));
      run.answers("It costs 12.50.");
      log.push(run.log.at(-1) as object);
    }
    one.log.splice(0, one.log.length, ...log);
    return one;
  },

  "ids of another form, as another provider wants them": (client) => {
    const run = new Run(client).says("Refund order 17, please.");
    run.round("look_up", { order: 17 }, "12.50").round("refund", { order: 17 }, "done");
    run.history = JSON.parse(JSON.stringify(run.history).replaceAll(/"call_(?=\d)/g, '"toolu_'));
    return run.answers("Order 17 is refunded.");
  },
};

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

  test("a run stops although its reply asks for a tool that had answered before", async () => {
    const run = new Run(chat).says("Orders 17 and 18?").round("look_up", { order: 17 }, "12.50");
    run.send({ calls: [run.call("look_up", { order: 18 })] });
    expect(await told(run.text())).toEqual([
      "warning unclosed-loop at 2: the reply asks for `look_up`, and no later request carries a result",
    ]);
  });
});
