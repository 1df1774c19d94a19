import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asks, calls, fixed, logOf, result, tells } from "./log.ts";

interface Story {
  /** The tool calls of each round, all of one reply. */
  readonly rounds: readonly number[];
  readonly text: boolean;
}

const stories: fc.Arbitrary<Story> = fc.record({
  rounds: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 6 }),
  text: fc.boolean(),
});

/** What a right client sends: each round asks for some files, and the next request carries the calls with their results. */
function healthy({ rounds, text }: Story): { sent: object[]; back: object }[] {
  const history: object[] = [asks];
  const told = rounds.map((count, round) => {
    const ids = Array.from({ length: count }, (_, index) => `call_${round}_${index}`);
    const back = {
      role: "assistant",
      content: text ? `Let me read on, round ${round}.` : null,
      tool_calls: ids.flatMap(
        (id) => (calls(id, "read_file", { path: `${id}.md` }) as { tool_calls: object[] }).tool_calls,
      ),
    };
    const exchange = { sent: [...history], back };
    history.push(back, ...ids.map((id) => result(id, `# ${id}`)));
    return exchange;
  });
  return [...told, { sent: [...history], back: tells }];
}

describe("whatever round it happens in", () => {
  const broken = fc.tuple(stories, fc.nat(), fc.constantFrom("drop", "empty", "rename"));

  test("a dropped call, emptied arguments and a wrong id are undone, and nothing else is touched", async () => {
    await fc.assert(
      fc.asyncProperty(broken, async ([story, seed, what]) => {
        const right = healthy(story);
        const round = seed % story.rounds.length;
        const damage = (message: object): object[] => {
          const text = JSON.stringify(message);
          if (!text.includes(`call_${round}_`)) return [message];
          if ("tool_call_id" in message)
            return [what === "rename" ? { ...message, tool_call_id: message.tool_call_id + "x" } : message];
          if (what === "drop") return [];
          return [
            what === "empty"
              ? JSON.parse(text.replaceAll(/"arguments":"(?:\\.|[^"\\])*"/g, '"arguments":"{}"'))
              : message,
          ];
        };
        const wrong = right.map(({ sent, back }) => ({ sent: sent.flatMap(damage), back }));
        const { text } = await fixed(logOf(wrong));
        expect(text).toBe(logOf(right));
        expect((await fixed(text)).text).toBe(text);
      }),
      { numRuns: 40, seed: 7 },
    );
  });

  test("a healthy run comes back byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(stories, async (story) => {
        const log = logOf(healthy(story));
        expect((await fixed(log)).text).toBe(log);
      }),
      { numRuns: 20, seed: 7 },
    );
  });
});
