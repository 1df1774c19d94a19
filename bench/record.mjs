#!/usr/bin/env node
/** What `record` adds to a request on loopback: the same requests straight and through it, in turn; the median of each. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const bin = process.env.TOOLLINT_BIN ?? join(import.meta.dirname, "..", "bin", "toollint.js");
const folder = mkdtempSync(join(tmpdir(), "toollint-bench-"));
const events = Array.from(
  { length: 50 },
  (_, at) => `data: {"choices":[{"delta":{"content":"word ${at} "}}]}\n\n`,
);
const server = http.createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const event of events) response.write(event);
    response.end("data: [DONE]\n\n");
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const straight = `http://127.0.0.1:${server.address().port}`;
const recorder = spawn(process.execPath, [
  bin,
  "record",
  "-o",
  join(folder, "run.jsonl"),
  "--upstream",
  straight,
]);

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const body = JSON.stringify({ messages: [{ role: "user", content: "x".repeat(200_000) }], stream: true });
async function ask(address) {
  const start = performance.now();
  await (await fetch(`${address}/chat/completions`, { method: "POST", body })).text();
  return performance.now() - start;
}

try {
  const through = await new Promise((resolve, reject) => {
    let said = "";
    recorder.stderr.on("data", (chunk) => {
      said += chunk;
      const found = /OPENAI_BASE_URL=(\S+)\n/.exec(said)?.[1];
      if (found) resolve(found);
    });
    recorder.on("exit", () => reject(new Error(said)));
  });
  const plain = [];
  const recorded = [];
  for (let round = 0; round < 220; round++) {
    const pair = [await ask(straight), await ask(through)];
    if (round < 20) continue;
    plain.push(pair[0]);
    recorded.push(pair[1]);
  }
  const [without, via] = [median(plain), median(recorded)];
  console.log(
    `record: a request of 200 kB and a stream of 50 events ${(via / without).toFixed(2)}× as long, ${(via - without).toFixed(1)} ms more`,
  );
} finally {
  recorder.kill("SIGTERM");
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
