import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answeringReply, callingReply, type ModelServer, modelServer } from "../record/model-server.ts";
import { type Outcome, toollint } from "./program.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-record-"));
let server: ModelServer;

beforeAll(async () => {
  server = await modelServer(({ body }, response) => {
    const { messages } = JSON.parse(body) as { messages: { role: string }[] };
    response.writeHead(200, { "Content-Type": "application/json" });
    const wantsMore = messages.at(-1)?.role === "user";
    response.end(wantsMore ? callingReply("call_w1", "weather") : answeringReply("Rain in Oslo."));
  });
  // An agent with one round; its first argument says whether it forgets the assistant's message.
  fs.writeFileSync(
    path.join(folder, "agent.mjs"),
    `const ask = async (messages) => (await (await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: { authorization: "Bearer " + process.env.OPENAI_API_KEY },
  body: JSON.stringify({ model: "gpt-4o", messages }),
})).json()).choices[0].message;
const first = { role: "user", content: "Weather in Oslo?" };
const reply = await ask([first]);
const result = { role: "tool", tool_call_id: "call_w1", content: "rain" };
const answer = await ask(process.argv[2] === "forgets" ? [first, result] : [first, reply, result]);
console.log(answer.content);
process.exitCode = Number(process.argv[3] ?? 0);
`,
  );
});
afterAll(async () => {
  await server.close();
  fs.rmSync(folder, { recursive: true });
});

function record(args: readonly string[], command: readonly string[] = []): Promise<Outcome> {
  const words = command.length > 0 ? ["--", process.execPath, ...command] : [];
  return toollint(["record", "--upstream", `openai=${server.url}`, ...args, ...words], {
    cwd: folder,
    env: { OPENAI_API_KEY: "sk-0123456789abcdefghij", PATH: process.env["PATH"] ?? "" },
  });
}

function recording(name: string): string {
  return fs.readFileSync(path.join(folder, name), "utf8");
}

describe("the traffic of a command becomes a log", () => {
  test("that check reads, without the key", async () => {
    const { exit, stdout, stderr } = await record(["-o", "good.jsonl"], ["agent.mjs", "keeps"]);
    expect(stdout).toBe("Rain in Oslo.\n");
    expect(stderr).toBe("toollint: 2 exchanges recorded in good.jsonl; next: `toollint check good.jsonl`\n");
    expect(exit).toBe(0);
    expect(recording("good.jsonl")).not.toContain("sk-0123456789abcdefghij");
    const checked = await toollint(["check", "good.jsonl", "--complete"], { cwd: folder });
    expect(checked.stdout).toBe("checked: 2 exchanges, 1 conversation, openai-chat\nno findings · passes\n");
    expect(checked.exit).toBe(0);
  });

  test("a signal to the recorder alone ends a command without a terminal, too", async () => {
    const child = spawn(
      process.execPath,
      [
        ...["bin/toollint.js", "record", "-o", path.join(folder, "alone.jsonl"), "--"],
        ...[process.execPath, "-e", "console.log('ready'); setInterval(() => {}, 1000)"],
      ],
      { cwd: path.join(import.meta.dirname, "..", ".."), stdio: ["ignore", "pipe", "ignore"] },
    );
    child.stdout.once("data", () => child.kill("SIGINT"));
    const exit = await new Promise((resolve) => child.on("close", resolve));
    expect(exit).toBe(130);
  }, 20_000);

  test("the exit code is the command's", async () => {
    expect((await record(["-o", "seven.jsonl", "--check"], ["agent.mjs", "forgets", "7"])).exit).toBe(7);
  });

  test("--check says at the end what is wrong, and fails", async () => {
    const { exit, stdout } = await record(["-o", "bad.jsonl", "--check"], ["agent.mjs", "forgets"]);
    expect(stdout).toContain("error[dropped-tool-call]");
    expect(exit).toBe(1);
  });

  test("--live says it while the command runs", async () => {
    const { exit, stderr } = await record(["-o", "live.jsonl", "--live"], ["agent.mjs", "forgets"]);
    expect(stderr).toMatch(/^live\.jsonl:2:\d+: error: .* \[dropped-tool-call\]\n/);
    expect(stderr.match(/\[dropped-tool-call\]/g)).toHaveLength(1);
    expect(exit).toBe(0);
  });
});

