import { type Client, Run } from "./client.ts";

/** Text of one element anywhere in a history. */
export const holds = (element: object, text: string): boolean => JSON.stringify(element).includes(text);

/** What healthy clients do, told in a few requests; in each protocol. */
export const stories: Readonly<Record<string, (client: Client) => Run>> = {
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

  "a long result that is cut to its beginning once it is old": (client) => {
    const run = new Run(client).says("Compare the orders 17 and 18.");
    const long = "one lamp of brass, 12.50; ".repeat(40);
    run.round("look_up", { order: 17 }, long);
    const calls = [run.call("look_up", { order: 18 })];
    run.send({ calls });
    run.history = JSON.parse(
      JSON.stringify(run.history).replace(long, `${long.slice(0, 60)}… [980 characters truncated]`),
    );
    run.history.push(...client.answers({ calls }), ...client.results(calls, ["one lamp of tin, 9.00"]));
    return run.answers("The first one is dearer.");
  },

  "an old result that gave way to a note in brackets": (client) => {
    const run = new Run(client).says("Compare the orders 17 and 18.");
    run.round("look_up", { order: 17 }, "one lamp of brass, 12.50, bought on a rainy day in May");
    const calls = [run.call("look_up", { order: 18 })];
    run.send({ calls });
    const note =
      "[[NOTE] This result has been removed to save space. Look the order up again if you need it.]";
    run.history = JSON.parse(JSON.stringify(run.history).replace(/one lamp of brass[^"]*/, note));
    run.history.push(...client.answers({ calls }), ...client.results(calls, ["one lamp of tin, 9.00"]));
    return run.answers("The first one is dearer.");
  },

  "arguments to which the client added what the tool takes for granted": (client) => {
    const run = new Run(client).says("What about order 17?");
    const call = run.call("look_up", { order: "17" });
    run.send({ calls: [call] });
    const read = { ...call, arguments: { order: 17, currency: "EUR" } };
    run.history.push(...client.answers({ calls: [read] }), ...client.results([call], ["12.50"]));
    return run.answers("Order 17 costs 12.50.");
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
