/** One option of a command, as data for parsing, suggestions and help. */
export interface Option {
  readonly name: string;
  readonly short?: string;
  /** The name of its value in the help (`FILE`, `text|json`); an option without it is a switch. */
  readonly value?: string;
  /** The default if the value is omitted; a value must then be joined with `=`. */
  readonly bare?: string;
  readonly help: string;
}

/** One command, as data. */
export interface Command {
  readonly name:
    | "check"
    | "show"
    | "diff"
    | "fix"
    | "shrink"
    | "replay"
    | "record"
    | "serve"
    | "explain"
    | "formats"
    | "init"
    | "completion";
  /** Its positional arguments in yargs notation. */
  readonly positional: string;
  /** What the help shows instead, if that is more. */
  readonly usage?: string;
  readonly summary: string;
  readonly options: readonly Option[];
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  /** The meanings of its exit codes, one line each. */
  readonly exits: readonly string[];
}

const help: Option = { name: "help", short: "h", help: "this text" };
const color: Option = {
  name: "color",
  value: "auto|always|never",
  bare: "always",
  help: "colours (default: auto); --no-color for none",
};
const config: Option = {
  name: "config",
  value: "FILE",
  help: "a config file (default: the nearest toollint.config.json or .jsonc, from here upwards)",
};
const noConfig: Option = { name: "no-config", help: "read no config file" };
const container: Option = {
  name: "container",
  value: "NAME",
  help: "the container of the log, if toollint cannot recognise it",
};
const protocol: Option = { name: "protocol", value: "NAME", help: "read only this protocol's traffic" };
const conversation: Option = { name: "conversation", value: "c1", help: "only this conversation" };
const exchange: Option = {
  name: "exchange",
  value: "40-60",
  help: "only these exchanges: a number or a range",
};
const format: Option = {
  name: "format",
  value: "text|json",
  help: "for people or for programs (default: text)",
};
const page: Option = {
  name: "format",
  value: "text|json|html",
  help: "for people, for programs, or a page for the browser (default: text)",
};
const output: Option = { name: "output", short: "o", value: "FILE", help: "write it to a file" };
const open: Option = { name: "open", help: "open the written page (--format html) in the browser" };
const redact: Option = {
  name: "redact",
  help: "also mask credentials in bodies (those in headers and URLs are always masked)",
};
const allowOrigin: Option = {
  name: "allow-origin",
  value: "ORIGIN",
  help: "a web page that may send requests, such as https://app.example or vscode-webview://*, in addition to local ones; repeatable",
};
const showValues: Option = {
  name: "show-values",
  help: "do not mask credentials in text on a terminal",
};
const separate: Option = {
  name: "separate",
  help: "read every file separately, even if files continue each other",
};
const profile: Option = {
  name: "profile",
  value: "NAME",
  help: "the provider that the requests went to, if the log does not say (NAME/MODEL for one of its models)",
};
const target: Option = {
  name: "target",
  value: "NAME",
  help: "check all requests against another provider: would it accept this history?",
};

/** The options of every command that reports on logs. */
const ofLogs: readonly Option[] = [container, protocol, showValues, color, config, noConfig, help];

