import { appendFile } from "node:fs/promises";
import type { CheckReport } from "../findings/report.ts";
import { json } from "../reporters/json.ts";
import { ruleTable } from "../rules/index.ts";
import { complaint } from "./complaint.ts";
import { type Io, print, withFeeds } from "./io.ts";

/** The forms of a report; only `text` is written for the eyes of one person at a terminal. */
export const reportFormats = [
  "text",
  "lines",
  "json",
  "jsonl",
  "sarif",
  "junit",
  "github",
  "markdown",
] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** A report in a form for programs, in pieces that bring their own line feeds. Only the form that is asked for is loaded. */
export async function written(
  format: Exclude<ReportFormat, "text">,
  report: CheckReport,
  hadTrouble: boolean,
  io: Io,
): Promise<Iterable<string>> {
  const folders = { cwd: io.cwd, root: io.env["GITHUB_WORKSPACE"] || io.cwd };
  switch (format) {
    case "json":
      return json(report);
    case "lines":
      return withFeeds((await import("../reporters/lines.ts")).lines(report));
    case "jsonl":
      return (await import("../reporters/jsonl.ts")).jsonl(report);
    case "sarif": {
      const { pages } = await import("../rules/pages.ts");
      const { sarif } = await import("../reporters/sarif.ts");
      return sarif(report, { rules: ruleTable, page: (rule) => pages[rule], folders, hadTrouble });
    }
    case "junit":
      return (await import("../reporters/junit.ts")).junit(report, { folders });
    case "github":
      return (await import("../reporters/github.ts")).github(report, { folders });
    case "markdown":
      return (await import("../reporters/markdown.ts")).markdown(report, { folders });
  }
}

/** Adds the report to the summary page of a GitHub Actions step, where the runner offers one. */
export async function summarize(report: CheckReport, io: Io): Promise<void> {
  const file = io.env["GITHUB_STEP_SUMMARY"];
  if (!file) return;
  const { githubSummary } = await import("../reporters/github.ts");
  const folders = { cwd: io.cwd, root: io.env["GITHUB_WORKSPACE"] || io.cwd };
  try {
    await appendFile(file, [...githubSummary(report, { folders })].join(""));
  } catch {
    await print(
      io.stderr,
      complaint(`cannot write the step summary to ${file}: the report stands only above`),
    );
  }
}
