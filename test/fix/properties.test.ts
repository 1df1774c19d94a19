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
            return [what === "rename" ? { ...message, tool_call_id: `${message.tool_call_id}x` } : message];
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

describe("a session that was damaged anywhere, in any way", () => {
  const uuid = (number: number): string =>
    `${number.toString(16).padStart(8, "0")}-6a1e-4f7b-9d3e-2b8f6f0c7a11`;
  type Rec = { readonly [key: string]: unknown; readonly message: Fields };
  type Fields = { readonly [key: string]: unknown };

  /** A session of Claude Code: rounds of calls with a record each, and their results. */
  function session(rounds: readonly number[]): Rec[] {
    const records: Rec[] = [];
    const say = (role: string, content: unknown, more: object = {}): void => {
      const own = records.length + 1;
      records.push({
        parentUuid: own === 1 ? null : uuid(own - 1),
        sessionId: "0f5a1c52-6a1e-4f7b-9d3e-2b8f6f0c7a11",
        type: role,
        message: { ...more, role, content },
        uuid: uuid(own),
      });
    };
    say("user", "Fix the failing tests.");
    for (const [round, count] of rounds.entries()) {
      const ids = Array.from({ length: count }, (_, index) => `toolu_${round}_${index}`);
      for (const id of ids)
        say("assistant", [{ type: "tool_use", id, name: "Bash", input: { id } }], { id: `msg_${round}` });
      for (const id of ids) say("user", [{ type: "tool_result", tool_use_id: id, content: `# ${id}` }]);
    }
    say("assistant", [{ type: "text", text: "All tests pass." }], { id: "msg_end" });
    say("user", "Thank you.");
    return records;
  }
  const textOf = (records: readonly Rec[]): string =>
    records.map((record) => `${JSON.stringify(record)}\n`).join("");
  const isResult = ({ message }: Rec): boolean => JSON.stringify(message).includes("tool_result");

  /** The records with one more before the one at a place, which follows it now. */
  const inserted = (records: readonly Rec[], at: number, type: string, message: Rec["message"]): Rec[] => {
    const own = { ...(records[at] as Rec), uuid: uuid(0xbeef), type, message };
    return records.toSpliced(at, 1, own, { ...(records[at] as Rec), parentUuid: own.uuid });
  };
  const damages: Readonly<Record<string, (records: Rec[], at: number) => Rec[]>> = {
    lost: (records, at) => records.toSpliced(at, 1),
    doubled: (records, at) => inserted(records, at + 1, "user", (records[at] as Rec).message),
    late: (records, at) => inserted(records, at, "user", { role: "user", content: "Hurry." }),
    renamed: (records, at) =>
      records.with(at, JSON.parse(JSON.stringify(records[at]).replace("toolu_", "TOOLU_")) as Rec),
    silent: (records, at) =>
      inserted(records, at + 1, "assistant", {
        id: "msg_silent",
        role: "assistant",
        content: [{ type: "text", text: "" }],
      }),
  };
  const stories = fc.tuple(
    fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 5 }),
    fc.nat(),
    fc.constantFrom(...Object.keys(damages)),
  );

  test("is whole after one repair, and says everything that it said", async () => {
    await fc.assert(
      fc.asyncProperty(stories, async ([rounds, seed, what]) => {
        const right = session(rounds);
        const results = right.flatMap((record, index) => (isResult(record) ? [index] : []));
        const at = results[seed % results.length] ?? 0;
        const wrong = textOf(damages[what]?.([...right], at) ?? []);
        const unsafe = { classes: ["safe", "lossy", "inventing"] } as const;
        const once = await fixed(wrong, unsafe);
        expect((await fixed(once.text, unsafe)).text).toBe(once.text);
        expect(once.report.summary.left).toBe(0);
        for (const record of right) {
          if (what === "lost" && record === right[at]) continue;
          const { content } = record.message;
          expect(once.text).toContain(JSON.stringify(content));
        }
        // The agent reads the session from its end, along the links.
        const byName = new Map(
          once.text
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line) as Rec)
            .map((record) => [record["uuid"], record]),
        );
        const line: unknown[] = [];
        for (let each = [...byName.values()].at(-1); each; each = byName.get(each["parentUuid"]))
          line.push(each.message["content"]);
        const said = JSON.stringify(line);
        for (const { message } of right.filter((record) => !isResult(record)))
          expect(said).toContain(JSON.stringify(message["content"]));
        for (const [, id] of said.matchAll(/"id":"(toolu_\d+_\d+)","name"/g))
          expect(said).toContain(`"tool_use_id":"${id}"`);
        if (what === "doubled" || what === "renamed" || what === "silent")
          expect(once.text).toBe(textOf(right));
      }),
      { numRuns: 40, seed: 11 },
    );
  });
});