describe("--strict", () => {
  test("answers what the provider would refuse, in its words, and does not send it", async () => {
    const before = server.asked.length;
    const { exit, stdout, stderr } = await record(
      ["-o", "strict.jsonl", "--strict"],
      ["agent.mjs", "forgets"],
    );
    expect(server.asked.length - before).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain("rejected[orphaned-tool-result]  request 2: POST /openai/v1/chat/completions\n");
    expect(stderr).toMatch(/\ntoollint: 1 history was rejected and not sent · fails\n$/);
    const line = JSON.parse(recording("strict.jsonl").split("\n")[1] ?? "");
    expect(line.response.status).toBe(400);
    expect(line.response.headers["x-toollint"]).toBe("refused");
    expect(JSON.stringify(line.response.body)).toContain("messages with role 'tool' must be a response");
    expect(exit).toBe(1);
  });

  test("fails at the end, even if the command took the refusal well", async () => {
    const script = `const messages = [{ role: "tool", tool_call_id: "call_1", content: "rain" }];
fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  body: JSON.stringify({ model: "gpt-4o", messages }),
}).then(({ status }) => console.log(status));`;
    const { exit, stdout } = await record(["-o", "swallowed.jsonl", "--strict"], ["-e", script]);
    expect(stdout).toBe("400\n");
    expect(exit).toBe(1);
  });

  test("passes on what is whole, as it is", async () => {
    const { exit, stdout, stderr } = await record(["-o", "whole.jsonl", "--strict"], ["agent.mjs", "keeps"]);
    expect(stdout).toBe("Rain in Oslo.\n");
    expect(stderr).toBe(
      "toollint: 2 exchanges recorded in whole.jsonl; next: `toollint check whole.jsonl`\n",
    );
    expect(exit).toBe(0);
  });

  test("a named provider judges", async () => {
    const args = ["-o", "mistral.jsonl", "--strict", "--profile", "mistral"];
    const { stderr } = await record(args, ["agent.mjs", "forgets"]);
    expect(stderr).toMatch(/^ {2}mistral, 4\d\d: /m);
  });

  test("--profile alone judges nothing", async () => {
    const { exit, stderr } = await record(["-o", "idle.jsonl", "--profile", "vllm"], ["agent.mjs", "keeps"]);
    expect(stderr).toBe("toollint: `--profile` works only with `--strict`: add `--strict`\n");
    expect(exit).toBe(2);
  });
});

describe("nothing is lost", () => {
  test("a recording that is there is neither overwritten nor mixed up without being told", async () => {
    await record(["-o", "kept.jsonl"], ["agent.mjs"]);
    const before = recording("kept.jsonl");
    const { exit, stderr } = await record(["-o", "kept.jsonl"], ["agent.mjs"]);
    expect(stderr).toBe(
      "toollint: kept.jsonl already exists: add `--append` to continue it, or `--overwrite` to replace it\n",
    );
    expect(exit).toBe(2);
    expect(recording("kept.jsonl")).toBe(before);
    await record(["-o", "kept.jsonl", "--append"], ["agent.mjs"]);
    expect(recording("kept.jsonl").startsWith(before)).toBe(true);
    expect(recording("kept.jsonl").split("\n")).toHaveLength(5);
    await record(["-o", "kept.jsonl", "--overwrite"], ["agent.mjs"]);
    expect(recording("kept.jsonl").split("\n")).toHaveLength(3);
  });

  test("a recorder that is killed leaves every exchange that had ended", async () => {
    const child = spawn(
      process.execPath,
      ["bin/toollint.js", "record", "-o", path.join(folder, "killed.jsonl"), "--upstream", server.url],
      { cwd: path.join(import.meta.dirname, "..", ".."), stdio: ["ignore", "ignore", "pipe"] },
    );
    const address = await new Promise<string>((resolve) => {
      let said = "";
      child.stderr.on("data", (chunk) => {
        said += chunk;
        const found = /OPENAI_BASE_URL=(\S+)\n/.exec(said)?.[1];
        if (found) resolve(found);
      });
    });
    const body = JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "Weather?" }] });
    await (await fetch(`${address}/chat/completions`, { method: "POST", body })).text();
    await (await fetch(`${address}/chat/completions`, { method: "POST", body })).text();
    // The client may have its reply before the line is on the disk.
    while (recording("killed.jsonl").split("\n").length < 3) await new Promise((done) => setTimeout(done, 5));
    child.kill("SIGKILL");
    await new Promise((resolve) => child.on("close", resolve));
    const { stdout } = await toollint(["show", "killed.jsonl"], { cwd: folder });
    expect(stdout).toContain("2 exchanges");
  });

  test("Ctrl-C ends a recorder without a command well", async () => {
    const child = spawn(
      process.execPath,
      ["bin/toollint.js", "record", "-o", path.join(folder, "stopped.jsonl")],
      { cwd: path.join(import.meta.dirname, "..", ".."), stdio: ["ignore", "ignore", "pipe"] },
    );
    let said = "";
    let isStopped = false;
    child.stderr.on("data", (chunk) => {
      said += chunk;
      // A second one would end it at once.
      if (!isStopped && said.includes("until Ctrl-C")) isStopped = child.kill("SIGINT");
    });
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
    expect(said).toContain("no request arrived, so no exchange was recorded");
  });
});

