import type { Command } from "./command.ts";
import { sharedOptions } from "./shared-options.ts";

const { ofLogs, profile, separate, target } = sharedOptions;

/** `toollint redact` as data. */
export const redactUsage: Command = {
  name: "redact",
  positional: "<logs..>",
  summary: "replace what is private in a log, and prove that its findings stay",
  options: [
    {
      name: "output",
      short: "o",
      value: "FILE",
      help: "where the redacted log goes: a file, - for standard output, a directory for several logs",
    },
    {
      name: "preview",
      help: "write nothing; show some lines as they are and as they would be, and what stays",
    },
    {
      name: "keep-text",
      value: "ROLE,…",
      help: "leave the texts of these roles as they are: user, assistant, system, tool",
    },
    { name: "names", help: "replace the names of tools, too" },
    {
      name: "key",
      value: "FILE",
      help: "give equal words equal pseudonyms in all logs that are redacted with this key; the file is made if it does not exist",
    },
    {
      name: "map",
      value: "FILE",
      help: "write all words with their pseudonyms, for yourself; only you can read the file",
    },
    {
      name: "format",
      value: "text|json",
      help: "the report, for people or for programs (default: text)",
    },
    {
      name: "complete",
      help: "the log is a whole, finished run: what is still open at its end is an error",
    },
    separate,
    profile,
    target,
    ...ofLogs,
  ],
  examples: [
    ["toollint redact run.log --preview", "what would be replaced, and what stays"],
    ["toollint redact run.log -o shown.log", "the log without what is private"],
    ["toollint redact logs/ -o shown/ --key my.key", "several logs with the same pseudonyms"],
  ],
  exits: [
    "0  written",
    "1  findings or repairs would differ: they are named, and nothing is written",
    "2  could not do the work: bad usage, an unreadable file, a log without any conversation",
  ],
};
