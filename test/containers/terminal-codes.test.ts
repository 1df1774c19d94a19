import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { written } from "./edits.ts";
import { answers, asks, goesOn, open, run, spot, told, wantsTool } from "./stories.ts";

const esc = "\u001b";

/** JSON as `jq -C` and others colour it: codes around names, values, brackets and commas. */
function coloured(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /"(?:[^"\\]|\\.)*"|[\w.+-]+|[[\]{},:]/g,
    (token) => `${esc}[0;32m${token}${esc}[0m`,
  );
}

/** A line of a service in a terminal that shows several. */
const prefixed = (text: string): string => `${esc}[36mapi-1  |${esc}[0m ${text}`;

describe("a log with the codes of a terminal in it", () => {
  const log = [asks, wantsTool, goesOn, answers].map(coloured).join("\n---\n");

  test("is read like one without", async () => {
    expect(await told(log)).toEqual(run);
    const lines = [asks, wantsTool, goesOn, answers].map((value) => prefixed(JSON.stringify(value)));
    expect(await told(lines.join("\n"))).toEqual(run);
  });

  test("also where links and movements of the cursor stand in it", async () => {
    const link = `${esc}]8;;https://example.com${esc}\\trace${esc}]8;;${esc}\\`;
    expect(await told(`${link}${esc}[2K${esc}[1G\n${log}`)).toEqual(run);
  });

  test("keeps its places", async () => {
    const { exchanges } = await open(log);
    const place = exchanges[0]?.request?.place;
    expect(place && spot(place.locate("/messages/0/content"))).toBe('6:47 "How warm is it in Zürich?"');
  });

  test("is repaired between its codes", async () => {
    const after = await written(log, {
      1: [{ op: "replace", pointer: "/messages/0/content", json: '"How cold is it?"' }],
    });
    expect(after).toBe(log.replace('"How warm is it in Zürich?"', '"How cold is it?"'));
  });

  test("is shown without them", async () => {
    const { findings } = await check(
      Buffer.from(coloured({ ...goesOn, messages: goesOn.messages.slice(0, 2) })),
    );
    expect(JSON.stringify(findings)).not.toContain("\\u001b");
  });
});

test("a stream behind coloured names of services is one reply", async () => {
  const chunk = (delta: object, reason: string | null): string =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: reason }] })}`;
  const lines = [
    chunk({ role: "assistant", content: "It is " }, null),
    "",
    chunk({ content: "18 °C." }, "stop"),
    "",
    "data: [DONE]",
  ];
  expect(await told(lines.map(prefixed).join("\n"))).toEqual(['? → assistant "It is 18 °C." (stop)']);
});

test("a string that tells of an escape keeps it", async () => {
  const said = { ...asks, messages: [{ role: "user", content: "\u001b[31mred\u001b[0m" }] };
  const [exchange] = (await open(`body: ${JSON.stringify(said)}\n`)).exchanges;
  expect(exchange?.request?.history.element(0).value).toEqual(said.messages[0]);
});
