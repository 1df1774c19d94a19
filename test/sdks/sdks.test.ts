import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toollint } from "../cli/program.ts";
import { answer, rounds } from "../replay/story.ts";
import { type StrictServer, strictServer } from "../replay/strict-server.ts";

/**
 * Small agents written with the real SDKs, recorded by `record`: what is right is healthy for `check`, and what is wrong is found, fixed, and gets on in
 * `replay`.
 */

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-sdks-"));
let server: StrictServer;

beforeAll(async () => {
  server = await strictServer({ rounds, answer });
});
afterAll(async () => {
  await server.close();
  fs.rmSync(folder, { recursive: true });
});

async function recorded(agent: string, fault: string): Promise<{ file: string; said: string }> {
  const file = `${agent}-${fault}.jsonl`;
  const script = path.join(import.meta.dirname, `${agent}.mjs`);
  const { stdout } = await toollint(
    ["record", "-o", file, "--upstream", server.url, "--", process.execPath, script, fault],
    { cwd: folder, env: { PATH: process.env["PATH"] ?? "" } },
  );
  return { file, said: stdout };
}

describe("an agent that does it right is healthy", () => {
  test.each([["openai-chat"], ["openai-responses"], ["anthropic"], ["gemini"], ["ollama"], ["ai-sdk"]])(
    "%s",
    async (agent) => {
      const { file, said } = await recorded(agent, "none");
      expect(said).toBe(`${answer}\n`);
      const { stdout, exit } = await toollint(["check", file, "--complete"], { cwd: folder });
      expect(stdout).toMatch(/^checked: 3 exchanges, 1 conversation, .*\nno findings · passes\n$/s);
      expect(exit).toBe(0);
    },
  );
});

describe("an agent that does it wrong is found, fixed, and gets on", () => {
  test.each([
    ["openai-chat", "keeps-last-fragment", "lost-fragments"],
    ["openai-chat", "forgets-calls", "dropped-tool-call"],
    ["openai-responses", "rebuilds-history", "dropped-turns"],
    ["openai-responses", "forgets-type", "missing-output-type"],
    ["anthropic", "answers-first-call", "unanswered-tool-call"],
    ["anthropic", "rebuilds-history", "dropped-turns"],
    ["gemini", "rebuilds-history", "dropped-turns"],
    ["ollama", "forgets-calls", "dropped-tool-call"],
  ])("%s that %s: %s", async (agent, fault, rule) => {
    const { file, said } = await recorded(agent, fault);
    expect(said).not.toContain(answer);
    const { stdout, exit } = await toollint(["check", file], { cwd: folder });
    expect(stdout).toContain(`error[${rule}]`);
    expect(exit).toBe(1);
    const fixed = `fixed-${file}`;
    // What nobody answered needs a result that the log does not hold.
    const isLost = rule === "unanswered-tool-call";
    await toollint(["fix", file, "-o", fixed, ...(isLost ? ["--unsafe-inventing"] : [])], { cwd: folder });
    const after = await toollint(["check", fixed], { cwd: folder });
    expect(after.stdout).not.toContain(`[${rule}]`);
    const replayed = await toollint(
      ["replay", fixed, "--last", "--base-url", server.url, "--format", "json"],
      {
        cwd: folder,
      },
    );
    expect(JSON.parse(replayed.stdout)).toMatchObject({ verdict: "passes" });
  });
});
