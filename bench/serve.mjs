#!/usr/bin/env node
/** What judging costs `serve`: the same requests of 20 kB to it and to a server that only parses them, in turn; the median of each. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { join } from "node:path";

const bin = process.env.TOOLLINT_BIN ?? join(import.meta.dirname, "..", "bin", "toollint.js");
const count = 2000;
const width = 8;

const result = "18 degrees and clear. ".repeat(38);
const call = (id) => ({
  id,
  type: "function",
  function: { name: "get_weather", arguments: '{"city":"Lima"}' },
});
const bodyOf = (seed) => {
  const rounds = Array.from({ length: 18 }, (_, at) => [
    { role: "assistant", content: null, tool_calls: [call(`call_${seed}_${at}`)] },
    { role: "tool", tool_call_id: `call_${seed}_${at}`, content: `${result}${at}` },
  ]);
  const messages = [{ role: "user", content: "What is the weather in Lima?" }, ...rounds.flat()];
  return Buffer.from(JSON.stringify({ model: "gpt-5", messages }));
};
const bodies = Array.from({ length: 100 }, (_, seed) => bodyOf(seed));

/** Answers as small a reply as the judge's server does. */
const plain = `
const http = require("node:http");
http.createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk)).on("end", () => {
    JSON.parse(Buffer.concat(chunks).toString());
    response.writeHead(200, { "content-type": "application/json" }).end('{"choices":[]}');
  });
}).listen(0, "127.0.0.1", function () { console.log(JSON.stringify({ url: "http://127.0.0.1:" + this.address().port })); });`;

async function start(args) {
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const [line] = await once(server.stdout, "data");
  return { server, port: new URL(JSON.parse(String(line).split("\n")[0]).url).port };
}

const agent = new http.Agent({ keepAlive: true, maxSockets: width });
async function ask(port, body) {
  const request = http.request({ port, agent, method: "POST", path: "/v1/chat/completions" });
  request.end(body);
  const [response] = await once(request, "response");
  if (response.statusCode !== 200) throw new Error(`answered with ${response.statusCode}`);
  await once(response.resume(), "end");
}

/** The seconds that `count` requests take. */
async function load(port) {
  let next = 0;
  const began = performance.now();
  const worker = async () => {
    while (next < count) await ask(port, bodies[next++ % bodies.length]);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return (performance.now() - began) / 1000;
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const judged = await start([bin, "serve"]);
const parsed = await start(["-e", plain]);
try {
  const times = { judged: [], parsed: [] };
  for (let round = 0; round < 6; round++) {
    const pair = [await load(judged.port), await load(parsed.port)];
    if (round === 0) continue;
    times.judged.push(pair[0]);
    times.parsed.push(pair[1]);
  }
  const [withJudge, withoutIt] = [median(times.judged), median(times.parsed)];
  console.log(
    `serve, requests of ${(bodies[0].length / 1000).toFixed(0)} kB: ${(withJudge / withoutIt).toFixed(1)}x of a server that only parses them, ${Math.round(count / withJudge)} a second here`,
  );
} finally {
  agent.destroy();
  for (const { server } of [judged, parsed]) server.kill();
}
