import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fileState } from "../../src/cli/files/file-state.ts";
import { replaceFile } from "../../src/cli/files/replace.ts";
import { toollint } from "./program.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-hostile-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** The part of a credential that nobody may see. */
const secret = "QZ7xKw9VbJ3mPq5RtY8uLd2Nf6Hg4Sc1";

/** A stretch of the secret that somebody could search for. */
function shown(text: string): string | undefined {
  for (let at = 0; at + 7 <= secret.length; at++) {
    const found = text.indexOf(secret.slice(at, at + 7));
    if (found >= 0) return text.slice(Math.max(0, found - 60), found + 40);
  }
  return undefined;
}

/** What a terminal or a runner of CI would obey, or what would hide something. */
const acting =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufeff\ufffd]|^\s*::|##\[/m;

/** A run that forgets its calls, in which everything that a log says holds the text. */
function forgetful(text: string): string {
  const tool = `tool.${text}`;
  const id = `call.${text}`;
  const call = {
    id,
    type: "function",
    function: { name: tool, arguments: JSON.stringify({ [text]: text }) },
  };
  const asked = [
    { role: "system", content: text },
    { role: "user", content: text },
  ];
  const body = (messages: object[]): object => ({
    model: `m.${text}`,
    tools: [{ type: "function", function: { name: `other.${text}`, description: text } }],
    messages,
    [text]: text,
  });
  const exchange = (request: object, status: number, reply: object): string =>
    JSON.stringify({
      request: {
        method: "POST",
        url: `https://user:${secret}@api.openai.com/v1/chat/completions?api-key=${secret}`,
        headers: {
          authorization: `Bearer ${secret}`,
          cookie: `session="${secret}"; theme=dark`,
          "x-auth-token": secret,
          "content-type": "application/json",
        },
        body: request,
      },
      response: { status, headers: { "set-cookie": `a=${secret}` }, body: reply },
    });
  const reply = (message: object, finish: string): object => ({
    id: text,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: finish }],
  });
  return `${[
    exchange(body(asked), 200, reply({ role: "assistant", content: text, tool_calls: [call] }, "tool_calls")),
    exchange(
      body([...asked, { role: "tool", tool_call_id: id, content: text }]),
      200,
      reply({ role: "assistant", content: text, tool_calls: [call] }, "tool_calls"),
    ),
    exchange(body([{ role: "tool", tool_call_id: id, content: text }]), 400, {
      error: { message: `No tool call found for ${text}`, type: text },
    }),
  ].join("\n")}\n`;
}

const formats = ["text", "lines", "json", "jsonl", "sarif", "junit", "gitlab", "markdown"];
const commands: readonly (readonly string[])[] = [
  ...formats.map((format) => ["check", "LOG", "--format", format]),
  ["show", "LOG"],
  ["show", "LOG", "--full"],
  ["show", "LOG", "--format", "json"],
  ["diff", "LOG", "other.jsonl"],
  ["diff", "LOG", "other.jsonl", "--format", "json"],
  ["diff", "LOG", "other.jsonl", "--format", "markdown"],
  ["diff", "LOG", "--steps"],
  ["fix", "LOG", "--dry-run", "--unsafe"],
  ["fix", "LOG", "--dry-run", "--format", "json"],
  ["shrink", "LOG", "-o", "small.jsonl"],
  ["report-bug", "LOG"],
  ["shrink", "LOG", "-o", "small.jsonl", "--format", "json"],
  ["explain", "--error", "TEXT messages[1]", "LOG"],
  ["explain", "--error", "TEXT messages[1]", "--format", "json"],
  ["explain", "TEXT"],
  ["replay", "LOG", "--base-url", `http://127.0.0.1:9/v1?key=${secret}`, "--dry-run"],
  ["replay", "LOG", "--base-url", `http://127.0.0.1:9/v1?key=${secret}`],
  ["replay", "LOG", "--base-url", "http://127.0.0.1:9/v1", "--header", "TEXT"],
  ["check", "TEXT"],
  ["check", "LOG", "--format", "TEXT"],
  ["check", "LOG", "--rule", "TEXT"],
];

const texts: Readonly<Record<string, string>> = {
  "an API key": `sk-proj-${secret}`,
  "a key behind an escape": `KEY:\nsk-ant-${secret}`,
  "a bearer token": `Authorization: Bearer ${secret}`,
  "a basic login": `authorization: Basic ${secret}`,
  "a password in a URL": `https://user:${secret}@host.example/v1?access_token=${secret}`,
  "a member of JSON": `{"api_key": "${secret}", "password": "${secret}"}`,
};

