import { readdirSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { consumer, packed, run, tsc } from "./consumer.ts";

let unpacked: string;
beforeAll(() => {
  unpacked = packed();
});

/** The strictest that a project can be with the packages that it uses. */
function project(types: readonly string[], more: object = {}): string {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022"],
    module: "nodenext",
    types,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
    ...more,
  };
  return JSON.stringify({ compilerOptions });
}

const library = `import { check, defineRule, diff, fix, NotUnderstoodError, read } from "toollint";
import { serve, toHaveAcceptedEveryHistory } from "toollint/testing";
import type { CheckReport, Conversation, Exchange, Item, Step } from "toollint";

export async function use(log: string): Promise<string> {
  const report: CheckReport = await check(log, { profile: "groq", levels: { "repeated-call": "off" } });
  const line: number | undefined = report.findings[0]?.location.line;
  const { conversations } = await read(new Uint8Array([1]));
  const [first]: readonly Conversation[] = conversations;
  const step: Step | undefined = first?.steps[0];
  const exchange: Exchange | undefined = step?.exchange;
  const item: Item | undefined = step?.reply?.items[0];
  const { bytes } = await fix(log, { classes: ["safe", "lossy"] });
  const verdict: readonly string[] = (await diff(log, { messages: [] })).verdict;
  if (new Error() instanceof NotUnderstoodError) throw new Error(String(exchange));
  // @ts-expect-error: there is no such option
  await check(log, { profil: "groq" });
  // @ts-expect-error: a number is no log
  await check(7);
  return [line, item?.kind, bytes.length, ...verdict].join();
}

export async function test(): Promise<void> {
  const server = await serve({ profile: "anthropic", script: { replies: [{ text: "It rains." }] } });
  const url: string = server.baseUrl("anthropic");
  if (!toHaveAcceptedEveryHistory(server).pass) throw new Error(url);
  await server[Symbol.asyncDispose]();
}

export default defineRule({
  name: "long-answer",
  summary: "An answer of more than 10 items",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  messages: { long: ({ items }: { items: number }) => \`\${items} items\` },
  habit: { title: "The model says much", consequence: "So nobody reads it", change: "ask for less" },
  *check({ steps }, report) {
    for (const { added } of steps)
      for (const placed of added.slice(10, 11)) yield report("long", { items: added.length }, placed);
  },
});
`;

describe("the types compile in a strict project that checks its libraries", () => {
  test("as ES modules, without the types of Node", () => {
    const folder = consumer(unpacked, [], {
      "package.json": '{ "type": "module" }',
      "tsconfig.json": project([]),
      "use.ts": library,
    });
    expect(run(folder, [tsc, "-p", "."])).toEqual({ code: 0, output: "" });
  });

  test("as CommonJS, with the types of Node", () => {
    const folder = consumer(unpacked, ["@types/node"], {
      "package.json": '{ "type": "commonjs" }',
      "tsconfig.json": project(["node"]),
      "use.ts": library,
      "required.ts":
        'import toollint = require("toollint");\nexport const check: typeof toollint.check = toollint.check;\n',
    });
    expect(run(folder, [tsc, "-p", "."])).toEqual({ code: 0, output: "" });
  });

  test("with the matchers of @jest/globals", () => {
    const folder = consumer(unpacked, ["@types/node", "@jest/globals", "expect"], {
      "package.json": '{ "type": "commonjs" }',
      // Jest's own declarations do not compile on their own.
      "tsconfig.json": project(["node"], { skipLibCheck: true }),
      "agent.test.ts": `import { expect, test } from "@jest/globals";
import { toHaveAcceptedEveryHistory, toHaveHealthyConversations } from "toollint/jest";
import { serve } from "toollint/testing";

expect.extend({ toHaveAcceptedEveryHistory, toHaveHealthyConversations });

test("the agent talks properly", async () => {
  await expect("run.jsonl").toHaveHealthyConversations({ failOn: "warning" });
  await expect("run.jsonl").not.toHaveHealthyConversations();
  expect(await serve()).toHaveAcceptedEveryHistory();
  // @ts-expect-error: there is no such level
  await expect("run.jsonl").toHaveHealthyConversations({ failOn: "warn" });
});
`,
    });
    expect(run(folder, [tsc, "-p", "."])).toEqual({ code: 0, output: "" });
  });

  test("with the matchers of vitest", () => {
    const folder = consumer(unpacked, ["@types/node", "vitest"], {
      "package.json": '{ "type": "module" }',
      // The declarations of vitest want the types of a browser.
      "tsconfig.json": project(["node"], { skipLibCheck: true }),
      "agent.test.ts": `import { toHaveAcceptedEveryHistory, toHaveHealthyConversations } from "toollint/vitest";
import { expect, test } from "vitest";

expect.extend({ toHaveAcceptedEveryHistory, toHaveHealthyConversations });

test("the agent talks properly", async () => {
  await expect("run.jsonl").toHaveHealthyConversations({ failOn: "warning" });
  // @ts-expect-error: there is no such level
  await expect("run.jsonl").toHaveHealthyConversations({ failOn: "warn" });
});
`,
    });
    expect(run(folder, [tsc, "-p", "."])).toEqual({ code: 0, output: "" });
  });
});

test("they are one file for each entry", () => {
  const files = readdirSync(path.join(unpacked, "dist"), { recursive: true, encoding: "utf8" });
  expect(files.filter((file) => /\.d\.c?ts$/.test(file)).sort()).toEqual([
    "index.d.cts",
    "index.d.ts",
    "jest.d.cts",
    "jest.d.ts",
    "testing.d.cts",
    "testing.d.ts",
    "vitest.d.ts",
  ]);
});
