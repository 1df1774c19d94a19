import { describe, expect, test } from "vitest";
import { copyFaults } from "../../fuzz/copy-faults.ts";
import {
  bodyFaults,
  type Fault,
  fileFaults,
  type Roll,
  streamFaults,
  valueFaults,
} from "../../fuzz/faults.ts";
import { type Keeping, type Kept, keepings } from "./kept-logs.ts";
import { chat, messages } from "./runs.ts";
import { hasLost, isTold, yieldOf } from "./told.ts";

/** Chooses the places of the faults, and which of them are tried; other seeds try others. */
const seed = Number(process.env["SEED"] ?? 1);
/** One fault of so many is tried at each place, so that the test stays short; `EVERY=1` tries all. */
const every = Number(process.env["EVERY"] ?? 4);

/** Numbers that look random and are the same in every run. */
function dice(from: number): Roll {
  let state = from >>> 0;
  return (sides) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * sides);
  };
}

/** Nobody copies these by their lines. */
const isBinary = /\.(?:parquet|saz|flows)$/;

interface Place {
  readonly where: string;
  readonly faults: readonly Fault[];
  /** The log with the fault. */
  apply(fault: Fault, roll: Roll): string | undefined;
}

/** The places of a log that can be damaged, each with the faults that happen there. */
function placesOf({ file, keep, isStreams = false }: Keeping, run: readonly Kept[]): readonly Place[] {
  const [first, second] = run as [Kept, Kept];
  const inJson = [...bodyFaults, ...valueFaults];
  const inBody =
    (body: string, kept: (broken: string) => readonly Kept[]): Place["apply"] =>
    (fault, roll) => {
      const broken = fault.apply(body, roll);
      return broken === undefined ? undefined : keep(kept(broken));
    };
  const bodies: readonly Place[] = [
    {
      where: "the first request",
      faults: inJson,
      apply: inBody(first.request, (request) => [{ ...first, request }, second]),
    },
    {
      where: "the last request",
      faults: inJson,
      apply: inBody(second.request, (request) => [first, { ...second, request }]),
    },
    {
      where: "a reply",
      faults: inJson,
      apply: inBody(second.reply, (reply) => [first, { ...second, reply }]),
    },
  ];
  return [
    ...(isStreams ? [] : bodies),
    {
      where: "a stream",
      faults: streamFaults,
      apply: inBody(first.reply, (reply) => [{ ...first, reply }, second]),
    },
    { where: "the file", faults: fileFaults, apply: (fault, roll) => fault.apply(keep(run), roll) },
    ...(isBinary.test(file)
      ? []
      : [
          {
            where: "a copy",
            faults: copyFaults,
            apply: (fault: Fault, roll: Roll) => fault.apply(keep(run), roll),
          },
        ]),
  ];
}

describe.each(Object.entries(keepings))("a damaged log: %s", (name, keeping) => {
  const run = name.length % 2 === 0 ? chat : messages;
  const whole = yieldOf(keeping.file, Buffer.from(keeping.keep(run), "latin1"));

  test("is read whole to begin with", async () => {
    const requests = keeping.isStreams ? 0 : 2;
    expect((await whole).counts).toMatchObject({ exchanges: 2, requests, replies: 2 });
  });

  test.each(placesOf(keeping, run))("tells what it lost in $where", async ({ where, faults, apply }) => {
    const silent: string[] = [];
    for (const [index, fault] of faults.entries()) {
      if ((index + seed + where.length) % every !== 0) continue;
      const damaged = apply(fault, dice(seed * 1000 + index));
      if (damaged === undefined) continue;
      const left = await yieldOf(keeping.file, Buffer.from(damaged, "latin1"));
      if (hasLost(await whole, left) && !isTold(await whole, left)) silent.push(fault.name);
    }
    expect(silent).toEqual([]);
  });
});
