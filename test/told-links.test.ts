import { describe, expect, test } from "vitest";
import { check } from "../src/index.ts";

/** A conversation as nobody in particular keeps it: calls, the results that name them, and words. */
type Turn = { say: string } | { call: string } | { result: string; text?: string };

const told: Turn[] = [
  { call: "call_10" },
  { result: "call_10" },
  { call: "call_20" },
  { result: "call_20" },
  { call: "call_30" },
  { result: "call_30" },
  { say: "Done." },
];

type Teller = (turn: Turn) => object;

const tellers: Record<string, { one: Teller; whole: (list: readonly object[]) => string }> = {
  "a list of Pydantic AI": {
    one: (turn) => {
      if ("say" in turn) return { kind: "response", parts: [{ part_kind: "text", content: turn.say }] };
      const id = "call" in turn ? turn.call : turn.result;
      return "call" in turn
        ? {
            kind: "response",
            parts: [{ part_kind: "tool-call", tool_name: "look", args: { at: id }, tool_call_id: id }],
          }
        : {
            kind: "request",
            parts: [
              { part_kind: "tool-return", tool_name: "look", content: turn.text ?? "seen", tool_call_id: id },
            ],
          };
    },
    whole: (list) =>
      JSON.stringify(
        [{ kind: "request", parts: [{ part_kind: "user-prompt", content: "Look." }] }, ...list],
        undefined,
        0,
      ),
  },
  "AI SDK messages, one a line": {
    one: (turn) => {
      if ("say" in turn) return { role: "assistant", content: [{ type: "text", text: turn.say }] };
      return "call" in turn
        ? {
            role: "assistant",
            content: [
              { type: "tool-call", toolCallId: turn.call, toolName: "look", input: { at: turn.call } },
            ],
          }
        : {
            role: "tool",
            content: [
              {
                type: "tool-result",
                toolCallId: turn.result,
                toolName: "look",
                output: { type: "text", value: turn.text ?? "seen" },
              },
            ],
          };
    },
    whole: (list) => lines([{ role: "user", content: "Look." }, ...list]),
  },
  "events of an agent": {
    one: (turn) => {
      if ("say" in turn) return { type: "assistant", content: turn.say };
      return "call" in turn
        ? { type: "tool_call", id: turn.call, name: "look", args: { at: turn.call } }
        : { type: "tool_result", call_id: turn.result, result: turn.text ?? "seen" };
    },
    whole: (list) => lines([{ type: "user", content: "Look." }, ...list]),
  },
};

function lines(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

describe.each(Object.entries(tellers))("which result answers which call, in %s", (_name, { one, whole }) => {
  const found = async (turns: readonly Turn[]): Promise<string[]> => {
    const { findings } = await check(Buffer.from(whole(turns.map(one))));
    return findings.map(({ rule, severity }) => `${severity} ${rule}`);
  };

  test("is told, and nothing is wrong with it", async () => {
    expect(await found(told)).toEqual([]);
  });

  test("is told of where an id was cut", async () => {
    const turns = told.map((turn) =>
      "result" in turn && turn.result === "call_20" ? { result: "call_2" } : turn,
    );
    expect(await found(turns)).toEqual(["warning call-id-mismatch"]);
  });

  test("is told of where a result has lost its call", async () => {
    const turns = told.filter((turn) => !("call" in turn && turn.call === "call_20"));
    expect(await found(turns)).toEqual(["warning orphaned-tool-result"]);
  });

  test("cannot be told where most results name nothing that was called", async () => {
    const turns = told.map((turn, at) => ("result" in turn ? { result: `run_${at}` } : turn));
    expect((await found(turns)).filter((line) => !line.endsWith("unanswered-tool-call"))).toEqual([]);
  });
});

test("A result that a session or a teller holds twice in a row is told of, and one that says something else is not", async () => {
  const again = (text?: string): Turn[] =>
    told.flatMap((turn) =>
      "result" in turn && turn.result === "call_20" ? [turn, { ...turn, ...(text && { text }) }] : [turn],
    );
  for (const [name, { one, whole }] of Object.entries(tellers)) {
    const found = async (turns: readonly Turn[]) =>
      (await check(Buffer.from(whole(turns.map(one))))).findings.map(({ rule }) => rule);
    // Events are told twice by those that keep a note of each state.
    const isNoted = name.startsWith("events");
    expect(await found(again()), name).toEqual(isNoted ? [] : ["duplicate-tool-result"]);
    expect(await found(again("seen more")), name).toEqual([]);
  }
});
