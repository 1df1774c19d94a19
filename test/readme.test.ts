import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { toollint } from "./cli/program.ts";

const root = path.join(import.meta.dirname, "..");
const file = path.join(root, "README.md");

/** ```` ```console ````: a command behind `$ `, and all that it prints. */
const block = /^```console\n\$ (?<command>.*)\n(?<shown>[\s\S]*?)^```$/gm;
const blocks = [...readFileSync(file, "utf8").matchAll(block)].map(({ 0: text, groups }) => ({
  text,
  command: groups?.["command"] ?? "",
  shown: groups?.["shown"] ?? "",
}));

test("the README shows reports", () => {
  expect(blocks.length).toBeGreaterThanOrEqual(3);
});

test.each(blocks)("$command prints what the README says", async ({ text, command, shown }) => {
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
