import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { send } from "../../src/http/send.ts";

/** The pauses before a reply that comes at the second attempt; the first asks for a pause in these headers. */
async function pauses(headers: http.OutgoingHttpHeaders): Promise<number[]> {
  let asked = 0;
  const server = http.createServer((request, response) => {
    request.resume();
    if (asked++ === 0) response.writeHead(429, headers).end("slow down");
    else response.end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const waited: number[] = [];
  const options = { patienceMs: 60_000, maxMs: 60_000, retries: 1, onRetry: () => {} };
  await send({ url, headers: [], body: "{}" }, { ...options, wait: async (ms) => void waited.push(ms) });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return waited;
}

test.each([
  [{ "Retry-After": "2" }, 2000],
  [{ "Retry-After": "0.5" }, 500],
  [{ "Retry-After": "0" }, 0],
  [{ "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT" }, 0],
  [{ "Retry-After-Ms": "70" }, 70],
  [{ "Retry-After-Ms": "70", "Retry-After": "2" }, 70],
  [{ "Retry-After-Ms": "", "Retry-After": "2" }, 2000],
  [{ "Retry-After-Ms": "soon", "Retry-After": "2" }, 2000],
])("a server that asks for a pause gets it: %j", async (headers, ms) => {
  expect(await pauses(headers)).toEqual([ms]);
});

test.each([
  {},
  { "Retry-After": "-5" },
  { "Retry-After": "1, 2" },
  { "Retry-After": "Infinity" },
  { "Retry-After": "" },
])("what asks for no pause gets one that grows, of half a second at first: %j", async (headers) => {
  const [ms = 0] = await pauses(headers);
  expect(ms).toBeGreaterThanOrEqual(500);
  expect(ms).toBeLessThanOrEqual(1000);
});

test("a longer pause than a minute is not waited for", async () => {
  expect(await pauses({ "Retry-After": "61" })).toEqual([]);
});
