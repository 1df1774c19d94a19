import { describe, expect, test } from "vitest";
import type { FailOn, Gate } from "../../src/findings/gate.ts";
import { exitCode } from "../../src/findings/gate.ts";
import { verdictOn } from "../../src/reporters/verdict.ts";
import { at, finding, report } from "./reports.ts";

const found = (errors: number, warnings: number, infos: number) =>
  report([
    ...Array.from({ length: errors }, (_, line) => finding("x", at(line + 1, 1))),
    ...Array.from({ length: warnings }, (_, line) => finding("y", at(line + 1, 1), { severity: "warning" })),
    ...Array.from({ length: infos }, (_, line) => finding("z", at(line + 1, 1), { severity: "info" })),
  ]);

const said = (...args: Parameters<typeof verdictOn>) => {
  const { counts, outcome } = verdictOn(...args);
  return `${counts} · ${outcome}`;
};

describe("the verdict", () => {
  test.each<[string, Gate, readonly [number, number, number], string]>([
    ["nothing", { failOn: "error" }, [0, 0, 0], "no findings · passes"],
    [
      "findings below the gate",
      { failOn: "error" },
      [0, 2, 1],
      "2 warnings, 1 info · passes (--fail-on error)",
    ],
    ["errors", { failOn: "error" }, [2, 1, 0], "2 errors, 1 warning · fails (--fail-on error)"],
    ["a gate for infos", { failOn: "info" }, [0, 0, 1], "1 info · fails (--fail-on info)"],
    [
      "no gate",
      { failOn: "never", maxWarnings: 0 },
      [2, 1, 0],
      "2 errors, 1 warning · passes (--fail-on never)",
    ],
    [
      "too many warnings",
      { failOn: "error", maxWarnings: 1 },
      [0, 2, 0],
      "2 warnings · fails (--max-warnings 1)",
    ],
    [
      "both",
      { failOn: "error", maxWarnings: 1 },
      [1, 2, 0],
      "1 error, 2 warnings · fails (--fail-on error, --max-warnings 1)",
    ],
    [
      "as many warnings as allowed",
      { failOn: "error", maxWarnings: 2 },
      [0, 2, 0],
      "2 warnings · passes (--fail-on error, --max-warnings 2)",
    ],
  ])("%s", (_, gate, [errors, warnings, infos], expected) => {
    expect(said(found(errors, warnings, infos), gate)).toBe(expected);
  });

  test("names the first trouble, whatever was found", () => {
    const troubles = ["cannot read a.log: permission denied\nand more about it", "cannot read b.log: …"];
    expect(said(found(1, 0, 0), { failOn: "never" }, troubles)).toBe(
      "1 error · fails: cannot read a.log: permission denied (and 1 more)",
    );
    expect(said(report([]), { failOn: "error" }, troubles.slice(0, 1))).toBe(
      "no findings · fails: cannot read a.log: permission denied",
    );
  });

  test("counts what was set aside, which fails nothing", () => {
    const suppressed = [
      { ...finding("x", at(1, 1)), suppression: { by: "baseline" } as const },
      { ...finding("x", at(2, 1)), suppression: { by: "ignore" } as const },
    ];
    expect(said({ ...report([]), suppressed }, { failOn: "info" })).toBe(
      "no other findings, 1 known finding, 1 ignored · passes",
    );
  });

  test("agrees with the exit code", () => {
    const gates: readonly FailOn[] = ["error", "warning", "info", "never"];
    for (const failOn of gates)
      for (const maxWarnings of [undefined, 0, 1])
        for (const counts of [0, 1, 2].flatMap((one) => [0, 1, 2].map((other) => [one, other] as const)))
          for (const troubles of [[], ["cannot read a.log"]]) {
            const checked = found(counts[0], counts[1], 1);
            const gate = { failOn, maxWarnings };
            const code = exitCode(checked, gate, troubles.length > 0);
            const { isPassed, outcome } = verdictOn(checked, gate, troubles);
            expect([isPassed, outcome.split(/[ :]/)[0]]).toEqual(
              code === 0 ? [true, "passes"] : [false, "fails"],
            );
          }
  });
});
