import { expect, test } from "vitest";
import { endsOf } from "../src/log/ends.ts";
import type { LogFile } from "../src/log/log-file.ts";
import { groupRuns } from "../src/log/runs.ts";

/** Files of one exchange each, every one of which continues the one before it; `onLook` is told of each look. */
function chainOf(files: number, onLook: () => void): LogFile[] {
  return Array.from({ length: files }, (_, index) => {
    const exchanges = [
      {
        protocol: "openai-responses",
        request: { history: { length: 1 }, links: { previousReply: `resp_${index - 1}` } },
        reply: { id: `resp_${index}`, items: [] },
        time: index,
      },
    ];
    const file = {
      path: `logs/${index}.json`,
      container: "json",
      kind: "requests",
      get exchanges() {
        onLook();
        return exchanges;
      },
    };
    return file as unknown as LogFile;
  });
}

test("a run of many files is found by looking at each file a few times", () => {
  const files = 2000;
  let looks = 0;
  const runs = groupRuns(
    chainOf(files, () => looks++),
    endsOf,
  );
  expect(runs.map((run) => run.length)).toEqual([files]);
  expect(looks).toBeLessThan(40 * files);
});
