import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { json } from "../../src/containers/files/json.ts";
import { jsonl } from "../../src/containers/files/jsonl.ts";
import { recognizerOf } from "../../src/log/recognizer.ts";
import { openaiChat } from "../../src/protocols/openai-chat/index.ts";
import { plainText } from "../../src/reading/escapes.ts";
import { commonPrefix } from "../../src/reading/shared.ts";
import type { Element, SharedRun } from "../../src/reading/shared-run.ts";
import { memorySource } from "../../src/reading/source.ts";

/** A log of requests, one history each; `lines` are the log's lines as they are written. */
function runsOf(lines: readonly string[]): { runs: SharedRun[]; bytes: Buffer } {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const recording = jsonl.read(memorySource("run.jsonl", bytes), recognizerOf([openaiChat]));
  const runs: SharedRun[] = [];
  for (const candidate of recording.candidates)
    if (candidate.part === "request" && candidate.body.run) runs.push(candidate.body.run);
  return { runs, bytes };
}

function line(messages: readonly unknown[], extra: object = {}): string {
  return JSON.stringify({ ts: "2025-09-14T12:00:00Z", request: { model: "gpt-5", ...extra, messages } });
}

function elementsOf(run: SharedRun | undefined): Element[] {
  return run ? Array.from({ length: run.length }, (_, index) => run.element(index)) : [];
}

/** Which elements of the second request are the first one's objects, by their numbers there; `-` for new ones. */
function sharing(first: readonly unknown[], second: readonly unknown[], write = line): string {
  const { runs } = runsOf([write(first), write(second)]);
  const known = elementsOf(runs[0]);
  return elementsOf(runs[1])
    .map((element) => (known.includes(element) ? known.indexOf(element) : "-"))
    .join(" ");
}

const system = { role: "system", content: `You find trains. ${"Be brief. ".repeat(20)}` };
const user = (content: string) => ({ role: "user", content });
const call = (id: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "timetable", arguments: `{"from":"Bern"}` } }],
});
const result = (id: string) => ({
  role: "tool",
  tool_call_id: id,
  content: `{"trains":["IC ${id}"],"note":"\\"on time\\""}`,
});

describe("elements that a later request repeats are the same objects", () => {
  const first = [system, user("When is the next train to Bern?"), call("call_1"), result("call_1")];

  test.each([
    ["the history grew", [...first, call("call_2"), result("call_2")], "0 1 2 3 - -"],
    ["the history is sent again", first, "0 1 2 3"],
    ["the end was taken back", first.slice(0, 2), "0 1"],
    ["the end was replaced", [...first.slice(0, 3), result("other")], "0 1 2 -"],
    ["an element in the middle was edited", [system, user("And to Thun?"), ...first.slice(2)], "0 - 2 3"],
    ["turns were cut out", [system, ...first.slice(2)], "0 2 3"],
    ["a window moved on", [system, result("call_1"), user("And to Thun?")], "0 3 -"],
    [
      "something was put in at the front",
      [{ role: "developer", content: "Use the 24 hour clock." }, ...first],
      "- 0 1 2 3",
    ],
    ["the order changed", [system, first[2], first[1], first[3]], "0 2 1 3"],
    ["nothing is left", [user("Who was Ada Lovelace?")], "-"],
  ])("%s", (_, second, shared) => {
    expect(sharing(first, second)).toBe(shared);
  });

  test("also in a body that is a string in a string", () => {
    const write = (messages: readonly unknown[]): string =>
      JSON.stringify({ data: JSON.stringify({ body: JSON.stringify({ model: "gpt-5", messages }) }) });
    expect(sharing(first, [...first, call("call_2")], write)).toBe("0 1 2 3 -");
  });

  test("also where a cache mark moved on", () => {
    const marked = (content: string, isMarked: boolean) => ({
      role: "user",
      content: [{ type: "text", text: content, ...(isMarked && { cache_control: { type: "ephemeral" } }) }],
    });
    const before = [system, marked("one", false), call("call_1"), result("call_1"), marked("two", true)];
    const after = [
      system,
      marked("one", false),
      call("call_1"),
      result("call_1"),
      marked("two", false),
      call("call_2"),
      marked("three", true),
    ];
    expect(sharing(before, after)).toBe("0 1 2 3 - - -");
    const early = [system, marked("one", true), call("call_1"), result("call_1")];
    expect(sharing(early, after)).toBe("0 - 2 3 - - -");
  });

  test("and two conversations that take turns do not disturb each other", () => {
    const trains = [system, user("When is the next train to Bern?"), call("call_1"), result("call_1")];
    const weather = [
      user("How warm is it in Bern?"),
      call("call_7"),
      result("call_7"),
      { role: "assistant", content: "18 °C." },
    ];
    const { runs } = runsOf([
      line(trains.slice(0, 2)),
      line(weather.slice(0, 1)),
      line(trains),
      line(weather),
      line([...trains, user("And to Thun?")]),
      line([...weather, user("And in Thun?")]),
    ]);
    const [, , longTrains, longWeather, lastTrains, lastWeather] = runs.map(elementsOf);
    expect(lastTrains?.slice(0, 4).every((element, index) => element === longTrains?.[index])).toBe(true);
    expect(lastWeather?.slice(0, 4).every((element, index) => element === longWeather?.[index])).toBe(true);
  });

  test("and a short history does not grow when a long one begins with it", () => {
    const { runs } = runsOf([
      line([system]),
      line([system, ...Array.from({ length: 9 }, (_, index) => user(`Question ${index}`))]),
      line([system, user("Question 9")]),
    ]);
    expect(runs.map(({ length }) => length)).toEqual([1, 10, 2]);
    expect(runs[2]?.element(1).value).toEqual(user("Question 9"));
  });
});

