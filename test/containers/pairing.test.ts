import { describe, expect, it, test } from "vitest";
import { jsonl } from "../../src/containers/files/jsonl.ts";
import { answers, ask, asks, chunks, goesOn, open, question, run, say, told, wantsTool } from "./stories.ts";

const lines = (...records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");
const oslo = 'user "Oslo?" → assistant "9 °C." (stop)';
const bern = 'user "Bern?" → assistant "15 °C." (stop)';
const overloaded = { error: { message: "The server is overloaded", type: "server_error" } };

describe("requests under way at the same time", () => {
  test("find their replies by the id that both carry", async () => {
    const log = lines(
      { request_id: "r1", body: ask("Oslo?") },
      { request_id: "r2", body: ask("Bern?") },
      { request_id: "r2", body: say("chatcmpl-2", "15 °C.") },
      { request_id: "r1", body: say("chatcmpl-1", "9 °C.") },
    );
    expect(await told(log)).toEqual([oslo, bern]);
  });

  test.each(["correlationId", "req_id", "id", "uuid", "seq", "trace.span_id"])(
    "by whatever name the id has: %s",
    async (key) => {
      const log = lines(
        { [key]: 7, body: ask("Oslo?") },
        { [key]: 8, body: ask("Bern?") },
        { [key]: 8, body: say("chatcmpl-2", "15 °C.") },
        { [key]: 7, body: say("chatcmpl-1", "9 °C.") },
      );
      expect(await told(log)).toEqual([oslo, bern]);
    },
  );

  test("an id that all of them carry joins nothing", async () => {
    const log = lines(
      { session_id: "s", span: { id: "a" }, body: ask("Oslo?") },
      { session_id: "s", span: { id: "b" }, body: ask("Bern?") },
      { session_id: "s", body: say("chatcmpl-1", "9 °C.") },
      { session_id: "s", body: say("chatcmpl-2", "15 °C.") },
    );
    expect(await told(log)).toEqual([oslo, bern]);
  });

  test("without ids, the one that waits longest is answered first", async () => {
    const log = lines(ask("Oslo?"), ask("Bern?"), say("chatcmpl-1", "9 °C."), say("chatcmpl-2", "15 °C."));
    expect(await told(log)).toEqual([oslo, bern]);
  });

  test("also when they share their system prompt", async () => {
    const system = { role: "system", content: `You know the weather. ${"Be brief. ".repeat(20)}` };
    const brief = (content: string) => ({ model: "gpt-5", messages: [system, { role: "user", content }] });
    const log = lines(
      brief("Oslo?"),
      brief("Bern?"),
      say("chatcmpl-1", "9 °C."),
      say("chatcmpl-2", "15 °C."),
    );
    expect((await told(log)).map((line) => line.replace(/^system "[^"]*", /, ""))).toEqual([oslo, bern]);
  });

  test("their streams may be mixed, chunk by chunk", async () => {
    const first = chunks("chatcmpl-1", "9 °C.");
    const second = chunks("chatcmpl-2", "15 °C.");
    const mixed = first.flatMap((chunk, index) => [chunk, second[index] as object]);
    expect(await told(lines(ask("Oslo?"), ask("Bern?"), ...mixed))).toEqual([oslo, bern]);
    const tagged = first.flatMap((chunk, index) => [
      { request_id: "r1", chunk },
      { request_id: "r2", chunk: second[index] },
    ]);
    expect(
      await told(
        lines({ request_id: "r2", body: ask("Bern?") }, { request_id: "r1", body: ask("Oslo?") }, ...tagged),
      ),
    ).toEqual([bern, oslo]);
  });
});

describe("a reply belongs to", () => {
  test("the request before it, although an earlier one got none", async () => {
    expect(await told(lines(asks, goesOn, answers))).toEqual([run[0]?.replace(/→.*/, "→ ?"), run[1]]);
  });

  test("the second attempt, when the first one was never answered", async () => {
    const { exchanges } = await open(lines(asks, asks, wantsTool, goesOn, answers), jsonl);
    expect(exchanges.map(({ reply }) => reply !== undefined)).toEqual([false, true, true]);
  });

  test("the request that was open when its stream began", async () => {
    const [begin, ...rest] = chunks("chatcmpl-1", undefined);
    expect(
      await told(lines(asks, begin as object, goesOn, ...rest, ...chunks("chatcmpl-2", "It is 18 °C."))),
    ).toEqual(run);
  });

  test("nobody, when its request is not in the log", async () => {
    expect(await told(lines(wantsTool, goesOn, answers))).toEqual([run[0]?.replace(/.*→/, "? →"), run[1]]);
  });

  test("a request of its own protocol", async () => {
    const responses = {
      model: "gpt-5",
      instructions: "Be brief.",
      input: [{ type: "message", role: "user", content: "Bern?" }],
    };
    const reply = {
      id: "resp_1",
      object: "response",
      status: "completed",
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "15 °C." }] }],
    };
    expect(await told(lines(asks, responses, reply, wantsTool))).toEqual([
      run[0],
      'user "Bern?" → assistant "15 °C." (completed)',
    ]);
  });
});

