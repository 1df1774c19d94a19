import type { Command } from "./command.ts";
import { findingOptions, sharedOptions } from "./shared-options.ts";

const { ofLogs, profile, target } = sharedOptions;

/** `toollint report-bug` as data. */
export const reportBugUsage: Command = {
  name: "report-bug",
  positional: "<log>",
  summary: "write a bug report to paste: the smallest log that fails, without what is private",
  options: [
    {
      name: "output",
      short: "o",
      value: "FILE",
      help: "write the report to a file; a log that is too large to be pasted goes beside it",
    },
    ...findingOptions("report"),
    { name: "names", help: "replace the names of tools, too" },
    {
      name: "key",
      value: "FILE",
      help: "give equal words equal pseudonyms in all reports with this key; the file is made if it does not exist",
    },
    {
      name: "complete",
      help: "the log is a whole, finished run: what is still open at its end is an error",
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
    "1  without what is private, the log would say something else: nothing is written",
    "2  could not do the work: no such finding, bad usage, an unreadable file",
  ],
};
