import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FindingReport, Location } from "../../src/findings/report.ts";
import { linesOf } from "../../src/reading/origin.ts";
import type { ByteSource } from "../../src/reading/source.ts";
import { reportText } from "../../src/reporters/text.ts";
import { widthOf } from "../../src/reporters/width.ts";
import { at, diagnosed, finding, printed, report, sources } from "./reports.ts";

describe("an excerpt", () => {
  const culprit = '{"call_id":"call_1","output":"it rains"}';
  /** A request on one line of 1.4 MB with the culprit in its middle. */
  const before = `{"input":[${'{"role":"user","content":"lorem ipsum"},'.repeat(17_500)}`;
  const line = `${before}${culprit},${'{"role":"user","content":"dolor sit"},'.repeat(17_500)}]}`;

  test("of a line of 1.4 MB shows the culprit, underlined", () => {
    expect(line.length).toBeGreaterThan(1_360_000);
    const column = before.length + 1;
    const place = at(2, column, { endColumn: column + culprit.length });
    expect(printed(report([finding("x", place)]), { "run.log": `start\n${line}\nend` })).toContain(
      `
  ┌─ run.log:2:${column}
  │ 2 ▸ …ntent":"lorem ipsum"},{"call_id":"call_1","output":"it rains"},{"role":"user","content":"d…
  │                            ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔
`.trim(),
    );
  });

  test.each([1_000, 500_000, 2_500_000])("finds its column after %i letters that are no ASCII", (letters) => {
    const padding = "é".repeat(letters);
    const [source] = sources({ "run.log": `\ufeff${padding}${culprit}` }).values();
    const { column } = linesOf(source as ByteSource).at(3 + 2 * letters);
    const place = at(1, column, { endColumn: column + culprit.length });
    const shown = printed(report([finding("x", place)]), { "run.log": `\ufeff${padding}${culprit}` });
    expect(shown).toContain(`éé${culprit}\n`);
    expect(shown).toContain(` ${"▔".repeat(culprit.length)}\n`);
  });

  test("of a place that is too long says how long it is", () => {
    const long = `{"output":"${"x".repeat(8100)}"}`;
    const shown = printed(report([finding("x", at(1, 1, { endColumn: long.length + 1 }))]), {
      "run.log": long,
    });
    expect(shown).toContain("\n  │     ▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔ 8.1 kB\n");
  });

  test("is underlined where it stands, in wide characters too", () => {
    const lines = ["東京の天気 bad", "tab\there bad"];
    const wide = report([
      finding("x", at(1, 7, { endColumn: 10 })),
      finding("y", at(2, 10, { endColumn: 13 })),
    ]);
    const shown = printed(wide, { "run.log": lines.join("\n") });
    expect(shown).toContain("  │ 1 ▸ 東京の天気 bad\n  │                ▔▔▔\n");
    expect(shown).toContain("  │ 2 ▸ tab\\there bad\n  │               ▔▔▔\n");
  });

  test("masks a credential that it would cut in half", () => {
    const key = `sk-proj-${"a1".repeat(100)}`;
    const text = `{"pad":"${"x".repeat(300)}","authorization":"Bearer ${key}","here":1}`;
    const column = text.indexOf('"here"') + 1;
    const place = at(1, column, { endColumn: column + 6 });
    const shown = printed(report([finding("x", place)]), { "run.log": text });
    expect(shown).toContain('***","here":1}');
    expect(shown).not.toContain("a1a1");
    expect(printed(report([finding("x", place)]), { "run.log": text }, { showValues: true })).toContain(
      "a1a1",
    );
  });

  test("counts columns after a byte order mark as editors do", () => {
    const shown = printed(report([finding("x", at(1, 1, { endColumn: 3 }))]), { "run.log": "\ufeff{}" });
    expect(shown).toContain("  │ 1 ▸ {}\n  │     ▔▔\n");
  });
});

