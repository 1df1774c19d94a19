import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { checkFiles } from "../src/check/check.ts";
import type { Exchange } from "../src/conversation/exchange.ts";
import type { Item } from "../src/conversation/item.ts";
import type { FindingReport } from "../src/findings/report.ts";
import { type ByteSource, bytesSource } from "../src/reading/source.ts";
import type { PayloadPlace } from "../src/traffic/place.ts";
import { dumps } from "./containers/frameworks.ts";
import { stories } from "./containers/sessions.ts";
import { logs as shaped } from "./containers/shapes.ts";

/**
 * Whatever the format: where an item is said to stand, what it says stands. Items and findings are chosen from all formats by a number
 * that is always the same.
 */

/** One thing that was read, and where. */
interface Spot {
  readonly log: string;
  readonly item: Item;
  readonly place: PayloadPlace;
  readonly pointer: string;
}

interface Logs {
  readonly spots: readonly Spot[];
  readonly findings: readonly {
    readonly log: string;
    readonly finding: FindingReport;
    readonly source: ByteSource;
  }[];
}

async function readAll(logs: ReadonlyMap<string, Buffer>): Promise<Logs> {
  const spots: Spot[] = [];
  const findings: Logs["findings"][number][] = [];
  for (const [log, bytes] of logs) {
    const source = bytesSource(log, bytes);
    const checked = await checkFiles([{ path: log, source }]);
    for (const exchange of checked.files[0]?.exchanges ?? []) spots.push(...spotsOf(log, exchange));
    for (const finding of checked.report.findings) findings.push({ log, finding, source });
  }
  return { spots, findings };
}

function* spotsOf(log: string, { request, reply }: Exchange): Generator<Spot> {
  for (let index = 0; request && index < request.history.length; index++)
    for (const item of request.history.items(index)) {
      const { place } = request;
      yield { log, item, place, pointer: `${request.historyPointer}/${index}${item.pointer}` };
    }
  for (const item of reply?.items ?? [])
    if (reply) yield { log, item, place: reply.place, pointer: item.pointer };
}

/** So many of a list, always the same ones, from everywhere in it. */
function chosen<T>(list: readonly T[], count: number): T[] {
  let state = 20_260_301;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const rest = [...list];
  return Array.from({ length: Math.min(count, rest.length) }, () => {
    return rest.splice(Math.floor(random() * rest.length), 1)[0] as T;
  });
}

