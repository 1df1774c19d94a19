// Writes the lists of what lies in folders: `npm run build` calls it, and `node indexes.mjs --check` fails
// where one is out of date.
import fs from "node:fs";
import path from "node:path";

const rulesFolder = path.join(import.meta.dirname, "src/rules");
const sessionsFolder = path.join(import.meta.dirname, "src/containers/sessions");

/** The folders of rules, in the order in which `explain` lists their rules, and what each is about. */
const titles = {
  history: "What the history lost on its way to the model",
  results: "Tool results",
  turns: "Turns and roles",
  ids: "Ids and references",
  arguments: "Arguments and tools",
  requests: "The form of requests",
  stream: "Streams and replies",
  lifecycle: "How replies end and what follows",
  loops: "Loops",
  "text-calls": "Calls that arrive as text",
  intent: "Calls that nobody asked for",
  hygiene: "Secrets, size and cost",
  reading: "What toollint could not read",
};
const groups = Object.keys(titles);

const note =
  "// Written by `npm run build` (indexes.mjs): a rule is a module with a page of the same name beside it.\n";

/** The bugs that people meet most come first in their group: reports that name a few of many rules name these. */
const first = [
  "orphaned-tool-result",
  "dropped-tool-call",
  "unanswered-tool-call",
  "dropped-turns",
  "missing-output-type",
  "lost-fragments",
  "unclosed-loop",
  "repeated-call",
];

/** Then the gravest. */
const severities = ["error", "warning", "info"];

/** Every rule, in the order in which they are listed. */
function findRules() {
  const folders = fs.readdirSync(rulesFolder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .flatMap(({ name: group }) =>
      fs
        .readdirSync(path.join(rulesFolder, group))
        .filter((file) => file.endsWith(".md"))
        .map((file) => readRule(group, file.slice(0, -".md".length))),
    )
    .sort(
      (a, b) =>
        groups.indexOf(a.group) - groups.indexOf(b.group) ||
        rankOf(a) - rankOf(b) ||
        severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
        (a.name < b.name ? -1 : 1),
    );
}

function rankOf({ name }) {
  const rank = first.indexOf(name);
  return rank < 0 ? first.length : rank;
}

function readRule(group, name) {
  if (!groups.includes(group))
    throw new Error(`indexes.mjs does not say where the group \`${group}\` stands`);
  const source = fs.readFileSync(path.join(rulesFolder, group, `${name}.ts`), "utf8");
  const variable = name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
  const severity = /^ {2}severity: "(\w+)",$/m.exec(source)?.[1];
  return { group, name, variable, severity, readsFile: !/^export default defineRule\(/m.test(source) };
}

function importsOf(rules, extension, more = []) {
  const imports = rules.map(({ group, name, variable }) => ({
    from: `./${group}/${name}.${extension}`,
    what: variable,
  }));
  return [...imports, ...more]
    .sort((a, b) => (a.from < b.from ? -1 : 1))
    .map(({ from, what }) => `import ${what} from "${from}";\n`)
    .join("");
}

function listOf(rules) {
  return groups
    .map((group) => rules.filter((rule) => rule.group === group))
    .filter((members) => members.length > 0)
    .map(
      (members) => `  // ${members[0].group}\n${members.map(({ variable }) => `  ${variable},\n`).join("")}`,
    )
    .join("");
}

function ruleIndex(rules) {
  const types = { from: "./rule.ts", what: "type { Rule, RuleInfo }" };
  return `${note}${importsOf(rules, "ts", [types])}
/** All rules that read conversations, in the order in which they are listed. */
export const rules: readonly Rule[] = [
${listOf(rules.filter(({ readsFile }) => !readsFile))}];

/** Everything that reports can name as a rule. */
export const ruleTable: readonly RuleInfo[] = [
  ...rules,
${listOf(rules.filter(({ readsFile }) => readsFile))}];

/** The same rules by what they are about. */
export const ruleGroups: readonly { readonly title: string; readonly rules: readonly RuleInfo[] }[] = [
${groups.map((group) => groupOf(group, rules)).join("")}];
`;
}

/** A group, as the formatter writes it: on one line where that fits. */
function groupOf(group, rules) {
  const names = rules.filter((rule) => rule.group === group).map(({ variable }) => variable);
  if (names.length === 0) return "";
  const title = JSON.stringify(titles[group]);
  const line = `  { title: ${title}, rules: [${names.join(", ")}] },\n`;
  if (fits(line)) return line;
  const list = `    rules: [${names.join(", ")}],\n`;
  const broken = `    rules: [\n${names.map((name) => `      ${name},\n`).join("")}    ],\n`;
  return `  {\n    title: ${title},\n${fits(list) ? list : broken}  },\n`;
}

/** Whether a line, with its line feed, keeps to the width of the code. */
function fits(line) {
  return line.length <= 111;
}

function pageIndex(rules) {
  return `${note}${importsOf(rules, "md")}
/** The pages of the rules, as \`explain\` prints them. Loaded late: they are long, and few runs show one. */
export const pages: Readonly<Record<string, string>> = {
${rules.map(({ name, variable }) => `  ${name.includes("-") ? `"${name}"` : name}: ${variable},\n`).join("")}};
`;
}

/** A session format is a module of `agents/` that states one; others there are parts of its reader. */
function sessionIndex() {
  const formats = fs
    .readdirSync(path.join(sessionsFolder, "agents"))
    .filter((file) => file.endsWith(".ts"))
    .filter((file) =>
      /^export const format: SessionFormat = /m.test(
        fs.readFileSync(path.join(sessionsFolder, "agents", file), "utf8"),
      ),
    )
    .map((file) => file.slice(0, -".ts".length))
    .sort()
    .map((name) => ({ name, variable: name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()) }));
  return `// Written by \`npm run build\` (indexes.mjs): a format is a module of agents/ that exports \`format\` and \`read\`.
import type { LazyContainer } from "../../traffic/container.ts";
${formats.map(({ name, variable }) => `import { format as ${variable} } from "./agents/${name}.ts";\n`).join("")}\
import { sessionContainers } from "./session.ts";

/** Session files of agents. A check loads only the \`format\` of each module at once (build.mjs). */
export const sessions: readonly LazyContainer[] = sessionContainers([
${formats.map(({ name, variable }) => `  [${variable}, () => import("./agents/${name}.ts")],\n`).join("")}]);
`;
}

/** The lists as they have to be, by path. */
function indexes() {
  const rules = findRules();
  return new Map([
    [path.join(rulesFolder, "index.ts"), ruleIndex(rules)],
    [path.join(rulesFolder, "pages.ts"), pageIndex(rules)],
    [path.join(sessionsFolder, "index.ts"), sessionIndex()],
  ]);
}

/** Those lists that differ from what lies in their folders. */
function staleIndexes() {
  return [...indexes()].filter(
    ([file, text]) => !fs.existsSync(file) || fs.readFileSync(file, "utf8").replaceAll("\r\n", "\n") !== text,
  );
}

/** Writes the lists that are out of date; the others keep their time. */
export function writeIndexes() {
  for (const [file, text] of staleIndexes()) fs.writeFileSync(file, text);
}

if (
  process.argv[1] &&
  fs.realpathSync(process.argv[1]) === import.meta.filename &&
  process.argv.includes("--check")
) {
  const stale = staleIndexes().map(([file]) => path.relative(import.meta.dirname, file));
  if (stale.length > 0) {
    process.stderr.write(`${stale.join(", ")}: run \`npm run build\`\n`);
    process.exitCode = 1;
  }
}
