import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";
import { dumps } from "./frameworks.ts";
import { answer, asked } from "./sessions.ts";
import { told } from "./stories.ts";

describe("the history in a dump is read", () => {
  test.each(Object.entries(dumps))("of %s", async (_, dump) => {
    const log = JSON.stringify(dump, undefined, 1);
    expect(await told(log)).toEqual([
      `${asked}, call weather {"city":"Bern"}, result 17 °C, assistant "${answer}" → ?`,
    ]);
    expect((await check(Buffer.from(log))).findings).toEqual([]);
  });
});
