import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Outcome, toollint, type World } from "./program.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-serve-"));

beforeAll(() => {
  // An agent with one round; its first argument says what it does with the assistant's message, its second
  // one how it exits.
  fs.writeFileSync(
    path.join(folder, "agent.mjs"),
    `const question = { role: "user", content: "Weather in Oslo?" };
const call = { id: "call_w1", type: "function", function: { name: "weather", arguments: "{}" } };
const told = process.argv[2] === "keeps" ? [{ role: "assistant", content: null, tool_calls: [call] }] : [];
const result = { role: "tool", tool_call_id: "call_w1", content: "rain" };
const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: { authorization: "Bearer " + process.env.OPENAI_API_KEY },
  body: JSON.stringify({ model: "gpt-4o", messages: [question, ...told, result] }),
});
const body = await response.json();
console.log(response.status, body.choices?.[0].message.content ?? body.error.message);
process.exitCode = Number(process.argv[3] ?? 0);
`,
  );
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

function serve(
  args: readonly string[],
  command: readonly string[] = [],
  world: World = {},
): Promise<Outcome> {
  const words = command.length > 0 ? ["--", process.execPath, ...command] : [];
  return toollint(["serve", ...args, ...words], { cwd: folder, ...world });
}

/** What the command wrote after the line about the server. */
function said({ stdout }: Outcome): string {
  return stdout.replace(/^\{"url":"http:\/\/127\.0\.0\.1:\d+","profile":"[^"]+"\}\n/, "");
}

describe("a command is led to the server", () => {
  test("and passes where its histories are whole", async () => {
    const outcome = await serve([], ["agent.mjs", "keeps"]);
    expect(outcome.stdout).toMatch(/^\{"url":"http:\/\/127\.0\.0\.1:\d+","profile":"openai"\}\n/);
    expect(said(outcome)).toBe("200 All done.\n");
    expect(outcome.stderr).toBe("toollint: 1 request, all answered · passes\n");
    expect(outcome.exit).toBe(0);
  });

  test("and fails where one is refused, even if the command took it well", async () => {
    const outcome = await serve([], ["agent.mjs", "drops"]);
    expect(said(outcome)).toMatch(/^400 Invalid parameter: messages with role 'tool' must be a response/);
    expect(outcome.stderr).toBe(`refused[orphaned-tool-result]  request 1: POST /openai/v1/chat/completions
  openai, 400: Invalid parameter: messages with role 'tool' must be a response to a preceeding
    message with 'tool_calls'.
  at /messages/1 · toollint explain orphaned-tool-result
toollint: 1 request, 1 history refused · fails
`);
    expect(outcome.exit).toBe(1);
  });

  test("the exit code is the command's if it failed", async () => {
    expect((await serve([], ["agent.mjs", "drops", "7"])).exit).toBe(7);
  });

  test("--lenient answers and warns", async () => {
    const outcome = await serve(["--lenient"], ["agent.mjs", "drops"]);
    expect(said(outcome)).toBe("200 All done.\n");
    expect(outcome.stderr).toMatch(/^warning\[orphaned-tool-result\] {2}request 1: /);
    expect(outcome.stderr).toMatch(/\ntoollint: 1 request, all answered, 1 warning · passes\n$/);
    expect(outcome.exit).toBe(0);
  });

  test("--profile names another provider", async () => {
    const { stdout } = await serve(["--profile", "mistral"], ["agent.mjs", "keeps"]);
    expect(stdout).toContain('"profile":"mistral"}\n');
  });

  test("every SDK finds an address and a key; a key that is there stays", async () => {
    const names = ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "AZURE_OPENAI_API_KEY"];
    const addresses = ["ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_HOST", "GROQ_BASE_URL"];
    const script = `for (const name of ${JSON.stringify([...names, ...addresses])}) console.log(process.env[name]);`;
    const outcome = await serve([], ["-e", script], { env: { ANTHROPIC_API_KEY: "own" } });
    expect(said(outcome).replaceAll(/127\.0\.0\.1:\d+/g, "HOST")).toBe(`toollint
own
toollint
toollint
http://HOST/anthropic
http://HOST/gemini
http://HOST/ollama
http://HOST/groq
`);
  });

  test("a command that asks nobody", async () => {
    const { exit, stderr } = await serve([], ["-e", ""]);
    expect(stderr).toContain("the command's clients did not ask http://127.0.0.1");
    expect(stderr).toContain("`--port 8787`");
    expect(exit).toBe(0);
  });
});

describe("without a command", () => {
  test("it serves until Ctrl-C, and says at once what it refuses", async () => {
    const child = spawn(process.execPath, ["bin/toollint.js", "serve"], {
      cwd: path.join(import.meta.dirname, "..", ".."),
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    const line = await new Promise<string>((resolve) =>
      child.stdout.once("data", (data) => resolve(`${data}`)),
    );
    const { url } = JSON.parse(line);
    const messages = [{ role: "tool", tool_call_id: "call_1", content: "\u001b[31mrain" }];
    const body = JSON.stringify({ model: "gpt-4o", messages });
    const { status } = await fetch(`${url}/v1/chat/completions`, { method: "POST", body });
    expect(status).toBe(400);
    await (await fetch(`${url}/v1/nothing`)).text();
    child.kill("SIGINT");
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(1);
    expect(stderr).toContain("request 1: POST /v1/chat/completions refused (400): Invalid parameter");
    expect(stderr).toContain("request 2: GET /v1/nothing has no answer: no API served here");
    expect(stderr).toMatch(/\ntoollint: 2 requests, 1 history refused, 1 without an answer · fails\n$/);
  });
});

describe("what cannot be done is said with what to type", () => {
  test.each([
    [["--port", "70000"], "`--port` goes up to 65535, not 70000"],
    [["--profile", "mistrol"], /^there is no profile `mistrol`; did you mean `mistral`\?/],
  ])("%j", async (args, message) => {
    const { exit, stderr } = await serve(args, ["-e", ""]);
    if (typeof message === "string") expect(stderr).toBe(`toollint: ${message}\n`);
    else expect(stderr.replace("toollint: ", "")).toMatch(message);
    expect(exit).toBe(2);
  });

  test("a command that does not exist", async () => {
    const { exit, stderr } = await toollint(["serve", "--", "no-such-command"], { cwd: folder });
    expect(stderr).toBe("toollint: there is no command `no-such-command`\n");
    expect(exit).toBe(2);
  });

  test("a port that is taken", async () => {
    const taken = net.createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as net.AddressInfo;
    const { exit, stderr } = await serve(["--port", String(port)], ["-e", ""]);
    taken.close();
    expect(stderr).toBe(`toollint: port ${port} is in use: name another with \`--port\`, or leave it out\n`);
    expect(exit).toBe(2);
  });
});
