import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ruleGroups, ruleTable } from "../src/rules/index.ts";
import type { RuleInfo } from "../src/rules/rule.ts";

const folder = join(import.meta.dirname, "../src/rules");

/** The paths of the rules' pages, by rule. */
export const pagePaths: ReadonlyMap<string, string> = new Map(
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => [basename(file, ".md"), join(folder, file)]),
);

const grounds = {
  lost: "something is lost on its way to the model",
  refused: "a provider rejects it",
  misleads: "the model is led astray",
} as const;

const needed = {
  wire: "a log of requests as they were sent",
  history: "a log of requests as they were sent, or a session whose records are sent",
  requests: "a log of requests",
  anything: "any log",
  file: "any file",
} as const;

/** What docs/rules/ has to hold, by file name: the rules' pages with links, and a table of them all. */
export function ruleDocs(): Map<string, string> {
  return new Map([
    ["README.md", index()],
    ...ruleTable.map((rule): [string, string] => [`${rule.name}.md`, pageOf(rule)]),
  ]);
}

function index(): string {
  const groups = ruleGroups.map(({ title, rules }) => {
    const rows = rules.map(
      ({ name, severity, summary }) =>
        `| [\`${name}\`](${name}.md) | ${severity} | ${summary.replaceAll("|", "\\|")} |\n`,
    );
    return `## ${title}\n\n| rule | level | what it finds |\n|---|---|---|\n${rows.join("")}`;
  });
  return `# Rules

What \`toollint check\` finds, as \`toollint explain\` lists it. The levels are defaults: each page tells when its rule says more or less,
\`--rule ID:LEVEL\` and the config file change them.

${groups.join("\n")}`;
}

function pageOf(rule: RuleInfo): string {
  const { name, severity, ground, needs } = rule;
  const page = readFileSync(pagePaths.get(name) ?? "", "utf8")
    .replaceAll("\r\n", "\n")
    .trimEnd();
  const facts = `**${severity}**, because ${grounds[ground]} · needs ${needed[needs]} · [all rules](README.md)`;
  return `${linked(page, name).replace(/\n/, () => `\n\n${facts}\n`)}\n`;
}

/** Names of other rules as links to their pages; examples stay as they are. */
function linked(page: string, own: string): string {
  const names = new Set(ruleTable.map(({ name }) => name));
  return page
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) =>
      part.startsWith("```")
        ? part
        : part.replace(/(?<!\[)`([a-z-]+)`(?!\])/g, (code, name: string) =>
            names.has(name) && name !== own ? `[${code}](${name}.md)` : code,
          ),
    )
    .join("");
}
