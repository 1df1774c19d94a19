import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { logFolder, run } from "./cases.ts";
import { toollint } from "./program.ts";

const folder = logFolder();
const full = (name: string): string => path.join(folder, name);
const read = (name: string): string => fs.readFileSync(full(name), "utf8");
const reporting = (...args: string[]) => toollint(["report-bug", ...args], { cwd: folder, columns: 100 });

/** A result without its call, in a log full of somebody's words. */
function log(text: string): string {
  const user = { role: "user", content: `Find Lindqvistova of Brinkmann. ${text}` };
  const call = {
    id: "call_1",
    type: "function",
    function: { name: "find_customer", arguments: '{"surname":"Lindqvistova"}' },
  };
  const said = { role: "assistant", content: null, tool_calls: [call] };
  const result = { role: "tool", tool_call_id: "call_1", content: `Oberwaldt, \`\`\`\`44\`\`\`\` ${text}` };
  const reply = (message: object, finish: string): object => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    model: "gpt-4.1",
    choices: [{ index: 0, message, finish_reason: finish }],
  });
  return [
    { request: { model: "gpt-4.1", messages: [user] }, response: reply(said, "tool_calls") },
    {
      request: { model: "gpt-4.1", messages: [user, result] },
      response: reply({ role: "assistant", content: "Done." }, "stop"),
    },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

fs.writeFileSync(full("Brinkmann.jsonl"), log(""));

describe("report-bug", () => {
  test("writes Markdown with the finding, the versions and the small log, and nobody's words", async () => {
    const { exit, stdout, stderr } = await reporting("Brinkmann.jsonl", "--rule", "dropped-tool-call");
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    expect(stdout).toContain("### dropped-tool-call: what is wrong about this finding?\n");
    expect(stdout).toContain(`| Node.js | ${process.version}`);
    expect(stdout).toMatch(/^- error `dropped-tool-call` \(\w+\), line 2:\d+, exchange 2, /m);
    expect(stdout).toContain("find_customer");
    for (const word of ["Lindqvistova", "Brinkmann", "Oberwaldt", "surname"])
      expect(stdout.toLowerCase()).not.toContain(word.toLowerCase());
  });

  test("holds a log that shows the same finding", async () => {
    const { stdout } = await reporting("Brinkmann.jsonl", "--rule", "dropped-tool-call");
    const [, , pasted = ""] = /^(`{3,})jsonl?\n([\s\S]*?)\n\1$/m.exec(stdout) ?? [];
    fs.writeFileSync(full("pasted.jsonl"), `${pasted}\n`);
    const checked = await toollint(["check", "pasted.jsonl", "--format", "json"], { cwd: folder });
    const { findings } = JSON.parse(checked.stdout);
    expect(findings.map(({ rule }: { rule: string }) => rule)).toContain("dropped-tool-call");
  });

  test("is the same in each run with the same key, and hides names of tools when asked", async () => {
    const first = await reporting("Brinkmann.jsonl", "--key", "my.key");
    expect(first.stderr).toContain("created the key my.key");
    const again = await reporting("Brinkmann.jsonl", "--key", "my.key", "-o", "bug.md");
    expect(again.stdout).toBe("wrote bug.md; nothing was sent: read it before you post it\n");
    expect(read("bug.md")).toBe(first.stdout);
    const hidden = await reporting("Brinkmann.jsonl", "--names");
    expect(hidden.stdout).not.toContain("find_customer");
  });

  test("writes a log that is too large to be pasted beside the report", async () => {
    // One event holds all of the arguments, which the finding is about: nothing of it can go.
    const long = Array.from({ length: 9000 }, (_, index) => `word${index}`).join(" ");
    const call = (args: string): object => ({
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: "write", arguments: args },
    });
    const chunk = (delta: object, finish: string | null): string =>
      `data: ${JSON.stringify({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        model: "gpt-4.1",
        choices: [{ index: 0, delta, finish_reason: finish }],
      })}\n\n`;
    const events = [
      chunk({ role: "assistant", tool_calls: [call(`{"text":"${long}`)] }, null),
      chunk({}, "tool_calls"),
      "data: [DONE]\n\n",
    ];
    const request = { model: "gpt-4.1", messages: [{ role: "user", content: "Write" }] };
    fs.writeFileSync(full("large.jsonl"), `${JSON.stringify({ request, response: events.join("") })}\n`);
    const { exit, stderr } = await reporting("large.jsonl", "--rule", "incomplete-arguments");
    expect(exit).toBe(2);
    expect(stderr).toContain("`-o bug.md` writes it next to the report");
    const beside = await reporting("large.jsonl", "--rule", "incomplete-arguments", "-o", "large.md");
    expect(beside.stdout).toMatch(/^wrote large\.md, and large\.log\.jsonl? to attach; nothing was sent/);
    expect(read("large.md")).toContain("The log is attached: `large.log.json");
  });
});

describe("report-bug refuses", () => {
  run(folder, [
    {
      name: "a log without findings",
      args: ["report-bug", "healthy.jsonl"],
      err: "toollint: healthy.jsonl has no findings to report; to show a mistake that toollint missed, redact the log: `toollint redact healthy.jsonl -o shown.jsonl`\n",
      exit: 2,
    },
    {
      name: "to write over the log",
      args: ["report-bug", "Brinkmann.jsonl", "-o", "Brinkmann.jsonl"],
      err: /would overwrite the log Brinkmann\.jsonl/,
      exit: 2,
    },
    {
      name: "to write over a directory",
      args: ["report-bug", "Brinkmann.jsonl", "-o", "rotated"],
      err: "toollint: rotated is a directory: name a file in it: `-o rotated/bug.md`\n",
      exit: 2,
    },
    {
      name: "a directory that does not exist",
      args: ["report-bug", "Brinkmann.jsonl", "-o", "none/bug.md"],
      err: "toollint: there is no directory none; create it first: `mkdir -p none`\n",
      exit: 2,
    },
    {
      name: "what is no log",
      args: ["report-bug", "notes.txt"],
      err: /notes\.txt/,
      exit: 2,
    },
  ]);
});