describe("of a piece of a stream", () => {
  const head =
    '{"id":"chatcmpl-fLjNz6USUzsBfWWEZdVKVoA5","object":"chat.completion.chunk","created":1745410811,';
  const begin = `${head}"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_8fK2","type":"function","function":{"name":"read_file","arguments":""}}]}}]}`;

  /** The line that is pointed at, and what of it is underlined. */
  function shownOf(piece: string, more: Partial<FindingReport>, location: Partial<Location> = {}): string[] {
    const place = at(1, 7, { endColumn: 7 + piece.length, part: "response", ...location });
    const shown = printed(report([finding("x", place, more)]), { "run.log": `data: ${piece} tail` });
    const [line = "", mark = ""] = shown.split("\n").slice(2);
    const first = mark.indexOf("▔");
    return [line.slice(8), line.slice(first, mark.lastIndexOf("▔") + 1)];
  }

  test("what the message names is shown and underlined", () => {
    const [line, place] = shownOf(begin, { message: "the call to `read_file` was lost" });
    expect(place).toBe("read_file");
    expect(line).toMatch(/^….*"name":"read_file","arguments":""\}\}/);
  });

  test("values of the data are taken where the message names none; names of members never", () => {
    expect(shownOf(begin, { data: { callIds: ["call_0", "call_8fK2"] } })[1]).toBe("call_8fK2");
    expect(shownOf(begin, { message: "the call has no `name`" })[1]).toMatch(/^\{"id":"chatcmpl/);
  });

  test("the beginning of a longer text is found, also where it is escaped", () => {
    const said = 'He said "no" twice';
    const piece = `${head}"choices":[{"delta":{"content":"He said \\"no"}}]}`;
    expect(shownOf(piece, { message: `the text \`${said}\` was lost` })[1]).toBe("He said ");
    const inside = JSON.stringify(piece).slice(1, -1);
    expect(shownOf(inside, { message: `the text \`${said}\` was lost` })[1]).toBe("He said ");
  });

  test("else the member that the pointer names, or what is new", () => {
    const piece = `${head}"choices":[{"index":0,"delta":{"content":"<tool"},"finish_reason":null}]}`;
    const about = { message: "only text" };
    expect(shownOf(piece, about, { pointer: "/choices/0/message/content" })[1]).toBe("<tool");
    const delta = `{"type":"response.function_call_arguments.delta","item_id":"fc_${"0".repeat(60)}","delta":"{\\"pa"}`;
    expect(shownOf(delta, about, { pointer: "/output/2" })[1]).toBe('{\\"pa');
  });

  test("else its head", () => {
    const ping = `{"type":"ping","padding":"${"x".repeat(200)}"}`;
    expect(shownOf(ping, { message: "nothing was said" })[0]).toMatch(/^data: \{"type":"ping"/);
  });

  test("the place of a note begins there, with the name of the member", () => {
    const related = [
      {
        message: "the call to `read_file` was made here",
        location: at(1, 7, { endColumn: 7 + begin.length }),
      },
    ];
    const shown = printed(report([finding("x", at(2, 1), { related })]), { "run.log": `data: ${begin}\n{}` });
    expect(shown).toContain(
      '  │ 1   …"name":"read_file","arguments":""}}]}}]}  ← the call to `read_file` was made here\n',
    );
  });

  test("a credential stays masked", () => {
    const key = "sk-proj-abcdefghijklmnopqrstuvwx";
    const piece = `${head}"choices":[{"delta":{"content":"${key}"}}]}`;
    const shown = shownOf(piece, { message: `the text \`${key}\`` }).join("\n");
    expect(shown).not.toContain("abcdefgh");
  });
});

describe("whatever a log holds", () => {
  const piece = `{"delta":{"id":"call_1","x":"${"long ".repeat(40)}","name":"read","arguments":"{\\"a"}}`;
  const anything = fc.string({ unit: "binary", maxLength: 200 });
  const number = fc.integer({ min: 1, max: 40 });
  const place: fc.Arbitrary<Location> = fc
    .record({
      file: fc.constantFrom("run.log", "other.log", `${"deep/".repeat(30)}\x1b]0;x.log`),
      line: number,
      column: number,
      endLine: number,
      endColumn: number,
      exchange: number,
      pointer: anything,
    })
    .map((location) => ({
      ...location,
      endLine: location.line + (location.endLine % 5),
      part: "request" as const,
    }));
  const findings = fc
    .array(
      fc.record({
        rule: fc.constantFrom("missing-output-type", "dropped-turns", "repeated-call", "own-rule"),
        message: fc.oneof(
          anything,
          fc.constant('the call to `read` with `{\\"a` and `b'),
          fc.constant("```"),
        ),
        location: place,
        related: fc.array(fc.record({ message: anything, location: place }), { maxLength: 5 }),
        severity: fc.constantFrom("error", "warning", "info"),
        alsoIn: fc.array(number, { maxLength: 9 }),
        title: anything,
        cause: fc.option(number),
      }),
      { maxLength: 8 },
    )
    .map((all) =>
      all.map(
        ({ title, cause, rule, location, ...more }, index): FindingReport =>
          finding(rule, location, {
            ...more,
            severity: more.severity as FindingReport["severity"],
            id: `f${index}`,
            cause: cause === null ? null : `f${cause}`,
            fix: { safety: "safe", title },
            data: { gone: [title, title], items: index * 7, callId: "call_1" },
          }),
      ),
    );

  test("no line but that of a path or a command is wider than the terminal, and none holds a control character", () => {
    fc.assert(
      fc.property(
        findings,
        fc.array(fc.oneof(anything, fc.constant(piece)), { maxLength: 30 }),
        fc.integer({ min: 0, max: 160 }),
        fc.boolean(),
        (all, lines, width, color) => {
          const checked = report(all, { diagnoses: diagnosed(all) });
          const content = lines.join("\n");
          const shown = reportText(checked, {
            sources: sources({ "run.log": content, "other.log": content }),
            color,
            width,
            showValues: true,
            quiet: false,
            pageSummary: (rule) => rule,
            fixCommand: "toollint fix",
          });
          for (const line of shown) {
            // biome-ignore lint/suspicious/noControlCharactersInRegex: the escapes of colours
            const plain = color ? line.replace(/\x1b\[\d+m/g, "") : line;
            expect(plain).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
            // What is copied is never broken: places, commands, and paths in sentences.
            if (!/^ {2}[┌├]─ |^Repair: |[/\\]/.test(plain))
              expect(widthOf(plain)).toBeLessThanOrEqual(Math.max(60, width));
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
