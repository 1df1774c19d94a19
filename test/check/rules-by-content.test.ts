import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Conversation } from "../../src/conversation/conversation.ts";
import { openLogs } from "../../src/log/open.ts";
import { memorySource } from "../../src/reading/source.ts";
import { contentsOf, looksAt } from "../../src/rules/contents.ts";
import { rules } from "../../src/rules/index.ts";
import { loadRules } from "../../src/rules/run.ts";
import { pagePaths } from "../rule-docs.ts";

const samples = path.join(import.meta.dirname, "../../samples");

/** Each sample, and all examples of each rule's page. */
const logs: readonly (readonly [name: string, bytes: Buffer])[] = [
  ...readdirSync(samples, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:jsonl?|ndjson|sse|har|log|txt|ya?ml)$/.test(file) && !/expected/.test(file))
    .map((file) => [file, readFileSync(path.join(samples, file))] as const),
  ...[...pagePaths].flatMap(([name, page]) =>
    [...readFileSync(page, "utf8").matchAll(/^```jsonl (?:reported|accepted)[^\n]*\n([\s\S]*?)^```/gm)].map(
      ([, log = ""], index) => [`${name}-${index}.jsonl`, Buffer.from(log)] as const,
    ),
  ),
];

async function conversationsIn(name: string, bytes: Buffer): Promise<Conversation[]> {
  const runs = await openLogs([{ path: name, source: memorySource(name, bytes) }]);
  return runs.flatMap(({ conversations }) => conversations);
}

describe("a rule that looks at nothing in a conversation has nothing to report", () => {
  test.each(logs)("%s", async (name, bytes) => {
    const conversations = await conversationsIn(name, bytes);
    await loadRules(conversations, rules, { levels: {} });
    const wrong = conversations.flatMap((conversation) =>
      rules
        .filter((rule) => !looksAt(rule, contentsOf(conversation)))
        .filter((rule) => [...rule.check(conversation)].length > 0 || rule.unchecked?.(conversation))
        .map((rule) => `${rule.name} in ${conversation.name}`),
    );
    expect(wrong).toEqual([]);
  });
});

test("most rules look at nothing in a request that says nothing", async () => {
  const [only] = await conversationsIn("log.jsonl", Buffer.from('{"model":"a","messages":[]}\n'));
  const concerned = rules.filter((rule) => only && looksAt(rule, contentsOf(only)));
  expect(concerned.length).toBeLessThan(rules.length / 4);
});
