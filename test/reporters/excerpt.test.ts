import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diagnose } from "../../src/diagnosis/index.ts";
import type { FindingReport, Location } from "../../src/findings/report.ts";
import { linesOf } from "../../src/reading/origin.ts";
import type { ByteSource } from "../../src/reading/source.ts";
import { text } from "../../src/reporters/text.ts";
import { widthOf } from "../../src/reporters/width.ts";
import { at, finding, printed, report, sources } from "./reports.ts";

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

describe("whatever a log holds", () => {
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
        message: anything,
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
            data: { gone: [title] },
          }),
      ),
    );

  test("no line is wider than the terminal, and none holds a control character", () => {
    fc.assert(
      fc.property(
        findings,
        fc.array(anything, { maxLength: 30 }),
        fc.integer({ min: 0, max: 160 }),
        fc.boolean(),
        (all, lines, width, color) => {
          const checked = report(all, { diagnoses: diagnose(all) });
          const content = lines.join("\n");
          const shown = text(checked, {
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
            expect(widthOf(plain)).toBeLessThanOrEqual(Math.max(60, width));
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
