import type { Command } from "./command.ts";
import { sharedOptions } from "./shared-options.ts";

const { ofLogs, profile, separate, target } = sharedOptions;

/** `toollint redact` as data. */
export const redactUsage: Command = {
  name: "redact",
  positional: "<logs..>",
  summary: "replace all private text in a log, and prove that the findings stay the same",
  options: [
    {
      name: "output",
      short: "o",
      value: "FILE",
      help: "output: a file, - for standard output, a directory for several logs",
      group: "Output",
    },
    {
      name: "preview",
      help: "write nothing; show some lines before and after, and what stays",
    },
    {
      name: "keep-text",
      value: "ROLE,…",
      help: "keep the texts of these roles: user, assistant, system, tool",
    },
    { name: "names", help: "replace the names of tools, too" },
    {
      name: "key",
      value: "FILE",
      help: "use the same pseudonyms in all logs redacted with this key; a missing file is created",
    },
    {
      name: "map",
      value: "FILE",
      help: "write the list of words and pseudonyms, for yourself; only you can read the file",
    },
    {
      name: "format",
      value: "text|json",
      help: "the report, for people or for programs (default: text)",
      group: "Output",
    },
    {
      name: "complete",
      help: "the log is a complete, finished run: calls still open at its end are errors",
    },
    separate,
    profile,
    target,
    ...ofLogs,
  ],
  examples: [
    ["toollint redact run.log --preview", "what would be replaced, and what stays"],
    ["toollint redact run.log -o shown.log", "the redacted log"],
    ["toollint redact logs/ -o shown/ --key my.key", "several logs with the same pseudonyms"],
  ],
  exits: [
    "0  written",
    "1  findings or repairs would differ: the differences are listed, and nothing is written",
    "2  could not run: bad usage, an unreadable file, a log without any conversation",
  ],
};