fs.writeFileSync(path.join(folder, "other.jsonl"), forgetful("plain"));

describe.each(Object.entries(texts))("%s is not shown", (name, text) => {
  const log = `${name.replaceAll(" ", "-")}.jsonl`;
  fs.writeFileSync(path.join(folder, log), forgetful(text));

  test.each(commands.map((command) => [command.join(" "), command] as const))("by %s", async (_, command) => {
    const args = command.map((word) => (word === "LOG" ? log : word.replace("TEXT", text)));
    const { stdout, stderr } = await toollint(args, { cwd: folder, columns: 60 });
    expect(shown(stdout + stderr)).toBeUndefined();
    expect(stderr).not.toContain("internal error");
  });
});

describe("what acts is made visible", () => {
  const text =
    "a\u001b[31m\u009b2J\u202e\u200b\u2028\u0000\ud800 ::error::b\n::stop-commands::c\n##[group]d\r::warning::e";
  fs.writeFileSync(path.join(folder, "acts.jsonl"), forgetful(text));

  test.each(commands.map((command) => [command.join(" "), command] as const))("by %s", async (_, command) => {
    const args = command.map((word) => (word === "LOG" ? "acts.jsonl" : word.replace("TEXT", text)));
    for (const columns of [40, 100]) {
      const { stdout, stderr, exit } = await toollint(args, { cwd: folder, columns });
      expect(acting.exec(stdout + stderr)?.[0]).toBeUndefined();
      expect(stderr).not.toContain("internal error");
      expect([0, 1, 2]).toContain(exit);
    }
  });
});

test("half a surrogate pair in a model's name does not get into a URL", async () => {
  const args = ["--base-url", "http://127.0.0.1:9", "--to", "gemini", "--model", "a\ud800", "--dry-run"];
  const { stdout } = await toollint(["replay", "other.jsonl", ...args], { cwd: folder });
  expect(stdout).toContain("POST http://127.0.0.1:9/v1beta/models/a%EF%BF%BD:generateContent\n");
});

describe("a repaired log", () => {
  const content = `KEY=${secret}\nAuthorization: Bearer ${secret}\nhttps://host.example/?key=${secret}`;
  const log = `${forgetful(content).split("\n").slice(0, 2).join("\n")}\n`;

  test("that goes to a file of its own keeps what the bodies hold, and no auth header, cookie or key of a URL", async () => {
    fs.writeFileSync(path.join(folder, "log.jsonl"), log);
    const { exit } = await toollint(["fix", "log.jsonl", "-o", "fixed.jsonl"], { cwd: folder });
    expect(exit).toBe(0);
    const [first = ""] = fs.readFileSync(path.join(folder, "fixed.jsonl"), "utf8").split("\n");
    const { request, response } = JSON.parse(first);
    const mask = "*".repeat(secret.length);
    expect(request.url).toBe(`https://user:${mask}@api.openai.com/v1/chat/completions?api-key=${mask}`);
    expect(request.headers).toEqual({
      authorization: `Bearer ${mask}`,
      cookie: `********"${mask}"************`,
      "x-auth-token": mask,
      "content-type": "application/json",
    });
    expect(response.headers).toEqual({ "set-cookie": `**${mask}` });
    expect(request.body.messages[0].content).toBe(content);
  });

  test("that is masked already stays as it is", async () => {
    const again = await toollint(["fix", "fixed.jsonl"], { cwd: folder });
    expect(again.stdout).toBe(fs.readFileSync(path.join(folder, "fixed.jsonl"), "utf8"));
  });

  test("keeps its headers where it is repaired in place", async () => {
    fs.writeFileSync(path.join(folder, "place.jsonl"), log);
    await toollint(["fix", "place.jsonl", "--write"], { cwd: folder });
    const [before, after] = [log, fs.readFileSync(path.join(folder, "place.jsonl"), "utf8")].map((text) =>
      text.split("\n").map((line) => line && JSON.parse(line).request.headers),
    );
    expect(after).toEqual(before);
  });
});

