import type { Habit } from "./habit.ts";
import type { Idiom } from "./idioms.ts";
import { requestHabits } from "./request-habits.ts";
import { runHabits } from "./run-habits.ts";

/** What is said when a rule speaks: by rule, or by rule and kind (`rule/kind`) where one rule names different habits. */
export const habits: ReadonlyMap<string, Habit> = new Map(Object.entries({ ...requestHabits, ...runHabits }));

/** Habits that are often met together, and make one story: they share what follows and what to change. */
export const pairs: readonly {
  readonly rules: readonly [string, string];
  readonly consequence: string;
  readonly change: (idiom: Idiom) => string;
}[] = [
  {
    rules: ["missing-output-type", "dropped-turns"],
    consequence:
      "So the model never saw what its tools had returned, nor in later requests that it had called them",
    change: ({ append }) =>
      `append to one list, never rebuild it, and give every result its \`type\`: ${append}`,
  },
];

/** What often follows from something else, as half a sentence about the model or its run; more telling ones first. */
export const effects: Readonly<Record<string, (tool: string | undefined) => string>> = {
  "provider-rejected": () => "the provider refused the request",
  "repeated-call": (tool) =>
    `it made the same call${tool === undefined ? "" : ` to \`${tool}\``} again and again`,
  "cyclic-calls": () => "it went round in a circle of the same calls",
  "runaway-loop": () => "the run came to no answer",
  "unclosed-loop": () => "the run stopped there",
  "unanswered-tool-call": () => "calls were left without their result",
  "orphaned-tool-result": () => "results were left without their call",
  "dropped-turns": () => "earlier rounds were lost",
  "incomplete-arguments": () => "arguments were cut off",
  "invalid-arguments": () => "tools were called with wrong arguments",
};
