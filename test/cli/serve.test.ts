import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startModelServer } from "../../src/serve/serve.ts";
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
    expect(outcome.stderr).toBe(`rejected[orphaned-tool-result]  request 1: POST /openai/v1/chat/completions
  openai, 400: Invalid parameter: messages with role 'tool' must be a response to a preceeding
    message with 'tool_calls'.
  at /messages/1 · toollint explain orphaned-tool-result
toollint: 1 request, 1 history rejected · fails
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
    expect(stderr).toMatch(/the command sent no request to http:\/\/127\.0\.0\.1:\d+\n/);
    expect(stderr).toContain("`--port 8787`");
    expect(exit).toBe(0);
  });
});

describe("--script", () => {
  test("says what the model answers", async () => {
    fs.writeFileSync(
      path.join(folder, "rain.yaml"),
      "replies:\n  - text: Which town?\n  - text: It rains.\n",
    );
    const outcome = await serve(["--script", "rain.yaml"], ["agent.mjs", "keeps"]);
    expect(said(outcome)).toBe("200 It rains.\n");
    expect(outcome.stderr).toContain("note  1 reply of rain.yaml was never used: rain.yaml:2");
    expect(outcome.exit).toBe(0);
  });

  test("fails where it plans no answer, even if the command took it well", async () => {
    fs.writeFileSync(path.join(folder, "short.yaml"), "replies:\n  - text: Which town?\n");
    const { stderr, exit } = await serve(["--script", "short.yaml"], ["agent.mjs", "keeps"]);
    expect(stderr).toMatch(
      /^no answer {2}request 1: POST \/openai\/v1\/chat\/completions\n {2}the script has only 1 reply/,
    );
    expect(stderr).toMatch(/\ntoollint: 1 request, 1 without an answer · fails\n$/);
    expect(exit).toBe(1);
  });

  test("is refused with file and line when it is wrong", async () => {
    fs.writeFileSync(path.join(folder, "wrong.yaml"), "replies:\n  - txt: Which town?\n");
    const { stderr, exit } = await serve(["--script", "wrong.yaml"], ["agent.mjs", "keeps"]);
    expect(stderr).toMatch(/^toollint: wrong\.yaml:2: /);
    expect(exit).toBe(2);
  });
});

describe("a log", () => {
  test("says what the model answers, as it did", async () => {
    fs.writeFileSync(path.join(folder, "rain.yaml"), "replies:\n  - text: Which?\n  - text: It rains.\n");
    await serve(["--script", "rain.yaml", "--journal", "rain.jsonl"], ["agent.mjs", "keeps"]);
    const outcome = await serve(["rain.jsonl"], ["agent.mjs", "keeps"]);
    expect(said(outcome)).toBe("200 It rains.\n");
    expect(outcome.stderr).toBe("toollint: 1 request, all answered · passes\n");
    const other = await serve(
      ["rain.jsonl"],
      [
        "-e",
        `fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "Snow in Oslo?" }] }),
});`,
      ],
    );
    expect(other.stderr).toMatch(/^no answer {2}request 1: POST \/openai\/v1\/chat\/completions\n {2}\S/);
    expect(other.exit).toBe(1);
  });

  test("that holds no conversation", async () => {
    fs.writeFileSync(path.join(folder, "notes.txt"), "milk, eggs\n");
    const { exit, stderr } = await serve(["notes.txt"], ["-e", ""]);
    expect(stderr).toMatch(/^toollint: .*notes\.txt/);
    expect(exit).toBe(2);
    fs.mkdirSync(path.join(folder, "empty"), { recursive: true });
    expect((await serve(["empty"], ["-e", ""])).exit).toBe(2);
  });
});

describe("--fault", () => {
  const twice = `const ask = async () => {
  const messages = [{ role: "user", content: "Weather?" }];
  const body = JSON.stringify({ model: "gpt-4o", messages });
  const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body });
  console.log(response.status, response.headers.get("retry-after"));
};
ask().then(ask);`;

  test("lets an answer fail as planned, and that is no failure", async () => {
    const outcome = await serve(["--fault", "1:429,retry-after=2"], ["-e", twice]);
    expect(said(outcome)).toBe("429 2\n200 null\n");
    expect(outcome.stderr).toBe("toollint: 2 requests, 1 planned fault, the others answered · passes\n");
    expect(outcome.exit).toBe(0);
  });

  test("that no turn reached is said", async () => {
    const { stderr } = await serve(["--fault", "7:529"], ["-e", twice]);
    expect(stderr).toContain("note  the fault `7:529` was never applied: there were 2 turns\n");
  });

  test("is kept in the journal as it happened", async () => {
    const script = `fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  body: JSON.stringify({ model: "gpt-4o", stream: true, messages: [{ role: "user", content: "Weather?" }] }),
}).then((response) => response.text()).catch((error) => console.log(error.message));`;
    const args = ["--fault", "1:cut@1", "--journal", "cut.jsonl"];
    expect(said(await serve(args, ["-e", script]))).toBe("terminated\n");
    const { response, aborted } = JSON.parse(fs.readFileSync(path.join(folder, "cut.jsonl"), "utf8"));
    expect(aborted).toBe("server");
    expect(response.body).toMatch(/^data: \{.*\n\n$/);
  });
});

describe("--journal", () => {
  test("never replaces or continues the log or the script that answers", async () => {
    await serve(["--journal", "answers.jsonl"], ["agent.mjs", "keeps"]);
    fs.writeFileSync(path.join(folder, "own.yaml"), "replies:\n  - text: It rains.\n");
    const before = fs.readFileSync(path.join(folder, "answers.jsonl"), "utf8");
    for (const [args, file] of [
      [["answers.jsonl", "--journal", "./answers.jsonl", "--overwrite"], "answers.jsonl"],
      [["answers.jsonl", "--journal", "answers.jsonl", "--append"], "answers.jsonl"],
      [["--script", "own.yaml", "--journal", "own.yaml", "--overwrite"], "own.yaml"],
    ] as const) {
      const { exit, stderr } = await serve(args, ["agent.mjs", "keeps"]);
      expect(stderr).toBe(`toollint: \`--journal\` would overwrite the log ${file}: name another file\n`);
      expect(exit).toBe(2);
    }
    expect(fs.readFileSync(path.join(folder, "answers.jsonl"), "utf8")).toBe(before);
  });

  const read = (name: string): string => fs.readFileSync(path.join(folder, name), "utf8");

  test("keeps what came and what was answered, without the key, for check", async () => {
    const env = { OPENAI_API_KEY: "sk-0123456789abcdefghij" };
    const { stderr } = await serve(["--journal", "run.jsonl"], ["agent.mjs", "drops"], { env });
    expect(stderr).toContain("\ntoollint: 1 exchange recorded in run.jsonl\n");
    expect(read("run.jsonl")).not.toContain("sk-0123456789abcdefghij");
    const checked = await toollint(["check", "run.jsonl"], { cwd: folder });
    expect(checked.stdout).toContain("error[orphaned-tool-result]");
    expect(checked.stdout).toContain("because of it: provider-rejected (request 1)");
    expect(checked.exit).toBe(1);
  });

  test("holds whole replies that check takes for healthy", async () => {
    await serve(["--journal", "whole.jsonl"], ["agent.mjs", "keeps"]);
    const { stdout, exit } = await toollint(["check", "whole.jsonl", "--fail-on", "warning"], {
      cwd: folder,
    });
    expect(stdout).toContain("1 exchange, 1 conversation, openai-chat");
    expect(exit).toBe(0);
  });

  test("is not mixed up with one that is there without being asked", async () => {
    await serve(["--journal", "kept.jsonl"], ["agent.mjs", "keeps"]);
    const before = read("kept.jsonl");
    const { exit, stderr } = await serve(["--journal", "kept.jsonl"], ["agent.mjs", "keeps"]);
    expect(stderr).toMatch(/^toollint: kept\.jsonl already exists: add `--append`/);
    expect(exit).toBe(2);
    await serve(["--journal", "kept.jsonl", "--append"], ["agent.mjs", "keeps"]);
    expect(read("kept.jsonl").startsWith(before)).toBe(true);
    expect(read("kept.jsonl").split("\n")).toHaveLength(3);
    await serve(["--journal", "kept.jsonl", "--overwrite"], ["agent.mjs", "keeps"]);
    expect(read("kept.jsonl").split("\n")).toHaveLength(2);
  });

  test("keeps what was broken off when the command ended", async () => {
    // The client leaves while the server still waits to answer.
    const script = `const http = require("node:http");
const request = http.request(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST" });
request.on("error", () => {});
request.write("{");
setTimeout(() => process.exit(0), 50);`;
    const { exit, stderr } = await serve(["--journal", "left.jsonl"], ["-e", script]);
    expect(stderr).not.toContain("internal error");
    expect(exit).toBe(0);
  });
});