describe("a log that is repaired in place", () => {
  const log = forgetful("plain").split("\n").slice(0, 2).join("\n");
  const place = path.join(folder, "written.jsonl");
  const pieces = [Buffer.from("repaired")];

  test("is left as it is when somebody wrote to it meanwhile", async () => {
    fs.writeFileSync(place, log);
    const read = fileState(place);
    fs.appendFileSync(place, "\nmore");
    await expect(replaceFile("written.jsonl", folder, pieces, read)).rejects.toThrow(
      "cannot repair written.jsonl in place: another program changed it in the meantime, so toollint did not write it; run the command again when no program writes to the file",
    );
    expect(fs.readFileSync(place, "utf8")).toBe(`${log}\nmore`);
    expect(fs.readdirSync(folder).filter((name) => /written.*bak|\.tmp$/.test(name))).toEqual([]);
  });

  test("is left as it is when somebody writes to it while the repaired one is written", async () => {
    fs.writeFileSync(place, log);
    const slow = function* (): Generator<Buffer> {
      yield* pieces;
      fs.appendFileSync(place, "\nmore");
    };
    await expect(replaceFile("written.jsonl", folder, slow(), fileState(place))).rejects.toThrow(
      "changed it in the meantime",
    );
    expect(fs.readFileSync(place, "utf8")).toBe(`${log}\nmore`);
    expect(fs.readdirSync(folder).filter((name) => /written.*bak|\.tmp$/.test(name))).toEqual([]);
  });

  test("is left as it is, without a backup, when the disk is full", async () => {
    fs.writeFileSync(place, log);
    const full = function* (): Generator<Buffer> {
      yield* pieces;
      throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    };
    await expect(replaceFile("written.jsonl", folder, full(), fileState(place))).rejects.toThrow(
      "cannot repair written.jsonl in place: no space left on the device",
    );
    expect(fs.readFileSync(place, "utf8")).toBe(log);
    expect(fs.readdirSync(folder).filter((name) => /written.*bak|\.tmp$/.test(name))).toEqual([]);
  });

  test("keeps its permissions, behind a link, too", async () => {
    fs.writeFileSync(place, log);
    fs.chmodSync(place, 0o640);
    fs.symlinkSync(place, path.join(folder, "link.jsonl"));
    expect(await replaceFile("link.jsonl", folder, pieces, fileState(place))).toBe("written.jsonl.bak");
    expect(fs.readFileSync(place, "utf8")).toBe("repaired");
    expect(fs.readFileSync(`${place}.bak`, "utf8")).toBe(log);
    expect([place, `${place}.bak`].map((file) => fs.statSync(file).mode & 0o777)).toEqual([0o640, 0o640]);
  });
});

test("logs from folders above each other go to one folder", async () => {
  const [deep, wide] = [path.join(folder, "a", "b", "c"), path.join(folder, "a")];
  fs.mkdirSync(deep, { recursive: true });
  fs.writeFileSync(path.join(wide, "run.jsonl"), forgetful("plain"));
  fs.writeFileSync(path.join(wide, "b", "run.jsonl"), forgetful("plain"));
  await toollint(["fix", "../run.jsonl", "../../run.jsonl", "-o", "out"], { cwd: deep });
  expect(fs.readdirSync(path.join(deep, "out"), { recursive: true }).sort()).toEqual([
    "b",
    "b/run.jsonl",
    "run.jsonl",
  ]);
});

test.each(["X-Team: a\u0000b", "X-Team: a\u0001", "X-Team: \u2713"])(
  "a header that cannot be sent (%j) is a sentence",
  async (header) => {
    const { exit, stderr } = await toollint(
      ["replay", "other.jsonl", "--base-url", "http://127.0.0.1:9/v1", "--header", header],
      { cwd: folder },
    );
    expect(exit).toBe(2);
    expect(stderr).toContain("toollint: `--header` needs a name and a value");
  },
);

test("a request that nests too deeply is not sent, and a sentence says so", async () => {
  const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  fs.writeFileSync(
    path.join(folder, "nested.jsonl"),
    `{"model":"m","x":${nested},"messages":[{"role":"user","content":"hi"}]}\n`,
  );
  const args = ["--base-url", "http://127.0.0.1:9/v1", "--dry-run"];
  expect(await toollint(["replay", "nested.jsonl", ...args], { cwd: folder })).toEqual({
    exit: 2,
    stdout: "",
    stderr: "toollint: the request is nested too deeply to send: no provider would accept it\n",
  });
});
