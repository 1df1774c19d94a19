import fs from "node:fs";
import { test } from "vitest";
import { brokenLog, healthyLog, loopLog, openLog } from "./logs.ts";
import { toollint } from "./program.ts";
test("x", async () => {
  fs.mkdirSync("/tmp/w", { recursive: true });
  fs.writeFileSync("/tmp/w/healthy.jsonl", healthyLog);
  fs.writeFileSync("/tmp/w/broken.jsonl", brokenLog);
  fs.writeFileSync("/tmp/w/open.jsonl", openLog);
  fs.writeFileSync("/tmp/w/loop.jsonl", loopLog(5));
  for (const args of [["check", "healthy.jsonl"], ["check", "broken.jsonl"], ["check", "open.jsonl"],["check", "open.jsonl","--complete"], ["check", "loop.jsonl"], ["show", "loop.jsonl"], ["show","broken.jsonl"]]) {
    const r = await toollint(args, { cwd: "/tmp/w" });
    console.log(args.join(" "), r.exit, `\n${r.stdout}`, r.stderr);
  }
});
