import { describe, expect, test } from "vitest";
import type { Origin } from "../../src/reading/origin.ts";
import { answers, asks, goesOn, open, run, spot, told, wantsTool } from "./stories.ts";

/** What a program logged, each half of an exchange in a record of its own. */
const halves = [
  ["request", asks],
  ["reply", wantsTool],
  ["request", goesOn],
  ["reply", answers],
] as const;

const at = (second: number): string => `2026-01-01T10:00:0${second}.000Z`;

const forms: [string, (records: readonly [string, object][]) => string][] = [
  [
    "JSON lines",
    (records) =>
      records
        .map(([message, body], n) => JSON.stringify({ timestamp: at(n), message, body }))
        .toReversed()
        .join("\n"),
  ],
  [
    "a JSON list with bodies behind words",
    (records) =>
      JSON.stringify(
        records
          .map(([message, body], n) => ({
            timestamp: at(n),
            textPayload: `${message} ${JSON.stringify(body)}`,
          }))
          .toReversed(),
        null,
        2,
      ),
  ],
  [
    "lines of a text log",
    (records) =>
      records
        .map(([message, body], n) => `${at(n)} DEBUG ${message} ${JSON.stringify(body)}`)
        .toReversed()
        .join("\n"),
  ],
];

describe("a log whose newest record comes first is read from its end", () => {
  test.each(forms)("%s", async (_name, form) => {
    const log = `${form(halves.map(([message, body]) => [message, body]))}\n`;
    expect(await told(log)).toEqual(run);
    const { exchanges } = await open(log);
    const lines = exchanges.map(({ request }) => Number(spot(request?.place.origin as Origin).split(":")[0]));
    expect(lines[0]).toBeGreaterThan(lines[1] ?? 0);
  });

  test.each(forms)("%s, of which two have the same time", async (_name, form) => {
    const log = `${form(halves.map(([message, body]) => [message, body]))}\n`;
    expect(await told(log.replaceAll(at(1), at(0)).replaceAll(at(3), at(2)))).toEqual(run);
  });
});

test("a clock that was set back once turns nothing round", async () => {
  const log = halves.map(([message, body], n) =>
    JSON.stringify({ timestamp: at(n === 0 ? 9 : n), message, body }),
  );
  expect(await told(`${log.join("\n")}\n`)).toEqual(run);
});

test("records with both halves keep their order and numbers", async () => {
  const records = [
    { timestamp: at(3), request: goesOn, response: answers },
    { timestamp: at(2), request: asks, response: wantsTool },
  ];
  const { exchanges } = await open(`${records.map((record) => JSON.stringify(record)).join("\n")}\n`);
  expect(exchanges.map(({ request }) => spot(request?.place.origin as Origin).split(":")[0])).toEqual([
    "1",
    "2",
  ]);
});
