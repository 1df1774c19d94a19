import fc from "fast-check";
import { expect, test } from "vitest";
import { logOf, replayed } from "./replayed.ts";

const path = "/v1/chat/completions";

/** A round of a conversation: calls with their results, or a text and what the user says to it. */
const round = fc.oneof(
  fc.record({
    calls: fc.array(
      fc.record({ city: fc.constantFrom("Lima", "Oslo"), degrees: fc.constantFrom("18", "3", "-3") }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({ text: fc.constantFrom("Yes.", "No."), goesOn: fc.constantFrom("Go on.", "Again.") }),
);

type Round = typeof round extends fc.Arbitrary<infer T> ? T : never;

/** The requests of a conversation, with ids that begin with `prefix`; `isTurned`: results come last first. */
function requestsOf(start: string, rounds: readonly Round[], prefix: string, isTurned: boolean): object[][] {
  const messages: object[] = [{ role: "user", content: start }];
  const requests = [[...messages]];
  for (const [index, each] of rounds.entries()) {
    if ("text" in each)
      messages.push({ role: "assistant", content: each.text }, { role: "user", content: each.goesOn });
    else {
      const id = (at: number) => `call_${prefix}${index}${at}`;
      messages.push({
        role: "assistant",
        content: null,
        tool_calls: each.calls.map(({ city }, at) => ({
          id: id(at),
          type: "function",
          function: { name: "get_weather", arguments: JSON.stringify({ city }) },
        })),
      });
      const results = each.calls.map(({ degrees }, at) => ({
        role: "tool",
        tool_call_id: id(at),
        content: `${degrees} degrees`,
      }));
      messages.push(...(isTurned ? results.reverse() : results));
    }
    requests.push([...messages]);
  }
  return requests;
}

const replyOf = (id: string) => ({
  id,
  object: "chat.completion",
  created: 1700000000,
  model: "gpt-5",
  choices: [{ index: 0, message: { role: "assistant", content: `Said ${id}.` }, finish_reason: "stop" }],
});

/** Asks for the next request of a conversation, by turns as `order` says, until none is left. */
function* interleaved(
  lengths: readonly number[],
  order: readonly number[],
): Generator<readonly [number, number]> {
  const next = lengths.map(() => 0);
  for (let turn = 0; ; turn++) {
    const open = lengths.flatMap((length, index) => ((next[index] ?? 0) < length ? [index] : []));
    const chosen = open[(order[turn % Math.max(1, order.length)] ?? 0) % Math.max(1, open.length)];
    if (chosen === undefined) return;
    yield [chosen, next[chosen] ?? 0];
    next[chosen] = (next[chosen] ?? 0) + 1;
  }
}

test("conversations that are replayed side by side get their own replies, each once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(round, { maxLength: 4 }), { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(20), { minLength: 1, maxLength: 20 }),
      fc.array(fc.nat(20), { minLength: 1, maxLength: 20 }),
      fc.boolean(),
      async (conversations, recorded, replayedIn, isTurned) => {
        const requests = (prefix: string, turned: boolean) =>
          conversations.map((rounds, index) => requestsOf(`Task ${"ABCD"[index]}.`, rounds, prefix, turned));
        const lengths = conversations.map((rounds) => rounds.length + 1);
        const own = requests("r", false);
        const exchanges = [...interleaved(lengths, recorded)].map(
          ([index, at]) =>
            [
              { model: "gpt-5", messages: own[index]?.[at] ?? [] },
              replyOf(`chatcmpl-${index}-${at}`),
            ] as const,
        );
        const { ask, notes } = await replayed([
          "run.jsonl",
          logOf(`https://api.openai.com${path}`, exchanges),
        ]);
        const again = requests("x", isTurned);
        for (const [index, at] of interleaved(lengths, replayedIn)) {
          const system = { role: "system", content: `Be brief, ${index}.` };
          const { text } = await ask(path, {
            model: "gpt-5-mini",
            messages: [system, ...(again[index]?.[at] ?? [])],
          });
          expect(JSON.parse(text).id).toBe(`chatcmpl-${index}-${at}`);
        }
        expect(notes()).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);
