import { describe, expect, test } from "vitest";
import { written } from "./edits.ts";
import { open, told } from "./stories.ts";

const call = { id: "call_a", type: "function", function: { name: "look", arguments: '{"at":"x"}' } };
const histories = {
  chat: [
    { role: "system", content: "Don't guess." },
    { role: "user", content: "Look." },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_a", content: "1: {nothing}" },
  ],
  anthropic: [
    { role: "user", content: [{ type: "text", text: "Look." }] },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_a", name: "look", input: { at: "x" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_a", content: "nothing" }] },
  ],
  gemini: [
    { role: "user", parts: [{ text: "Look." }] },
    { role: "model", parts: [{ functionCall: { name: "look", args: { at: "x" } } }] },
    { role: "user", parts: [{ functionResponse: { name: "look", response: { found: 0 } } }] },
  ],
};

const python = (value: unknown): string =>
  JSON.stringify(value)
    .replace(
      /"((?:[^"\\]|\\.)*)"/g,
      (_, text: string) => `'${text.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
    )
    .replaceAll(":null", ": None");

const prefixes: Record<string, (number: number) => string> = {
  AutoGen: (number) => `Message ${number}: `,
  "from one": (number) => `Message ${number + 1}: `,
  "a list's places": (number) => `messages[${number}] = `,
  "a logger": (number) => `2026-03-04 05:06:0${number} DEBUG [agent] msg #${number} `,
};
const notations = { JSON: (value: unknown) => JSON.stringify(value), Python: python };

const printed = (
  history: readonly unknown[],
  prefix: (number: number) => string,
  print: (value: unknown) => string,
): string => history.map((message, number) => `${prefix(number)}${print(message)}\n`).join("");

describe.each(Object.entries(histories))(
  "messages of %s that are printed one by one are the list",
  (_, history) => {
    for (const [by, prefix] of Object.entries(prefixes))
      test.each(Object.entries(notations))(`by ${by}, in %s`, async (_, print) => {
        const rounds = [history.slice(0, -1), history];
        const log = rounds.map((sent) => `Sending\n${printed(sent, prefix, print)}`).join("");
        const plain = await told(rounds.map((sent) => JSON.stringify(sent)).join("\n"));
        expect(plain).toHaveLength(2);
        expect(await told(log)).toEqual(plain);
      });
  },
);

test.each(Object.entries(notations))("a repair is written into its line, in %s", async (_, print) => {
  const log = printed(histories.chat, (number) => `Message ${number}: `, print);
  const fixed = await written(log, { 1: [{ op: "replace", pointer: "/3/tool_call_id", json: '"call_b"' }] });
  const quote = log.includes("'tool_call_id'") ? "'" : '"';
  expect(fixed).toBe(
    log.replace(new RegExp(`call_a(?=${quote}, ?${quote}content|${quote},${quote}content)`), "call_b"),
  );
});

describe("other lines with numbers are no list", () => {
  const lone = async (log: string): Promise<number> =>
    (await open(log)).exchanges.filter(({ request }) => (request?.history.length ?? 0) > 2).length;
  const [system, user, asked] = histories.chat.map((message) => JSON.stringify(message));
  test.each([
    ["from the middle", `Message 4: ${system}\nMessage 5: ${user}\nMessage 6: ${user}\n`],
    ["with gaps", `Message 0: ${system}\nMessage 2: ${user}\nMessage 4: ${user}\n`],
    ["under changing names", `Message 0: ${system}\nReply message 1: ${user}\nMessage 2: ${user}\n`],
    ["of the model alone", `Message 0: ${asked}\nMessage 1: ${asked}\nMessage 2: ${asked}\n`],
    ["of other objects", `Message 0: {"id":1,"topic":"a"}\nMessage 1: {"id":2,"topic":"b"}\n`],
  ])("%s", async (_, log) => {
    expect(await lone(log)).toBe(0);
  });
});
