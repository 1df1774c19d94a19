import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CheckSettings, checkFiles } from "../../src/check/check.ts";
import { checkPart } from "../../src/check/part.ts";
import { checkInParts } from "../../src/check/parts.ts";
import { joinedRuns } from "../../src/check/run-report.ts";
import type { LogSource } from "../../src/log/log-file.ts";
import { bytesSource } from "../../src/reading/source.ts";
import { lines, stories } from "../containers/sessions.ts";
import {
  answers,
  asks,
  completion,
  goesOn,
  question,
  result,
  stream,
  wantsTool,
} from "../containers/stories.ts";

const text = (value: unknown): string => JSON.stringify(value);
const said = { role: "assistant", content: "18 °C." };
const exchange = (request: object, response: unknown, more: object = {}) => ({ ...more, request, response });
const openhands = String(stories["openhands"]?.log).trim().split("\n");
const looks = (id: string) => ({
  id,
  type: "function",
  function: { name: "weather", arguments: '{"city":"Oslo"}' },
});

/** Logs of many kinds, most of which belong to others of them, as `folder/name`. */
const logs: Readonly<Record<string, string>> = {
  "a/request-1.json": text(exchange(asks, wantsTool)),
  "a/request-2.json": text(exchange(goesOn, answers)),
  "a/request-3.json": text(
    exchange(
      { ...asks, messages: [...goesOn.messages, said, question] },
      completion("chatcmpl-3", said, "stop"),
    ),
  ),
  // The call of the round before is gone.
  "a/request-4.json": text(exchange({ ...asks, messages: [question, result] }, answers)),
  "b/app.log.2": lines(exchange(asks, wantsTool)),
  "b/app.log.1": lines(exchange(goesOn, answers)),
  "b/app.log": lines(exchange({ ...asks, messages: [question, result] }, answers)),
  "b/other.log": lines(exchange(asks, wantsTool), exchange(asks, wantsTool)),
  "c/001_request.json": text(asks),
  "c/001_response.json": text(wantsTool),
  "c/002_request.json": text(goesOn),
  "d/requests/001.json": text(asks),
  "d/responses/001.txt": stream("chatcmpl-1"),
  "e/timed-9.jsonl": lines(exchange(asks, wantsTool, { timestamp: "2026-01-01T00:00:00Z" })),
  "e/timed-1.jsonl": lines(exchange(goesOn, answers, { timestamp: "2026-01-01T00:01:00Z" })),
  "e/endless.jsonl": lines(
    ...["call_aaaaaaaaaaa1", "call_aaaaaaaaaaa2", "call_aaaaaaaaaaa3"].map((id) =>
      exchange(
        asks,
        completion(
          `chatcmpl-${id}`,
          { role: "assistant", content: null, tool_calls: [looks(id)] },
          "tool_calls",
        ),
      ),
    ),
  ),
  "f/notes.txt": "Nothing that a model said.\n",
  "f/empty.log": "",
  "f/run.log": lines(exchange(asks, wantsTool), exchange(goesOn, answers)),
  "g/session.jsonl": String(stories["claude-code"]?.log),
  ...Object.fromEntries(openhands.map((line, index) => [`h/event-${index}.json`, line])),
};

function sourceOf(path: string, all: ReadonlyMap<string, LogSource>): LogSource {
  return {
    path,
    source: bytesSource(path, Buffer.from(logs[path] ?? "")),
    beside: (other) => (logs[other] === undefined ? undefined : (all.get(other) ?? sourceOf(other, all))),
  };
}

const inputsOf = (paths: readonly string[]): LogSource[] => paths.map((path) => sourceOf(path, new Map()));

async function whole(paths: readonly string[], options: CheckSettings) {
  const { report, unreadFiles, conversations } = await checkFiles(inputsOf(paths), options);
  return JSON.stringify({ report, unreadFiles, conversations });
}

async function inParts(paths: readonly string[], width: number, options: CheckSettings) {
  let asked = 0;
  const runs = await checkInParts(
    paths.map((path) => ({ path, size: Buffer.byteLength(logs[path] ?? "") })),
    {
      width,
      separate: options.separate === true,
      leastWeight: 1,
      async check({ inputs, runs: known }) {
        asked++;
        const part = await checkPart(inputsOf(inputs.map(({ path }) => path)), options, known);
        // As between threads.
        return structuredClone(part);
      },
    },
  );
  const { report, unreadFiles, conversations } = joinedRuns(runs);
  return { text: JSON.stringify({ report, unreadFiles, conversations }), asked };
}

describe("files checked part by part", () => {
  const all = Object.keys(logs);

  test("all of them have the report of one check", async () => {
    const { text: joined, asked } = await inParts(all, 3, {});
    expect(asked).toBeGreaterThan(3);
    expect(JSON.parse(joined)).toEqual(JSON.parse(await whole(all, {})));
    expect(joined).toBe(await whole(all, {}));
    expect(JSON.parse(joined).report.findings.length).toBeGreaterThan(2);
  });

  test("any of them, in any order and any parts, have the report of one check", async () => {
    const some = fc.shuffledSubarray(all, { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(some, fc.integer({ min: 1, max: 9 }), fc.boolean(), async (paths, width, separate) => {
        expect((await inParts(paths, width, { separate })).text).toBe(await whole(paths, { separate }));
      }),
      { numRuns: 15 },
    );
  });

  test("a run that is known before is checked once, and no file twice that stands alone", async () => {
    const alone = ["e/endless.jsonl", "f/notes.txt", "g/session.jsonl"];
    expect((await inParts(alone, 1, {})).asked).toBe(3);
  });
});
