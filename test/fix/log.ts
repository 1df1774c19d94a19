import validate from "schema:fix";
import { expect } from "vitest";
import type { FixOptions, FixReport } from "../../src/index.ts";
import { check, fix } from "../../src/index.ts";

/** One exchange of a story in the chat format: the messages that were sent, and the message that came back. */
export interface Round {
  readonly sent: readonly object[];
  readonly back: object;
}

export const asks = { role: "user", content: "What is the weather in Oslo?" };
export const looks = {
  role: "assistant",
  content: null,
  tool_calls: [
    { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Oslo"}' } },
  ],
};
export const found = { role: "tool", tool_call_id: "call_1", content: "-3 °C" };
export const tells = { role: "assistant", content: "It is -3 °C in Oslo." };

/** A call of a tool, as an assistant message. */
export const calls = (id: string, name: string, args: object, content: string | null = null): object => ({
  role: "assistant",
  content,
  tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
});
export const result = (id: string, content: string): object => ({ role: "tool", tool_call_id: id, content });

/** A log of JSON lines. */
export function logOf(rounds: readonly Round[], more: object = {}): string {
  return rounds
    .map(({ sent, back }, index) =>
      JSON.stringify({
        request: { model: "gpt-5", ...more, messages: sent },
        response: {
          id: `chatcmpl-${index + 1}`,
          object: "chat.completion",
          model: "gpt-5",
          choices: [{ index: 0, message: back, finish_reason: "tool_calls" in back ? "tool_calls" : "stop" }],
        },
      }),
    )
    .map((line) => `${line}\n`)
    .join("");
}

export interface Fixed {
  readonly text: string;
  readonly report: FixReport;
  /** The messages of the request of an exchange, from 1. */
  messages(exchange: number): unknown[];
}

/** A log in text, repaired; what is said about it fits its schema. */
export async function fixed(log: string, options: FixOptions = {}): Promise<Fixed> {
  const { bytes, report } = await fix(Buffer.from(log), { name: "run.jsonl", ...options });
  validate(JSON.parse(JSON.stringify(report)));
  expect(validate.errors).toBe(null);
  const text = Buffer.from(bytes).toString("utf8");
  return {
    text,
    report,
    messages(exchange) {
      const record = JSON.parse(text.split("\n")[exchange - 1] ?? "") as {
        readonly request: { readonly messages: unknown[] };
      };
      return record.request.messages;
    },
  };
}

/** All classes of repairs. */
export const unsafe: FixOptions = { classes: ["safe", "lossy", "inventing"] };

/** What stands in place of a result that nobody kept. */
export const kept = "[No result was recorded for this call. Added by toollint fix.]";

/** A log repaired as far as it can be: a second repair changes nothing, and nothing is left to repair. */
export async function whole(log: string): Promise<string> {
  const once = await fixed(log, unsafe);
  expect((await fixed(once.text, unsafe)).text).toBe(once.text);
  const { findings } = await check(Buffer.from(once.text));
  expect(findings.filter((finding) => finding.fix !== null)).toEqual([]);
  return once.text;
}

/** Records as JSON lines. */
export const lines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** JSON lines as records. */
export const records = (log: string): Record<string, unknown>[] =>
  log
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
