import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { checkFiles } from "../src/check/check.ts";
import { memorySource } from "../src/reading/source.ts";
import { pagePaths } from "./rule-docs.ts";

const root = path.join(import.meta.dirname, "..");

interface Story {
  readonly name: string;
  readonly log: string;
  readonly isComplete: boolean;
}

/** Every log of the project that has findings: the failing samples, and what the pages of the rules report. */
const stories: readonly Story[] = [
  ...readdirSync(path.join(root, "samples")).flatMap((sample) =>
    readdirSync(path.join(root, "samples", sample))
      .filter((file) => /^failing\.(?!expected)/.test(file))
      .map((file) => ({
        name: `samples/${sample}/${file}`,
        log: readFileSync(path.join(root, "samples", sample, file), "utf8"),
        isComplete: false,
      })),
  ),
  ...[...pagePaths].sort().flatMap(([rule, file]) => {
    const page = readFileSync(file, "utf8");
    return [...page.matchAll(/^```jsonl reported(?<flags>.*)\n(?<log>[\s\S]*?)^```$/gm)].map(
      ({ groups }, index) => ({
        name: `${rule}.md ${index + 1}`,
        log: groups?.["log"] ?? "",
        isComplete: groups?.["flags"]?.includes("complete") ?? false,
      }),
    );
  }),
];

/** Fingerprints by rule, in the order of the report. */
async function fingerprints({ log, isComplete }: Story, name = "run.log"): Promise<string[]> {
  const source = memorySource(name, Buffer.from(log));
  const { report } = await checkFiles([{ path: name, source }], { isComplete });
  return report.findings.map(({ rule, fingerprint }) => `${rule} ${fingerprint}`);
}

function ofConversations(found: readonly string[]): string[] {
  return found.filter((each) => !each.startsWith("unreadable-record "));
}

/** Ids that servers draw by lot, with letters and digits exchanged for others. */
function withOtherIds(log: string): string {
  return log.replace(
    /\b(call|toolu|srvtoolu|fc|rs|msg|resp|chatcmpl|tool)([_-])(?=[A-Za-z]*[0-9])([A-Za-z0-9]{6,})\b/g,
    (_, kind: string, mark: string, id: string) => `${kind}${mark}${[...id].map(other).join("")}`,
  );
}

function other(character: string): string {
  if (/[0-8]/.test(character)) return String(Number(character) + 1);
  return character.replace(/[A-Ya-y]/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 1));
}

describe("a fingerprint is the same", () => {
  test.each(stories)(
    "when ids are drawn anew, lines move and the file has another name: $name",
    async (story) => {
      const moved = story.log.startsWith("{") || story.log.startsWith("[") ? `\n\n${story.log}` : story.log;
      expect(
        await fingerprints({ ...story, log: withOtherIds(moved) }, "elsewhere/other.log").then(
          ofConversations,
        ),
      ).toEqual(await fingerprints(story).then(ofConversations));
    },
  );

  const asks = (question: string) => `page 1 of ${question}`;
  const loop = (question: string, calls: number, id: string) => {
    const history: object[] = [{ role: "user", content: question }];
    for (let round = 1; round <= calls; round++) {
      const call = { id: `${id}${round}`, type: "function", function: { name: "search", arguments: "{}" } };
      history.push({ role: "assistant", content: null, tool_calls: [call] });
      history.push({ role: "tool", tool_call_id: `${id}${round}`, content: "nothing found" });
    }
    return JSON.stringify({
      request: {
        model: "gpt-5-mini",
        messages: history,
        tools: [{ type: "function", function: { name: "search" } }],
      },
    });
  };
  const of = async (log: string) => (await fingerprints({ name: "", log, isComplete: false }))[0];

  test("when the loop takes another number of rounds, or the question another number", async () => {
    const first = await of(loop(asks("order 7"), 3, "call_a"));
    expect(first).toMatch(/^repeated-call [0-9a-f]{16}$/);
    expect(await of(loop(asks("order 7"), 4, "call_b"))).toBe(first);
    expect(await of(loop(asks("order 12"), 3, "call_a"))).toBe(first);
  });

  test("but not for another conversation", async () => {
    expect(await of(loop(asks("the manual"), 3, "call_a"))).not.toBe(await of(loop("Hello", 3, "call_a")));
  });
});

test("a record that cannot be read belongs to no conversation: there the file's name counts", async () => {
  const cut = stories.find(({ name }) => name.startsWith("unreadable-record.md")) as Story;
  const of = async (name: string) =>
    (await fingerprints(cut, name)).find((found) => found.startsWith("unreadable-record "));
  expect(await of("logs/a.log")).toMatch(/^unreadable-record [0-9a-f]{16}$/);
  expect(await of("elsewhere/a.log")).toBe(await of("logs/a.log"));
  expect(await of("logs/b.log")).not.toBe(await of("logs/a.log"));
});

test("each finding of a report has a fingerprint of its own", async () => {
  for (const story of stories) {
    const found = await fingerprints(story);
    expect([story.name, new Set(found).size]).toEqual([story.name, found.length]);
  }
});
