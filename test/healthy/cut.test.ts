import { describe, expect, test } from "vitest";
import { checkFiles } from "../../src/check/check.ts";
import { memorySource } from "../../src/reading/source.ts";
import { clients, Run } from "./client.ts";
import { stories } from "./stories.ts";

/** Which rules speak above info, and how loudly. */
async function told(log: string): Promise<string[]> {
  const source = memorySource("run.jsonl", Buffer.from(log));
  const { report } = await checkFiles([{ path: "run.jsonl", source }]);
  const loud = report.findings.filter(({ severity, cause }) => severity !== "info" && !cause);
  return [...new Set(loud.map(({ severity, rule }) => `${severity} ${rule}`))];
}

/** Calls in messages, as items of their own, and without ids. */
const some = clients
  .filter(({ protocol }) => ["openai-chat", "openai-responses", "gemini"].includes(protocol))
  .map((client) => [client.protocol, client] as const);

/** After the first record, in the middle, and before the last. */
const cuts = ({ length }: readonly string[]): number[] =>
  [...new Set([1, length >> 1, length - 1])].filter((at) => at > 0);

/** Who reads a log while it is written, or only the newest part of it, is told what is there, and never that the rest was lost. */
describe.each(some)("%s: a healthy log", (_, client) => {
  const logs = Object.entries(stories).map(([story, tell]) => ({
    story,
    lines: tell(client).text().match(/.+\n/g) ?? [],
  }));
  const inAll = async (variants: (lines: readonly string[]) => readonly string[]): Promise<string[]> => {
    const all: string[] = [];
    for (const { story, lines } of logs)
      for (const variant of variants(lines))
        for (const said of await told(variant)) all.push(`${said}: ${story}`);
    return all;
  };

  test("that begins later has nothing wrong with it", async () => {
    expect(await inAll((lines) => cuts(lines).map((at) => lines.slice(at).join("")))).toEqual([]);
  });

  test("that ends sooner may wait for results, and nothing else", async () => {
    const said = await inAll((lines) => cuts(lines).map((at) => lines.slice(0, at).join("")));
    expect([...new Set(said.map((each) => each.split(":")[0]))]).toEqual(["warning unclosed-loop"]);
  });

  test("that ends within a record waits for results at most, wherever the record breaks off", async () => {
    const said = await inAll((lines) => {
      const last = lines.at(-1) as string;
      return [0.2, 0.5, 0.7, 0.9].map(
        (part) => lines.slice(0, -1).join("") + last.slice(0, Math.floor(last.length * part)),
      );
    });
    expect(said.filter((each) => !each.startsWith("warning unclosed-loop:"))).toEqual([]);
  });

  test("that holds every exchange twice says nothing of it", async () => {
    expect(await inAll((lines) => [lines.flatMap((line) => [line, line]).join("")])).toEqual([]);
  });

  test("that holds a long run twice, one after the other, says nothing of it", async () => {
    const run = new Run(client).says("What do the orders 1 to 30 cost?");
    for (let order = 1; order <= 30; order++) run.round("look_up", { order }, `order ${order}: ${order}.50`);
    const log = run.answers("465 and 15.00 for all of them.").text();
    expect([await told(log), await told(log + log)]).toEqual([[], []]);
  });

  test("that keeps the requests alone has nothing wrong with them", async () => {
    const requests = (lines: readonly string[]): string =>
      lines.map((line) => `${JSON.stringify({ request: JSON.parse(line).request })}\n`).join("");
    expect(await inAll((lines) => [requests(lines)])).toEqual([]);
  });

  test("that lies among the exchanges of another one says nothing of it", async () => {
    const other = logs[0]?.lines ?? [];
    const woven = (lines: readonly string[]): string =>
      Array.from(
        { length: Math.max(lines.length, other.length) },
        (_, at) => `${lines[at] ?? ""}${other[at] ?? ""}`,
      ).join("");
    expect(await inAll((lines) => [woven(lines)])).toEqual([]);
  });
});
