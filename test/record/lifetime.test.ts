import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toollint } from "../cli/program.ts";
import { answeringReply, type ModelServer, modelServer } from "./model-server.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-lifetime-"));
const bin = path.join(import.meta.dirname, "..", "..", "bin", "toollint.js");
const question = JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "Weather?" }] });
let server: ModelServer;

beforeAll(async () => {
  server = await modelServer(({ url }, response) => {
    if (url.endsWith("/stream")) {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"Ra"}}]}\n\n');
      return;
    }
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(url.includes("gemini") ? deepReply : answeringReply("Rain."));
  });
});
afterAll(async () => {
  await server.close();
  fs.rmSync(folder, { recursive: true });
});

/** A streamed argument whose path has thousands of steps. */
const deepReply = JSON.stringify({
  candidates: [
    {
      content: {
        role: "model",
        parts: [
          {
            functionCall: {
              name: "find",
              partialArgs: [{ jsonPath: `$${".a".repeat(20_000)}`, stringValue: "x" }],
            },
          },
        ],
      },
      finishReason: "STOP",
    },
  ],
});

interface Recorder {
  readonly child: ChildProcess;
  readonly address: string;
  said(): string;
  readonly ended: Promise<number | null>;
}

/** A recorder without a command, in a process of its own. */
async function recorder(file: string, ...args: string[]): Promise<Recorder> {
  const child = spawn(
    process.execPath,
    [bin, "record", "-o", file, "--upstream", `openai=${server.url}`, ...args],
    { cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const address = await new Promise<string>((resolve, reject) => {
    child.stderr?.on("data", (chunk) => {
      said += chunk;
      const found = /OPENAI_BASE_URL=(\S+)\n[\s\S]*others by their base URL/.exec(said)?.[1];
      if (found) resolve(found);
    });
    child.on("close", () => reject(new Error(said)));
  });
  return { child, address, said: () => said, ended };
}

const read = (name: string): string => fs.readFileSync(path.join(folder, name), "utf8");
const post = (address: string, last = "chat/completions") =>
  fetch(`${address}/${last}`, { method: "POST", body: question });
const ask = async (address: string): Promise<string> => (await post(address)).text();

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("an earlier recording goes only when all is ready", () => {
  const before = '{"toollintRecording":1}\n';
  const overwrite = async (args: readonly string[], command: readonly string[]) => {
    fs.writeFileSync(path.join(folder, "kept.jsonl"), before);
    const all = ["record", "-o", "kept.jsonl", "--overwrite", ...args, "--", ...command];
    return toollint(all, { cwd: folder, env: { PATH: process.env["PATH"] ?? "" } });
  };

  test.each([
    ["a command that does not exist", [], ["no-such-command"]],
    ["an unknown upstream", ["--upstream", "nobody=http://127.0.0.1"], ["true"]],
    ["an upstream in clear", ["--upstream", "openai=http://api.openai.com/v1"], ["true"]],
    ["an option that needs another", ["--profile", "mistral"], ["true"]],
    ["an origin that is none", ["--allow-origin", "*"], ["true"]],
    ["two options that exclude each other", ["--append"], ["true"]],
  ])("%s leaves it", async (_, args, command) => {
    expect((await overwrite(args, command)).exit).toBe(2);
    expect(read("kept.jsonl")).toBe(before);
  });

  test("a port that is taken leaves it", async () => {
    const taken = net.createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port } = taken.address() as net.AddressInfo;
    expect((await overwrite(["--port", `${port}`], ["true"])).exit).toBe(2);
    taken.close();
    expect(read("kept.jsonl")).toBe(before);
  });

  test("a run that records nothing leaves nothing that could pass for its recording", async () => {
    expect((await overwrite([], [process.execPath, "-e", ""])).exit).toBe(0);
    expect(read("kept.jsonl")).toBe("");
  });

  test("the journal of a model server is no other", async () => {
    fs.writeFileSync(path.join(folder, "journal.jsonl"), before);
    const args = ["serve", "--journal", "journal.jsonl", "--overwrite", "--", "no-such-command"];
    expect((await toollint(args, { cwd: folder })).exit).toBe(2);
    expect(read("journal.jsonl")).toBe(before);
  });
});

test("keys go to no provider in clear", async () => {
  const args = ["record", "-o", "clear.jsonl", "--", "true"];
  const { exit, stderr } = await toollint(args, {
    cwd: folder,
    env: { OPENAI_BASE_URL: "http://api.openai.com/v1" },
  });
  expect(stderr).toBe(
    "toollint: requests for openai would go to http://api.openai.com/v1 with unencrypted keys: `--upstream openai=https://api.openai.com/v1`\n",
  );
  expect(exit).toBe(2);
});

describe("a signal ends a recorder and leaves its log whole", () => {
  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s, with a stream open", async (signal) => {
    const file = `${signal}.jsonl`;
    const { child, address, ended, said } = await recorder(file, "--live");
    await ask(address);
    const stream = await post(address, "stream");
    const reader = stream.body?.getReader();
    await reader?.read();
    child.kill(signal);
    expect(await ended).toBe(0);
    await expect(reader?.read()).rejects.toThrow();
    const lines = read(file)
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ aborted }) => aborted)).toEqual([undefined, "recorder"]);
    expect(lines[1].response.body).toContain('"content":"Ra"');
    expect(said()).toContain(`2 exchanges recorded in ${file}`);
  });

  test("a command that takes no notice of the first is ended by the second", async () => {
    const ignores =
      "process.on('SIGINT', () => console.log('again')); console.log('ready'); setInterval(() => {}, 1000)";
    const child = spawn(
      process.execPath,
      [bin, "record", "-o", "stubborn.jsonl", "--", process.execPath, "-e", ignores],
      {
        cwd: folder,
        stdio: ["ignore", "pipe", "ignore"],
      },
    );
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
      if (String(chunk).includes("ready") || String(chunk).includes("again")) child.kill("SIGINT");
    });
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(137);
    expect(said).toBe("ready\nagain\n");
  });

  test("killed again and again, it goes on in the same file, and loses no exchange that had ended", async () => {
    const rounds = 6;
    for (let round = 0; round < rounds; round++) {
      const { child, address, ended } = await recorder("killed.jsonl", "--append");
      await ask(address);
      await until(() => (read("killed.jsonl").match(/"durationMs"[^\n]*\n/g)?.length ?? 0) > round);
      // One exchange is on its way to the file when it is killed.
      void ask(address).catch(() => {});
      if (round % 2 === 0)
        fs.appendFileSync(path.join(folder, "killed.jsonl"), '{"toollintRecording":1,"cut":');
      child.kill("SIGKILL");
      await ended;
    }
    const whole = read("killed.jsonl")
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line));
    expect(whole.length).toBeGreaterThanOrEqual(rounds);
    const { stdout } = await toollint(["show", "killed.jsonl"], { cwd: folder });
    expect(stdout).toContain("Rain.");
  });
});