describe("what cannot be done is said with what to type", () => {
  test.each([
    [[], ["-e", ""], "`toollint record` needs a file: `toollint record -o run.jsonl -- npm test`"],
    [["-o", "."], ["-e", ""], "cannot write .: it is a directory"],
    [
      ["-o", "nowhere/run.jsonl"],
      ["-e", ""],
      "cannot write nowhere/run.jsonl: there is no directory nowhere; create it first: `mkdir -p nowhere`",
    ],
    [["-o", "p.jsonl", "--port", "70000"], ["-e", ""], "`--port` must be at most 65535, not 70000"],
    [
      ["-o", "u.jsonl", "--upstream", "openia=http://127.0.0.1"],
      ["-e", ""],
      "there is no upstream `openia`; did you mean `openai`?",
    ],
    [
      ["-o", "u.jsonl", "--upstream", "api.example"],
      ["-e", ""],
      "`--upstream` needs an address such as `http://127.0.0.1:8000/v1` or `openai=https://gateway.example/v1`, not `api.example`",
    ],
  ])("%j", async (args, command, message) => {
    const { exit, stderr } = await record(args, command);
    expect(stderr).toBe(`toollint: ${message}\n`);
    expect(exit).toBe(2);
  });

  test("a command that does not exist", async () => {
    const { exit, stderr } = await toollint(["record", "-o", "none.jsonl", "--", "no-such-command"], {
      cwd: folder,
    });
    expect(stderr).toBe("toollint: there is no command `no-such-command`\n");
    expect(exit).toBe(2);
  });

  test("a port that is taken", async () => {
    const port = new URL(server.url).port;
    const { exit, stderr } = await record(["-o", "taken.jsonl", "--port", port], ["-e", ""]);
    expect(stderr).toBe(
      `toollint: port ${port} is in use: choose another with \`--port\`, or omit \`--port\`\n`,
    );
    expect(exit).toBe(2);
  });

  test("a command whose clients do not ask the recorder", async () => {
    const { exit, stderr } = await record(["-o", "silent.jsonl"], ["-e", ""]);
    expect(stderr).toContain("no exchange was recorded");
    expect(stderr).toContain("`--port 8787`");
    expect(exit).toBe(0);
  });

  test("a recording of a newer version", async () => {
    fs.writeFileSync(path.join(folder, "newer.jsonl"), '{"toollintRecording":2,"exchange":{}}\n');
    const { exit, stderr } = await toollint(["check", "newer.jsonl"], { cwd: folder });
    expect(stderr).toMatch(
      /^toollint: newer\.jsonl was recorded by a newer version of toollint than this one \(\d+\.\d+\.\d+\): upgrade toollint to read it\n$/,
    );
    expect(exit).toBe(2);
  });
});
