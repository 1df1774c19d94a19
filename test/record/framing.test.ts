import { afterEach, describe, expect, test } from "vitest";
import type { ProxyOptions } from "../../src/record/proxy.ts";
import { answering, type Behaviour, ok, type RawScene, rawScene, requestTo, wholeRequests } from "./raw.ts";

const scenes: RawScene[] = [];
afterEach(async () => {
  for (const one of scenes.splice(0)) await one.close();
});

async function scene(behaviour: Behaviour = answering(ok), options: Partial<ProxyOptions> = {}) {
  const one = await rawScene(behaviour, options);
  scenes.push(one);
  return one;
}

const hasBody = (text: string): boolean => text.endsWith("\r\n\r\nok");
const hasHead = (text: string): boolean => text.includes("\r\n\r\n");

/** The head that the server got, without its own `Host` and `Connection`, in lower case. */
function fieldsOf(head: string): string[] {
  return head
    .split("\r\n")
    .slice(1)
    .map((line) => line.toLowerCase())
    .filter((line) => !/^(?:host|connection): /.test(line))
    .sort();
}

describe("a request's body ends where its own framing says, whatever the method", () => {
  const methods = ["GET", "HEAD", "DELETE", "OPTIONS", "POST", "PUT", "PATCH"];
  const hidden = "GET /v1/stolen HTTP/1.1\r\nHost: x\r\nX-Prefix: ";
  const headOnly = (text: string) => /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n/.test(text);

  test.each(methods)("%s with a chunked body", async (method) => {
    const { came, send } = await scene();
    const body = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
    await send(requestTo(method, ["Transfer-Encoding: chunked"], body), headOnly);
    await send(requestTo("POST", ["Authorization: Bearer other", "Content-Length: 2"], "{}"), hasBody);
    const requests = came.flatMap(wholeRequests);
    expect(requests.map(({ head }) => head.split("\r\n")[0])).toEqual([
      `${method} /v1/x HTTP/1.1`,
      "POST /v1/x HTTP/1.1",
    ]);
    expect(fieldsOf(requests[0]?.head ?? "")).toEqual(["transfer-encoding: chunked"]);
    expect(requests[0]?.body).toBe(body);
    expect(requests[1]?.body).toBe("{}");
  });

  test.each(methods)("%s with a length", async (method) => {
    const { came, send } = await scene();
    await send(requestTo(method, [`Content-Length: ${hidden.length}`], hidden), headOnly);
    await send(requestTo("POST", ["Content-Length: 2"], "{}"), hasBody);
    const requests = came.flatMap(wholeRequests);
    expect(requests.map(({ body }) => body)).toEqual([hidden, "{}"]);
    expect(fieldsOf(requests[0]?.head ?? "")).toEqual([`content-length: ${hidden.length}`]);
  });

  test.each(["GET", "HEAD", "DELETE", "OPTIONS"])("%s without a body", async (method) => {
    const { came, send } = await scene();
    await send(requestTo(method), headOnly);
    expect(fieldsOf(came[0] ?? "")).toEqual(["", ""]);
  });

  test("a length that is named as a field of the connection stays", async () => {
    const { came, send } = await scene();
    await send(requestTo("GET", ["Connection: content-length", "Content-Length: 3"], "abc"), hasBody);
    await send(requestTo("POST", ["Connection: close, content-length", "Content-Length: 3"], "abc"), hasBody);
    expect(came.flatMap(wholeRequests).map(({ body }) => body)).toEqual(["abc", "abc"]);
  });

  test.each([
    ["a length", "GET", `Content-Length: ${hidden.length}`, hidden],
    [
      "chunks",
      "DELETE",
      "Transfer-Encoding: chunked",
      `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
    ],
  ])("%s named behind thousands of other fields", async (_, method, framing, body) => {
    const { came, send } = await scene();
    const fields = Array.from({ length: 3000 }, () => "A: b");
    await send(requestTo(method, [...fields, framing], body), hasBody);
    const [request, ...others] = came.flatMap(wholeRequests);
    expect(fieldsOf(request?.head ?? "")).toContain(framing.toLowerCase());
    expect(request?.body).toBe(body);
    expect(others).toEqual([]);
  });

  test("chunk extensions and trailers are left behind", async () => {
    const { came, send } = await scene();
    const body = "3;a=b\r\nabc\r\n0\r\nX-Late: 1\r\n\r\n";
    await send(requestTo("POST", ["Transfer-Encoding: chunked", "Trailer: X-Late"], body), hasBody);
    expect(wholeRequests(came[0] ?? "").map(({ body }) => body)).toEqual(["3\r\nabc\r\n0\r\n\r\n"]);
    expect(came[0]).not.toMatch(/x-late/i);
  });
});

describe("a request whose end is in doubt goes nowhere", () => {
  const chunks = "3\r\nabc\r\n0\r\n\r\n";
  test.each([
    ["a length and chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"], "0\r\n\r\nX"],
    ["chunks and a length", ["Transfer-Encoding: chunked", "Content-Length: 5"], "0\r\n\r\nX"],
    ["two lengths", ["Content-Length: 3", "Content-Length: 4"], "abcd"],
    ["one length twice", ["Content-Length: 3", "Content-Length: 3"], "abc"],
    ["a list of lengths", ["Content-Length: 3, 3"], "abc"],
    ["a signed length", ["Content-Length: +3"], "abc"],
    ["a negative length", ["Content-Length: -1"], "abc"],
    ["a hexadecimal length", ["Content-Length: 0x3"], "abc"],
    ["chunks twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], chunks],
    ["another coding below the chunks", ["Transfer-Encoding: gzip, chunked"], chunks],
    ["another coding above them", ["Transfer-Encoding: chunked, gzip"], chunks],
    ["a coding like chunks", ["Transfer-Encoding: xchunked"], chunks],
    ["no coding", ["Transfer-Encoding: identity", "Content-Length: 3"], "abc"],
    ["a space before the colon", ["Transfer-Encoding : chunked"], chunks],
    ["a folded line", ["X-A: b\r\n Transfer-Encoding: chunked", "Content-Length: 3"], "abc"],
    ["a bare line feed", ["X-A: b\nTransfer-Encoding: chunked", "Content-Length: 3"], "abc"],
    ["two hosts", ["Host: evil.example", "Content-Length: 3"], "abc"],
  ])("%s", async (_, head, body) => {
    const { came, send } = await scene();
    const { text } = await send(requestTo("POST", head, body), hasHead);
    expect(text).toMatch(/^HTTP\/1\.1 (?:400|501) /);
    expect(came.join("")).toBe("");
  });

  test("a chunk without a size ends the exchange on both sides", async () => {
    const { recorded, send, serverIdle } = await scene(() => {});
    const { text } = await send(requestTo("POST", ["Transfer-Encoding: chunked"], "zz\r\nabc\r\n"), hasHead);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    await serverIdle();
    expect(recorded.map(({ aborted }) => aborted)).toEqual(["client"]);
  });
});

describe("fields of one connection stay on it", () => {
  const hops = [
    "Connection: keep-alive, X-Hop",
    "X-Hop: 1",
    "Keep-Alive: timeout=5",
    "Proxy-Authorization: Basic x",
    "Proxy-Connection: keep-alive",
    "TE: trailers",
    "Trailer: X-T",
  ];

  test("those of the request", async () => {
    const { came, send } = await scene();
    await send(requestTo("POST", [...hops, "X-End: 1", "Content-Length: 2"], "{}"), hasBody);
    expect(fieldsOf(wholeRequests(came[0] ?? "")[0]?.head ?? "")).toEqual(["content-length: 2", "x-end: 1"]);
  });

  test("those of the reply", async () => {
    const bytes = `HTTP/1.1 200 OK\r\n${hops.join("\r\n")}\r\nProxy-Authenticate: Basic\r\nX-End: 1\r\nContent-Length: 2\r\n\r\nok`;
    const { send } = await scene(answering(bytes));
    const { text } = await send(requestTo("POST", ["Content-Length: 2"], "{}"), hasBody);
    expect(text).toBe(
      "HTTP/1.1 200 OK\r\nX-End: 1\r\nContent-Length: 2\r\nConnection: keep-alive\r\nKeep-Alive: timeout=30\r\n\r\nok",
    );
  });

  test("and fields that are named beside an offer of HTTP/2, too", async () => {
    const { came, send } = await scene();
    const offer = [
      "Connection: Upgrade, HTTP2-Settings, X-Hop, close",
      "Upgrade: h2c",
      "X-Hop: 1",
      "X-End: 1",
    ];
    const { text } = await send(requestTo("POST", [...offer, "Content-Length: 2"], "{}"), hasBody);
    expect(fieldsOf(came.flatMap(wholeRequests)[0]?.head ?? "")).toEqual(["content-length: 2", "x-end: 1"]);
    expect(text).toContain("\r\nConnection: close\r\n");
  });

  test("an offer of HTTP/2, which Java's client makes in every request, is not taken", async () => {
    const { came, recorded, send } = await scene();
    const offer = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"];
    const twice = requestTo("POST", [...offer, "Content-Length: 2"], "{}");
    await send(twice + twice, (text) => text.split("ok").length === 3);
    const requests = came.flatMap(wholeRequests);
    expect(requests.map(({ head, body }) => [fieldsOf(head), body])).toEqual([
      [["content-length: 2"], "{}"],
      [["content-length: 2"], "{}"],
    ]);
    expect(recorded.map(({ request }) => request.body.toString())).toEqual(["{}", "{}"]);
  });

  test("nor does a connection with many offers leave anything behind", async () => {
    const warnings: Error[] = [];
    const keep = (warning: Error): void => void warnings.push(warning);
    process.on("warning", keep);
    const { send } = await scene();
    const offer = requestTo("POST", ["Connection: Upgrade", "Upgrade: h2c", "Content-Length: 2"], "{}");
    await send(offer.repeat(30), (text) => text.split("\r\n\r\nok").length === 31);
    process.off("warning", keep);
    expect(warnings).toEqual([]);
  });

  test("bytes beyond ASCII come through as they are", async () => {
    const { came, send } = await scene(
      answering("HTTP/1.1 200 OK\r\nX-A: \xe9\xff\r\nContent-Length: 2\r\n\r\nok"),
    );
    const { text } = await send(requestTo("POST", ["X-B: \xe9\xff", "Content-Length: 2"], "{}"), hasBody);
    expect(came[0]).toContain("X-B: \xe9\xff\r\n");
    expect(text).toContain("X-A: \xe9\xff\r\n");
  });
});

describe("replies without a body", () => {
  test.each([
    ["HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", "Content-Length: 10\r\n"],
    ["POST", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", ""],
    ["POST", "HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n", "ETag: x\r\n"],
  ])("%s: %j", async (method, bytes, kept) => {
    const { send, recorded } = await scene(answering(bytes));
    const twice = requestTo(method, ["Content-Length: 2"], "{}").repeat(2);
    const first = bytes.split("\r\n")[0];
    const { text } = await send(
      twice,
      (got) => got.split(`${first}\r\n`).length === 3 && got.endsWith("\r\n\r\n"),
    );
    const one = `${first}\r\n${kept}Connection: keep-alive\r\nKeep-Alive: timeout=30\r\n\r\n`;
    expect(text).toBe(one + one);
    expect(recorded.map(({ response }) => response?.body.length)).toEqual([0, 0]);
  });
});

describe("a client that waits before it sends the body (Expect: 100-continue)", () => {
  test("is told to go on when the server says so", async () => {
    const { came, send } = await scene((socket, bytes) => {
      if (bytes.endsWith("{}")) socket.write(ok);
      else if (bytes.endsWith("\r\n\r\n")) socket.write("HTTP/1.1 100 Continue\r\n\r\n");
    });
    const head = requestTo("POST", ["Expect: 100-continue", "Content-Length: 2"]);
    const { text } = await send(head, (got) => got.startsWith("HTTP/1.1 100 Continue\r\n\r\n"));
    expect(text).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    expect(fieldsOf(came[0]?.trim() ?? "")).toEqual(["content-length: 2", "expect: 100-continue"]);
  });

  test("is refused before it has sent it, on a connection that then ends", async () => {
    const refused = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno";
    const { send } = await scene((socket) => void socket.write(refused));
    const { text, end } = await send(
      requestTo("POST", ["Expect: 100-continue", "Content-Length: 200"]),
      () => false,
    );
    expect(text).toBe("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
    expect(end).toBe("closed");
  });

  test("is told at once where its history is judged first", async () => {
    const { send } = await scene(undefined, { judge: async () => undefined });
    const { text } = await send(requestTo("POST", ["Expect: 100-continue", "Content-Length: 2"]), hasHead);
    expect(text).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  });
});

describe("what a server may not reply ends this exchange only", () => {
  test.each([
    ["a status of 0", "HTTP/1.1 000 Odd\r\nContent-Length: 2\r\n\r\nok"],
    ["a status below 100", "HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\nok"],
    ["another protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"],
    [
      "a length and chunks",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"],
    [
      "another coding below the chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    ],
    ["control characters in a field", "HTTP/1.1 200 OK\r\nX-A: a\u0001b\r\nContent-Length: 2\r\n\r\nok"],
    ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    [
      "another coding behind thousands of fields",
      `HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(3000)}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    ],
    ["a head that does not end", `HTTP/1.1 200 OK\r\n${"X-A: b\r\n".repeat(20_000)}`],
  ])("%s", async (_, bytes) => {
    const answers = [bytes, ok];
    const { recorded, send } = await scene((socket) => void socket.write(answers.shift() ?? ok, "latin1"));
    const { text } = await send(requestTo("POST", ["Content-Length: 2"], "{}"), (got) => got.endsWith("}\n"));
    expect(text).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    expect(recorded.map(({ failure }) => failure !== undefined)).toEqual([true]);
    const next = await send(requestTo("POST", ["Content-Length: 2"], "{}"), hasBody);
    expect(next.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test("a connection that ends without a word", async () => {
    const { recorded, send } = await scene((socket) => void socket.end());
    const { text } = await send(requestTo("POST", ["Content-Length: 2"], "{}"), (got) => got.endsWith("}\n"));
    expect(text).toMatch(/^HTTP\/1\.1 502 /);
    expect(recorded[0]?.failure).toMatch(/^127\.0\.0\.1:\d+ cannot be reached: it closed the connection$/);
  });

  test("a reason with control characters is replaced, and a status of its own is kept", async () => {
    const { send } = await scene(answering("HTTP/1.1 200 a\u0001b\r\nContent-Length: 2\r\n\r\nok"));
    expect((await send(requestTo("GET"), hasBody)).text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    const other = await scene(answering("HTTP/1.1 999 Request denied\r\nContent-Length: 2\r\n\r\nok"));
    expect((await other.send(requestTo("GET"), hasBody)).text).toMatch(/^HTTP\/1\.1 999 Request denied\r\n/);
  });

  test("interim replies are no replies", async () => {
    const hints = "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
    const { recorded, send } = await scene(answering(hints + ok));
    const { text } = await send(requestTo("POST", ["Content-Length: 2"], "{}"), hasBody);
    expect(text).toMatch(/HTTP\/1\.1 200 OK\r\n/);
    expect(recorded.map(({ response }) => response?.status)).toEqual([200]);
  });

  test("a reply that nobody asked for reaches nobody", async () => {
    const evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL";
    const { send } = await scene((socket) => void socket.write(ok + evil));
    for (let client = 0; client < 3; client++) {
      const { text } = await send(requestTo("POST", ["Content-Length: 2"], "{}"), hasBody);
      expect(text.endsWith("\r\n\r\nok")).toBe(true);
    }
  });
});

describe("an end is an end, and a break a break", () => {
  const chunk = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n";
  const cut: Behaviour = (socket) => void socket.write(chunk, () => socket.destroy());

  test("chunks that break off do not end with the last chunk", async () => {
    const { recorded, send } = await scene(cut);
    const { text } = await send(requestTo("POST", ["Content-Length: 2"], "{}"), () => false);
    expect(text.endsWith("\r\n\r\n2\r\nok\r\n")).toBe(true);
    expect(recorded[0]?.aborted).toBe("server");
    expect(recorded[0]?.response?.body.toString()).toBe("ok");
  });

  test("a client of HTTP/1.0, which knows no chunks, sees its connection reset", async () => {
    const { send } = await scene(cut);
    const { end } = await send("POST /openai/v1/x HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}", () => false);
    expect(end).toBe("reset");
  });

  test("and gets a whole reply with its end", async () => {
    const { send } = await scene((socket) => void socket.write(`${chunk}0\r\n\r\n`));
    const { text, end } = await send(
      "POST /openai/v1/x HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}",
      () => false,
    );
    expect(text).toBe("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok");
    expect(end).toBe("closed");
  });

  test("a reply that ends with its connection is whole", async () => {
    const { recorded, send } = await scene((socket) => void socket.end("HTTP/1.1 200 OK\r\n\r\nhello"));
    const { text } = await send(requestTo("GET"), (got) => got.endsWith("\r\n0\r\n\r\n"));
    expect(text).toContain("\r\n5\r\nhello\r\n");
    expect(recorded[0]?.aborted).toBeUndefined();
  });

  test("unless a reset ends it", async () => {
    let reset = (): void => {};
    const { recorded, send } = await scene((socket) => {
      reset = () => void socket.resetAndDestroy();
      socket.write("HTTP/1.1 200 OK\r\n\r\nhello");
    });
    const { text, end } = await send(requestTo("GET"), (got) => {
      if (got.includes("hello")) reset();
      return false;
    });
    expect(text).not.toContain("\r\n0\r\n\r\n");
    expect(end).toBe("closed");
    expect(recorded[0]?.aborted).toBe("server");
  });

  test("pipelined requests are answered in their order", async () => {
    const { send } = await scene((socket, came) => {
      // The second one is answered first.
      const name = /^POST (\S+)/.exec(came)?.[1] ?? "";
      const answer = () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${name.length}\r\n\r\n${name}`);
      if (name === "/v1/a") setTimeout(answer, 30);
      else answer();
    });
    const one = (name: string) => requestTo("POST", ["Content-Length: 2"], "{}", `/openai/v1/${name}`);
    const { text } = await send(one("a") + one("b"), (got) => got.endsWith("/v1/b"));
    expect(text.match(/\/v1\/[ab]/g)).toEqual(["/v1/a", "/v1/b"]);
  });

  test("a client that leaves with several requests open leaves none of them to the server", async () => {
    const { came, recorded, send, serverIdle, leave } = await scene(() => {});
    const two = requestTo("POST", ["Content-Length: 2"], "{}").repeat(2);
    const sent = send(two, () => false);
    while (came.flatMap(wholeRequests).length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    leave();
    await sent;
    await serverIdle();
    expect(recorded.map(({ aborted }) => aborted)).toEqual(["client", "client"]);
  });
});

describe("a reply that comes before the whole request", () => {
  test.each([
    ["with a body to come", ["Content-Length: 100000000"]],
    ["with a client that waits", ["Expect: 100-continue", "Content-Length: 100000000"]],
  ])("%s: its connection is not kept for a rest that nobody reads", async (_, head) => {
    const tooLarge = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno";
    let resume = (): void => {};
    const { recorded, send, serverIdle } = await scene((socket) => {
      resume = () => void socket.resume();
      if (socket.bytesWritten === 0) socket.pause().write(tooLarge);
    });
    const body = head[0]?.startsWith("Expect") ? "" : "x".repeat(1 << 20);
    const { text } = await send(requestTo("POST", head, body), (got) => got.endsWith("\r\n\r\nno"));
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    resume();
    await serverIdle();
    expect(recorded.map(({ response }) => response?.status)).toEqual([413]);
  });
});

describe("each client has connections of its own to the servers", () => {
  test("which it uses again, and nobody else", async () => {
    const { came, send } = await scene();
    const one = (key: string) =>
      requestTo("POST", [`Authorization: Bearer ${key}`, "Content-Length: 2"], "{}");
    await send(one("a") + one("a"), (text) => text.split("\r\n\r\nok").length === 3);
    await send(one("b"), hasBody);
    const keys = came.map((bytes) => [...new Set(bytes.match(/Bearer \w/g))]);
    expect(keys.filter((each) => each.length > 1)).toEqual([]);
    expect(came.flatMap(wholeRequests)).toHaveLength(3);
  });

  test("which end with its own", async () => {
    const { send, leave, serverIdle } = await scene();
    await send(requestTo("POST", ["Content-Length: 2"], "{}"), hasBody);
    leave();
    await serverIdle();
  });
});

describe("a redirect", () => {
  const answer = (location: string) => `HTTP/1.1 307 T\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`;
  const locationOf = (text: string) => /^Location: (.*)\r$/m.exec(text)?.[1];

  test.each([
    ["by path", "/v1/x/?a=b#c", "/openai/v1/x/?a=b#c"],
    ["relative", "x/", "/openai/v1/x/"],
    ["elsewhere", "https://other.example/v1/x/", "https://other.example/v1/x/"],
    ["above the upstream's path", "/login", "/login"],
    ["that is no address", "http://[", "http://["],
  ])("%s leads through the recorder if it stays within the upstream", async (_, location, followed) => {
    const { recorded, send } = await scene(answering(answer(location)));
    const { text } = await send(requestTo("POST", ["Content-Length: 2"], "{}"), hasHead);
    expect(locationOf(text)).toBe(followed);
    expect(recorded[0]?.response?.headers).toContainEqual(["Location", location]);
  });

  test("with the upstream's own address, as frameworks write it, too", async () => {
    const { came, send } = await scene((socket, bytes) => {
      const host = /^Host: (.*)\r$/im.exec(bytes)?.[1];
      socket.write(bytes.includes("/v1/x/ ") ? ok : answer(`http://${host}/v1/x/`));
    });
    const { text } = await send(requestTo("POST", ["Content-Length: 2"], "{}"), hasHead);
    await send(requestTo("POST", ["Content-Length: 2"], "{}", locationOf(text)), hasBody);
    expect(came.at(-1)).toMatch(/^POST \/v1\/x\/ HTTP/);
  });
});

describe("a request names its place by path", () => {
  test("or by the recorder's own address", async () => {
    const { came, send } = await scene();
    await send(requestTo("GET", [], "", "http://localhost:8787/openai/v1/models"), hasBody);
    expect(came[0]).toMatch(/^GET \/v1\/models HTTP\/1\.1\r\n/);
  });

  test.each([
    ["an address elsewhere", "http://evil.example/openai/v1/models", 421],
    ["an address with a name before it", "http://127.0.0.1@evil.example/openai/v1/models", 421],
    ["a host without a scheme", "//evil.example/openai/v1/models", 404],
    ["a path above the upstream's", "/openai/v1/../../admin", 404],
    ["the server as a whole", "*", 404],
  ])("%s goes nowhere", async (_, target, status) => {
    const { came, send } = await scene();
    const { text } = await send(requestTo("OPTIONS", [], "", target), (got) => got.endsWith("}\n"));
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(came).toEqual([]);
  });

  test("line breaks in escapes stay escapes", async () => {
    const { came, send } = await scene();
    await send(requestTo("GET", [], "", "/openai/v1/a%0d%0aX-Evil:%201"), hasBody);
    expect(came[0]).toMatch(/^GET \/v1\/a%0d%0aX-Evil:%201 HTTP\/1\.1\r\n/);
    expect(came[0]).not.toContain("\r\nX-Evil");
  });

  test("a tunnel is not opened", async () => {
    const { came, send } = await scene();
    const { text } = await send("CONNECT evil.example:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", () => false);
    expect(text).toBe("");
    expect(came).toEqual([]);
  });
});
