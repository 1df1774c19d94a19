import validate from "schema:diff";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DiffSettings, diffLogs } from "../../src/diff/diff.ts";
import { diffJson } from "../../src/diff/json.ts";
import type { DiffReport } from "../../src/diff/report.ts";
import { diff as libraryDiff } from "../../src/index.ts";
import { bytesSource } from "../../src/reading/source.ts";
import {
  blockExchanges,
  chatExchanges,
  har,
  lines,
  type Round,
  type Run,
  session,
  stock,
  toolNames,
} from "./runs.ts";

async function diff(failing: string, passing: string, options?: DiffSettings): Promise<DiffReport> {
  const input = (path: string, text: string) => ({ path, source: bytesSource(path, Buffer.from(text)) });
  const { report } = await diffLogs(input("failing.log", failing), input("passing.log", passing), options);
  if (!report) throw new Error("nothing was understood");
  const written = [...diffJson(report)].join("");
  expect(validate(JSON.parse(written)), JSON.stringify(validate.errors)).toBe(true);
  return report;
}

const passing = lines(chatExchanges(stock));

/** A copy in which nothing is shared: a message in a request is another object than the reply that it was. */
function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** The log of the run with one of its exchanges changed, and what comes after it as it was. */
function broken(
  number: number,
  change: (exchange: ReturnType<typeof chatExchanges>[number]) => void,
  run: Run = stock,
): string {
  const exchanges = copyOf(chatExchanges(run));
  const exchange = exchanges[number - 1];
  if (exchange) change(exchange);
  return lines(exchanges);
}

/** Step, side and what differs there. */
function first({ firstDivergence }: DiffReport): string {
  if (!firstDivergence) return "same";
  const { step, side, what } = firstDivergence;
  return `${step} ${side}: ${what}`;
}

