import type { Command } from "./command.ts";
import { findingOptions, sharedOptions } from "./shared-options.ts";

const { ofLogs, profile, target } = sharedOptions;

/** `toollint report-bug` as data. */
export const reportBugUsage: Command = {
  name: "report-bug",
  positional: "<log>",
  summary: "write a bug report to paste: the smallest failing log, redacted",
  options: [
    {
      name: "output",
      short: "o",
      value: "FILE",
      help: "write the report to a file; a log too large to paste goes next to it",
      group: "Output",
    },
    ...findingOptions("report"),
    { name: "names", help: "replace the names of tools, too" },
    {
      name: "key",
      value: "FILE",
      help: "use the same pseudonyms in all reports with this key; a missing file is created",
    },
    {
      name: "complete",
      help: "the log is a complete, finished run: calls still open at its end are errors",
    },
    profile,
    target,
    ...ofLogs,
  ],
  examples: [
    ["toollint report-bug run.log", "the first error, as Markdown; nothing is sent anywhere"],
    ["toollint report-bug run.log --rule dropped-turns -o bug.md", "another finding, into a file"],
  ],
  exits: [
    "0  the report was written",
    "1  the redacted log would have other findings: nothing is written",
    "2  could not run: no such finding, bad usage, an unreadable file",
  ],
};
