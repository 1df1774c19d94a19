// node fuzz/kill.mjs [--count N] [--seed N]: kills `fix --write` with SIGKILL at random moments. The log must
// be the old one or the new one, whole; each backup must be the old one; the next run removes what is left.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { count: { type: "string" }, seed: { type: "string" } } });
const count = Number(values.count ?? 100);
const seed = Number(values.seed ?? 1);
const program = path.join(import.meta.dirname, "../bin/toollint.js");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-kill-"));
const log = path.join(folder, "run.jsonl");

/** A log of about 4 MB in which every second request lacks the call that it answers. */
const filler = "x".repeat(32_000);
const record = (number) => {
  const call = { id: `call_${number}`, type: "function", function: { name: "read", arguments: "{}" } };
  const user = { role: "user", content: `${number} ${filler}` };
  const url = "https://api.openai.com/v1/chat/completions";
  const message = { role: "assistant", content: null, tool_calls: [call] };
  const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
  const first = { model: "gpt-5", messages: [user] };
  const next = {
    model: "gpt-5",
    messages: [user, { role: "tool", tool_call_id: call.id, content: filler }],
  };
  return `${JSON.stringify({ url, request: first, status: 200, response: { object: "chat.completion", choices } })}\n${JSON.stringify({ url, request: next, status: 400 })}\n`;
};
const before = Buffer.from(Array.from({ length: 60 }, (_, number) => record(number)).join(""));

const run = () => spawnSync(process.execPath, [program, "fix", "--write", log], { encoding: "utf8" });
fs.writeFileSync(log, before);
const whole = run();
const after = fs.readFileSync(log);
if (after.equals(before)) throw new Error(`nothing was repaired: ${whole.stderr}${whole.stdout}`);

let state = seed >>> 0;
const random = () => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const faults = [];
const seen = { old: 0, new: 0, drafts: 0 };
for (let round = 0; round < count; round++) {
  for (const name of fs.readdirSync(folder)) fs.rmSync(path.join(folder, name));
  fs.writeFileSync(log, before);
  const watcher = fs.watch(folder);
  const child = spawn(process.execPath, [program, "fix", "--write", log], { stdio: "ignore" });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  // The first event is the draft of the backup; writing both files takes some milliseconds.
  await Promise.race([ended, new Promise((resolve) => watcher.once("change", resolve))]);
  watcher.close();
  await new Promise((resolve) => setTimeout(resolve, 30 * random() ** 2));
  child.kill("SIGKILL");
  await ended;
  const content = fs.readFileSync(log);
  if (content.equals(before)) seen.old++;
  else if (content.equals(after)) seen.new++;
  else faults.push(`round ${round}: the log is neither the old nor the new one (${content.length} bytes)`);
  const others = fs.readdirSync(folder).filter((name) => name !== "run.jsonl");
  for (const name of others.filter((each) => each.includes(".bak"))) {
    if (!fs.readFileSync(path.join(folder, name)).equals(before))
      faults.push(`round ${round}: ${name} is not the old log`);
  }
  const drafts = others.filter((name) => name.endsWith(".tmp"));
  if (drafts.length === 0) continue;
  seen.drafts++;
  fs.writeFileSync(log, before);
  run();
  const left = fs.readdirSync(folder).filter((name) => name.endsWith(".tmp"));
  if (left.length > 0) faults.push(`round ${round}: the next run left ${left.join(", ")}`);
}
fs.rmSync(folder, { recursive: true });
console.log(
  `${count} kills (seed ${seed}): ${seen.old} old, ${seen.new} new, ${seen.drafts} with a draft that the next run removed, ${faults.length} faults`,
);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
