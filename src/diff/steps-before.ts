import type { Step } from "../conversation/conversation.ts";
import type { RunComparison } from "./compare.ts";
import type { StepComparison } from "./step-comparer.ts";

/** The nearest step of each run that stands before a step. */
interface Before {
  readonly left: Step | undefined;
  readonly right: Step | undefined;
}

const befores = new WeakMap<RunComparison, ReadonlyMap<StepComparison, Before>>();

/** The last steps of both runs before a step that one of them lacks. */
export function stepsBefore(run: RunComparison, step: StepComparison): Before {
  let known = befores.get(run);
  if (!known) {
    known = beforesIn(run);
    befores.set(run, known);
  }
  return known.get(step) ?? { left: undefined, right: undefined };
}

function beforesIn({ steps }: RunComparison): Map<StepComparison, Before> {
  const found = new Map<StepComparison, Before>();
  let before: Before = { left: undefined, right: undefined };
  for (const step of steps) {
    found.set(step, before);
    before = { left: step.left ?? before.left, right: step.right ?? before.right };
  }
  return found;
}
