import { type Client, Run } from "../../test/healthy/client.ts";

/** Small runs to damage: a healthy one, some with a mistake that `fix` repairs, and one with two talks. */
export const runs: Readonly<Record<string, (client: Client) => Run>> = {
  healthy: (client) =>
    shop(client)
      .round("look_up", { order: 17, note: "“urgent”" }, '{"price":12.5}')
      .answers("It costs 12.50 — «cheap»."),

  "two calls at once": (client) => {
    const run = shop(client);
    const calls = [run.call("look_up", { order: 17 }), run.call("look_up", { order: 18 })];
    run.send({ text: "I look both up.", calls });
    run.history.push(
      ...client.answers({ text: "I look both up.", calls }),
      ...client.results(calls, ["order 17: a brass lamp", "order 18: a tin lamp"]),
    );
    return run.answers("One is brass, one is tin.");
  },

  "a forgotten call": (client) => {
    const run = shop(client);
    const calls = [run.call("look_up", { order: 17 })];
    run.send({ text: "I look it up for you.", calls });
    run.history.push(...client.results(calls, ["order 17: a brass lamp"]));
    return run.answers("It is a brass lamp.").says("Refund it, please.").answers("That is done.");
  },

  "a forgotten round": (client) => {
    const run = shop(client).round("look_up", { order: 17 }, "order 17: a brass lamp");
    const kept = run.history.slice(0, 1);
    run.round("look_up", { order: 18 }, "order 18: a tin lamp");
    run.history = [...kept, ...run.history.slice(3)];
    return run.answers("One is brass, the other one is tin.");
  },

  "an unanswered call": (client) => {
    const run = shop(client);
    run.send({ calls: [run.call("refund", { order: 17 })] });
    run.history.push(...client.answers({ calls: [run.call("refund", { order: 17 })] }));
    return run.says("And now?").answers("I cannot tell whether it was refunded.");
  },
};

const shop = (client: Client): Run => new Run(client).says("What did I buy with orders 17 and 18?");
