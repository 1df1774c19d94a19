import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");
const dist = path.join(root, "dist");

/** Writes the name of each module to standard error when it is loaded. */
const watching = `
  const { writeSync } = require("node:fs");
  const Module = require("node:module");
  const { _load } = Module;
  Module._load = (id, parent, isMain) => {
    const name = id.startsWith("node:") ? id : Module._resolveFilename(id, parent, isMain);
    writeSync(2, "loads " + name + "\\n");
    return _load(id, parent, isMain);
  };
`;

/** What a run of the program loads: chunks without their hashes, and modules of Node. */
function loadedBy(...args: string[]): {
  readonly chunks: string[];
  readonly bytes: number;
  readonly node: string[];
} {
  const probe = path.join(folder, "probe.cjs");
  fs.writeFileSync(probe, watching);
  const { stderr } = spawnSync(process.execPath, ["--require", probe, "bin/toollint.js", ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" },
  });
  const names = [...new Set([...stderr.matchAll(/^loads (.+)$/gm)].map(([, name = ""]) => name))];
  const files = names.filter((name) => name.startsWith(dist));
  return {
    chunks: files.map((file) => path.basename(file, ".cjs").replace(/-\w+$/, "")),
    bytes: files.reduce((sum, file) => sum + fs.statSync(file).size, 0),
    node: names.filter((name) => name.startsWith("node:")).map((name) => name.slice("node:".length)),
  };
}

let folder: string;
let log: string;

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-start-"));
  log = path.join(folder, "run.jsonl");
  const question = { role: "user", content: "When is the next train to Bern?" };
  const request = { model: "gpt-5", messages: [question] };
  const message = { role: "assistant", content: "At 12:08, from platform 7." };
  const response = {
    id: "chatcmpl-1",
    object: "chat.completion",
    choices: [{ index: 0, finish_reason: "stop", message }],
  };
  const url = "https://api.openai.com/v1/chat/completions";
  fs.writeFileSync(log, `${JSON.stringify({ url, request, status: 200, response })}\n`);
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!fs.existsSync(dist))("the program loads what a run needs, and no more", () => {
  test("a check of a small healthy log: the check, and how its one protocol is written", () => {
    const { chunks, bytes } = loadedBy("check", "--no-config", log);
    expect(chunks.filter((name) => name !== "chunk").sort()).toEqual(["check", "cli", "openai-chat"]);
    // Twice as much takes twice as long to compile, at every start.
    expect(bytes).toBeLessThan(1_236_000);
  });

  test("the same: no module of Node that only a few logs need", () => {
    const { node } = loadedBy("check", "--no-config", log);
    expect(node).not.toContain("crypto");
    expect(node).not.toContain("child_process");
    expect(node).not.toContain("http");
    expect(node).not.toContain("worker_threads");
  });

  test("the version: not even the check", () => {
    const { chunks, bytes } = loadedBy("--version");
    expect(chunks.filter((name) => name !== "chunk")).toEqual(["cli"]);
    expect(bytes).toBeLessThan(60_000);
  });
});
