import pc from "picocolors";
import { expect, test } from "vitest";
import type { HalfReport, StepReport } from "../../src/diff/report.ts";
import { stepLines } from "../../src/diff/text-steps.ts";
import type { Pen } from "../../src/show/entry.ts";

/** Equal steps, which count how often their requests are looked at. */
function equalSteps(states: readonly HalfReport["state"][]): { steps: StepReport[]; looks(): number } {
  let looks = 0;
  const half = (state: HalfReport["state"]): HalfReport => ({ state, settings: [], items: [] }) as never;
  const steps = states.map((state, index): StepReport => {
    const place = { conversation: "c1", step: index + 1, exchange: index + 1, line: 1 };
    return {
      ...{ pair: 0, left: place, right: place, isParting: false, reasons: [], reply: half("same") },
      get request() {
        looks++;
        return half(state);
      },
    };
  });
  return { steps, looks: () => looks };
}

function printed(steps: readonly StepReport[]): string[] {
  const report = { steps, conversations: [] };
  const pen = { paint: pc.createColors(false) };
  return [...stepLines(report as never, steps, false, pen as Pen)].filter((line) => line !== "");
}

test("counts equal steps in one line, apart from those that only carry a difference on", () => {
  const { steps } = equalSteps(["same", "same", "carried", "carried", "same"]);
  expect(printed(steps)).toEqual([
    "steps 1, 2  the same",
    "steps 3, 4  nothing new differs",
    "step 5  the same",
  ]);
});

test("looks a few times at each of ten thousand equal steps", () => {
  const { steps, looks } = equalSteps(Array(10_000).fill("same"));
  expect(printed(steps)).toEqual(["steps 1–10000  the same"]);
  expect(looks()).toBeLessThan(60_000);
});
