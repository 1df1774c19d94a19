import { loopLength, loopsOf } from "../../conversation/loops.ts";
import { turnsOf } from "../../conversation/rounds.ts";
import { defineRule } from "../rule.ts";
import { count } from "../words.ts";
import { isOfProgram, openingCalls, roundIds, roundName, roundPlace } from "./round-words.ts";

export default defineRule({
  name: "cyclic-calls",
  summary: "Different calls repeated in the same order with the same results",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  looksAt: ["calls"],
  follows: [
    { trait: "causes-loops", by: "before" },
    // A cycle shows only in its third round; the repeated rounds come before it.
    { rules: ["forced-tool-loop"], by: "before", delay: 2 },
  ],
  messages: {
    cycle: ({
      calls,
      period,
      count: times,
    }: {
      calls: string;
      period: number;
      count: number;
      callIds: readonly string[];
    }) =>
      `${calls}: the same ${count(period, "round")} occur ${times} times in one turn, with the same arguments and the same results`,
    byProgram: ({
      calls,
      count: times,
    }: {
      calls: string;
      period: number;
      count: number;
      callIds: readonly string[];
    }) =>
      `a program written by the model calls ${calls} ${times} times in the same order, with the same arguments and the same results`,
  },

  habit: {
    title: "The model repeats the same cycle of calls",
    consequence: "So every round costs a request and brings nothing new",
    change:
      "first check that results reach the model; then stop when rounds repeat, and tell the model that nothing has changed",
  },
  effect: { rank: 3, words: () => "it repeated the same cycle of calls" },

  options: {
    minTimes: {
      default: loopLength,
      minimum: loopLength,
      meaning: "repetitions of a cycle before it is reported",
    },
  },

  *check(conversation, report, { minTimes }) {
    const reported = new Set<string>();
    const cycles = turnsOf(conversation).flatMap((turn) => loopsOf(turn).cycles);
    for (const { rounds, period } of cycles.sort((a, b) => b.rounds.length - a.rounds.length)) {
      const [first] = rounds;
      const again = openingCalls(rounds[period])[0];
      const times = Math.floor(rounds.length / period);
      if (times < minTimes || !first || !again || reported.has(roundPlace(first))) continue;
      reported.add(roundPlace(first));
      const starts = rounds.filter((_, index) => index % period === 0);
      const isByProgram = rounds.every(isOfProgram);
      yield report(
        isByProgram ? "byProgram" : "cycle",
        {
          calls: rounds.slice(0, period).map(roundName).join(" → "),
          period,
          count: times,
          callIds: roundIds(rounds),
        },
        again,
        {
          ...(isByProgram && { severity: "info" as const }),
          notes: starts.flatMap((round, index) => {
            const [at] = openingCalls(round);
            return at && index !== 1
              ? [
                  {
                    message:
                      index === 0 ? "the cycle begins here" : `begins for the ${ordinal(index + 1)} time`,
                    at,
                  },
                ]
              : [];
          }),
          callIds: roundIds(rounds),
        },
      );
    }
  },
});

function ordinal(number: number): string {
  const ending =
    number % 100 >= 11 && number % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][number % 10] ?? "th");
  return `${number}${ending}`;
}
