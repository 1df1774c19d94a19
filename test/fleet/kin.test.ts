import { expect, test } from "vitest";
import { kinOf } from "../../src/log/kin.ts";

/** The groups of paths, each sorted. */
function groups(...paths: string[]): string[][] {
  const byName = new Map<string | undefined, string[]>();
  for (const [index, name] of kinOf(paths).entries())
    byName.set(name, [...(byName.get(name) ?? []), paths[index] ?? ""]);
  return [...byName.values()];
}

test("files of one folder stay together, those of other folders do not", () => {
  expect(groups("a/1.json", "b/1.json", "a/2.json", "a/b/3.json")).toEqual([
    ["a/1.json", "a/2.json"],
    ["b/1.json"],
    ["a/b/3.json"],
  ]);
});

test("a session keeps its sub-agents, which lie in a folder of its name", () => {
  expect(groups("p/4f0c.jsonl", "p/4f0c/subagents/agent-1.jsonl", "p/77aa/subagents/agent-2.jsonl")).toEqual([
    ["p/4f0c.jsonl", "p/4f0c/subagents/agent-1.jsonl"],
    ["p/77aa/subagents/agent-2.jsonl"],
  ]);
});

test("requests stay with the replies in the folder beside them", () => {
  expect(groups("run/requests/001.json", "run/responses/001.json", "other/responses/001.json")).toEqual([
    ["run/requests/001.json", "run/responses/001.json"],
    ["other/responses/001.json"],
  ]);
});

test("bodies in files of their own stay with the records that name them", () => {
  expect(groups("w/mappings/1.json", "w/__files/body-1.json", "w/notes/1.json", "v/mappings/1.json")).toEqual(
    [["w/mappings/1.json", "w/__files/body-1.json", "w/notes/1.json"], ["v/mappings/1.json"]],
  );
});

test("the parts of a session in many files stay together wherever they lie", () => {
  expect(groups("s/message/ses_1/msg_a.json", "s/part/msg_a/prt_b.json", "s/other/log.json")).toEqual([
    ["s/message/ses_1/msg_a.json", "s/part/msg_a/prt_b.json"],
    ["s/other/log.json"],
  ]);
});
