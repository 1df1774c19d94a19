import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { checkFiles } from "../src/check/check.ts";
import { loopRules } from "../src/findings/occurrences.ts";
import type { CheckReport } from "../src/findings/report.ts";
import { memorySource } from "../src/reading/source.ts";
import { lines } from "../src/reporters/lines.ts";
import { ruleTable } from "../src/rules/index.ts";
import type { RuleInfo } from "../src/rules/rule.ts";
import { pagePaths, ruleDocs } from "./rule-docs.ts";

const required = ["What it does", "Why is this bad?", "How to fix", "Examples", "When not to use it"];
const optional = ["Consequences", "Common causes", "Fix safety", "Options"];

/** ```` ```jsonl reported [complete] ```` with the ```` ```text ```` below it, or ```` ```jsonl accepted [complete] ````. */
const example =
  /^```jsonl (?<verdict>reported|accepted)(?<flags>(?: \w+)*)\n(?<log>[\s\S]*?)^```\n(?:\n*```text\n(?<expected>[\s\S]*?)^```\n)?/gm;

/** What a rule alone has to say about a log, as the page shows it. */
async function output(rule: string, log: string, isComplete: boolean): Promise<string> {
  const source = memorySource("log.jsonl", Buffer.from(log));
  const { report } = await checkFiles([{ path: "log.jsonl", source }], { isComplete });
  const own: CheckReport["findings"] = report.findings.filter((finding) => finding.rule === rule);
  return [...lines({ findings: own.map((finding) => ({ ...finding, cause: null })) })]
    .map((line) => `${line}\n`)
    .join("");
}

/** How many exchanges of an example were understood. */
async function exchangesIn(log: string): Promise<number> {
  const { report } = await checkFiles([
    { path: "log.jsonl", source: memorySource("log.jsonl", Buffer.from(log)) },
  ]);
  return report.files[0]?.exchanges ?? 0;
}

/** The section of a page that lists the rule's options. */
function optionsSection({ name, options = {} }: RuleInfo): string {
  const entries = Object.entries(options);
  if (entries.length === 0) return "";
  const items = entries.map(
    ([option, { default: value, minimum, meaning }]) =>
      `- \`${option}\` (${value} unless configured, at least ${minimum}): ${meaning}.\n`,
  );
  const values = entries.map(([option, { default: value }]) => `"${option}": ${value}`).join(", ");
  return `## Options\n\n${items.join("")}\n\`\`\`json\n{ "rules": { "${name}": { ${values} } } }\n\`\`\`\n\n`;
}

const all = ruleTable;

test("every page belongs to a rule, and every rule has one", () => {
  expect([...pagePaths.keys()].sort()).toEqual(all.map(({ name }) => name).sort());
});

test("every rule that another one names is there", () => {
  const names = new Set(all.map(({ name }) => name));
  const named = all.flatMap(({ follows = [], sharedHabit }) => [
    ...follows.flatMap(({ rules = [] }) => rules),
    ...(sharedHabit ? [sharedHabit.with] : []),
  ]);
  expect(named.filter((name) => !names.has(name))).toEqual([]);
});

test("the rules about loops are those whose notes are rounds in reports", () => {
  const loops = [...pagePaths].filter(([, path]) => path.split(sep).at(-2) === "loops");
  expect(new Set(loops.map(([name]) => name))).toEqual(loopRules);
});

/** What the schema of config files says of a rule: a level; for a rule with options these, too, alone or behind a level. */
function settingSchema({ summary, options }: RuleInfo): object {
  const description = `${summary}.`;
  if (!options) return { description, $ref: "#/$defs/level" };
  const values = {
    properties: Object.fromEntries(
      Object.entries(options).map(([name, { default: value, minimum, meaning }]) => [
        name,
        { description: `${meaning}.`, type: "integer", minimum, default: value },
      ]),
    ),
    additionalProperties: false,
  };
  return {
    description,
    $ref: "#/$defs/setting",
    type: ["string", "object", "array"],
    ...values,
    minItems: 2,
    maxItems: 2,
    prefixItems: [{ $ref: "#/$defs/level" }, { type: "object", ...values }],
  };
}

