import type { Command } from "./command.ts";
import { sharedOptions } from "./shared-options.ts";

const { allowOrigin, color, config, container, help, noConfig, ofLogs, open, page, redact } = sharedOptions;

/** Commands with traffic: they send requests, or answer and record them. */
export const liveCommands: readonly Command[] = [
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
        help: "send the broken and the repaired history in turn, and compare what the model does",
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
        group: "Output",
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
      {
        ...redact,
        value: "credentials",
        help: "also mask credentials in bodies (those in headers and URLs are always masked)",
      },
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
      ["toollint record -o run.jsonl --strict -- npm test", "a broken history fails, and costs nothing"],
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
        help: "a failure in turn N (2-4 and * for several), such as 3:429,retry-after=2 or 1:cut@5; repeatable",
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
];
