import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { check, type FixOptions, fix, type Log, read } from "../../src/index.ts";
import { clients, Run } from "../healthy/client.ts";
import { stories } from "../healthy/stories.ts";
import { unsafe } from "./log.ts";
import { mutantOf } from "./mutants.ts";

interface Seed {
  readonly name: string;
  readonly log: string;
}

const folder = path.join(import.meta.dirname, "..", "..", "samples");

/** The samples that are not too long, and stories of each protocol's clients. */
const seeds: readonly Seed[] = [
  ...readdirSync(folder).flatMap((story) =>
    readdirSync(path.join(folder, story))
      .filter((file) => /^(?:failing|passing)\.(?:jsonl|json|har|log|ndjson)$/.test(file))
      .map((file) => ({ name: file, log: readFileSync(path.join(folder, story, file), "utf8") }))
      .filter(({ log }) => log.length < 16_000),
  ),
  ...clients.flatMap((client) =>
    [forgetful, ...Object.values(stories)].map((story) => ({
      name: "run.jsonl",
      log: story(client).text(),
    })),
  ),
];

/** A client that forgets an older round in each request. */
function forgetful(client: (typeof clients)[number]): Run {
  const run = new Run(client).says("What about the orders 17 to 19?");
  run.round("look_up", { order: 17 }, "order 17: 12.50", "I am looking them up.");
  const from = run.history.length;
  run.round("look_up", { order: 18 }, "order 18: 9.00");
  run.history.splice(1, from - 1);
  run.round("look_up", { order: 19 }, "order 19: 7.25").answers("They cost 28.75.");
  return run.says("Thank you.").answers("You are welcome.");
}

/** The words of users and prompts in each request, and what each reply says. */
function saidIn({ exchanges }: Log): { readonly asked: string[]; readonly replied: string[] }[] {
  return exchanges.map(({ request, reply }) => {
    const asked: string[] = [];
    for (let index = 0; request && index < request.history.length; index++)
      for (const item of request.history.items(index))
        if (item.kind === "message" && item.text.trim() !== "") asked.push(item.text.trim());
    return { asked, replied: (reply?.items ?? []).map((item) => JSON.stringify(item)) };
  });
}

function countOf(texts: readonly string[], text: string): number {
  return texts.filter((other) => other === text).length;
}

/** How many errors of each kind a log has. The provider's answer to the request as it was does not count. */
async function errorsIn(log: Buffer, name: string): Promise<Map<string, number>> {
  const { findings } = await check(log, { name });
  const kinds = new Map<string, number>();
  for (const { rule, kind, severity } of findings)
    if (severity === "error" && rule !== "provider-rejected")
      kinds.set(`${rule}/${kind}`, (kinds.get(`${rule}/${kind}`) ?? 0) + 1);
  return kinds;
}

/** What a fix of a log does wrong. */
async function faultsOf(log: Buffer, name: string, options: FixOptions): Promise<string[]> {
  const once = await fix(log, { name, ...options });
  const bytes = Buffer.from(once.bytes);
  const isNamed = once.report.edits.some(({ applied }) => applied);
  if (bytes.equals(log)) return isNamed ? ["names a repair and changes nothing"] : [];
  const faults = isNamed ? [] : ["changes something and names no repair"];
  const twice = await fix(bytes, { name, ...options });
  if (!Buffer.from(twice.bytes).equals(bytes)) faults.push("a second fix changes the log again");

  const [errorsBefore, errorsAfter] = [await errorsIn(log, name), await errorsIn(bytes, name)];
  for (const kind of errorsAfter.keys()) if (!errorsBefore.has(kind)) faults.push(`a new error: ${kind}`);

  const [before, after] = [await read(log, { name }), await read(bytes, { name })];
  if (before.container !== after.container) faults.push("the container is another one");
  if (before.kind === "transcript") return faults;
  const [was, is] = [saidIn(before), saidIn(after)];
  if (was.length !== is.length) return [...faults, `${was.length} exchanges became ${is.length}`];
  const changed = new Set(
    once.report.edits.flatMap(({ applied, location }) => (applied ? [location.exchange] : [])),
  );
  /** Requests in which a repair says that it puts another text in the place of one. */
  const rewritten = new Set(
    once.report.edits.flatMap(({ rule, location }) =>
      rule === "rewritten-history" ? [location.exchange] : [],
    ),
  );
  for (const [index, { asked, replied }] of was.entries()) {
    const now = is[index] ?? { asked: [], replied: [] };
    if (now.replied.join() !== replied.join()) faults.push(`reply ${index + 1} changed`);
    if (now.asked.join() !== asked.join() && !changed.has(index + 1))
      faults.push(`request ${index + 1} changed without a word`);
    const mayLose = options === unsafe || rewritten.has(index + 1);
    for (const text of new Set(asked))
      if (!mayLose && !now.asked.some((other) => other.includes(text))) faults.push(`lost: ${text}`);
    for (const text of new Set(now.asked)) {
      const most = Math.max(...was.map((other) => countOf(other.asked, text)));
      const replies = before.exchanges.filter(({ reply }) =>
        reply?.items.some((item) => item.kind === "message" && item.text.trim() === text),
      ).length;
      if (most > 0 && countOf(now.asked, text) > most + replies) faults.push(`doubled: ${text}`);
    }
  }
  return faults;
}

describe("a log that was damaged anywhere, in any way", () => {
  const perSeed = 3;

  test.each([
    ["safe repairs", {}],
    ["all repairs", unsafe],
  ])(
    "%s settle: nothing is lost, doubled or worse, and a second fix changes nothing",
    async (_, options) => {
      const faults: string[] = [];
      for (const [at, { name, log }] of seeds.entries())
        for (let each = 0; each < perSeed; each++) {
          const { text, damages } = mutantOf(log, at * 1000 + each);
          for (const fault of await faultsOf(Buffer.from(text), name, options))
            faults.push(`seed ${at}, mutant ${each} (${damages.join(", ")}): ${fault}`);
        }
      expect(faults).toEqual([]);
    },
    120_000,
  );
});
