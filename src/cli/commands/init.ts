import { existsSync, lstatSync } from "node:fs";
import path from "node:path";
import { shellWord } from "../../reporters/shell.ts";
import { configNames, findConfig } from "../config/find.ts";
import { writeWhole } from "../files/atomic.ts";
import { type Io, print } from "../terminal/io.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";

/** Runs `toollint init` and returns its exit code. */
export async function initCommand(invocation: Invocation, io: Io): Promise<number> {
  const [folder] = invocation.words;
  if (invocation.has("sample")) return (await import("./sample.ts")).writeSample(folder, io);
  if (folder !== undefined)
    throw new Trouble(
      `the config file is written into this folder; for sample logs: \`toollint init --sample ${shellWord(folder)}\``,
    );
  // A symbolic link that leads to nothing yet would lead the file elsewhere.
  const existing = configNames.find((name) => lstatSync(path.join(io.cwd, name), { throwIfNoEntry: false }));
  if (existing !== undefined)
    throw new Trouble(`${existing} already exists and is unchanged; delete it to start over`);
  const above = findConfig(io.cwd);
  const [, name] = configNames;
  const installed = path.join(io.cwd, "node_modules/toollint/schemas/config.schema.json");
  await writeWhole(name, io.cwd, [template(existsSync(installed))]);
  await print(io.stdout, [
    `${name} written: it contains every setting, with an explanation.`,
    ...(above === undefined ? [] : [`It replaces ${path.relative(io.cwd, above)} in this folder and below.`]),
    "Next:  toollint check logs/                                 what is wrong",
    "       toollint check logs/ --baseline toollint-baseline.json --update-baseline",
    "                                                            from now on, only new findings fail",
  ]);
  return 0;
}

/** A config file that explains every setting and keeps all defaults. */
function template(hasSchema: boolean): string {
  const schema = '"$schema": "./node_modules/toollint/schemas/config.schema.json",';
  return `// Settings of \`toollint check\` for this folder and those below it. Options on the command line override them.
// \`toollint explain\` lists the rules; \`toollint explain RULE\` prints what one finds and its options.
{
  ${hasSchema ? schema : `// Lets editors check this file, once toollint is installed in the project:\n  // ${schema}`}

  // A level for each rule: off, info, warning or error, alone or with options of the rule.
  "rules": {
    // "eager-tool-prompt": "off",
    // "repeated-call": "error",
    // "runaway-loop": ["warning", { "maxRounds": 80 }],
  },

  // The lowest severity that fails the check: error, warning, info or never.
  "failOn": "error",
  // The check also fails if there are more warnings than this.
  // "maxWarnings": 10,

  // Whether the logs are complete, finished runs, as those of tests are: then a call still open at the end is an error.
  "complete": false,

  // The provider, the container and the protocol of the logs, if toollint cannot tell. \`toollint formats\` lists the names.
  // "profile": "openai",
  // "container": "text",
  // "protocol": "openai-chat",

  // Reports: FORMAT prints one, FORMAT=FILE writes it to a file. \`toollint check --help\` lists the formats.
  // "outputs": ["text", "sarif=toollint.sarif", "junit=toollint.xml"],

  // A file with known findings, which the check ignores; \`toollint check --update-baseline\` writes it.
  // "baseline": "toollint-baseline.json",

  // Settings for some of the logs. Globs are relative to this folder; the last one that matches wins.
  "overrides": [
    // { "files": ["logs/interactive/**"], "complete": false, "rules": { "unclosed-loop": "off" } },
  ],

  // Findings to ignore, by rule, file, tool or fingerprint, with the reason and, if you like, the last day.
  "ignore": [
    // { "rule": "repeated-call", "tool": "next_page", "reason": "pages are turned one by one", "expires": "2027-01-31" },
  ],
}
`;
}