describe("the same run", () => {
  test("many conversations that are all alike", async () => {
    // An empty history continues none.
    const alike = (count: number): string => '{"model":"gpt-5","messages":[]}\n'.repeat(count);
    expect(await diff(alike(80), alike(80))).toMatchObject({ same: true, firstDivergence: null });
    const report = await diff(alike(81), alike(80));
    expect(report.same).toBe(false);
    expect(report.conversations.filter(({ left, right }) => left.length !== right.length)).toHaveLength(1);
  });

  test("recorded twice, with other ids", async () => {
    const report = await diff(lines(chatExchanges({ ...stock, id: "other" })), passing);
    expect(report).toMatchObject({ same: true, firstDivergence: null });
    expect(report.ignored).toEqual([
      { kind: "call ids", count: 3, example: { left: "call_other0", right: "call_a0" } },
    ]);
  });

  test("with counts of tokens between its turns, which are no turns", async () => {
    const exchanges = blockExchanges(stock) as { request: object }[];
    const counts = exchanges.map(({ request }) => ({ request, response: { input_tokens: 12 } }));
    const report = await diff(lines(exchanges.flatMap((each, at) => [counts[at] ?? {}, each])), passing);
    expect(report.same).toBe(true);
    expect(report.left).toMatchObject({ exchanges: 8, besideTurns: 4 });
    expect(report.right).not.toHaveProperty("besideTurns");
  });

  test("kept in another container", async () => {
    expect((await diff(har(chatExchanges({ ...stock, id: "har" })), passing)).same).toBe(true);
  });

  test("over another protocol", async () => {
    const system = "You look after the stock.";
    const report = await diff(
      lines(blockExchanges({ ...stock, system })),
      lines(chatExchanges({ ...stock, system })),
    );
    expect(report.same).toBe(true);
    expect(report.notCompared).toEqual([
      "models, parameters and protocol-specific items: the logs use different protocols",
    ]);
  });

  test("over a protocol in which results are wrapped into objects, and calls have no ids", async () => {
    const contents: object[] = [{ role: "user", parts: [{ text: stock.question }] }];
    const exchanges = chatExchanges(stock).map(({ response }, at) => {
      const round = stock.rounds[at];
      const parts = round
        ? [
            ...(round.text ? [{ text: round.text }] : []),
            { functionCall: { name: round.tool, args: round.arguments } },
          ]
        : [{ text: stock.answer }];
      const request = {
        contents: [...contents],
        tools: [{ functionDeclarations: toolNames.map((name) => ({ name })) }],
      };
      contents.push({ role: "model", parts });
      if (round)
        contents.push({
          role: "user",
          parts: [{ functionResponse: { name: round.tool, response: { result: round.result } } }],
        });
      const content = { role: "model", parts };
      return {
        request,
        response: { candidates: [{ content, finishReason: "STOP", index: 0 }], id: response["id"] },
      };
    });
    expect(first(await diff(lines(exchanges), passing))).toBe("same");
  });

  test("whose items are sent back as references to what the server holds", async () => {
    const call = {
      type: "function_call",
      id: "fc_1",
      call_id: "call_1",
      name: "count_stock",
      arguments: "{}",
    };
    const question = { role: "user", content: "How many cups?" };
    const result = { type: "function_call_output", call_id: "call_1", output: "4" };
    const done = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "Four." }],
    };
    const log = (echo: object) =>
      lines(
        [
          { input: [question], output: [call] },
          { input: [question, echo, result], output: [done] },
        ].map(({ input, output }, at) => ({
          request: { model: "gpt-5", input },
          response: { id: `resp_${at}`, object: "response", status: "completed", model: "gpt-5", output },
        })),
      );
    expect(first(await diff(log({ type: "item_reference", id: "fc_1" }), log(call)))).toBe("same");
  });

  test("with arguments and results spelled in another way", async () => {
    const spelled = broken(4, ({ request }) => {
      for (const message of request.messages) {
        if (message["content"] === '{"count":4}') message["content"] = '{ "count": 4 }\n';
        for (const call of (message["tool_calls"] ?? []) as { function: { arguments: string } }[])
          call.function.arguments = JSON.stringify(JSON.parse(call.function.arguments), undefined, 2);
      }
    });
    const report = await diff(spelled, passing);
    expect(report.same).toBe(true);
    expect(report.ignored.map(({ kind }) => kind)).toContain("spelling of arguments");
    expect((await diff(spelled, passing, { isStrict: true })).same).toBe(false);
  });

  test("on another day", async () => {
    const on = (day: string) =>
      lines(chatExchanges({ ...stock, system: `You look after the stock. Today is ${day}.` }));
    expect((await diff(on("2026-01-05"), on("2026-01-06"))).same).toBe(true);
    expect(first(await diff(on("2026-01-05"), on("2026-01-06"), { isStrict: true }))).toBe(
      "1 request: the system prompt differs",
    );
  });

  const rounds = fc.array(
    fc.record<Round>({
      tool: fc.constantFrom("find_article", "count_stock", "next_delivery"),
      arguments: fc.record({ article: fc.constantFrom("A-17", "B-2", "C-9") }),
      result: fc.string({ maxLength: 12 }),
    }),
    { minLength: 1, maxLength: 8 },
  );

  test("whatever the run, beside itself with other ids", async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const run = { ...stock, rounds: all };
        expect((await diff(lines(chatExchanges({ ...run, id: "z" })), lines(chatExchanges(run)))).same).toBe(
          true,
        );
      }),
      { numRuns: 25 },
    );
  });

  test("whatever the run, one round that the client loses is found where it was lost", async () => {
    await fc.assert(
      fc.asyncProperty(rounds, fc.nat(), async (all, seed) => {
        const exchanges = copyOf(chatExchanges({ ...stock, rounds: all }));
        const number = 1 + (seed % all.length);
        // From this request on, the newest round but for the question is not there.
        exchanges[number]?.request.messages.splice(-2, 2);
        const { firstDivergence } = await diff(
          lines(exchanges),
          lines(chatExchanges({ ...stock, rounds: all })),
        );
        expect(firstDivergence).toMatchObject({
          step: number + 1,
          side: "request",
          left: { exchange: number + 1 },
        });
      }),
      { numRuns: 25 },
    );
  });
});

