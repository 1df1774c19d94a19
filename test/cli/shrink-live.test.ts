import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import validate from "schema:shrink";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { serve } from "../../src/library/testing.ts";
import { answer, type Fault, rounds, storyLog } from "../replay/story.ts";
import { type StrictServer, type StrictServerOptions, strictServer } from "../replay/strict-server.ts";
import { toollint } from "./program.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-shrink-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const running: StrictServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function model(options: Partial<StrictServerOptions> = {}): Promise<StrictServer> {
  const server = await strictServer({ rounds, answer, ...options });
  running.push(server);
  return server;
}

function log(protocol: string, fault: Fault): string {
  const name = `${protocol}-${fault}.jsonl`;
  fs.writeFileSync(path.join(folder, name), storyLog(protocol, fault, false));
  return name;
}

const read = (name: string): string => fs.readFileSync(path.join(folder, name), "utf8");
const live = (file: string, server: StrictServer, ...args: string[]) =>
  toollint(["shrink", file, "--live", "--base-url", server.url, "-o", "small.jsonl", ...args], {
    cwd: folder,
  });

describe("shrink --live", () => {
  test("keeps what the server refuses, in one request, and says first what it may send", async () => {
    const server = await model();
    const file = log("openai-chat", "forgets-calls");
    const { exit, stdout, stderr } = await live(file, server, "--format", "json");
    expect(stderr).toBe(`toollint: sends at most 60 requests to ${server.url}/\n`);
    expect(exit).toBe(0);
    const report = JSON.parse(stdout);
    validate(report);
    expect(validate.errors).toBe(null);
    expect(report.live).toMatchObject({ outcome: "rejected", status: 400 });
    expect(report.live.requests).toBe(server.asked.length);
    const lines = read("small.jsonl").trim().split("\n");
    expect(lines).toHaveLength(1);
    const { request } = JSON.parse(lines[0] ?? "");
    expect(Object.keys(request).sort()).toEqual(["messages", "model"]);
    expect(request.messages.map(({ role }: { role: string }) => role).sort()).toEqual(["tool", "user"]);
    // The server does the same with the request as it was written.
    const last = server.asked.length;
    await toollint(["replay", "small.jsonl", "--as-recorded", "--base-url", server.url], { cwd: folder });
    expect(server.asked[last]?.body).toMatchObject(request);
  });

  test("sends no more than it may, and writes the smallest log so far", async () => {
    const server = await model();
    const file = log("openai-chat", "forgets-calls");
    const { exit, stdout } = await live(file, server, "--max-requests", "2", "--format", "json");
    expect(server.asked).toHaveLength(2);
    expect(JSON.parse(stdout)).toMatchObject({ isMinimal: false, live: { requests: 2 } });
    expect(exit).toBe(0);
    expect(read("small.jsonl")).not.toBe("");
  });

  test("writes the smallest log so far when it is stopped", async () => {
    // The third request gets no reply: it is stopped while it waits for one.
    const server = await model({ mishaps: [{}, {}, { isSilent: true }] });
    const file = log("openai-chat", "forgets-calls");
    const child = spawn(
      process.execPath,
      [
        path.join(import.meta.dirname, "../../bin/toollint.js"),
        ...["shrink", file, "--live", "--base-url", server.url, "-o", "stopped.jsonl", "--format", "json"],
      ],
      { cwd: folder, stdio: ["ignore", "pipe", "inherit"] },
    );
    let stdout = "";
    child.stdout.on("data", (data) => {
      stdout += data;
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    while (server.asked.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(server.asked).toHaveLength(3);
    expect(JSON.parse(stdout)).toMatchObject({ isMinimal: false, isSmaller: true });
    expect(read("stopped.jsonl").trim().split("\n")).toHaveLength(1);
  }, 30_000);

  test("keeps what toollint's own model server refuses", async () => {
    const server = await serve();
    try {
      const file = log("openai-chat", "forgets-calls");
      const base = `${server.url}/v1`;
      const { exit, stdout } = await toollint(
        ["shrink", file, "--live", "--base-url", base, "-o", "served.jsonl", "--format", "json"],
        { cwd: folder },
      );
      expect(exit).toBe(0);
      expect(JSON.parse(stdout).live).toMatchObject({ outcome: "rejected", status: 400 });
      const { request } = JSON.parse(read("served.jsonl"));
      expect(request.messages.map(({ role }: { role: string }) => role).sort()).toEqual(["tool", "user"]);
    } finally {
      await server.close();
    }
  });

  test("takes a busy server for no judgement", async () => {
    const server = await model({ mishaps: [{}, { status: 401, body: '{"error":{"message":"no"}}' }] });
    const file = log("openai-chat", "forgets-calls");
    const { stdout } = await live(file, server, "--format", "json");
    expect(JSON.parse(stdout).live).toMatchObject({ outcome: "rejected", skipped: 1 });
  });

  test("refuses a request that does not fail there", async () => {
    const server = await model({ rounds: [] });
    const file = log("openai-chat", "forgets-rounds");
    const { exit, stderr } = await live(file, server, "--rule", "dropped-turns");
    expect(stderr).toContain("nothing fails there: the model answers the request\n");
    expect(exit).toBe(2);
  });

  test("asks for a target where none is given", async () => {
    const file = log("openai-chat", "forgets-calls");
    const args = ["shrink", file, "--live", "-o", "small.jsonl"];
    const { exit, stderr } = await toollint(args, { cwd: folder });
    expect(stderr).toContain(`no target given: type \`toollint shrink --live ${file} --provider openai\``);
    expect(exit).toBe(2);
  });
});