describe("who may ask", () => {
  const ask = (port: string, host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      http
        .get({ port, host: "127.0.0.1", path: "/v1/models", headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
        .on("error", reject);
    });

  test("names that a web page could own are turned away", async () => {
    const server = await startModelServer({ port: 0 });
    const { port } = new URL(server.url);
    expect(await ask(port, "evil.example.com")).toBe(403);
    expect(await ask(port, `localhost:${port}`)).not.toBe(403);
    expect(server.model.requests).toBe(1);
    await server.close();
  });

  test("with --host any name may ask, and others on the network are named", async () => {
    const script = `const { port } = new URL(process.env.OPENAI_BASE_URL);
require("node:http").get({ port, host: "127.0.0.1", path: "/v1/models", headers: { host: "ci.example.com" } },
  (response) => console.log(response.resume().statusCode));`;
    const outcome = await serve(["--host", "0.0.0.0"], ["-e", script]);
    expect(outcome.stderr).toMatch(
      /^toollint: `--host 0\.0\.0\.0`: others on the network can reach this server\n/,
    );
    expect(said(outcome)).not.toContain("403");
    expect((await serve(["--host", "localhost"], ["-e", ""])).stderr).not.toContain("others on the network");
  });
});

test("a target that is no address is none of an API, and the server goes on", async () => {
  const server = await startModelServer({ port: 0 });
  const { port } = new URL(server.url);
  const status = (target: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      http
        .get({ port, host: "127.0.0.1", path: target }, (response) => resolve(response.resume().statusCode))
        .on("error", reject);
    });
  expect(await status("//")).toBe(404);
  expect(await status("/%")).toBe(404);
  expect(server.model.otherRequests.map(({ request }) => request)).toEqual([1, 2]);
  await server.close();
});