describe("the client's request differs first", () => {
  test("a call is missing", async () => {
    const report = await diff(
      broken(3, ({ request }) => void request.messages.splice(3, 1)),
      passing,
    );
    expect(first(report)).toBe("3 request: the call to `count_stock` is missing");
    expect(report.firstDivergence).toMatchObject({
      reasons: ["dropped-tool-call", "orphaned-tool-result"],
      left: { exchange: 3, part: "request" },
      right: { exchange: 3, pointer: "/messages/3/tool_calls/0" },
    });
    expect(report.verdict.slice(0, 2)).toEqual([
      "The runs diverge at step 3, in the client's request (dropped-tool-call, orphaned-tool-result).",
      "The call to `count_stock` is missing; everything before is the same, so the client caused it, not chance.",
    ]);
  });

  test("a result names an id that no call has", async () => {
    const report = await diff(
      broken(2, ({ request }) => Object.assign(request.messages[2] ?? {}, { tool_call_id: "call_x" })),
      passing,
    );
    expect(report.firstDivergence).toMatchObject({ step: 2, side: "request" });
    expect(report.firstDivergence?.what).toMatch(
      /^the result of `find_article` names `call_x`, which|^a tool's result names `call_x`/,
    );
    expect(report.steps[1]?.request.items.find(({ mark }) => mark === "changed")?.parts).toMatchObject([
      { name: "answers", right: "the call to find_article" },
    ]);
  });

  test("arguments come back empty", async () => {
    const report = await diff(
      broken(3, ({ request }) => {
        const [call] = (request.messages[3]?.["tool_calls"] ?? []) as { function: { arguments: string } }[];
        if (call) call.function.arguments = "{}";
      }),
      passing,
    );
    expect(report.firstDivergence).toMatchObject({
      step: 3,
      side: "request",
      what: 'the call to `count_stock` is sent with different arguments: `{}` instead of `{"article":"A-17","store":"Graz"}`',
    });
    expect(report.firstDivergence?.reasons).toContain("lost-fragments");
  });

  test("one argument inside is another", async () => {
    const report = await diff(
      broken(3, ({ request }) => {
        const [call] = (request.messages[3]?.["tool_calls"] ?? []) as { function: { arguments: string } }[];
        if (call) call.function.arguments = '{"article":"A-17","store":"Linz"}';
      }),
      passing,
    );
    expect(report.steps[2]?.request.items.find(({ mark }) => mark === "changed")?.parts).toEqual([
      { name: "arguments", pointer: "/store", left: "Linz", right: "Graz" },
    ]);
  });

  test("a tool returns something else", async () => {
    const rounds = stock.rounds.map((round, at) => (at === 1 ? { ...round, result: '{"count":0}' } : round));
    const report = await diff(lines(chatExchanges({ ...stock, rounds })), passing);
    expect(first(report)).toBe("3 request: the result of `count_stock` differs");
    expect(report.verdict[1]).toMatch(/the tools caused it: they returned something else\.$/);
  });

  test.each([
    ["in similar words", "How many red cups are left, and when do new ones come?"],
    ["about another thing", "Close the shop in Salzburg on Friday at noon, please."],
  ])("the user says something else %s", async (_, question) => {
    const report = await diff(lines(chatExchanges({ ...stock, question })), passing);
    expect(report.firstDivergence).toMatchObject({ step: 1, side: "request" });
    expect(report.verdict[1]).toMatch(/the user caused it by saying something else\.$/);
  });

  test("items change places", async () => {
    const report = await diff(
      broken(4, ({ request: { messages } }) => {
        const moved = messages.splice(1, 2);
        messages.splice(3, 0, ...moved);
      }),
      passing,
    );
    expect(report.firstDivergence).toMatchObject({ step: 4, side: "request" });
    expect(report.steps[3]?.request.items.map(({ mark }) => mark)).toContain("moved");
  });

  test.each<readonly [string, Readonly<Record<string, unknown>>, string]>([
    ["the model", { model: "gpt-4.1-mini" }, "the model is `gpt-4.1-mini` instead of `gpt-4.1`"],
    ["a parameter", { temperature: 1.2 }, "`temperature` is set (`1.2`)"],
    ["tool_choice", { tool_choice: "required" }, "tool_choice is `required` instead of `auto`"],
    [
      "the tools",
      { tools: [] },
      "the tool `find_article` is offered only in the passing run; the tool `count_stock` is offered only in the passing run; the tool `next_delivery` is offered only in the passing run",
    ],
  ])("%s differs", async (_, parameters, what) => {
    const report = await diff(lines(chatExchanges({ ...stock, parameters })), passing);
    expect(first(report)).toBe(`1 request: ${what}`);
    // Once said, it is not said again of every request.
    expect(report.steps.slice(1).map(({ request }) => request.state)).toEqual(["same", "same", "same"]);
  });

  test("what a record keeps of a run is no parameter", async () => {
    const ask = { role: "user", content: "Where is my order 4711?" };
    const run = (answer: string, duration: number): string => {
      const messages = [ask, { role: "assistant", content: answer }];
      return `${JSON.stringify({ task_id: 1, duration, agent_cost: duration / 3, messages })}\n`;
    };
    const same = await diff(run("On Monday.", 11.1), run("On Monday.", 11.2));
    expect(same.firstDivergence).toBeNull();
  });

  test("no request follows although the reply asks for a tool", async () => {
    const report = await diff(lines(chatExchanges(stock).slice(0, 2)), passing);
    expect(first(report)).toBe("3 request: no later request contains the result of `count_stock`");
    expect(report.firstDivergence).toMatchObject({
      reasons: ["unclosed-loop"],
      left: { exchange: 2, part: "response" },
    });
  });

  test("what the client loses in later requests, too, is told once", async () => {
    const exchanges = copyOf(chatExchanges(stock));
    for (const { request } of exchanges.slice(2)) request.messages.splice(1, 2);
    const report = await diff(lines(exchanges), passing);
    expect(report.steps.map(({ request }) => request.state)).toEqual([
      "same",
      "same",
      "different",
      "carried",
    ]);
  });

  test("arguments that are lost once do not make later calls the same", async () => {
    const twice = [{ tool: "count_stock", arguments: { article: "A-17" }, result: "4" }];
    const run = (last: object): Run => ({
      ...stock,
      rounds: [...twice, { tool: "count_stock", arguments: last, result: "9" }],
    });
    const failing = chatExchanges(run({}));
    const emptied = copyOf(failing);
    for (const { request } of emptied.slice(1)) {
      const [call] = (request.messages[1]?.["tool_calls"] ?? []) as { function: { arguments: string } }[];
      if (call) call.function.arguments = "{}";
    }
    const report = await diff(lines(emptied), lines(chatExchanges(run({ article: "A-17" }))));
    expect(report.firstDivergence).toMatchObject({ step: 2, side: "request" });
    expect(report.repliesPart).toMatchObject({ step: 2, side: "reply" });
  });

  test("a long loss is told by its first items and their number", async () => {
    const report = await diff(
      broken(4, ({ request }) => void request.messages.splice(1, 6)),
      passing,
    );
    expect(report.firstDivergence?.what).toBe(
      "7 items are missing: the model's text `I'll look it up.`, the call to `find_article`, the result of `find_article`, the call to `count_stock` and 3 more",
    );
  });

  test("a second mistake before the replies part is a cause of its own", async () => {
    const exchanges = copyOf(chatExchanges(stock));
    exchanges[1]?.request.messages.splice(1, 1);
    exchanges[2]?.request.messages.splice(3, 1);
    const report = await diff(lines(exchanges), passing);
    expect(report.firstDivergence?.step).toBe(2);
    expect(report.alsoCauses.map(({ step }) => step)).toEqual([3]);
  });
});