describe("odd histories", () => {
  const values = (text: string): unknown[] => elementsOf(runsOf([text]).runs[0]).map(({ value }) => value);

  test("elements that are no objects stay in their places", () => {
    expect(values(line([user("Hi"), null, "Bern?", 7, ["x"], user("Bye")]))).toEqual([
      user("Hi"),
      null,
      "Bern?",
      7,
      ["x"],
      user("Bye"),
    ]);
  });

  test("what is no JSON is broken, and its neighbours are whole", () => {
    const text = line([user("Hi"), user("BROKEN"), user("Bye")]).replace('"BROKEN"', "{oops}");
    expect(
      elementsOf(runsOf([text]).runs[0]).map(({ isBroken, value }) => (isBroken ? "broken" : value)),
    ).toEqual([user("Hi"), "broken", user("Bye")]);
  });

  test("a cut history keeps its whole elements", () => {
    const text = line([user("Hi"), user("When is the next train?")]);
    const [run] = runsOf([text.slice(0, text.indexOf("next"))]).runs;
    expect(run?.state).toBe("open");
    expect(elementsOf(run).map(({ value }) => value)).toEqual([user("Hi")]);
  });

  test("white space and trailing commas between elements are nothing", () => {
    const text = `{"model":"gpt-5","messages":[ {"role":"user","content":"Hi"} ,\t{"role":"user","content":"Bye"}, ]}`;
    const { runs, bytes } = runsOf([text]);
    const [run] = runs;
    expect(run && bytes.toString("utf8", run.start(1), run.end(1))).toBe('{"role":"user","content":"Bye"}');
    expect(run && bytes.toString("utf8", run.arrayStart, run.arrayEnd)).toMatch(/^\[.*\]$/);
  });
});

