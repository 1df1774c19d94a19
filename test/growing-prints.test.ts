import { describe, expect, test } from "vitest";
import { check } from "../src/index.ts";

/** Messages that a program prints again and again while the reply arrives. */

const print = (args: string, before = ""): string =>
  `....chunk ${before}[{'role': 'assistant', 'content': '', 'function_call': {'name': 'find_ship', 'arguments': '${args}'}}]`;

async function findingsOf(lines: readonly string[]): Promise<readonly string[]> {
  const { findings } = await check(Buffer.from(`${lines.join("\n")}\n`));
  return findings.map(({ rule, severity, location }) => `${location.line} ${severity} ${rule}`);
}

describe("messages printed while they grow", () => {
  const grown = ["", '{"', '{"name": "', '{"name": "Ever', '{"name": "Ever Given"}'];

  test("are one message, the last print", async () => {
    expect(await findingsOf(grown.map((args) => print(args)))).toEqual(["5 info unanswered-tool-call"]);
  });

  test("are no broken arguments where the paste ends early", async () => {
    const found = await findingsOf([
      ...grown.slice(0, 4).map((args) => print(args)),
      "....chunk [{'role': 'assi",
    ]);
    expect(found.filter((each) => each.includes("arguments"))).toEqual([]);
  });

  test("with another text grow again", async () => {
    const found = await findingsOf([...grown, ...grown].map((args) => print(args)));
    expect(found.filter((each) => each.includes("unanswered"))).toHaveLength(1);
  });

  test("twice are two prints, of which the second is broken", async () => {
    const found = await findingsOf([print('{"'), print('{"name')]);
    expect(found).toContain("2 error incomplete-arguments");
  });
});