describe("the model's reply differs first", () => {
  const other = {
    ...stock,
    rounds: stock.rounds.map((round, at) =>
      at === 1 ? { ...round, arguments: { article: "A-18" } } : round,
    ),
  };

  test("it calls with other arguments", async () => {
    const report = await diff(lines(chatExchanges(other)), passing);
    expect(report.firstDivergence).toMatchObject({
      step: 2,
      side: "reply",
      left: { exchange: 2, part: "response" },
    });
    expect(report.verdict[1]).toMatch(
      /; the requests are equal up to this point, so the model or chance caused it, not the client\.$/,
    );
    // What the model said differently stands in all later requests: no difference of the client.
    expect(report.steps[2]?.request.state).toBe("same");
  });

  test("it answers instead of calling", async () => {
    const report = await diff(lines(chatExchanges({ ...stock, rounds: stock.rounds.slice(0, 1) })), passing);
    expect(first(report)).toMatch(/^2 reply: the model writes text instead of calling `count_stock/);
  });

  test("other words for the same do not hide what matters", async () => {
    const worded = {
      ...stock,
      rounds: stock.rounds.map((round, at) =>
        at === 0 ? { ...round, text: "Let me see what we have." } : round,
      ),
    };
    const report = await diff(
      broken(3, ({ request }) => void request.messages.splice(3, 1), worded),
      passing,
    );
    expect(report.steps[0]?.reply.state).toBe("minor");
    expect(first(report)).toBe("3 request: the call to `count_stock` is missing");
    expect(report.verdict[1]).toMatch(/before that, only wording and retries differ/);
  });

  test("words that one run says early and the other late do not count as the client's", async () => {
    const saying = (...texts: string[]): Run => ({
      ...stock,
      rounds: stock.rounds.map((round, at) => ({ ...round, text: texts[at] ?? "" })),
    });
    const report = await diff(
      lines(chatExchanges(saying("Let me check.", "One moment.", "I'll look."))),
      lines(chatExchanges(saying("I'll look.", "Let me check.", "I'll look."))),
    );
    expect(report.steps.map(({ request }) => request.state)).toEqual(["same", "same", "same", "same"]);
    expect(report.firstDivergence).toMatchObject({ step: 1, side: "reply", isMinor: true });
  });

  test("nothing but other words is told as that, and is not the same", async () => {
    const report = await diff(
      lines(chatExchanges({ ...stock, answer: "4 left, more in 14 days." })),
      passing,
    );
    expect(report.same).toBe(false);
    expect(report.firstDivergence).toMatchObject({ step: 4, side: "reply", isMinor: true });
    expect(report.verdict[0]).toBe(
      "The runs do the same; only their wording differs at step 4, in the model's reply.",
    );
  });

  test("a reply is cut off by the token limit", async () => {
    const report = await diff(
      broken(4, ({ response }) =>
        Object.assign((response["choices"] as object[])[0] ?? {}, { finish_reason: "length" }),
      ),
      passing,
    );
    expect(first(report)).toBe("4 reply: the reply is stopped (`length`)");
  });
});

describe("steps stay beside each other", () => {
  test("when an attempt fails and is made again", async () => {
    const exchanges: object[] = chatExchanges({ ...stock, id: "b" });
    const failed = {
      ...exchanges[1],
      status: 500,
      response: { error: { message: "overloaded", type: "server_error" } },
    };
    exchanges.splice(1, 0, failed);
    const report = await diff(lines(exchanges), passing);
    expect(report.firstDivergence).toMatchObject({ step: 2, side: "reply", isMinor: true });
    expect(report.steps.map(({ left, right }) => [left?.step, right?.step])).toEqual([
      [1, 1],
      [2, undefined],
      [3, 2],
      [4, 3],
      [5, 4],
    ]);
  });

  test("when the failing run makes a round more", async () => {
    const [one, two, three] = stock.rounds;
    if (!one || !two || !three) throw new Error("the story has three rounds");
    const rounds = [one, { ...one, arguments: { name: "cup, blue" }, result: "[]" }, two, three];
    const report = await diff(lines(chatExchanges({ ...stock, rounds })), passing);
    expect(report.steps.map(({ left, right }) => [left?.step, right?.step])).toContainEqual([4, 3]);
    expect(report.firstDivergence).toMatchObject({ step: 2, side: "reply" });
  });

  test("conversations that change their order in the log are paired by what they are about", async () => {
    const weather: Run = {
      question: "Will it rain tomorrow?",
      rounds: [{ tool: "find_article", arguments: { name: "umbrella" }, result: "no" }],
      answer: "No.",
    };
    const report = await diff(
      lines(chatExchanges(weather)) + passing,
      passing + lines(chatExchanges(weather)),
    );
    expect(report.conversations).toEqual([
      { left: ["c1"], right: ["c2"], same: true },
      { left: ["c2"], right: ["c1"], same: true },
    ]);
  });
});

test("the library takes paths, bytes and objects, and says when nothing was understood", async () => {
  const [first] = chatExchanges(stock);
  const report = await libraryDiff(Buffer.from(passing), Buffer.from(passing), { container: "jsonl" });
  expect(report.verdict).toEqual(["The runs are the same."]);
  expect((await libraryDiff(first?.request ?? {}, Buffer.from(passing))).same).toBe(false);
  await expect(libraryDiff(Buffer.from("Buy milk."), Buffer.from(passing))).rejects.toThrow(
    "failing: no conversation was found in it",
  );
});

describe("a transcript beside a log of requests", () => {
  test("of the same run is the same, item by item", async () => {
    const report = await diff(session(stock), passing);
    expect(first(report)).toBe("same");
    expect(report.notCompared).toContain(
      "what was sent: the failing log is a transcript, so each item was compared once",
    );
  });

  test("parts from it where the model decides something else", async () => {
    const rounds = stock.rounds.map((round, at) =>
      at === 1 ? { ...round, arguments: { article: "A-18", store: "Graz" } } : round,
    );
    const report = await diff(session({ ...stock, rounds }), passing);
    expect(first(report)).toBe(
      "2 reply: the call to `count_stock` has different arguments: article `A-18` instead of `A-17`",
    );
    expect(report.firstDivergence?.left).toMatchObject({ part: "transcript", line: 5 });
    expect(report.firstDivergence?.right).toMatchObject({ part: "response", exchange: 2 });
  });

  test("parts from it where a tool returned something else", async () => {
    const rounds = stock.rounds.map((round, at) =>
      at === 1 ? { ...round, result: "no such article" } : round,
    );
    const report = await diff(session({ ...stock, rounds }), passing);
    expect(first(report)).toBe("3 request: the result of `count_stock` differs");
  });
});

describe("what cannot be compared is said", () => {
  test("nothing in common", async () => {
    const report = await diff(
      lines(blockExchanges({ question: "Translate this.", rounds: [], answer: "Fait." })),
      lines(blockExchanges(stock)),
    );
    expect(report.same).toBe(false);
    expect(report.verdict[0]).toMatch(
      /^These look like different tasks: the comparison shows the most similar conversations\./,
    );
  });

  test("requests without replies show in the next request what the model said", async () => {
    const requests = (run: Run) => lines(chatExchanges(run).map(({ request }) => ({ request })));
    const rounds = stock.rounds.map((round, at) =>
      at === 1 ? { ...round, arguments: { article: "A-18" } } : round,
    );
    const report = await diff(requests({ ...stock, rounds }), requests(stock));
    expect(report.firstDivergence).toMatchObject({ step: 3, side: "reply" });
  });
});
