import { expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import { requestsFixer } from "../../src/fix/fix-requests.ts";
import type { Fixer } from "../../src/fix/proposal.ts";
import { settledRun } from "../../src/fix/settle.ts";
import { memorySource } from "../../src/reading/source.ts";
import { calls, logOf, result } from "./log.ts";

const asked = { role: "user", content: "Read the files." };

/** A client that forgets all but the newest result: to restore one request shows what the next one lacks. */
const log = logOf(
  Array.from({ length: 5 }, (_, number) => ({
    sent: [asked, ...(number > 0 ? [result(`call_${number - 1}`, `File ${number - 1}.`)] : [])],
    back: calls(`call_${number}`, "read", { path: `${number}.txt` }),
  })),
);

async function fixedWith(fixer: Fixer) {
  const input = { path: "log.jsonl", source: memorySource("log.jsonl", Buffer.from(log)) };
  const { runs } = await checkFiles([input]);
  const [run] = runs;
  if (!run) throw new Error("there is no run");
  return settledRun(run, [input], {}, fixer);
}

test("a repair is checked and tried a second time", async () => {
  const { requests } = await fixedWith(requestsFixer);
  expect(requests).toHaveLength(4);
});

test("what the last allowed check leaves open is not even written", async () => {
  const fixer: Fixer = {
    ...requestsFixer,
    propose: (run, options, banned, budget) => {
      const proposal = requestsFixer.propose(run, options, banned, budget);
      budget.checks = 1;
      return proposal;
    },
    faults: () => {
      throw new Error("the repaired log was read");
    },
  };
  const { requests, left } = await fixedWith(fixer);
  expect(requests).toEqual([]);
  expect(new Set(left.map(({ why }) => why))).toEqual(
    new Set(["the repairs of this log do not converge: each one causes another"]),
  );
});
