import { describe, expect, test } from "vitest";
import { hostileLog, kinds } from "../../bench/schema-kinds.mjs";
import { check } from "../../src/index.ts";
import { createValidator } from "../../src/rules/schema/argument-validator.ts";
import { Work } from "../../src/rules/schema/work.ts";

/** What all calls of a log share, and what each character of it may bring at most. */
const shared = 5_000_000;
const perCharacter = 30;

describe.each(Object.keys(kinds))("%s", (name) => {
  test("takes no more work than the log is large", () => {
    const size = 100_000;
    const { schema, tools = [schema], calls } = kinds[name]?.(size) ?? { calls: [] };
    const work = new Work();
    const validator = createValidator(work);
    for (const [index, args] of calls.entries()) validator.judge(args, tools[index % tools.length] ?? {});
    expect(work.spent).toBeLessThan(shared + perCharacter * size);
  });

  test("does not stop a check", async () => {
    const { findings } = await check(Buffer.from(hostileLog(name, 30_000)));
    for (const { message } of findings) expect(message.length).toBeLessThan(1_000);
  });
});
