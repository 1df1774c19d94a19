import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { toollint } from "../cli/program.ts";

const root = path.join(import.meta.dirname, "../..");
const sample = path.join(root, "samples/tested-agent");
const readme = readFileSync(path.join(root, "README.md"), "utf8");
const section = readme.slice(
  readme.indexOf("## Test an agent without a model"),
  readme.indexOf("## Commands"),
);

/** The output that the README shows, without its command. */
const [, broken = ""] = /^```text\n\$ .*\n([\s\S]*?)^```$/m.exec(section) ?? [];

async function testAgent(agent: string) {
  const { stdout, stderr, exit } = await toollint(
    ["serve", "--script", "replies.yaml", "--", "npm", "test"],
    {
      cwd: sample,
      env: { ...process.env, AGENT: agent, NO_COLOR: "1" },
    },
  );
  return { exit, said: `${stdout}${stderr}` };
}

/** Everything between the dots of the README stands in the output, in its order. */
function expectShown(shown: string, said: string): void {
  const parts = shown.split(/^…\n/m).filter((part) => part !== "");
  let from = 0;
  for (const part of parts) {
    const at = said.indexOf(part, from);
    expect(at, `${part}\nis not in\n${said}`).toBeGreaterThanOrEqual(from);
    from = at + part.length;
  }
}

test("the test of a project goes red on a dropped call", async () => {
  const { exit, said } = await testAgent("./forgetful-agent.mjs");
  expect(exit).toBe(1);
  expectShown(broken, said);
});

test("and green when the agent is repaired", async () => {
  const { exit, said } = await testAgent("./agent.mjs");
  expect(exit).toBe(0);
  expect(said).toContain("toollint: 2 requests, all answered");
});

test("the README shows the files of the project", () => {
  const shown = (language: string) =>
    new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "m").exec(section)?.[1];
  expect(shown("js")).toBe(readFileSync(path.join(sample, "agent.mjs"), "utf8"));
  expect(shown("yaml")).toBe(readFileSync(path.join(sample, "replies.yaml"), "utf8"));
  const whole = readFileSync(path.join(sample, "agent.mjs"), "utf8").split("\n");
  const forgetful = readFileSync(path.join(sample, "forgetful-agent.mjs"), "utf8").split("\n");
  expect(whole.filter((line) => !forgetful.includes(line))).toEqual(["    messages.push(message);"]);
});