/** The commands in the order of the help. */
export const commands: readonly Command[] = [
  {
    name: "check",
    positional: "[paths..]",
    summary: "find what went wrong in logs of tool-calling conversations",
    options: [
      {
        name: "format",
        value: "NAME[=FILE]",
        help: "text (default), lines, json, jsonl, sarif, junit, github (annotations), gitlab, markdown or html (a page); with =FILE into a file; repeatable",
      },
      { name: "output", short: "o", value: "FILE", help: "write the report to a file" },
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
        help: "print every finding, including consequences and those otherwise only counted",
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
        name: "explain-input",
        help: "instead of the report, say how each file was read: container, skipped records, pairing of requests and replies, conversations",
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
        help: "where the small log goes: a file, or - for standard output",
      },
      {
        name: "finding",
        value: "f3",
        help: "the finding to keep, by its name in `check --format json` or its fingerprint (default: the first error)",
      },
      { name: "rule", value: "ID", help: "or the first finding of this rule" },
      { name: "error", value: "'TEXT'", help: "or the finding that a provider's error text is about" },
      {
        name: "live",
        help: "keep what a live model server does with the request of the finding, not the finding",
      },
      {
        name: "base-url",
        value: "URL",
        help: "with --live: where to send it: the base URL of the API (http://127.0.0.1:8000/v1)",
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
        help: "send each request up to N times; most replies have to be alike (default: 1)",
      },
      { name: "max-requests", value: "N", help: "send at most so many requests (default: 60)" },
      { name: "timeout", value: "SECONDS", help: "seconds to wait for the next bytes (default: 300)" },
      {
        name: "as",
        value: "same|jsonl",
        help: "how the small log is kept: like the log, where that can be (default), or as JSON lines",
      },
      redact,
      {
        name: "format",
        value: "text|json",
        help: "the report, for people or for programs (default: text)",
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
      ["toollint shrink run.log -o small.jsonl", "the first error of the log, in as few lines as it takes"],
      ["toollint shrink run.log --finding f3 -o small.log", "another finding"],
      ["toollint shrink run.log --error '400: No tool call found' -o small.log", "what the provider refused"],
      ["toollint shrink run.log --live --provider openai -o small.jsonl", "what it still refuses"],
    ],
    exits: [
      "0  written",
      "1  the finding did not survive any cut: the log is written as it was",
      "2  could not do the work: no such finding, bad usage, an unreadable file",
    ],
  },
  {
    name: "replay",
    positional: "<log>",
    summary: "send a repaired history to a live model and see whether it makes progress",
    options: [
      {
        name: "base-url",
        value: "URL",
        help: "where to send it: the base URL of the API (http://127.0.0.1:8000/v1)",
      },
      {
        name: "provider",
        value: "NAME",
        help: "or the provider: openai, anthropic, gemini, openrouter, ollama, groq, deepseek, mistral, xai",
      },
      { name: "model", value: "NAME", help: "use this model instead of the log's" },
      { name: "to", value: "PROTOCOL", help: "translate the history into another protocol first" },
      {
        name: "api-key-env",
        value: "NAME",
        help: "the environment variable with the key (default: the provider's own, such as OPENAI_API_KEY; none for other hosts)",
      },
      { name: "header", value: "'NAME: VALUE'", help: "a request header; repeatable" },
      { name: "exchange", value: "N", help: "this request (default: the first broken one)" },
      { name: "last", help: "the last request" },
      { name: "as-recorded", help: "send it as recorded, without repairs" },
      {
        name: "prove",
        help: "send the broken and the repaired history in turn, and tabulate what the model did",
      },
      { name: "times", value: "K", help: "how often to send each history (default: 1; 3 with --prove)" },
      { name: "max-rounds", value: "N", help: "the maximum number of rounds (default: 8)" },
      {
        name: "tool-result",
        value: "TOOL=FILE",
        help: "the result of a tool, instead of the log's; replay never runs tools",
      },
      { name: "stream", help: "request a stream, whatever the log did" },
      { name: "no-stream", help: "request no stream" },
      { name: "timeout", value: "SECONDS", help: "seconds to wait for the next bytes (default: 300)" },
      {
        name: "max-time",
        value: "SECONDS",
        help: "seconds that one reply may take in total (default: ten times --timeout)",
      },
      { name: "dry-run", help: "print the request and send nothing" },
      {
        name: "output",
        short: "o",
        value: "FILE",
        help: "record the traffic in this file; with --format html, write the page",
      },
      redact,
      { name: "yes", help: "do not ask for confirmation before sending" },
      { ...page, value: "text|json|html[=FILE]" },
      open,
      ...ofLogs,
    ],
    examples: [
      ["toollint replay run.log --provider openai", "the first broken request, repaired"],
      ["toollint replay run.log --base-url http://127.0.0.1:11434/v1 --model qwen3", "to your own server"],
      [
        "toollint replay run.log --provider anthropic --prove --times 5",
        "broken against repaired, five times each",
      ],
    ],
    exits: [
      "0  the model made progress: its replies pass the rules",
      "1  it did not, or the provider rejects the history",
      "2  could not run: no target, no key, server unreachable, unknown model, rate limit",
    ],
  },
  {
    name: "record",
    positional: "[command..]",
    usage: "-o FILE [-- command]",
    summary: "record a program's traffic with its models as a log",
    options: [
      {
        name: "output",
        short: "o",
        value: "FILE",
        help: "the recording: one line per exchange, written when it ends",
      },
      { name: "append", help: "append to an existing recording" },
      { name: "overwrite", help: "replace an existing recording" },
      {
        name: "upstream",
        value: "NAME=URL",
        help: "where to forward requests, for one provider or (URL only) for all; repeatable",
      },
      { name: "port", value: "N", help: "the port on 127.0.0.1 (default: any free port)" },
      allowOrigin,
      redact,
      {
        name: "strict",
        help: "do not forward what the provider would reject; answer with its error instead",
      },
      {
        name: "profile",
        value: "NAME",
        help: "the provider whose rules --strict applies (default: the one at the upstream's address)",
      },
      { name: "check", help: "check the recording at the end; its findings fail the command" },
      { name: "live", help: "print findings as they happen" },
      color,
      help,
    ],
    examples: [
      ["toollint record -o run.jsonl -- npm test", "record a command's model traffic"],
      ["toollint record -o run.jsonl --check -- python agent.py", "and check it, for CI"],
      ["toollint record -o run.jsonl --strict -- npm test", "a broken history costs nothing, and fails"],
      ["toollint record -o run.jsonl --port 8787", "until Ctrl-C; point your clients at its address"],
    ],
    exits: [
      "the command's own; without a command 0",
      "1  the command succeeded, but the recording has findings (--check) or a request was rejected (--strict)",
      "2  could not run: bad usage, no such command, a file that cannot be written",
    ],
  },
  {
    name: "serve",
    positional: "[log..]",
    usage: "[log] [-- command]",
    summary: "a model server for tests that rejects what the provider rejects, without keys",
    options: [
      { name: "port", value: "N", help: "the port (default: any free port)" },
      {
        name: "host",
        value: "ADDRESS",
        help: "the address to listen on (default: 127.0.0.1, this machine only)",
      },
      allowOrigin,
      {
        name: "profile",
        value: "NAME",
        help: "the provider to imitate (default: each API's own); `toollint formats` lists them",
      },
      {
        name: "script",
        value: "FILE",
        help: "the model's replies, as YAML or JSON (default: the replies of the log, or one short text for every turn)",
      },
      {
        name: "fault",
        value: "N:KIND",
        help: "what goes wrong in turn N (2-4 and * for several), such as 3:429,retry-after=2 or 1:cut@5; repeatable",
      },
      {
        name: "journal",
        value: "FILE",
        help: "record requests and answers as a log that `check` reads",
      },
      { name: "append", help: "append to an existing journal" },
      { name: "overwrite", help: "replace an existing journal" },
      { name: "lenient", help: "answer even what the provider would reject, with a warning" },
      container,
      color,
      config,
      noConfig,
      help,
    ],
    examples: [
      ["toollint serve -- npm test", "tests fail if their client sends a broken history"],
      ["toollint serve run.jsonl -- npm test", "the model replies as in the log"],
      ["toollint serve --script replies.yaml -- npm test", "the model replies as in the script"],
      ["toollint serve --fault 2:529 --fault 5:cut@3 -- npm test", "two of the answers fail"],
      ["toollint serve --profile mistral -- pytest", "the same, as strict as Mistral"],
      ["toollint serve --port 8787", "until Ctrl-C; point your clients at its address"],
    ],
    exits: [
      "the command's own, if it is not 0",
      "0  every request was answered as planned",
      "1  a history was rejected, or a request had no answer, even if the client hid it",
      "2  could not run: bad usage, an invalid script, no such command, a port in use, a file that cannot be read or written",
    ],
  },
  {
    name: "explain",
    positional: "[rule]",
    summary: "print what a rule finds, why it matters and what to do; without a name, all rules",
    options: [
      { name: "examples", help: "all examples of the rule's page, not only one" },
      {
        name: "error",
        value: "TEXT",
        help: "the rule that a provider's error text means and, with a log instead of the rule, the line (- reads the text from standard input)",
      },
      format,
      container,
      protocol,
      color,
      config,
      noConfig,
      help,
    ],
    examples: [
      ["toollint explain", "the table of rules"],
      ["toollint explain orphaned-tool-result", "the page of one rule"],
      [
        "toollint explain --error 'messages.3: `tool_use` ids were found …' run.log",
        "the line that a 400 refers to",
      ],
      ["pbpaste | toollint explain --error - run.log", "the same, from the clipboard"],
    ],
    exits: ["0  printed", "2  there is no such rule, or the log cannot be read"],
  },
  {
    name: "formats",
    positional: "",
    summary: "list the containers and protocols that can be read, and the profiles of providers",
    options: [format, color, noConfig, help],
    examples: [["toollint formats", ""]],
    exits: ["0  printed"],
  },
  {
    name: "init",
    positional: "[folder]",
    usage: "[--sample [FOLDER]]",
    summary: "write a config file that explains every setting, or a sample log to try",
    options: [
      {
        name: "sample",
        help: "write a broken log and a good one into a new folder (toollint-sample), and say what to try",
      },
      help,
    ],
    examples: [
      ["toollint init", "a config file"],
      ["toollint init --sample", "two logs in toollint-sample/, a broken one and a good one"],
    ],
    exits: ["0  written", "2  it already exists or cannot be written"],
  },
  {
    name: "completion",
    positional: "[shell]",
    usage: "bash|zsh|fish",
    summary: "print a script that completes commands, options, values and rules in a shell",
    options: [help],
    examples: [
      ["toollint completion bash >> ~/.bashrc", "for bash"],
      ["toollint completion zsh >> ~/.zshrc", "for zsh, below the line with compinit"],
      ["toollint completion fish > ~/.config/fish/completions/toollint.fish", "for fish"],
    ],
    exits: ["0  printed", "2  there is no such shell"],
  },
];

/** Finds a command by name. */
export function commandNamed(name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}
