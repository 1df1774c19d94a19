import type { ByteSource } from "../reading/source.ts";
import type { CheckResult } from "./check.ts";

/**
 * What a check costs: for the smallest log, for a byte, for a line, which may be an event of a stream, for an
 * exchange of any size, and for a finding. A unit is about what a byte of a long healthy log costs.
 */
const leastCost = 200_000;
const costOfByte = 8;
const costOfLine = 900;
const costOfExchange = 15_000;
const costOfFinding = 8_000;

/**
 * The work that one command may do besides checking a log: for a log below a megabyte, and for each byte
 * beyond. Not seconds, so that two runs on the same log come to the same end.
 */
export function budgetFor(size: number, least: number): number {
  return least + budgetPerByte * Math.max(0, size - megabyte);
}

const budgetPerByte = 95;
const megabyte = 1e6;

const atOnce = 1 << 20;

/** What it costs to read a log of any content. */
export function costOfReading(source: ByteSource): number {
  let lines = 1;
  for (let start = 0; start < source.size; start += atOnce) {
    const bytes = source.read(start, Math.min(source.size, start + atOnce));
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++;
  }
  return leastCost + source.size * costOfByte + lines * costOfLine;
}

/** What a check cost beside the reading. */
export function costOfJudging({ files, report }: CheckResult): number {
  const exchanges = files.reduce((sum, file) => sum + file.exchanges.length, 0);
  return exchanges * costOfExchange + report.findings.length * costOfFinding;
}
