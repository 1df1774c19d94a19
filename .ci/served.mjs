#!/usr/bin/env node
/**
 * Sends every request of the corpus to a model server that has its log: of a healthy log none is refused and each gets an answer; in a log
 * with a planted fault the request with the fault is refused, where the provider refuses such faults; and once the log is repaired, nothing
 * is. Run it after a build.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fix, read } from "../dist/index.js";
import { serve } from "../dist/testing.js";

const corpus = join(import.meta.dirname, "..", "..", "shared", "corpus");
if (!existsSync(corpus)) process.exit(0);

/** The faults that a provider refuses; others only mislead its model, or happened in a reply. */
const refusable = new Set([
  "orphaned-tool-result",
  "unanswered-tool-call",
  "call-id-mismatch",
  "misplaced-tool-result",
  "missing-output-type",
  "duplicate-tool-result",
]);

/** The least share of refusable faults that has to be refused, in percent. */
const floor = 99;

/** Ollama checks no history. */
const lenient = new Set(["ollama"]);

const pathOf = {
  "openai-chat": () => "/v1/chat/completions",
  "openai-responses": () => "/v1/responses",
  anthropic: () => "/v1/messages",
  gemini: ({ model, isStreaming }) =>
    `/v1beta/models/${encodeURIComponent(model ?? "gemini-2.5-pro")}:${isStreaming ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  ollama: () => "/api/chat",
};

/** The body of a request as it stands in the log. */
function bodyOf({ place: { span } }) {
  let text = String(span.view.read(span.start, span.end));
  for (let level = span.level; level > 0; level--) text = JSON.parse(`"${text}"`);
  return text;
}

/** Which exchanges of a log, a path or bytes, were refused, and which got no answer. */
async function replay(log) {
  const { exchanges } = await read(log);
  const server = await serve({ log });
  const refused = new Set();
  const unanswered = new Set();
  const taken = [];
  for (const { number, protocol, request, reply, purpose, fidelity } of exchanges) {
    if (!request || request.isBare || purpose || fidelity !== "wire" || !pathOf[protocol]) continue;
    const body = bodyOf(request);
    const before = [server.refusals.length, server.misses.length];
    const response = await fetch(server.url + pathOf[protocol](request), {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body,
    });
    await response.text();
    if (server.refusals.length > before[0]) refused.add(number);
    // A recorded error is no answer.
    if (server.misses.length > before[1] && reply && !reply.error) unanswered.add(number);
    taken.push({ number, protocol });
  }
  const said = [...server.refusals, ...server.misses].map(({ message, why }) => message ?? why);
  await server.close();
  return { refused, unanswered, taken, said };
}

const expected = (folder) =>
  readFileSync(join(corpus, folder, "expect.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

const troubles = [];
let requests = 0;
for (const { file } of expected("clean")) {
  const { refused, unanswered, taken, said } = await replay(join(corpus, "clean", file));
  requests += taken.length;
  if (refused.size + unanswered.size > 0) troubles.push(`clean/${file}: ${said.join("; ")}`);
}
let planted = 0;
let found = 0;
let repaired = 0;
for (const folder of ["faulty", "repair"])
  for (const { file, must } of expected(folder)) {
    const [{ rule, exchange }] = must;
    if (!refusable.has([rule].flat()[0])) continue;
    const { refused, taken } = await replay(join(corpus, folder, file));
    const at = taken.find(({ number }) => number === exchange);
    if (!at || lenient.has(at.protocol)) continue;
    planted++;
    if (refused.has(exchange)) found++;
    else console.error(`${folder}/${file}: ${rule} in request ${exchange} was taken`);
  }
for (const { file } of expected("repair")) {
  const { bytes } = await fix(join(corpus, "repair", file));
  const { refused, taken, said } = await replay(bytes);
  repaired += taken.length;
  if (refused.size > 0) troubles.push(`repair/${file}, repaired: ${said.join("; ")}`);
}
for (const trouble of troubles) console.error(trouble);
console.log(
  `${requests} requests of healthy logs and ${repaired} of repaired ones: ${troubles.length} logs with a refusal or without an answer`,
);
console.log(`${found} of ${planted} planted faults that a provider refuses were refused`);
process.exitCode = troubles.length > 0 || found < (planted * floor) / 100 ? 1 : 0;