test("a body that is too long has no answer", async () => {
  const server = await startModelServer({ port: 0 });
  const body = Buffer.alloc((32 << 20) + 1, " ");
  const { status } = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body });
  expect(status).toBe(413);
  expect(server.model.requests).toBe(1);
  expect(server.model.misses[0]?.why).toBe("the body has 33554433 bytes, more than the limit of 33554432");
  await server.close();
});

test("bytes that are no JSON are a refused request, not a history", async () => {
  const script = `fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body: "{bad" });`;
  const { stderr, exit } = await serve([], ["-e", script]);
  expect(stderr).toMatch(/^rejected {2}request 1: POST \/openai\/v1\/chat\/completions\n/);
  expect(stderr).toMatch(/\ntoollint: 1 request, 1 request rejected · fails\n$/);
  expect(exit).toBe(1);
});

test("--profile NAME/MODEL judges by that model's chat template", async () => {
  const script = `const messages = ["user", "user"].map((role) => ({ role, content: "Weather?" }));
fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  body: JSON.stringify({ model: "my-model", messages }),
}).then(({ status }) => console.log(status));`;
  expect(said(await serve(["--profile", "llama.cpp"], ["-e", script]))).toBe("200\n");
  expect(said(await serve(["--profile", "llama.cpp/gemma-2-9b"], ["-e", script]))).toMatch(/^[45]00\n$/);
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
    await (await fetch(`${url}/v1/nothing`, { method: "POST" })).text();
    child.kill("SIGINT");
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(1);
    expect(stderr).toContain("request 1: POST /v1/chat/completions rejected (400): Invalid parameter");
    expect(stderr).toContain("request 2: POST /v1/nothing has no answer: no API is served at");
    expect(stderr).toMatch(/\ntoollint: 2 requests, 1 history rejected, 1 without an answer · fails\n$/);
  });
});

describe("what cannot be done is said with what to type", () => {
  test.each([
    [["--port", "70000"], "`--port` must be at most 65535, not 70000"],
    [["--script", "none.yaml"], "cannot read none.yaml: there is no such file"],
    [["--fault", "1:428x"], /^`--fault`: /],
    [
      ["a.jsonl", "b.jsonl"],
      /^`toollint serve` answers from one log; `b\.jsonl` is unexpected. Put a command/,
    ],
    [
      ["a.jsonl", "--script", "a.yaml"],
      "the log and `--script` both define the model's answers: use one of them",
    ],
    [["none.jsonl"], /^cannot read none\.jsonl: there is no such file/],
    [["--append"], "`--append` works only with a journal: add `--journal FILE`"],
    [["--journal", "-"], "`--journal` needs a file: `--journal run.jsonl`"],
    [
      ["--journal", "nowhere/run.jsonl"],
      "cannot write nowhere/run.jsonl: there is no directory nowhere; create it first: `mkdir -p nowhere`",
    ],
    [
      ["--journal", "run.jsonl", "--append", "--overwrite"],
      "`--append` and `--overwrite` cannot be combined: use one of them",
    ],
    [["--host", "192.0.2.1"], "cannot listen on 192.0.2.1: this machine has no such address"],
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
    expect(stderr).toBe(
      `toollint: port ${port} is in use: choose another with \`--port\`, or omit \`--port\`\n`,
    );
    expect(exit).toBe(2);
  });

  test.each([
    ["replies:\n  - text: It rains.\n", "a.yaml is a script: `toollint serve --script a.yaml`"],
    [
      '\uFEFF{ "conversations": [{ "when": { "user": "rain" }, "replies": [{ "text": "It rains." }] }] }',
      "a.yaml is a script: `toollint serve --script a.yaml`",
    ],
    [
      '{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}\n',
      "a.yaml has no complete reply to answer with (1 exchange)",
    ],
  ])("a log that is none: %j", async (text, message) => {
    fs.writeFileSync(path.join(folder, "a.yaml"), text);
    const { exit, stderr } = await serve(["a.yaml"], ["-e", ""]);
    expect(stderr).toBe(`toollint: ${message}\n`);
    expect(exit).toBe(2);
  });
});