test("the schema of config files knows every rule and its options", () => {
  const file = join(import.meta.dirname, "../schemas/config.schema.json");
  const schema = JSON.parse(readFileSync(file, "utf8"));
  const expected = Object.fromEntries(
    [...all].sort((a, b) => (a.name < b.name ? -1 : 1)).map((rule) => [rule.name, settingSchema(rule)]),
  );
  if (!process.env["UPDATE"]) expect(schema.$defs.rules.properties).toEqual(expected);
  else {
    schema.$defs.rules.properties = expected;
    writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
  }
});

describe.each(all.filter(({ name }) => pagePaths.has(name)))("the page of $name", (rule) => {
  const { name } = rule;
  const path = pagePaths.get(name) ?? "";
  const page = readFileSync(path, "utf8").replaceAll("\r\n", "\n");
  const examples = [...page.matchAll(example)].map(
    (match) => ({ text: match[0], ...match.groups }) as Record<string, string>,
  );

  test("has its title and the headings that every page has, in their order", () => {
    const headings = [...page.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^## (.+)$/gm)].map(
      (match) => match[1] ?? "",
    );
    expect(page.startsWith(`# ${name}\n`)).toBe(true);
    expect(headings.filter((heading) => !optional.includes(heading))).toEqual(required);
  });

  test("says where something has to change", () => {
    const section = /^## How to fix\n([\s\S]*?)(?=^## )/m.exec(page)?.[1] ?? "";
    expect(section).toMatch(/\b(?:client|server|prompt|tool|logger|toollint)\b/i);
    expect(section.trim().length).toBeGreaterThan(80);
  });

  test("lists the options of the rule, as the rule declares them", () => {
    const expected = optionsSection(rule);
    const section = /^## Options\n[\s\S]*?(?=^## )/m.exec(page)?.[0] ?? "";
    if (!process.env["UPDATE"]) expect(section).toBe(expected);
    else if (section !== expected) {
      const rest = section === "" ? page : page.replace(section, "");
      writeFileSync(
        path,
        rest.replace(/^## When not to use it$/m, (heading) => `${expected}${heading}`),
      );
    }
  });

  test("shows what is reported and what is not", () => {
    const verdicts = new Set(examples.map(({ verdict }) => verdict));
    expect([...verdicts].sort()).toEqual(["accepted", "reported"]);
    expect(page.match(/^```jsonl/gm)?.length).toBe(examples.length);
  });

  test.each(examples.filter(({ verdict }) => verdict === "accepted"))(
    "is silent about accepted example $#",
    async ({ log = "", flags = "" }) => {
      expect(await exchangesIn(log)).toBeGreaterThan(0);
      expect(await output(name, log, flags.includes("complete"))).toBe("");
    },
  );

  test("reports what it says it reports", async () => {
    const stored = readFileSync(path, "utf8");
    let written = stored;
    for (const { text = "", log = "", flags = "", expected = "" } of examples.filter(
      ({ verdict }) => verdict === "reported",
    )) {
      const found = await output(name, log, flags.includes("complete"));
      expect(found).not.toBe("");
      if (!process.env["UPDATE"]) expect(expected).toBe(found);
      const block = text.slice(0, text.indexOf("\n```\n") + 5);
      written = written.replace(text, () => `${block}\`\`\`text\n${found}\`\`\`\n`);
    }
    if (written !== stored) writeFileSync(path, written);
  });
});

describe("docs/rules", () => {
  const docs = join(import.meta.dirname, "../docs/rules");

  test("is made of the pages, as they are now (UPDATE=1 writes it)", () => {
    const expected = ruleDocs();
    if (process.env["UPDATE"]) {
      mkdirSync(docs, { recursive: true });
      for (const file of readdirSync(docs)) if (!expected.has(file)) rmSync(join(docs, file));
      for (const [file, text] of expected) writeFileSync(join(docs, file), text);
    }
    const written = readdirSync(docs).map((file): [string, string] => [
      file,
      readFileSync(join(docs, file), "utf8").replaceAll("\r\n", "\n"),
    ]);
    expect(written.map(([file]) => file).sort()).toEqual([...expected.keys()].sort());
    for (const [file, text] of written) expect(text).toBe(expected.get(file));
  });

  test("links to what is there", () => {
    const broken = [...ruleDocs()].flatMap(([file, text]) =>
      [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/\]\((?!https?:)([^)]+)\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !existsSync(join(docs, target)))
        .map((target) => `${file}: ${target}`),
    );
    expect(broken).toEqual([]);
  });
});