describe("any sequence of histories", () => {
  const message = fc.record({
    role: fc.constantFrom("user", "assistant", "tool"),
    content: fc.oneof(
      fc.constantFrom("", "ok", 'say "hi"', "C:\\temp\\", "Grüezi 👋", "{[", "}]", "\n"),
      fc.lorem({ maxCount: 30 }),
    ),
  });
  const change = fc.oneof(
    fc.record({
      kind: fc.constant("extend" as const),
      with: fc.array(message, { minLength: 1, maxLength: 12 }),
    }),
    fc.record({ kind: fc.constant("cut" as const), at: fc.nat(20) }),
    fc.record({ kind: fc.constant("window" as const), at: fc.nat(20) }),
    fc.record({ kind: fc.constant("edit" as const), at: fc.nat(20), with: message }),
    fc.record({ kind: fc.constant("insert" as const), at: fc.nat(20), with: message }),
    fc.record({ kind: fc.constant("repeat" as const) }),
  );
  const step = fc.record({ conversation: fc.nat(2), change, isSpaced: fc.boolean() });

  function changed(
    history: readonly unknown[],
    edit: typeof change extends fc.Arbitrary<infer T> ? T : never,
  ): unknown[] {
    if (edit.kind === "extend") return [...history, ...edit.with];
    if (edit.kind === "repeat") return [...history];
    const at = history.length === 0 ? 0 : edit.at % history.length;
    if (edit.kind === "cut") return history.slice(0, at + 1);
    if (edit.kind === "window") return [...history.slice(0, 1), ...history.slice(at + 1)];
    return [...history.slice(0, at), edit.with, ...history.slice(edit.kind === "edit" ? at + 1 : at)];
  }

  it.each([0, 1, 2])(
    "is read as it was written, and every element knows its bytes, %i strings deep",
    (level) => {
      fc.assert(
        fc.property(fc.array(step, { minLength: 2, maxLength: 25 }), (steps) => {
          const histories: unknown[][] = [[], [], []];
          const sent: unknown[][] = [];
          const lines: string[] = [];
          for (const { conversation, change: edit, isSpaced } of steps) {
            const next = changed(histories[conversation] as unknown[], edit);
            if (next.length === 0) continue;
            histories[conversation] = next;
            sent.push(next);
            let text = JSON.stringify({ model: "gpt-5", messages: next });
            if (isSpaced) text = text.replaceAll('},{"role"', '} ,\n {"role"');
            if (level === 0) text = text.replaceAll("\n", " ");
            for (let round = 0; round < level; round++) text = JSON.stringify({ body: text });
            lines.push(text);
          }
          const { runs, bytes } = runsOf(lines);
          // Looked at only when all is read: earlier runs must not have changed since.
          expect(runs.map((run) => elementsOf(run).map(({ value }) => value))).toEqual(sent);
          for (const run of runs) {
            for (const [index, { value }] of elementsOf(run).entries()) {
              expect(JSON.parse(plainText(bytes, run.start(index), run.end(index), run.level))).toEqual(
                value,
              );
            }
          }
        }),
        { numRuns: 300 },
      );
    },
  );
});

describe("the common prefix", () => {
  it("is as long as the equal bytes, wherever they end", () => {
    const one = Buffer.from("x".repeat(5000));
    for (const length of [0, 1, 63, 64, 65, 319, 320, 321, 4999, 5000]) {
      const other = Buffer.from(`..${"x".repeat(length)}y`);
      expect(commonPrefix(one, 0, one.length, other, 2, other.length)).toBe(length);
    }
    expect(commonPrefix(one, 10, 20, one, 0, 5000)).toBe(10);
  });

  it("is what counting gives, for any bytes", () => {
    const bytes = fc.array(fc.nat(1), { maxLength: 400 });
    fc.assert(
      fc.property(bytes, bytes, bytes, (start, a, b) => {
        const left = Buffer.from([...start, ...a]);
        const right = Buffer.from([...start, ...b]);
        let count = 0;
        while (count < left.length && count < right.length && left[count] === right[count]) count++;
        expect(commonPrefix(left, 0, left.length, right, 0, right.length)).toBe(count);
      }),
    );
  });
});

describe("a text with half a character", () => {
  const holds = (write: (messages: readonly unknown[]) => string, content: string) => {
    const [run] = runsOf([write([system, user(content)])]).runs;
    return elementsOf(run).map(({ isWellFormed }) => isWellFormed);
  };
  const embedded = (messages: readonly unknown[]) =>
    JSON.stringify({ body: JSON.stringify({ model: "gpt-5", messages }) });

  test("is ruled out where nothing is escaped by its number", () => {
    expect(holds(line, "Zürich 👋")).toEqual([true, true]);
  });

  test("is not ruled out where it may be escaped, or where the escapes of a string were undone", () => {
    expect(holds(line, "Zürich \ud83d")).toEqual([true, undefined]);
    expect(holds(embedded, "Zürich \ud83d")).toEqual([undefined, undefined]);
  });
});

test("histories of a document are shared like those of lines", () => {
  const first = [system, user("When is the next train to Bern?"), call("call_1"), result("call_1")];
  const requests = [first, [...first, call("call_2"), result("call_2")], first.slice(0, 2)];
  const bytes = Buffer.from(`[${requests.map((messages) => line(messages)).join(",")}]`);
  const recording = json.read(memorySource("run.json", bytes), recognizerOf([openaiChat]));
  const runs: SharedRun[] = [];
  for (const candidate of recording.candidates)
    if (candidate.part === "request" && candidate.body.run) runs.push(candidate.body.run);
  const [known, ...others] = runs.map(elementsOf);
  expect(others.map((elements) => elements.map((element) => known?.indexOf(element)))).toEqual([
    [0, 1, 2, 3, -1, -1],
    [0, 1],
  ]);
});
