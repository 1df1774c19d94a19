import type { CheckReport, UnreadRecord } from "../findings/report.ts";
import { counted } from "./numbers.ts";

/** Files and shards named in a sentence; more are counted. */
const named = 3;

/** What a report is without although it was asked for, a clause each: unescaped, none if it is whole. */
export function incompleteOf({ unread, missingShards = [] }: CheckReport): string[] {
  const failed = unreadIn(unread);
  const files = failed.slice(0, named).map(({ path, reason }) => `${path} (${reason})`);
  return [
    ...(missingShards.length > 0
      ? [
          `missing: ${missingShards.length === 1 ? "shard" : "shards"} ${listed(missingShards, missingShards.slice(0, named), "shard")}`,
        ]
      : []),
    ...(failed.length > 0 ? [`not read: ${listed(failed, files, "file")}`] : []),
  ];
}

/** The files that were asked for and not read. Those found in directories are often no logs. */
export function unreadIn(unread: readonly UnreadRecord[] = []): readonly UnreadRecord[] {
  return unread.filter(({ kind }) => kind !== "skipped");
}

function listed(all: readonly unknown[], shown: readonly string[], noun: string): string {
  const more = all.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${counted(more, `more ${noun}`)}` : ""}`;
}