describe("a refusal is the reply to its request", () => {
  test("and the second attempt has a reply of its own", async () => {
    const log = lines(
      { body: asks },
      { status: 503, body: overloaded },
      { body: asks },
      { status: 200, body: wantsTool },
      { body: goesOn },
      { body: answers },
    );
    expect(await told(log)).toEqual([
      'user "How warm is it in Zürich?" → (error: The server is overloaded)',
      ...run,
    ]);
    expect((await open(log)).exchanges.map(({ status }) => status)).toEqual([503, 200, undefined]);
  });

  test("on one line with it", async () => {
    expect(
      await told(
        lines({ request: asks, status: 503, response: overloaded }, { request: asks, response: wantsTool }),
      ),
    ).toEqual(['user "How warm is it in Zürich?" → (error: The server is overloaded)', run[0]]);
  });

  test("but the refusal of another address is nobody's", async () => {
    const log = lines(
      { body: asks },
      { url: "https://example.com/metrics", status: 404, body: { error: "not found" } },
      { body: wantsTool },
    );
    expect(await told(log)).toEqual(run.slice(0, 1));
  });

  test("and what the program itself logs of errors is no refusal", async () => {
    const log = lines(
      { body: asks },
      { level: "error", msg: "cache miss", error: "no such key" },
      { level: "info", body: wantsTool },
    );
    expect(await told(log)).toEqual(run.slice(0, 1));
  });
});

test("a request stays where what follows it turns out to be no stream", async () => {
  expect(await told(lines({ body: ask("Oslo?") }, { type: "finish" }))).toEqual(['user "Oslo?" → ?']);
});

describe("records of one exchange", () => {
  it("may hold several requests and replies, which pair in order", async () => {
    const log = lines({
      steps: {
        first: { request: asks, response: wantsTool },
        second: { request: goesOn, response: answers },
      },
    });
    expect(await told(log)).toEqual(run);
  });

  it("pairs by API where a proxy's has the exchange with its client around the one with the provider", async () => {
    const upstream = {
      model: "gpt-5",
      input: [{ type: "message", role: "user", content: "Bern?" }],
      instructions: "Be brief.",
    };
    const said = [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "15 °C." }] }];
    const log = lines({
      client_request: ask("Bern?"),
      upstream_request: upstream,
      upstream_response: { id: "resp_1", object: "response", status: "completed", output: said },
      client_response: say("chatcmpl-1", "15 °C."),
    });
    expect(await told(log)).toEqual([bern, 'user "Bern?" → assistant "15 °C." (completed)']);
  });

  it("may hold a request or its reply more than once, and others beside them", async () => {
    const [first, second] = [say("chatcmpl-1", "9 °C."), say("chatcmpl-2", "15 °C.")];
    const log = lines({
      asked: [{ body: ask("Oslo?") }, { body: ask("Bern?") }, { sent: ask("Oslo?") }],
      said: [{ body: first }, { body: first }, { body: second }, { body: first }],
    });
    expect(await told(log)).toEqual([oslo, bern]);
  });

  it("are at most so many at once: a stream that never ends does not stay open for ever", async () => {
    const begun = Array.from({ length: 65 }, (_, index) => chunks(`chatcmpl-${index}`, "9 °C.")[0] as object);
    const exchanges = await told(lines(...begun, ...chunks("chatcmpl-0", "9 °C.").slice(1)));
    expect(exchanges).toHaveLength(66);
    expect(exchanges[0]).toBe('? → assistant "9 " (open)');
    expect(exchanges.filter((line) => line.includes("°C."))).toEqual(['? → assistant "°C." (stop)']);
  });

  it("are at most so many at once: a request that nobody answers does not wait for ever", async () => {
    const many = Array.from({ length: 200 }, (_, index) => ask(`Question ${index}?`));
    const { exchanges } = await open(
      lines(...many, { ...ask("Bern?"), messages: [question, ...ask("Bern?").messages] }),
      jsonl,
    );
    expect(exchanges).toHaveLength(201);
    expect(exchanges.every(({ reply }) => reply === undefined)).toBe(true);
  });
});
