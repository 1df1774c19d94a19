import type { UnreadFile } from "../../check/run-report.ts";
import type { CheckReport, UnreadRecord } from "../../findings/report.ts";

/** What could not be read, and why. */
interface Unreadable {
  readonly path: string;
  readonly reason: string;
}

/** The report with what was asked for and not read: first what could not be opened or found. */
export function withUnread(
  { summary, ...report }: CheckReport,
  troubles: readonly Unreadable[],
  unreadFiles: readonly UnreadFile[],
  isNamed: (path: string) => boolean,
): CheckReport {
  const unread = [
    ...troubles.map(({ path, reason }): UnreadRecord => ({ path, kind: "unreadable", reason })),
    ...unreadFiles.map(({ path, advice }): UnreadRecord => {
      const [said] = advice?.split("\n") ?? [];
      const reason = said === undefined ? "no conversation was understood in it" : `it is ${said}`;
      return { path, kind: isNamed(path) ? "not-understood" : "skipped", reason };
    }),
  ];
  return { ...report, unread, summary };
}