describe("--live never ends the recording", () => {
  test("whatever the reply, and whatever happens to the file", async () => {
    const { child, address, ended, said } = await recorder("live.jsonl", "--live");
    const gemini = `${address}/gemini/v1beta/models/g:streamGenerateContent`;
    expect(await (await fetch(gemini, { method: "POST", body: '{"contents":[]}' })).text()).toBe(deepReply);
    await until(() => read("live.jsonl").includes("\n"));
    fs.rmSync(path.join(folder, "live.jsonl"));
    await ask(address);
    await until(() => fs.existsSync(path.join(folder, "live.jsonl")) && read("live.jsonl").includes("Rain."));
    fs.renameSync(path.join(folder, "live.jsonl"), path.join(folder, "live.jsonl.1"));
    await ask(address);
    await until(() => fs.existsSync(path.join(folder, "live.jsonl")) && read("live.jsonl").includes("Rain."));
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(said()).toContain(
      "live.jsonl was moved or removed during the recording: the recording continues in a new live.jsonl",
    );
    expect(said()).toContain("3 exchanges recorded in live.jsonl");
  });
});

test.runIf(fs.existsSync("/dev/full"))(
  "a full disk stops no traffic, and is an error at the end",
  async () => {
    const { child, address, ended, said } = await recorder("/dev/full");
    expect(await ask(address)).toBe(answeringReply("Rain."));
    expect(await ask(address)).toBe(answeringReply("Rain."));
    child.kill("SIGINT");
    expect(await ended).toBe(2);
    expect(said()).toContain(
      "cannot write /dev/full: no space left on the device; traffic is forwarded but not recorded\n",
    );
    expect(said()).toContain("2 of 2 exchanges could not be written to /dev/full\n");
  },
);
