import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { serve } from "../../src/library/testing.ts";
import { type Client, clients, Run } from "../healthy/client.ts";

/** A healthy run whose replies are streamed, as JSON lines. */
interface Exchange {
  readonly url: string;
  readonly request: object;
  readonly status: number;
  response: string;
}

async function streamedRun(client: Client): Promise<Exchange[]> {
  const run = new Run(client)
    .says("What did I buy with order 17?")
    .round("look_up", { order: 17, note: "“urgent”" }, '{"price":12.5}')
    .answers("It costs 12.50 — «cheap».");
  const server = await serve({ log: run.text() });
  const isGemini = client.protocol === "gemini";
  const exchanges: Exchange[] = [];
  for (const { url, request } of run.log as unknown as Exchange[]) {
    const path = new URL(url).pathname.replace(":generateContent", ":streamGenerateContent");
    const body = isGemini ? request : { ...request, stream: true };
    const answer = await fetch(`${server.url}${path}${isGemini ? "?alt=sse" : ""}`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify(body),
    });
    const response = await answer.text();
    exchanges.push({
      url: new URL(path, url).href,
      request: body,
      status: answer.status,
      response,
    });
  }
  await server.close();
  return exchanges;
}

const eventsOf = ({ response }: Exchange): string[] => response.match(/[\s\S]+?\n+(?=[^\n]|$)/g) ?? [];

/** What is wrong with the traffic, not with the log, and no consequence of that. */
async function errorsIn(exchanges: readonly Exchange[]): Promise<readonly string[]> {
  const log = exchanges.map((exchange) => `${JSON.stringify(exchange)}\n`).join("");
  const { findings } = await check(Buffer.from(log), { name: "run.jsonl" });
  return findings
    .filter(
      ({ cause, rule, severity }) =>
        cause === null && severity !== "info" && !/^(?:malformed|truncated)-stream|^unread/.test(rule),
    )
    .map(({ rule, message }) => `${rule}: ${message}`);
}

const faults: Readonly<Record<string, (event: string) => string>> = {
  "lacks a colon": (event) => event.replace(/":/, '"'),
  "breaks off": (event) => event.replace(/[^\n]{6}(\n*)$/, "$1"),
  "has a word in place of a value": (event) => event.replace(/:(?=["{[])/, ": nope "),
};

describe.each(clients.map((client) => [client.protocol, client] as const))("a stream of %s", (_, client) => {
  let run: Exchange[];
  beforeAll(async () => {
    run = await streamedRun(client);
  });
  afterAll(() => {
    run = [];
  });

  test("is healthy", async () => {
    expect(await errorsIn(run)).toEqual([]);
  });

  test.each(Object.keys(faults))("of which one event %s proves no loss in the next request", async (name) => {
    const [first, ...rest] = run as [Exchange, ...Exchange[]];
    const events = eventsOf(first);
    for (const [index, event] of events.entries()) {
      const response = events.with(index, faults[name]?.(event) ?? "").join("");
      if (!/^\S*\s*[[{]/.test(event)) continue;
      expect(await errorsIn([{ ...first, response }, ...rest])).toEqual([]);
    }
  });

  test("of which no event but the ends can be read proves none either", async () => {
    const [first, ...rest] = run as [Exchange, ...Exchange[]];
    const events = eventsOf(first);
    const response = events
      .map((event) =>
        /partial_json|"arguments":|arguments\.d/.test(event) ? event.replace(/:(?=["{[])/, ": nope ") : event,
      )
      .join("");
    expect(await errorsIn([{ ...first, response }, ...rest])).toEqual([]);
  });
});
