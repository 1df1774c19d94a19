import { expect, test } from "vitest";
import { check } from "../src/index.ts";
import { logOf } from "./fix/log.ts";

const asks = { role: "user", content: "Store the tree, please" };
const call = (id: string, text: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "store", arguments: text } }],
});
const stored = (id: string) => ({ role: "tool", tool_call_id: id, content: "stored" });

/** JSON that nests so many levels. */
const trees: Readonly<Record<string, (levels: number, core?: string) => string>> = {
  lists: (levels, core = "1") => `{"tree":${"[".repeat(levels)}${core}${"]".repeat(levels)}}`,
  objects: (levels, core = "1") => `${'{"a":'.repeat(levels)}${core}${"}".repeat(levels)}`,
};

async function reportOf(text: string) {
  const log = logOf([
    { sent: [asks], back: call("call_k1f9Qz27Lm", text) },
    { sent: [asks, call("call_k1f9Qz27Lm", text), stored("call_k1f9Qz27Lm")], back: call("call_k2", text) },
  ]);
  return check(Buffer.from(log), { name: "run.jsonl" });
}

test.each(Object.entries(trees))(
  "arguments of deep %s are JSON, and it is told that they were not read",
  async (_, of) => {
    for (const levels of [600, 5000, 50_000]) {
      const { findings, notChecked } = await reportOf(of(levels));
      expect(findings.map(({ rule }) => rule)).toEqual(["unclosed-loop"]);
      expect(notChecked).toContainEqual({
        file: "run.jsonl",
        rule: "invalid-arguments",
        why: "the arguments of `store` are nested too deeply to validate",
      });
    }
  },
);

test.each(Object.entries(trees))(
  "arguments of deep %s that are no JSON are reported all the same",
  async (_, of) => {
    for (const core of ["", "1,,", "nul"]) {
      const { findings } = await reportOf(of(5000, `{"b":${core}}`));
      expect(findings.map(({ rule }) => rule)).toContain("incomplete-arguments");
    }
  },
);
