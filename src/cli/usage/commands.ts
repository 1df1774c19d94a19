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
  help: "how the log is kept, when it cannot be told from the bytes",
};
const protocol: Option = { name: "protocol", value: "NAME", help: "read only traffic of this protocol" };
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
  help: "mask credentials in bodies, too, in what is written (headers and URLs always are)",
};
const allowOrigin: Option = {
  name: "allow-origin",
  value: "ORIGIN",
  help: "a web page that may ask, such as https://app.example or vscode-webview://*, beside those of this machine; may be given several times",
};
const showValues: Option = {
  name: "show-values",
  help: "do not mask credentials in what is printed (text on a terminal)",
};
const separate: Option = {
  name: "separate",
  help: "read every file for itself, even where files continue each other",
};
const profile: Option = {
  name: "profile",
  value: "NAME",
  help: "the provider that the requests went to, where the log does not tell (NAME/MODEL for a model there)",
};
const target: Option = {
  name: "target",
  value: "NAME",
  help: "would this history be accepted there? judges all requests by the demands of that provider",
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
        help: "text (default), lines, json, jsonl, sarif, junit, github (annotations), gitlab, markdown or html (a page); with =FILE into a file, several times if need be",
      },
      { name: "output", short: "o", value: "FILE", help: "write the report to a file" },
      open,
      {
        name: "rule",
        value: "ID:LEVEL",
        help: 'set a rule to off, info, warning or error, or its options (ID:{"NAME":80}); may be given several times',
      },
      {
        name: "fail-on",
        value: "error|warning|info|never",
        help: "the least severity that fails the check (default: error)",
      },
      { name: "max-warnings", value: "N", help: "more warnings than this fail the check" },
      {
        name: "complete",
        help: "the log is a whole, finished run: what is still open at its end is an error (for CI)",
      },
      { name: "quiet", help: "report errors only" },
      {
        name: "all",
        help: "print every finding, also those that follow from others and those that are only counted",
      },
      {
        name: "watch",
        help: "check again whenever a log changes, and print what is new, until Ctrl-C",
      },
      { name: "statistics", help: "add a table: how many findings each rule has" },
      { name: "baseline", value: "FILE", help: "findings that are recorded there count nowhere" },
      { name: "update-baseline", help: "record the findings of this run in the baseline" },
      conversation,
      exchange,
      separate,
      {
        name: "explain-input",
        help: "say how each file was read, in place of the report: container, what was skipped, how exchanges were joined, which conversations were found",
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
      ["my-agent 2>&1 | toollint check -", "what a program prints"],
      ["toollint check --watch run.log", "again whenever it grows, until Ctrl-C"],
      ["toollint check run.log --target anthropic/claude-opus-4-6", "before switching models"],
      ["toollint check run.log --format json -o report.json", "a report for other programs"],
      ["toollint check run.log --format html -o report.html --open", "a page to look at and to pass on"],
      ["toollint check logs/ --format sarif=out.sarif", "the same beside the text"],
    ],
    exits: [
      "0  nothing at or above --fail-on",
      "1  findings",
      "2  could not do the work: bad usage, an unreadable file, a log in which nothing was understood",
    ],
  },
  {
    name: "show",
    positional: "<log>",
    summary: "print the conversations of a log: what was sent, answered and lost, step by step",
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
      ["toollint show run.log", "the conversations, one line an item"],
      ["toollint show run.log --exchange 3 --full", "one exchange with all its text"],
      ["toollint show run.log --format json", "the same as data"],
    ],
    exits: ["0  shown", "2  could not do the work"],
  },
  {
    name: "diff",
    positional: "<logs..>",
    usage: "<failing> <passing>",
    summary: "say where a failing run parts from a passing one, whose side differed first, and why",
    options: [
      { name: "steps", help: "compare each request of one log with the next: what was added, what vanished" },
      { name: "step", value: "N", help: "only this step, by its number in the failing run" },
      { name: "context", value: "N", help: "equal items shown around those that differ (default: 2)" },
      { name: "show-ignored", help: "list what differs from run to run and is not counted" },
      {
        name: "strict",
        help: "count that, too: ids, dates, white space, the spelling of arguments, a model's words",
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
      ["toollint diff failing.log passing.log", "the first step that differs, and what follows from it"],
      ["toollint diff failing.log passing.log --step 3", "all of one step"],
      ["toollint diff --steps run.log", "what each request of one log lost of the one before"],
    ],
    exits: [
      "0  the same (--steps: nothing was lost or rewritten)",
      "1  different",
      "2  could not do the work: bad usage, an unreadable file, a log in which nothing was understood",
    ],
  },
  {
    name: "fix",
    positional: "<logs..>",
    summary: "give the requests of a log the history that they should have had",
    options: [
      {
        name: "output",
        short: "o",
        value: "FILE",
        help: "where the repaired log goes: a file, - for standard output, a directory for several logs",
      },
      { name: "write", help: "repair the log in place; the log as it was is kept beside it (.bak)" },
      {
        name: "dry-run",
        help: "write nothing; show what would change, request by request (what happens on a terminal without -o)",
      },
      {
        name: "unsafe-lossy",
        help: "also repairs that remove something: results without a call, messages without content",
      },
      {
        name: "unsafe-inventing",
        help: "also repairs that add what the log does not hold: a result that says that none was kept",
      },
      { name: "unsafe", help: "both" },
      {
        name: "emit",
        value: "log|requests",
        help: "what is written: the log (default), or only the repaired request bodies, one JSON line each",
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
        help: "set a rule to off, info, warning or error: what is off or info is not repaired",
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
      "0  nothing is left to be repaired",
      "1  a repair was possible and not made: not allowed, only shown, or it cannot be written back",
      "2  could not do the work: bad usage, an unreadable file, a log in which nothing was understood",
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
        help: "with --live: where to send it, as clients of the API are told (http://127.0.0.1:8000/v1)",
      },
      {
        name: "provider",
        value: "NAME",
        help: "or the provider: openai, anthropic, gemini, openrouter, ollama, groq, deepseek, mistral, xai",
      },
      { name: "model", value: "NAME", help: "another model than the log's" },
      {
        name: "api-key-env",
        value: "NAME",
        help: "the variable with the key (default: the provider's own, such as OPENAI_API_KEY; none for other hosts)",
      },
      { name: "header", value: "'NAME: VALUE'", help: "a request header; may be given several times" },
      {
        name: "times",
        value: "N",
        help: "send each request up to N times; most replies have to be alike (default: 1)",
      },
      { name: "max-requests", value: "N", help: "send at most so many requests (default: 60)" },
      { name: "timeout", value: "SECONDS", help: "how long to wait for the next bytes (default: 300)" },
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
    summary: "send a history of a log, repaired, to a live model, and see whether it gets on",
    options: [
      {
        name: "base-url",
        value: "URL",
        help: "where to send it, as clients of the API are told (http://127.0.0.1:8000/v1)",
      },
      {
        name: "provider",
        value: "NAME",
        help: "or the provider: openai, anthropic, gemini, openrouter, ollama, groq, deepseek, mistral, xai",
      },
      { name: "model", value: "NAME", help: "another model than the log's" },
      { name: "to", value: "PROTOCOL", help: "translate the history into another protocol first" },
      {
        name: "api-key-env",
        value: "NAME",
        help: "the variable with the key (default: the provider's own, such as OPENAI_API_KEY; none for other hosts)",
      },
      { name: "header", value: "'NAME: VALUE'", help: "a request header; may be given several times" },
      { name: "exchange", value: "N", help: "this request (default: the first broken one)" },
      { name: "last", help: "the last request" },
      { name: "as-recorded", help: "as the log has it, without repairs" },
      {
        name: "prove",
        help: "the broken and the repaired history in turn, with a table of what the model did",
      },
      { name: "times", value: "K", help: "so many times each (default: 1; with --prove 3)" },
      { name: "max-rounds", value: "N", help: "go on for at most so many rounds (default: 8)" },
      {
        name: "tool-result",
        value: "TOOL=FILE",
        help: "what a tool returns, in place of the log's results; tools are never run",
      },
      { name: "stream", help: "ask for a stream, whatever the log did" },
      { name: "no-stream", help: "ask for no stream" },
      { name: "timeout", value: "SECONDS", help: "how long to wait for the next bytes (default: 300)" },
      {
        name: "max-time",
        value: "SECONDS",
        help: "how long one reply may take in all (default: ten times --timeout)",
      },
      { name: "dry-run", help: "print the request and send nothing" },
      {
        name: "output",
        short: "o",
        value: "FILE",
        help: "keep the traffic as a recording; with --format html, write the page",
      },
      redact,
      { name: "yes", help: "do not ask before the first request is sent" },
      { ...page, value: "text|json|html[=FILE]" },
      open,
      ...ofLogs,
    ],
    examples: [
      ["toollint replay run.log --provider openai", "the first broken request, repaired"],
      [
        "toollint replay run.log --base-url http://127.0.0.1:11434/v1 --model qwen3",
        "to a server of your own",
      ],
      [
        "toollint replay run.log --provider anthropic --prove --times 5",
        "broken against repaired, five times each",
      ],
    ],
    exits: [
      "0  the model got on: its replies pass the rules",
      "1  it did not, or the provider refuses the history",
      "2  could not do the work: no target, no key, unreachable, unknown model, no more requests let through",
    ],
  },
  {
    name: "record",
    positional: "[command..]",
    usage: "-o FILE [-- command]",
    summary: "keep the traffic of a program with its models as a log",
    options: [
      { name: "output", short: "o", value: "FILE", help: "the recording: a line an exchange, as it ends" },
      { name: "append", help: "add to a recording that is there" },
      { name: "overwrite", help: "begin a recording that is there anew" },
      {
        name: "upstream",
        value: "NAME=URL",
        help: "where requests go on to, for one provider or (URL alone) for all; may be given several times",
      },
      { name: "port", value: "N", help: "the port on 127.0.0.1 (default: any that is free)" },
      allowOrigin,
      redact,
      {
        name: "strict",
        help: "answer what the provider would refuse in its own words, and do not send it",
      },
      {
        name: "profile",
        value: "NAME",
        help: "who judges with --strict (default: the provider at the upstream's address)",
      },
      { name: "check", help: "check the recording at the end; its findings fail the command" },
      { name: "live", help: "print findings as they happen" },
      color,
      help,
    ],
    examples: [
      ["toollint record -o run.jsonl -- npm test", "what a command says to its models"],
      ["toollint record -o run.jsonl --check -- python agent.py", "and whether that is right, for CI"],
      ["toollint record -o run.jsonl --strict -- npm test", "a broken history costs nothing, and fails"],
      ["toollint record -o run.jsonl --port 8787", "until Ctrl-C; point your clients at its address"],
    ],
    exits: [
      "the command's own; without a command 0",
      "1  the command ended well, and the recording has findings (--check), or a request was refused (--strict)",
      "2  could not do the work: bad usage, no such command, a file that cannot be written",
    ],
  },
  {
    name: "serve",
    positional: "[log..]",
    usage: "[log] [-- command]",
    summary: "a model server for tests that refuses what the provider refuses, without keys",
    options: [
      { name: "port", value: "N", help: "the port (default: any that is free)" },
      {
        name: "host",
        value: "ADDRESS",
        help: "where to listen (default: 127.0.0.1, for this machine only)",
      },
      allowOrigin,
      {
        name: "profile",
        value: "NAME",
        help: "the provider to be (default: for each API its own provider); `toollint formats` lists them",
      },
      {
        name: "script",
        value: "FILE",
        help: "what the model says, as YAML or JSON (default: the replies of the log, or one short text in answer to every turn)",
      },
      {
        name: "fault",
        value: "N:KIND",
        help: "what goes wrong in turn N (2-4 and * for several), such as 3:429,retry-after=2 or 1:cut@5; may be given several times",
      },
      {
        name: "journal",
        value: "FILE",
        help: "keep what came and what was answered as a log, which `check` reads",
      },
      { name: "append", help: "add to a journal that is there" },
      { name: "overwrite", help: "begin a journal that is there anew" },
      { name: "lenient", help: "answer what the provider would refuse, and warn" },
      container,
      color,
      config,
      noConfig,
      help,
    ],
    examples: [
      ["toollint serve -- npm test", "a test fails where its client sends a broken history"],
      ["toollint serve run.jsonl -- npm test", "the model says what it said in the log"],
      ["toollint serve --script replies.yaml -- npm test", "the model says what the script says"],
      ["toollint serve --fault 2:529 --fault 5:cut@3 -- npm test", "two of the answers fail"],
      ["toollint serve --profile mistral -- pytest", "the same, as strict as Mistral"],
      ["toollint serve --port 8787", "until Ctrl-C; point your clients at its address"],
    ],
    exits: [
      "the command's own, if that is not 0",
      "0  every request was answered as planned",
      "1  a history was refused, or a request had no answer, even if the client hid it",
      "2  could not do the work: bad usage, a wrong script, no such command, a port that is in use, a file that cannot be read or written",
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
        help: "which rule a provider's error text means and, with a log in place of the rule, which line (- reads the text from standard input)",
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
        "the line that a 400 means",
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
    summary: "write a config file in which every setting is explained, or a sample log to try",
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
    exits: ["0  written", "2  there is one already, or it cannot be written"],
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
