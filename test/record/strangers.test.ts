import { afterEach, describe, expect, test } from "vitest";
import { isOriginPattern, strangerOf } from "../../src/http/strangers.ts";
import { type HttpServer, startHttpServer } from "../../src/serve/http-server.ts";
import { answering, ok, type RawScene, rawScene, requestTo } from "./raw.ts";

const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});

async function scene(allowedOrigins: readonly string[] = []): Promise<RawScene> {
  const one = await rawScene(answering(ok), { allowedOrigins });
  running.push(one);
  return one;
}

const isAnswered = (text: string): boolean => /\r\n\r\n(?:ok|[\s\S]*\}\n)$/.test(text);
const statusOf = (text: string): number => Number(text.slice(9, 12));

const strangers: readonly (readonly [string, readonly string[]])[] = [
  ["a page elsewhere", ["Origin: https://evil.example"]],
  ["a page whose name begins as this machine's", ["Origin: http://localhost.evil.example"]],
  ["a page whose name ends as this machine's", ["Origin: http://evil-localhost:3000"]],
  ["a page whose name is an address of another machine", ["Origin: http://203.0.113.5"]],
  ["a page in the same network", ["Origin: http://192.168.1.9:3000"]],
  ["a page with a name before the host", ["Origin: http://127.0.0.1@evil.example"]],
  ["a page without an origin of its own (sandbox, file, data)", ["Origin: null"]],
  ["an extension of the browser", ["Origin: chrome-extension://abcdefghijklmnop"]],
  ["a page with two origins", ["Origin: http://localhost", "Origin: https://evil.example"]],
  ["an image or a form of another site", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"]],
  ["a link on another site", ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]],
];

const friends: readonly (readonly [string, readonly string[]])[] = [
  ["a program", []],
  ["a page of this machine", ["Origin: http://localhost:3000", "Sec-Fetch-Site: cross-site"]],
  ["a page at this machine's address", ["Origin: http://127.0.0.1:5173"]],
  ["a page at its address of IPv6", ["Origin: http://[::1]:5173"]],
  ["a page of a desktop program", ["Origin: http://tauri.localhost"]],
  ["a program that names a mode of fetching (Node)", ["Sec-Fetch-Mode: cors"]],
  ["an address that the user typed", ["Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate"]],
];

describe("the recorder spends no key for a web page of others", () => {
  test.each(strangers)("%s gets 403, and the upstream nothing", async (_, head) => {
    const { came, recorded, send, strangers: told } = await scene();
    const { text } = await send(requestTo("POST", [...head, "Content-Length: 2"], "{}"), isAnswered);
    expect(statusOf(text)).toBe(403);
    expect(text).not.toMatch(/access-control/i);
    expect(told).toHaveLength(1);
    expect(came).toEqual([]);
    expect(recorded).toEqual([]);
  });

  test.each(friends)("%s is answered", async (_, head) => {
    const { send } = await scene();
    const { text } = await send(requestTo("POST", [...head, "Content-Length: 2"], "{}"), isAnswered);
    expect(statusOf(text)).toBe(200);
  });

  test("nor for a WebSocket of such a page", async () => {
    const { came, send } = await scene();
    const head = ["Origin: https://evil.example", "Connection: Upgrade", "Upgrade: websocket"];
    const { text, end } = await send(requestTo("GET", head), () => false);
    expect(statusOf(text)).toBe(403);
    expect(end).toBe("closed");
    expect(came).toEqual([]);
  });

  test("the sentence says how to let a page of one's own in", async () => {
    const { send, strangers: told } = await scene();
    await send(requestTo("POST", ["Origin: https://app.example", "Content-Length: 2"], "{}"), isAnswered);
    expect(told).toEqual([
      "toollint record answers no web page of https://app.example: if the page is yours, start it with `--allow-origin https://app.example`",
    ]);
  });

  test.each([
    ["https://app.example", "https://app.example"],
    ["https://App.Example", "https://app.example"],
    ["vscode-webview://*", "vscode-webview://0b2c"],
    ["null", "null"],
  ])("%s lets %s in, and no other", async (allowed, origin) => {
    const { send } = await scene([allowed]);
    const ask = async (from: string): Promise<number> => {
      const request = requestTo("POST", [`Origin: ${from}`, "Content-Length: 2"], "{}");
      return statusOf((await send(request, isAnswered)).text);
    };
    expect(await ask(origin)).toBe(200);
    expect(await ask("https://app.example.evil.example")).toBe(403);
    expect(await ask("https://evil.example/https://app.example")).toBe(403);
  });
});

test("an allowed origin is one origin, or one scheme", () => {
  const good = [
    "https://app.example",
    "http://10.0.0.7:3000",
    "vscode-webview://*",
    "app://obsidian.md",
    "null",
  ];
  expect(good.filter((one) => !isOriginPattern(one))).toEqual([]);
  const bad = [
    "*",
    "app.example",
    "https://app.example/path",
    "https://*.example",
    "",
    "https://",
    "a b://c",
  ];
  expect(bad.filter(isOriginPattern)).toEqual([]);
});

test("a server for other machines knows no names of its own, but pages all the same", () => {
  const headers = { host: "build-7.example", origin: "https://evil.example" };
  expect(strangerOf({ headers: { host: headers.host } }, [], false)).toBeUndefined();
  expect(strangerOf({ headers }, [], false)).toEqual({ kind: "page", origin: "https://evil.example" });
});

describe("the model server takes no turn for a web page of others", () => {
  async function served(allowedOrigins: readonly string[] = []) {
    let handled = 0;
    const told: string[] = [];
    const server: HttpServer = await startHttpServer({
      port: 0,
      host: "127.0.0.1",
      isLocalOnly: true,
      allowedOrigins,
      onStranger: (sentence) => told.push(sentence),
      handle: async () => {
        handled++;
        return { status: 200, headers: {}, body: "ok" };
      },
    });
    running.push(server);
    const ask = (headers: Record<string, string>, method = "POST") =>
      fetch(`${server.url}/openai/v1/responses`, {
        method,
        headers,
        ...(method === "POST" && { body: "{}" }),
      });
    return { ask, told, count: () => handled };
  }

  test("it refuses it, and does not let it read the refusal", async () => {
    const { ask, told, count } = await served();
    const reply = await ask({ origin: "https://evil.example" });
    expect(reply.status).toBe(403);
    expect(reply.headers.get("access-control-allow-origin")).toBeNull();
    expect((await ask({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    const preflight = { origin: "https://evil.example", "access-control-request-method": "POST" };
    expect((await ask(preflight, "OPTIONS")).status).toBe(403);
    expect([count(), told.length]).toEqual([0, 3]);
  });

  test("pages of this machine and allowed ones may ask and read, by their own name", async () => {
    const { ask, count } = await served(["https://app.example"]);
    for (const origin of ["http://localhost:5173", "https://app.example"]) {
      const preflight = await ask(
        {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,content-type",
        },
        "OPTIONS",
      );
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
      expect(preflight.headers.get("access-control-allow-headers")).toBe("authorization,content-type");
      const reply = await ask({ origin });
      expect([reply.status, reply.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
      expect(reply.headers.get("vary")).toBe("origin");
    }
    expect(count()).toBe(2);
  });

  test("a program gets no header about pages", async () => {
    const { ask } = await served();
    const reply = await ask({});
    expect([reply.status, reply.headers.get("access-control-allow-origin")]).toEqual([200, null]);
  });
});
