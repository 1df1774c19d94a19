import { expect, test } from "vitest";
import { read } from "../src/index.ts";
import type { Draft } from "../src/log/decode-pair.ts";
import { loneIn } from "../src/log/lone-drafts.ts";
import { bytesSource } from "../src/reading/source.ts";

const quoted = (role: string, text: string): string => `{"role": "${role}", "content": "${text}"}`;

async function said(text: string): Promise<readonly string[]> {
  const { exchanges } = await read(Buffer.from(text), { name: "notes.md" });
  return exchanges.flatMap(({ reply }) =>
    (reply?.items ?? []).flatMap((item) => ("text" in item ? item.text : [])),
  );
}

/** Each message stands in words, in a block of its own, or in a block that is about something else. */
const notes = (count: number): string =>
  Array.from({ length: count }, (_, at) => {
    const message = quoted("assistant", `The lamp of order ${at} is made of brass.`);
    const words = `It said ${message}, which is wrong. `.padEnd(400, "No lamp was ever made of brass here. ");
    return `${words}\n\n\`\`\`json\n${message}\n\`\`\`\n\n\`\`\`js\nsend(${message});\n${"step();\n".repeat(40)}\`\`\`\n`;
  }).join("\n");

test("of lone messages in a text, those count that a block of code is about", async () => {
  expect(await said(notes(3))).toEqual([0, 1, 2].map((at) => `The lamp of order ${at} is made of brass.`));
});

test("many lone messages in many blocks take time in proportion to their number", () => {
  const block = "```\n{}\n```\nSome words about it.\n";
  const cost = (count: number): number => {
    const source = bytesSource("notes.md", Buffer.from(block.repeat(count)));
    const lone = Array.from({ length: count }, (_, at) => {
      const start = at * block.length + 4;
      return { exchange: { reply: { place: { origin: { source, start, end: start + 2 } } } } } as Draft;
    });
    const begin = performance.now();
    expect(loneIn(lone)).toHaveLength(count);
    return performance.now() - begin;
  };
  cost(1000);
  expect(cost(20_000)).toBeLessThan(60 * Math.max(1, cost(2000)));
});
