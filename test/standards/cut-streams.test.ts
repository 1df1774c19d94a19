import { describe, expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import type { CheckReport } from "../../src/findings/report.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { clients, Run } from "../healthy/client.ts";
import { replayed } from "../serve/replayed.ts";

const order = { order: 17, note: "“urgent”" };

/** The request of each protocol, and the stream with a call that its server answers with. */
async function streams() {
  return Promise.all(
    clients.map(async (client) => {
      const run = new Run(client).says("What did I buy with order 17?");
      run.round("look_up", order, "a brass lamp", "I look it up.").answers("A brass lamp — 12.50 €.");
      const { ask } = await replayed(["run.jsonl", run.text()]);
      const { url, request } = run.log[0] as { url: string; request: object };
      const isGemini = client.protocol === "gemini";
      const { pathname } = new URL(url);
      const path = isGemini ? `${pathname.replace(":generate", ":streamGenerate")}?alt=sse` : pathname;
      const body = isGemini ? request : { ...request, stream: true };
      const { text } = await ask(path, body);
      const record = (response: string): string =>
        `${JSON.stringify({ url: new URL(path, url).href, request: body, status: 200, response })}\n`;
      return { protocol: client.protocol, stream: Buffer.from(text), record };
    }),
  );
}

async function check(name: string, log: Buffer | string): Promise<CheckReport> {
  const source = bytesSource(name, Buffer.from(log));
  return (await checkFiles([{ path: name, source }])).report;
}

/** Whether anything is said of the log; what is not understood ends with exit code 2. */
const isTold = ({ files, findings }: CheckReport): boolean =>
  files.length === 0 || findings.some(({ rule }) => rule !== "unclosed-loop");

/** What a server sends behind the event that ends a reply says nothing more, so that nobody can miss it. */
const ends: Readonly<Record<string, RegExp>> = {
  "openai-chat": /"finish_reason":"[a-z_]+"[^\n]*$/m,
  "openai-responses": /"type":"response\.completed"[^\n]*$/m,
  anthropic: /"type":"message_stop"[^\n]*$/m,
  gemini: /"finishReason":"[A-Z]+"[^\n]*$/m,
  ollama: /"done":true[^\n]*$/m,
};

/** Each byte of the first event and of the last ones; between them what comes next is much the same. */
function* cuts(whole: number): Generator<number> {
  for (let at = 1; at < whole; at++) if (at < 160 || at > whole - 120 || at % 9 === 0) yield at;
}

describe.each(await streams())("a stream of $protocol", ({ protocol, stream, record }) => {
  const text = String(stream);
  const end = ends[protocol]?.exec(text);
  const whole = Buffer.byteLength(text.slice(0, (end?.index ?? 0) + (end?.[0].length ?? 0)));

  test("is whole to begin with", async () => {
    expect(whole).toBeGreaterThan(100);
    expect(isTold(await check("run.jsonl", record(text)))).toBe(false);
  });

  test("is told in a record wherever it is cut, from the first byte on", async () => {
    const silent: number[] = [];
    for (const at of cuts(whole))
      if (!isTold(await check("run.jsonl", record(String(stream.subarray(0, at)))))) silent.push(at);
    expect(silent).toEqual([]);
  });

  test("is told in a file of its own wherever it is cut", async () => {
    const silent: number[] = [];
    for (const at of cuts(whole))
      if (!isTold(await check("run.sse", stream.subarray(0, at)))) silent.push(at);
    expect(silent).toEqual([]);
  });
});
