import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { bytesSource } from "../../src/reading/source.ts";
import { type ShrinkSettings, type Shrunk, shrink } from "../../src/shrink/shrink.ts";
import type { Choice } from "../../src/shrink/subject.ts";
import { pagePaths } from "../rule-docs.ts";

/** A log in which a rule has something to say. */
export interface FaultyLog {
  readonly name: string;
  readonly file: string;
  readonly bytes: Buffer;
  readonly rule: string;
  readonly isComplete: boolean;
}

const example = /^```jsonl reported(?<flags>(?: \w+)*)\n(?<log>[\s\S]*?)^```\n/gm;

/** The examples of mistakes on the pages of the rules. */
export const pageExamples: readonly FaultyLog[] = [...pagePaths].flatMap(([rule, page]) =>
  [...readFileSync(page, "utf8").matchAll(example)].map(({ groups }, index) => ({
    name: `${rule}, example ${index + 1}`,
    file: "log.jsonl",
    bytes: Buffer.from(groups?.["log"] ?? ""),
    rule,
    isComplete: (groups?.["flags"] ?? "").includes("complete"),
  })),
);

const samples = path.join(import.meta.dirname, "../../samples");

/** The failing runs of the samples, by each rule that they are samples of. */
export const sampleLogs: readonly FaultyLog[] = readdirSync(samples).flatMap((folder) => {
  const file = readdirSync(path.join(samples, folder)).find((name) => /^failing\.(?!expected)/.test(name));
  if (file === undefined) return [];
  const { findings } = JSON.parse(
    readFileSync(path.join(samples, folder, "failing.expected.json"), "utf8"),
  ) as { findings: { rule: string; cause: string | null }[] };
  const rules = new Set(findings.filter(({ cause }) => cause === null).map(({ rule }) => rule));
  return [...rules].map((rule) => ({
    name: `${folder}, ${rule}`,
    file,
    bytes: readFileSync(path.join(samples, folder, file)),
    rule,
    isComplete: false,
  }));
});

/** Shrinks bytes as if they were a file. */
export async function shrunken(
  file: string,
  bytes: Buffer,
  choice: Choice = {},
  settings: ShrinkSettings = {},
): Promise<Shrunk | undefined> {
  const { shrunk } = await shrink([{ path: file, source: bytesSource(file, bytes) }], choice, settings);
  return shrunk;
}

/** A zip archive of one file, stored as it is. */
export function zipped(name: string, content: Buffer): Buffer {
  const title = Buffer.from(name);
  const head = Buffer.alloc(26);
  head.writeUInt16LE(20, 0);
  head.writeUInt32LE(crc32(content), 10);
  head.writeUInt32LE(content.length, 14);
  head.writeUInt32LE(content.length, 18);
  head.writeUInt16LE(title.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), head, title, content]);
  const entry = Buffer.concat([
    Buffer.from("PK\x01\x02"),
    Buffer.from([20, 0]),
    head,
    Buffer.alloc(14),
    title,
  ]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(entry.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, entry, Buffer.from("PK\x05\x06"), end]);
}

function crc32(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}
