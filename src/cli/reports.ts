import { appendFile } from "node:fs/promises";
import type { CheckReport } from "../findings/report.ts";
import { githubSummary, reportGithub } from "../reporters/github.ts";
import { reportGitlab } from "../reporters/gitlab.ts";
import { reportJson } from "../reporters/json.ts";
import { reportJsonl } from "../reporters/jsonl.ts";
import { reportJunit } from "../reporters/junit.ts";
import { lines } from "../reporters/lines.ts";
import { reportMarkdown } from "../reporters/markdown.ts";
import { ruleUrl } from "../reporters/rule-url.ts";
import { reportSarif } from "../reporters/sarif.ts";
import type { CheckVerdict } from "../reporters/verdict.ts";
import { ruleTable } from "../rules/index.ts";
import { note } from "./terminal/complaint.ts";
import { type Io, withFeeds } from "./terminal/io.ts";
import type { ReportFormat } from "./usage/values.ts";

/** What a check came to. */
interface Outcome {
  /** Some of the work could not be done. */
  readonly hadTrouble: boolean;
  readonly verdict: CheckVerdict;
}

/** A report for programs, as chunks that include their line feeds. */
export async function reportChunks(
  format: Exclude<ReportFormat, "text" | "html" | "blob">,
  report: CheckReport,
  { hadTrouble, verdict }: Outcome,
  io: Io,
): Promise<Iterable<string>> {
  const root = io.env["GITHUB_WORKSPACE"] || io.env["CI_PROJECT_DIR"] || io.cwd;
  const folders = { cwd: io.cwd, root };
  switch (format) {
    case "json":
      return reportJson(report);
    case "lines":
      return withFeeds(lines(report));
    case "jsonl":
      return reportJsonl(report);
    case "sarif": {
      const { pages } = await import("../rules/pages.ts");
      return reportSarif(report, {
        rules: ruleTable,
        page: (rule) => pages[rule],
        helpUri: ruleUrl,
        informationUri: __HOMEPAGE__,
        folders,
        hadTrouble,
      });
    }
    case "junit":
      return reportJunit(report, { folders });
    case "github":
      return reportGithub(report, { ruleUrl, folders });
    case "gitlab":
      return reportGitlab(report, { folders });
    case "markdown":
      return reportMarkdown(report, { folders, ruleUrl, verdict });
  }
}

/** Adds the report to the summary page of a GitHub Actions step, if the runner offers one. */
export async function summarize(report: CheckReport, verdict: CheckVerdict, io: Io): Promise<void> {
  const file = io.env["GITHUB_STEP_SUMMARY"];
  if (!file) return;
  const folders = { cwd: io.cwd, root: io.env["GITHUB_WORKSPACE"] || io.cwd };
  try {
    await appendFile(file, [...githubSummary(report, { folders, ruleUrl, verdict })].join(""));
  } catch {
    await note(io, `cannot write the step summary to ${file}: the report is only above`);
  }
}
