import { expect, test } from "vitest";
import { check } from "../../src/index.ts";

const chunk = (text: string): string =>
  JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: { role: "assistant", content: text }, finish_reason: null }],
  });
const block = (text: string): string =>
  JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
const candidate = (text: string): string =>
  JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0 }] });

/** The events that the report says cannot be read. */
async function malformedIn(log: string): Promise<readonly string[]> {
  const { findings } = await check(Buffer.from(log));
  return findings
    .filter(({ rule }) => rule === "malformed-stream")
    .map(({ message }) => message.replace(/^.*: an event/, "an event"));
}

const streamOf = (...events: readonly string[]): string => events.map((data) => `data: ${data}\n\n`).join("");
const recorded = (stream: string): string =>
  `${JSON.stringify({ request: { model: "m", messages: [{ role: "user", content: "Why?" }], stream: true }, response: stream })}\n`;

test.each([
  ["a map of Go", "map[candidates:[map[content:map[parts:[map[text:It is warm.]]]]]]"],
  ["an object of Python", "Choice(delta=Delta(content='It is warm.'), index=0)"],
  ["a body that was encoded for an address", encodeURIComponent(chunk("It is warm."))],
])("an event that holds %s in place of JSON is named", async (_, event) => {
  for (const written of [chunk, block, candidate]) {
    const found = await malformedIn(streamOf(written("One "), event, written("two.")));
    expect(found).toEqual([expect.stringMatching(/^an event is not valid JSON/)]);
  }
  expect(await malformedIn(recorded(streamOf(chunk("One "), event, chunk("two."))))).toHaveLength(1);
});

test.each(["ping", "keep-alive (15 s)", "[HEARTBEAT]", "OpenRouter processing"])(
  "a word between the events is none: %s",
  async (word) => {
    expect(await malformedIn(streamOf(chunk("One "), word, chunk("two.")))).toEqual([]);
  },
);
