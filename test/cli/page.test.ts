import picocolors from "picocolors";
import { expect, test } from "vitest";
import { rendered, shortened } from "../../src/cli/terminal/page.ts";

const page = `# lost-umbrella

## What it does
Reports an \`umbrella\` that was **left** on the [train](https://example.org/train), and never
came back; _usually_ it rains \`the next
day\`.

* It was raining, which is why the umbrella was open when the train arrived at the last station.
* It was not.

1. Look.

| place | how often |
|---|---|
| train | often |

\`\`\`jsonl reported
{"place":"train","note":"**kept** as it is"}
\`\`\`
\`\`\`text
found
\`\`\`
`;

function lines(width: number, color = false): string {
  return [...rendered(page, { paint: picocolors.createColors(color), width })].join("\n");
}

test("a page reads as text: no marks of Markdown, examples indented, prose broken to the width", () => {
  expect(lines(60)).toBe(`lost-umbrella

What it does

Reports an \`umbrella\` that was left on the train
(https://example.org/train), and never came back; usually it
rains \`the next day\`.

- It was raining, which is why the umbrella was open when
  the train arrived at the last station.
- It was not.

1. Look.

 place | how often
 train | often

  reported:
    {"place":"train","note":"**kept** as it is"}

    found`);
});

test("where there are colours, code needs no backticks, also over the end of a line", () => {
  const text = lines(60, true);
  expect(text).not.toContain("`umbrella`");
  expect(text).toContain("\u001b[36mumbrella\u001b[39m");
  expect(text).toContain("\u001b[36mthe next day\u001b[39m");
});

test("an example that is too wide is broken where its JSON has members, and text at spaces", () => {
  const messages = [
    { role: "user", content: "How warm is it in Paris?" },
    { role: "assistant", content: "18 degrees." },
  ];
  const wide = `\`\`\`jsonl reported
${JSON.stringify({ request: { model: "gpt-5", messages } })}
\`\`\`
\`\`\`text
log.jsonl:1:41: warning: the history ends with the assistant, and nobody asked anything
\`\`\`
`;
  expect(
    [...rendered(wide, { paint: picocolors.createColors(false), width: 70 })].join("\n"),
  ).toBe(`  reported:
    {
      "request": {
        "model": "gpt-5",
        "messages": [
          {"role":"user","content":"How warm is it in Paris?"},
          {"role":"assistant","content":"18 degrees."}
        ]
      }
    }

    log.jsonl:1:41: warning: the history ends with the assistant, and
      nobody asked anything`);
});

test("a short page has the gravest of the examples, however short another one is", () => {
  const example = (log: string, severity: string) =>
    `\`\`\`jsonl reported\n${log}\n\`\`\`\n\`\`\`text\nlog.jsonl:1:1: ${severity}: lost [lost-umbrella]\n\`\`\`\n`;
  const page = `# lost-umbrella\n\n## Examples\n\n${example("{}", "info")}\n${example('{"umbrellas":3,"place":"train"}', "error")}\n## When not to use it\n\nWhen it is dry.\n`;
  expect(shortened(page)).toMatchObject({ more: 1, text: expect.stringContaining(": error: lost") });
  expect(shortened(page).text).not.toContain(": info: ");
});

test("a short page has the shortest example of what is reported, with its words and what is said of it", () => {
  const long = `# lost-umbrella

## Examples

Three umbrellas:

\`\`\`jsonl reported
{"umbrellas":3,"place":"train"}
\`\`\`
\`\`\`text
3 are lost
\`\`\`

One umbrella:

\`\`\`jsonl reported
{"umbrellas":1}
\`\`\`
\`\`\`text
1 is lost
\`\`\`

None:

\`\`\`jsonl accepted
{}
\`\`\`

## When not to use it

When it is dry.
`;
  expect(shortened(long)).toEqual({
    text: `# lost-umbrella

## Example

One umbrella:

\`\`\`jsonl reported
{"umbrellas":1}
\`\`\`
\`\`\`text
1 is lost
\`\`\`

## When not to use it

When it is dry.
`,
    more: 2,
  });
  expect(shortened(page)).toEqual({ text: page, more: 0 });
});
