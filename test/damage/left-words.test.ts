import { inspect } from "node:util";
import { expect, test } from "vitest";
import { answers, asks, goesOn, wantsTool } from "../containers/stories.ts";
import { yieldOf } from "./told.ts";

/** What was understood of a log, and what is said of the rest. */
const told = async (log: string) => {
  const { counts, statements } = await yieldOf("run.log", Buffer.from(log));
  return { ...counts, statements };
};

const asked = `INFO request\n${JSON.stringify(asks)}\n`;
const said = "It is 18 °C.";
const modelIsUnread = expect.stringContaining("that no known reply contains");

test("a model's words that no reply contains are named in a text log", async () => {
  const lone = JSON.stringify([{ reply: { role: "assistant", content: [17, said] } }]);
  expect((await told(`${asked}INFO ${lone}\n`)).statements).toEqual([modelIsUnread]);
  const printed = "response: {'role': 'assistant', 'content': 'It is 18 degrees there.'}";
  expect((await told(`${asked}${JSON.stringify({ level: "info", message: printed })}\n`)).statements).toEqual(
    [modelIsUnread],
  );
});

test("a model's words are named in a document beside others", async () => {
  const lone = { reply: { role: "assistant", content: [17, said] } };
  const log = JSON.stringify(asks, null, 1) + JSON.stringify([lone], null, 1);
  expect((await told(log)).statements).toEqual([modelIsUnread]);
});

test("a model's words that a program prints once more are no loss", async () => {
  const log = [asks, wantsTool, goesOn, answers].map((value) => `INFO ${JSON.stringify(value)}\n`).join("");
  const again = { event: "final", reply: { role: "assistant", content: said } };
  expect((await told(`${log}INFO ${JSON.stringify(again)}\n`)).statements).toEqual([]);
});

test("JSON whose lines somebody put in quotes is named, and a line or two of it are not", async () => {
  const quoted = JSON.stringify(wantsTool, null, 2)
    .split("\n")
    .map((line) => `time=12:00 msg=${JSON.stringify(line)}`);
  expect((await told(`${asked}${quoted.join("\n")}\n`)).statements).toEqual([
    expect.stringContaining("each in quotes"),
  ]);
  expect((await told(`${asked}${quoted.slice(0, 3).join("\n")}\n`)).statements).toEqual([]);
});

test("messages over several lines that cannot be joined are named", async () => {
  const torn = JSON.stringify(goesOn, null, 2).replaceAll("\n", "\nagent-2 |x\nagent-1 | ");
  expect((await told(`${asked}agent-1 | ${torn}\n`)).statements).toContainEqual(
    expect.stringContaining("that cannot be joined"),
  );
  // A line that ends with CR alone is one.
  const joined = JSON.stringify(goesOn, null, 2).replaceAll("\n", "\ragent-1 |\nagent-1 | ");
  expect(await told(`${asked}agent-1 | ${joined}\n`)).toMatchObject({ requests: 2, statements: [] });
});

test("the rest of a printed request is named where only its messages can be read", async () => {
  const printed = inspect(asks, { depth: null, breakLength: Number.POSITIVE_INFINITY, compact: true });
  for (const log of [printed, printed.replace(/([{,] )(\w+):/g, "$1'$2':")]) {
    const broken = log.replace("'gpt-5',", "'gpt-5';");
    expect(broken).not.toBe(log);
    expect((await told(`INFO ${broken}\n`)).statements).not.toEqual([]);
  }
});

test("a model's words in the log of a container have their place in the file", async () => {
  const record = (log: string): string => JSON.stringify({ log: `${log}\n`, stream: "stdout", time: "t" });
  const printed = "response: { 'role': 'assistant', 'content': 'It is 18 degrees there.' }";
  const log = [`INFO ${JSON.stringify(asks)}`, `INFO ${JSON.stringify({ message: printed })}`]
    .map(record)
    .join("\n");
  expect((await told(log)).statements).toEqual([expect.stringMatching(/^2: a model's text/)]);
});

test("words in a record that cannot be read are named, whatever the record is", async () => {
  const record =
    '{"type":"user","message":{"role":"user","content":[{"type":"text",<null>,"text":"Which files are there?"}]}}';
  expect((await told(`${asked}INFO ${record}\n`)).statements).toEqual([
    expect.stringContaining("a user's text"),
  ]);
});

test("words in a reply that a progress bar broke are read or named, also where all replies have one id", async () => {
  const reply = (content: string): string =>
    `INFO response: {'id': 'chatcmpl-mock', 'object': 'chat.completion', 'choices': [{'index': 0, 'message': {'role': 'assistant', 'content': '${content}'}, 'finish_reason': 'stop'}]}\n`;
  const [first, second] = [reply("It is 18 degrees there."), reply("It is 17 degrees here.")];
  const broken = second.replace("choices", "cho\r 42%|####   | 42/100\rices");
  expect((await told(`${asked}${first}${asked}${second}`)).statements).toEqual([]);
  expect(await told(`${asked}${first}${asked}${broken}`)).toMatchObject({
    replies: 2,
    // The bar takes the line of the print in two, of which the first is no whole value.
    statements: [expect.stringMatching(/^6: /)],
  });
});

test("a mark of the byte order before a body in a string changes nothing", async () => {
  const message = { role: "assistant", content: "It is 17 °C." };
  const trace = (mark: string): string =>
    JSON.stringify({
      trace: { id: "t" },
      observations: [
        {
          id: "o1",
          traceId: "t",
          type: "GENERATION",
          input: JSON.stringify([{ role: "user", content: "How warm is it in Bern?" }]),
          output: mark + JSON.stringify(message),
        },
      ],
    });
  expect(await told(trace("\ufeff"))).toEqual(await told(trace("")));
});
