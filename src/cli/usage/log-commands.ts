import type { Command } from "./command.ts";
import { redactUsage } from "./redact-usage.ts";
import { reportBugUsage } from "./report-bug-usage.ts";
import { findingOptions, sharedOptions } from "./shared-options.ts";

const {
  color,
  conversation,
  exchange,
  help,
  ofLogs,
  open,
  output,
  page,
  profile,
  redact,
  redactAll,
  separate,
  target,
} = sharedOptions;

/** Commands that read logs and send nothing. */
export const logCommands: readonly Command[] = [
  {
    name: "check",
    positional: "[paths..]",
    summary: "find what went wrong in logs of tool-calling conversations",
    options: [
      {
        name: "format",
        value: "NAME[=FILE]",
        help: "text (default), lines, json, jsonl, sarif, junit, github (annotations), gitlab, markdown, html (a page) or blob (for toollint merge); with =FILE into a file; repeatable",
      },
      { name: "output", short: "o", value: "FILE", help: "write the report to a file" },
      redactAll,
      open,
      {
        name: "rule",
        value: "ID:LEVEL",
        help: 'set a rule to off, info, warning or error, or its options (ID:{"NAME":80}); repeatable',
      },
      {
        name: "fail-on",
        value: "error|warning|info|never",
        help: "the lowest severity that fails the check (default: error)",
      },
      { name: "max-warnings", value: "N", help: "fail the check if there are more warnings" },
      {
        name: "complete",
        help: "the log is a complete, finished run: calls still open at its end are errors (for CI)",
      },
      { name: "quiet", help: "report errors only" },
      {
        name: "all",
        help: "print every finding, including consequences and those that are otherwise only counted",
      },
      {
        name: "watch",
        help: "check again whenever a log changes, and print what is new, until Ctrl-C",
      },
      { name: "statistics", help: "add a table: how many findings each rule has" },
      { name: "baseline", value: "FILE", help: "ignore the findings recorded in this file" },
      { name: "update-baseline", help: "record this run's findings in the baseline" },
      conversation,
      exchange,
      separate,
      {
        name: "jobs",
        value: "N",
        help: "check several files in up to N threads (default: one for each core, at most 8, if there is a lot to check)",
      },
      {
        name: "shard",
        value: "I/N",
        help: "check only the I-th of N parts of the files, counted from 1; auto (or auto/N) reads the number from the job's variables: Kubernetes, AWS Batch, Slurm, Bazel, GitLab",
      },
      {
        name: "keep-going",
        help: "list unreadable files in the report, and decide by the rest; exit code 2 only if nothing can be read",
      },
      {
        name: "explain-input",
        help: "instead of the report, explain how each file was read: container, skipped records, pairing of requests and replies, conversations",
      },
      profile,
      target,
      ...ofLogs,
    ],
    examples: [
      ["toollint check run.log", "one log"],
      [
        "toollint check logs/ --fail-on warning",
        "all logs below a directory (without paths: below this one)",
      ],
      ["my-agent 2>&1 | toollint check -", "the output of a program"],
      ["toollint check --watch run.log", "again whenever it grows, until Ctrl-C"],
      ["toollint check run.log --target anthropic/claude-opus-4-6", "before switching models"],
      ["toollint check run.log --format json -o report.json", "a report for other programs"],
      ["toollint check run.log --format html -o report.html --open", "a page to read and share"],
      ["toollint check logs/ --format sarif=out.sarif", "SARIF in addition to the text"],
    ],
    exits: [
      "0  nothing at or above --fail-on",
      "1  findings",
      "2  could not run: bad usage, an unreadable file, a log without any conversation",
    ],
  },
  {
    name: "show",
    positional: "<log>",
    summary: "print the conversations of a log step by step: what was sent, answered and lost",
    options: [
      page,
      output,
      redactAll,
      open,
      { name: "full", help: "shorten nothing" },
      conversation,
      exchange,
      ...ofLogs,
    ],
    examples: [
      ["toollint show run.log", "the conversations, one line per item"],
      ["toollint show run.log --exchange 3 --full", "one exchange in full"],
      ["toollint show run.log --format json", "the same as data"],
    ],
    exits: ["0  shown", "2  could not run"],
  },
  {
    name: "diff",
    positional: "<logs..>",
    usage: "<failing> <passing>",
    summary: "find where a failing run diverges from a passing one, on which side, and why",
    options: [
      { name: "steps", help: "compare each request of one log with the next: what was added, what is gone" },
      { name: "step", value: "N", help: "only this step, by its number in the failing run" },
      { name: "context", value: "N", help: "number of equal items to show around differences (default: 2)" },
      { name: "show-ignored", help: "list the ignored differences, which change with every run" },
      {
        name: "strict",
        help: "also count ids, dates, white space, argument formatting and a model's wording",
      },
      {
        name: "format",
        value: "text|json|markdown|html",
        help: "for people, for programs, or a page for the browser (default: text)",
      },
      output,
      redactAll,
      open,
      { ...conversation, help: "only this conversation of the failing log" },
      ...ofLogs,
    ],
    examples: [
      ["toollint diff failing.log passing.log", "the first step that differs, and its consequences"],
      ["toollint diff failing.log passing.log --step 3", "all of one step"],
      ["toollint diff --steps run.log", "what each request of one log lost from the previous one"],
    ],
    exits: [
      "0  the same (--steps: nothing was lost or rewritten)",
      "1  different",
      "2  could not run: bad usage, an unreadable file, a log without any conversation",
    ],
  },
  {
    name: "fix",
    positional: "<logs..>",
    summary: "repair the histories in a log's requests",
    options: [
      {
        name: "output",
        short: "o",
        value: "FILE",
        help: "output: a file, - for standard output, a directory for several logs",
      },
      { name: "write", help: "repair the log in place; keep the original as a .bak file" },
      {
        name: "dry-run",
        help: "write nothing; show what would change, request by request (the default on a terminal without -o)",
      },
      {
        name: "unsafe-lossy",
        help: "also allow repairs that remove something: results without a call, messages without content",
      },
      {
        name: "unsafe-inventing",
        help: "also allow repairs that add something: a placeholder for a missing result",
      },
      { name: "unsafe", help: "both" },
      {
        name: "emit",
        value: "log|requests",
        help: "what to write: the log (default), or only the repaired request bodies, one per line",
      },
      redact,
      {
        name: "format",
        value: "text|json",
        help: "the report on standard output, for people or for programs (default: text)",
      },
      {
        name: "rule",
        value: "ID:LEVEL",
        help: "set a rule to off, info, warning or error; off and info are not repaired",
      },
      conversation,
      exchange,
      separate,
      profile,
      target,
      ...ofLogs,
    ],
    examples: [
      ["toollint fix run.log", "show what would change"],
      ["toollint fix run.log -o fixed.log", "write the repaired log"],
      ["toollint fix --write session.jsonl", "repair a session in place, with a backup"],
      ["toollint fix logs/ -o fixed/", "all logs below a directory"],
    ],
    exits: [
      "0  nothing is left to repair",
      "1  a possible repair was not made: not allowed, only shown, or impossible to write back",
      "2  could not run: bad usage, an unreadable file, a log without any conversation",
    ],
  },
  {
    name: "shrink",
    positional: "<log>",
    summary: "make the smallest log that still shows a finding",
    options: [
      {
        name: "output",
        short: "o",
        value: "FILE",
        help: "output: a file, or - for standard output",
      },
      ...findingOptions("keep"),
      {
        name: "live",
        help: "keep a live server's reaction to the finding's request, instead of the finding",
      },
      {
        name: "base-url",
        value: "URL",
        help: "with --live: the base URL of the API (http://127.0.0.1:8000/v1)",
      },
      {
        name: "provider",
        value: "NAME",
        help: "or the provider: openai, anthropic, gemini, openrouter, ollama, groq, deepseek, mistral, xai",
      },
      { name: "model", value: "NAME", help: "use this model instead of the log's" },
      {
        name: "api-key-env",
        value: "NAME",
        help: "the environment variable with the key (default: the provider's own, such as OPENAI_API_KEY; none for other hosts)",
      },
      { name: "header", value: "'NAME: VALUE'", help: "a request header; repeatable" },
      {
        name: "times",
        value: "N",
        help: "send each request up to N times; most replies must agree (default: 1)",
      },
      { name: "max-requests", value: "N", help: "send at most N requests (default: 60)" },
      { name: "timeout", value: "SECONDS", help: "seconds to wait for the next bytes (default: 300)" },
      {
        name: "as",
        value: "same|jsonl",
        help: "the format of the small log: the log's own if possible (default), or JSON lines",
      },
      redact,
      {
        name: "format",
        value: "text|json",
        help: "the report, for people or for programs (default: text)",
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
      ["toollint shrink run.log -o small.jsonl", "the first error, in as few lines as possible"],
      ["toollint shrink run.log --finding f3 -o small.log", "another finding"],
      [
        "toollint shrink run.log --error '400: No tool call found' -o small.log",
        "the request that the provider rejected",
      ],
      ["toollint shrink run.log --live --provider openai -o small.jsonl", "a request that it still rejects"],
    ],
    exits: [
      "0  written, even if the log could not get smaller",
      "1  no smaller log keeps the finding: the log was written unchanged",
      "2  could not run: no such finding, bad usage, an unreadable file",
    ],
  },
  redactUsage,
  reportBugUsage,
  {
    name: "merge",
    positional: "<blobs..>",
    usage: "<blobs.. or directory>",
    summary: "merge the reports of shards (check --shard I/N --format blob) into one",
    options: [
      {
        name: "format",
        value: "NAME[=FILE]",
        help: "text (default), lines, json, jsonl, sarif, junit, github (annotations), gitlab, markdown, or html; with =FILE into a file; repeatable",
      },
      { name: "output", short: "o", value: "FILE", help: "write the report to a file" },
      {
        name: "fail-on",
        value: "error|warning|info|never",
        help: "the lowest severity that fails (default: that of the shards)",
      },
      {
        name: "max-warnings",
        value: "N",
        help: "fail if there are more warnings (default: that of the shards)",
      },
      {
        name: "trends",
        help: "show trends instead of single findings: what clients do wrong, in how many files, first and last seen, with an example (text, markdown, html; JSON has both)",
      },
      {
        name: "since",
        value: "FILE",
        help: "compare trends with an earlier report (JSON, a blob or a directory of blobs): what is new, known and gone",
      },
      { name: "partial", help: "report on the available shards, and name the missing ones" },
      { name: "quiet", help: "report errors only" },
      {
        name: "all",
        help: "print every finding, including consequences and those that are otherwise only counted; with --trends, print the findings, too",
      },
      { name: "statistics", help: "add a table: how many findings each rule has" },
      color,
      help,
    ],
    examples: [
      ["toollint check logs/ --shard 2/8 --format blob -o blobs/2.jsonl", "one shard, on any machine"],
      ["toollint merge blobs/", "one report, the same as that of one check of logs/"],
      ["toollint merge blobs/ --format sarif=out.sarif --fail-on warning", "other formats, another policy"],
      ["toollint merge blobs/ --since yesterday.json", "what is new since yesterday"],
    ],
    exits: [
      "0  nothing at or above --fail-on",
      "1  findings",
      "2  could not merge: a shard is missing (without --partial) or appears twice, the shards do not match, or a shard could not read a file",
    ],
  },
];
