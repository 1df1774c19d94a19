import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { commands } from "../src/cli/usage/commands.ts";
import { toollint } from "./cli/program.ts";

const root = path.join(import.meta.dirname, "..");
const pages = [
  "README.md",
  ...readdirSync(path.join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** ```` ```console ````: a command behind `$ `, and all that it prints. */
const block = /^```console\n\$ (?<command>.*)\n(?<shown>[\s\S]*?)^```$/gm;
const blocks = pages.flatMap((page) =>
  [...readFileSync(path.join(root, page), "utf8").matchAll(block)].map(({ 0: text, groups }) => ({
    page,
    text,
    command: groups?.["command"] ?? "",
    shown: groups?.["shown"] ?? "",
  })),
);

test("the README shows reports", () => {
  expect(blocks.filter(({ page }) => page === "README.md").length).toBeGreaterThanOrEqual(3);
});

test.each(blocks)("$command prints what $page says", async ({ page, text, command, shown }) => {
  const file = path.join(root, page);
  const [program, script, ...args] = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word ?? "",
  );
  expect([program, script]).toEqual(["node", "bin/toollint.js"]);
  const { stdout, stderr } = await toollint(args, { cwd: root });
  expect(stderr).toBe("");
  if (process.env["UPDATE"]) {
    const updated = `\`\`\`console\n$ ${command}\n${stdout}\`\`\``;
    writeFileSync(
      file,
      readFileSync(file, "utf8").replace(text, () => updated),
    );
  } else expect(stdout).toBe(shown);
});

/** What every command has, or explains itself in `--help`. */
const everywhere = new Set(["container", "protocol", "show-values", "color", "config", "no-config", "help"]);
const described = commands.filter(({ name }) => pages.includes(`docs/${name}.md`));

test.each(described)("docs/$name.md names the options of $name", ({ name, options }) => {
  const page = readFileSync(path.join(root, `docs/${name}.md`), "utf8");
  const unnamed = options
    .filter((option) => !everywhere.has(option.name))
    .filter((option) => !new RegExp(`--${option.name}\\b(?!-)|\\s\`?-${option.short ?? "-"} `).test(page))
    .map((option) => option.name);
  expect(unnamed).toEqual([]);
});

const { homepage, name, version, files } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
/** Where the files of the published package are to be seen. */
const published = new URL(".", homepage).href;

test("the home page is the published package, at this version", () => {
  expect(published).toBe(`https://unpkg.com/${name}@${version}/`);
});

test("the README links to nothing that the page of a registry would not find", () => {
  const targets = [...readFileSync(path.join(root, "README.md"), "utf8").matchAll(/\]\(([^)\s#]+)/g)].map(
    ([, target = ""]) => target,
  );
  expect(targets.length).toBeGreaterThan(10);
  const inPackage = (target: string) =>
    files.some((file: string) => target === published + file || target.startsWith(`${published}${file}/`));
  expect(targets.filter((target) => !inPackage(target))).toEqual([]);
});

test.each(pages)("what %s links to is there", (page) => {
  const text = readFileSync(path.join(root, page), "utf8").replace(/^```[\s\S]*?^```$/gm, "");
  const headings = (of: string) =>
    [...readFileSync(of, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    );
  for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    const isPublished = target.startsWith(published);
    if (/^https?:/.test(target) && !isPublished) continue;
    const [to = "", heading] = target.slice(isPublished ? published.length : 0).split("#");
    const folder = isPublished ? root : path.join(root, path.dirname(page));
    const linked = to === "" ? path.join(root, page) : path.join(folder, to);
    expect(existsSync(linked), target).toBe(true);
    if (heading !== undefined) expect(headings(linked), target).toContain(heading);
  }
});
