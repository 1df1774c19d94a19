import { checkFiles } from "../../src/check/check.ts";
import type { Item } from "../../src/conversation/item.ts";
import { linesOf } from "../../src/reading/origin.ts";
import { bytesSource } from "../../src/reading/source.ts";

/** What a log yields, and what is said of the rest. */
export interface Yield {
  readonly container: string | undefined;
  readonly counts: Readonly<Record<"exchanges" | "requests" | "replies" | "items" | "letters", number>>;
  /** Statements about what could not be read, each with its place: `12: the record ends …`. */
  readonly statements: readonly string[];
  /** Nothing was understood, which is an error of its own. */
  readonly isUnread: boolean;
}

/** Findings that say that a part of the log or of a reply is missing or broken. */
const aboutReading =
  /^(?:unreadable-record|truncated-stream|malformed-stream|lost-fragments|incomplete-arguments|invalid-arguments|invalid-request|misencoded-body|stream-error|empty-reply)$/;

/** Reads a log as `toollint check` does. Throws where a statement has no place in the file. */
export async function yieldOf(name: string, bytes: Buffer): Promise<Yield> {
  const source = bytesSource(name, bytes);
  const { report, runs, files, unread } = await checkFiles([{ path: name, source }]);
  const counts = { exchanges: 0, requests: 0, replies: 0, items: 0, letters: 0 };
  const count = (items: readonly Item[]): void => {
    counts.items += items.length;
    for (const item of items)
      counts.letters += ("text" in item ? item.text : item.kind === "call" ? item.argumentsText : "").length;
  };
  for (const { request, reply } of runs.flatMap((run) => run.exchanges)) {
    counts.exchanges++;
    if (request) {
      counts.requests++;
      for (let index = 0; index < request.history.length; index++) count(request.history.items(index));
      counts.items += request.tools?.length ?? 0;
      counts.letters += (request.system ?? "").length;
    }
    if (reply) {
      counts.replies++;
      count(reply.items);
    }
  }
  const places = [
    ...report.findings
      .filter(({ rule }) => aboutReading.test(rule))
      .map(({ location: { line }, message }) => ({ line, message })),
    ...files
      .flatMap(({ skipped }) => skipped)
      .filter(({ isProbe }) => !isProbe)
      .map(({ origin, reason }) => ({ line: linesOf(origin.source).at(origin.start).line, message: reason })),
  ];
  const last = linesOf(source).count;
  // Files of an archive have lines of their own.
  if (places.some(({ line }) => line < 1 || (line > last && !/\.(saz|parquet)$/.test(name))))
    throw new Error(`a statement has no place in ${name}`);
  return {
    container: files[0]?.container,
    counts,
    statements: places.map(({ line, message }) => `${line}: ${message}`),
    isUnread: unread.length > 0,
  };
}

/** Whether `damaged` lacks something that the whole log has. A word that a fault changed is not lost. */
export function hasLost(whole: Yield, damaged: Yield): boolean {
  const { letters, ...counts } = whole.counts;
  return (
    damaged.counts.letters < letters - 8 ||
    Object.entries(counts).some(([key, count]) => damaged.counts[key as keyof typeof counts] < count)
  );
}

/** Whether the log of which `damaged` is what is left gets a statement that the whole log does not get. */
export function isTold(whole: Yield, damaged: Yield): boolean {
  const known = new Set(whole.statements);
  return damaged.isUnread || damaged.statements.some((statement) => !known.has(statement));
}