/** Letters and digits: what is the same however often a text was escaped, folded or quoted. */
function bare(text: string): string {
  return text
    .replace(/\\+u([0-9a-fA-F]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\+x([0-9a-fA-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\+U([0-9a-fA-F]{8})/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/\\+[nrtbf]/g, "")
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

/** What has to stand at an item's place. */
function wordsOf(item: Item): string[] {
  switch (item.kind) {
    case "message":
    case "compaction":
      return [item.text.slice(0, 60)];
    case "reasoning":
      // A heading and what follows it may be members of their own.
      return item.text.slice(0, 60).split(": ");
    case "call":
      // The id may be the key that the call stands under.
      return [item.id !== undefined && !item.pointer.endsWith(`/${item.id}`) ? item.id : item.name];
    case "result":
      return item.text === "" ? [] : [item.text.slice(0, 40)];
    default:
      return [];
  }
}

/** What stands where an item is said to stand; of a streamed one, all its pieces. */
function textAt({ item, place, pointer }: Spot): string {
  const { fragments } = item;
  const { source, start, end } = fragments
    ? place.locateAt({ start: fragments.first.start, end: fragments.last.end })
    : place.locate(pointer);
  return source.read(start, end).toString("utf8");
}

/** Bodies that stand there compressed or encoded have no words of their own. */
function isEncoded(text: string): boolean {
  return !/[^A-Za-z0-9+/=\s"'_|,[\]-]/.test(text) && text.length > 60;
}

function isAtItsPlace(spot: Spot): boolean {
  const text = textAt(spot);
  if (isEncoded(text)) return true;
  const there = bare(text);
  const isStreamed = spot.item.fragments !== undefined;
  return wordsOf(spot.item).every(
    (word) => there.includes(bare(word)) || (isStreamed && isSpread(bare(word), there)),
  );
}

/** A streamed text is cut into pieces, with other things between: its letters come in their order. */
function isSpread(word: string, there: string): boolean {
  let at = 0;
  for (const letter of word) {
    at = there.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Line and column by counting, and not by the program's own index. */
function isWhereItSays({ finding, source }: Logs["findings"][number]): boolean {
  const lines = source
    .read(0, source.size)
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .split("\n");
  const { line, column, endLine, endColumn } = finding.location;
  const text = lines[line - 1];
  if (text === undefined || column < 1 || column > text.length + 1) return false;
  const end = lines[endLine - 1];
  return end !== undefined && endColumn <= end.length + 1 && (endLine > line || endColumn >= column);
}

function own(): Map<string, Buffer> {
  const logs = new Map<string, Buffer>();
  for (const [name, { log }] of Object.entries(stories)) logs.set(`session of ${name}`, Buffer.from(log));
  for (const [name, dump] of Object.entries(dumps))
    logs.set(`dump of ${name}`, Buffer.from(JSON.stringify(dump, null, 2)));
  for (const [name, log] of Object.entries(shaped)) logs.set(`log of ${name}`, Buffer.from(log));
  const samples = path.join(import.meta.dirname, "../samples");
  for (const story of fs.readdirSync(samples))
    for (const file of fs.readdirSync(path.join(samples, story)))
      if (/^failing\.(?!expected)/.test(file))
        logs.set(`${story}/${file}`, fs.readFileSync(path.join(samples, story, file)));
  return logs;
}

/** Logs of others, where they are at hand. */
const corpus = path.join(import.meta.dirname, "../../shared/corpus");

function theirs(): Map<string, Buffer> {
  const files: string[] = [];
  for (const folder of ["recorded", "transcripts", "failures", "clean"]) {
    const below = path.join(corpus, folder);
    if (!fs.existsSync(below)) continue;
    for (const entry of fs.readdirSync(below, { recursive: true, withFileTypes: true })) {
      const file = path.join(entry.parentPath, entry.name);
      if (entry.isFile() && entry.name !== "expect.jsonl" && fs.statSync(file).size < 200_000)
        files.push(file);
    }
  }
  return new Map(
    chosen(files.sort(), 60).map((file) => [path.relative(corpus, file), fs.readFileSync(file)]),
  );
}

const told = ({ log, item, pointer }: Spot): string => `${log} ${pointer} ${item.kind}`;

describe("what stands at a place is what is said to stand there", () => {
  test.each(Object.entries(stories))("every item in a session file of %s", async (name, { log }) => {
    const { spots } = await readAll(new Map([[name, Buffer.from(log)]]));
    expect(spots.length).toBeGreaterThan(1);
    expect(spots.filter((spot) => !isAtItsPlace(spot)).map(told)).toEqual([]);
    // Not the whole file: the smallest record that has it.
    for (const spot of spots) expect(textAt(spot).length).toBeLessThan(log.length);
  });

  test.each(Object.entries(shaped))("every item in a log of %s", async (name, log) => {
    const { spots } = await readAll(new Map([[name, Buffer.from(log)]]));
    expect(spots.length).toBeGreaterThan(0);
    expect(spots.filter((spot) => !isAtItsPlace(spot)).map(told)).toEqual([]);
  });

  test("200 items and all findings of our own logs", async () => {
    const { spots, findings } = await readAll(own());
    expect(
      chosen(spots, 200)
        .filter((spot) => !isAtItsPlace(spot))
        .map(told),
    ).toEqual([]);
    expect(findings.filter((found) => !isWhereItSays(found))).toEqual([]);
  });

  test.skipIf(!fs.existsSync(corpus))("200 items and all findings of logs of others", async () => {
    const { spots, findings } = await readAll(theirs());
    expect(
      chosen(spots, 200)
        .filter((spot) => !isAtItsPlace(spot))
        .map(told),
    ).toEqual([]);
    expect(
      findings.filter((found) => !isWhereItSays(found)).map(({ log, finding }) => `${log} ${finding.rule}`),
    ).toEqual([]);
  });
});
