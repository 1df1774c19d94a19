import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { type Client, clients, Run } from "../healthy/client.ts";

/** A healthy run, as a program prints it: its bodies over many lines, or all of it as one document. */
function logsOf(client: Client): readonly (readonly [file: string, log: string])[] {
  const run = new Run(client).says("What did I buy with orders 17 and 18?");
  const calls = [run.call("look_up", { order: 17 }), run.call("look_up", { order: 18 })];
  run.send({ text: "I look both up.", calls });
  run.history.push(
    ...client.answers({ text: "I look both up.", calls }),
    ...client.results(calls, ["order 17: a brass lamp", "order 18: a tin lamp"]),
  );
  run.answers("One is brass, one is tin.");
  const records = run.log as readonly { readonly request: object; readonly response: object }[];
  const printed = records.map(
    ({ request, response }) =>
      `12:00:00 INFO sends\n${JSON.stringify(request, null, 2)}\n12:00:01 INFO got\n${JSON.stringify(response, null, 2)}\n`,
  );
  return [
    ["run.log", printed.join("")],
    ["run.json", JSON.stringify(records, null, 2)],
  ];
}

describe("a log that begins with any object of a body proves no loss before it", () => {
  test.each(clients.map((client) => [client.protocol, client] as const))("%s", async (_, client) => {
    for (const [name, log] of logsOf(client))
      for (const { index } of log.matchAll(/^ *\{$/gm)) {
        const cut = log.slice(index);
        const { findings } = await check(Buffer.from(cut), { name });
        const errors = findings.filter(
          ({ severity, rule }) => severity === "error" && rule !== "unreadable-record",
        );
        expect(errors.map(({ rule }) => `${rule} from ${cut.slice(0, 60)}`)).toEqual([]);
      }
  });
});
