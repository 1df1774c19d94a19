import type { Command } from "./command.ts";
import { sharedOptions } from "./shared-options.ts";

const { color, config, container, format, help, noConfig, protocol } = sharedOptions;

/** Commands about toollint itself. */
export const otherCommands: readonly Command[] = [
  {
    name: "explain",
    positional: "[rule]",
    summary: "print what a rule finds, why it matters and what to do; without a name, all rules",
    options: [
      { name: "examples", help: "all examples of the rule's page, not only one" },
      {
        name: "error",
        value: "TEXT",
        help: "the rule that a provider's error text means, and the line in a log, if one is given (- reads the text from standard input)",
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
    exits: [
      "0  printed",
      "1  toollint does not recognise the error text",
      "2  there is no such rule, or the log cannot be read",
    ],
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
        help: "write a failing and a passing log into a new folder (toollint-sample), and say what to try",
      },
      help,
    ],
    examples: [
      ["toollint init", "a config file"],
      ["toollint init --sample", "a failing and a passing log in toollint-sample/"],
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
