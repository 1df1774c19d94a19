import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import validate from "schema:replay";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { answer, type Fault, forms, rounds, storyLog } from "../replay/story.ts";
import { type StrictServer, type StrictServerOptions, strictServer } from "../replay/strict-server.ts";
import { type Outcome, toollint, type World } from "./program.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-replay-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const running: StrictServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function model(options: Partial<StrictServerOptions> = {}): Promise<StrictServer> {
  const server = await strictServer({ rounds, answer, ...options });
  running.push(server);
  return server;
}

function log(protocol: string, fault: Fault, isStreaming = false): string {
  const name = `${protocol}-${fault}${isStreaming ? "-stream" : ""}.jsonl`;
  fs.writeFileSync(path.join(folder, name), storyLog(protocol, fault, isStreaming));
  return name;
}

function replay(
  file: string,
  server: StrictServer,
  args: readonly string[] = [],
  world: World = {},
): Promise<Outcome> {
  return toollint(["replay", file, "--base-url", server.url, ...args], { cwd: folder, ...world });
}

async function outcomes(file: string, server: StrictServer, args: readonly string[] = []): Promise<string[]> {
  const { stdout, stderr } = await replay(file, server, ["--format", "json", ...args]);
  expect(stderr).toBe("");
  const report = JSON.parse(stdout);
  validate(report);
  expect(validate.errors).toBeNull();
  return [
    report.verdict,
    ...report.runs.map(({ history, outcome }: Record<string, string>) => `${history} ${outcome}`),
  ];
}

const protocols = Object.keys(forms);
const ways = protocols.flatMap((protocol) => [
  [protocol, "plain", false],
  [protocol, "streamed", true],
]) as [string, string, boolean][];

describe.each(ways)("%s, %s", (protocol, _, isStreaming) => {
  test("a healthy history gets on, round by round, to the answer", async () => {
    const server = await model();
    const file = log(protocol, "none", isStreaming);
    expect(await outcomes(file, server, ["--exchange", "1"])).toEqual(["passes", "repaired answered"]);
    expect(server.asked).toHaveLength(3);
  });

  test("a history without its calls is refused or loops as recorded, and gets on when it is repaired", async () => {
    const server = await model();
    const file = log(protocol, "forgets-calls", isStreaming);
    const [verdict, broken, repaired] = await outcomes(file, server, ["--prove", "--times", "1"]);
    expect(["broken rejected", "broken repeated-call"]).toContain(broken);
    expect([verdict, repaired]).toEqual(["passes", "repaired answered"]);
  });

  test("a history without its earlier rounds loops as recorded, and gets on when it is repaired", async () => {
    const server = await model();
    const file = log(protocol, "forgets-rounds", isStreaming);
    expect(await outcomes(file, server, ["--prove", "--times", "1"])).toEqual([
      "passes",
      "broken repeated-call",
      "repaired answered",
    ]);
  });

  test("bytes may come in any pieces, and packed", async () => {
    const server = await model({ pieceSize: 7, isGzipped: true });
    const file = log(protocol, "none", isStreaming);
    expect(await outcomes(file, server, ["--last"])).toEqual(["passes", "repaired answered"]);
  });
});

test("the story of a proof, as people read it", async () => {
  const server = await model();
  const { stdout, exit } = await replay(log("openai-chat", "forgets-rounds"), server, [
    "--prove",
    "--times",
    "2",
  ]);
  const steady = stdout
    .replaceAll(server.url, "http://server")
    .replaceAll(/\d+\.\d s\b|\b\d+\.\d$/gm, "0.0 s");
  expect(steady).toMatchInlineSnapshot(`
    "openai-chat-forgets-rounds.jsonl · request 3, broken and repaired → POST http://server/v1/chat/completions · scripted

    broken 1 of 2
      round 1 · 200 · 0.0 s · 10 + 5 tokens · tool_calls
        ▸ call  find_city {"query":"Oslo"}
                the same call again

    repaired 1 of 2
      round 1 · 200 · 0.0 s · 10 + 5 tokens · stop
        says    Rain in Oslo, no warnings.

    broken 2 of 2
      round 1 · 200 · 0.0 s · 10 + 5 tokens · tool_calls
        ▸ call  find_city {"query":"Oslo"}
                the same call again

    repaired 2 of 2
      round 1 · 200 · 0.0 s · 10 + 5 tokens · stop
        says    Rain in Oslo, no warnings.

    history   outcome          runs    tokens  seconds
    broken    repeated a call  2 of 2  15      0.0 s
    repaired  answered         2 of 2  15      0.0 s

    broken: 2 of 2 repeated find_city; repaired: 2 of 2 answered
    passes: the model makes progress
    "
  `);
  expect(exit).toBe(0);
});

describe("failures that pass are tried again", () => {
  test.each([
    [
      "a limit, after the pause that the server asks for",
      { status: 429, headers: { "Retry-After-Ms": "1" } },
    ],
    ["an overload", { status: 529, headers: { "Retry-After": "0" } }],
    ["a reply that breaks off", { isCut: true }],
    ["a stream without its end", { isShort: true }],
  ])("%s", async (_, mishap) => {
    const server = await model({ mishaps: [mishap] });
    const { exit, stdout } = await replay(log("anthropic", "none", true), server, [
      "--last",
      "--format",
      "json",
    ]);
    expect(JSON.parse(stdout).verdict).toBe("passes");
    expect(exit).toBe(0);
    expect(server.asked).toHaveLength(2);
  });

  test("a reply that breaks off twice is trouble", async () => {
    const server = await model({ mishaps: [{ isShort: true }, { isShort: true }] });
    const { exit, stderr } = await replay(log("anthropic", "none", true), server, ["--last"]);
    expect(stderr).toBe(
      `toollint: ${new URL(server.url).host} interrupted its reply twice: try again, or disable streaming (\`--no-stream\`)\n`,
    );
    expect(exit).toBe(2);
  });

  test.each([
    ["comments", ": OPENROUTER PROCESSING\n\n"],
    ["events named for it", 'event: ping\ndata: {"type": "ping"}\n\n'],
    ["data without a name", 'data: {"type":"ping"}\n\n'],
    ["white space", "\n"],
  ])("a server that only keeps the connection open, by %s", async (_, drips) => {
    const server = await model({ mishaps: [{ drips }] });
    const { exit, stderr } = await replay(log("openai-chat", "none"), server, ["--last", "--timeout", "1"]);
    expect(stderr).toBe(
      `toollint: ${new URL(server.url).host} stopped within its reply: for 1 s came nothing, or only pings\n`,
    );
    expect(exit).toBe(2);
    expect(server.asked).toHaveLength(1);
  });

  test("a server that speaks for ever", async () => {
    const server = await model({
      mishaps: [{ drips: 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n' }],
    });
    const { exit, stderr } = await replay(log("openai-chat", "none"), server, ["--last", "--max-time", "1"]);
    expect(stderr).toBe(
      `toollint: ${new URL(server.url).host} did not finish its reply within 1 s (\`--max-time\`)\n`,
    );
    expect(exit).toBe(2);
  });

  test("a server whose headers do not end", async () => {
    const slow = net.createServer((socket) => {
      socket.on("error", () => {});
      socket.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => socket.write("X-A: b\r\n"), 50);
      socket.on("close", () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(slow.address() as net.AddressInfo).port}`;
    const args = ["replay", log("openai-chat", "none"), "--base-url", url, "--last", "--timeout", "1"];
    const { exit, stderr } = await toollint(args, { cwd: folder });
    slow.close();
    expect(stderr).toContain("cannot be reached: it does not answer in time");
    expect(exit).toBe(2);
  });

  test("a redirect is not followed, so the key stays where it was to go", async () => {
    const elsewhere = await model();
    const server = await model({ mishaps: [{ status: 307, headers: { Location: elsewhere.url } }] });
    const { exit, stderr } = await replay(
      log("openai-chat", "none"),
      server,
      ["--last", "--api-key-env", "K"],
      { env: { K: "team-secret" } },
    );
    expect(exit).toBe(2);
    expect(stderr).toBe(
      `toollint: ${new URL(server.url).host} redirects the request (status 307): to ${elsewhere.url}; use that address if it is right\n`,
    );
    expect(elsewhere.asked).toEqual([]);
  });

  test.each([301, 302, 303, 307, 308])("also one without a body names its address: %i", async (status) => {
    const server = await model({
      mishaps: [{ status, body: "", headers: { Location: "https://x.example/v1" } }],
    });
    const { exit, stderr } = await replay(log("openai-chat", "none"), server, ["--last"]);
    expect(exit).toBe(2);
    expect(stderr).toBe(
      `toollint: ${new URL(server.url).host} redirects the request (status ${status}): to https://x.example/v1; use that address if it is right\n`,
    );
  });

  test("a limit without words is a limit", async () => {
    const mishap = { status: 429, body: "{}", headers: { "Retry-After": "0" } };
    const server = await model({ mishaps: Array.from({ length: 5 }, () => mishap) });
    const { exit, stderr } = await replay(log("openai-chat", "none"), server, ["--last"]);
    expect(exit).toBe(2);
    expect(stderr).toContain(`${new URL(server.url).host} rate-limits requests (status 429): {}\n`);
  });

  test("a server that stays silent", async () => {
    const server = await model({ mishaps: [{ isSilent: true }] });
    const { exit, stderr } = await replay(log("openai-chat", "none"), server, ["--last", "--timeout", "1"]);
    expect(stderr).toContain("cannot be reached: it does not answer in time");
    expect(exit).toBe(2);
  });
});

describe("trouble that says nothing about the history", () => {
  test.each([
    [401, "rejects this key"],
    [403, "denies access with this key"],
    [404, "does not have this model or this path"],
  ])("status %i", async (status, what) => {
    const server = await model({ mishaps: [{ status, body: '{"error":{"message":"no","type":"x"}}' }] });
    const { exit, stderr } = await replay(log("openai-chat", "none"), server, ["--last"]);
    expect(stderr).toBe(`toollint: ${new URL(server.url).host} ${what} (status ${status}): no\n`);
    expect(exit).toBe(2);
  });

  test("a server that is no model API", async () => {
    const server = await model({ mishaps: [{ status: 200, body: "<html>hello</html>" }] });
    const { exit, stderr } = await replay(log("openai-chat", "none"), server, ["--last"]);
    expect(stderr).toBe(
      `toollint: ${server.url} is not a model API for openai-chat: POST /v1/chat/completions returned status 200 without a model's reply\n`,
    );
    expect(exit).toBe(2);
  });

  test("a reply that does not end is not read for ever, nor asked for again", async () => {
    const server = await model({ mishaps: [{ isEndless: true }] });
    const { exit, stderr } = await replay(log("openai-chat", "none"), server, ["--last"]);
    expect(stderr).toBe(
      `toollint: ${new URL(server.url).host} sent more than 64 MB: too much for a model's reply\n`,
    );
    expect(exit).toBe(2);
    expect(server.asked).toHaveLength(1);
  });

  test("nobody listens", async () => {
    const server = await model();
    await server.close();
    const { exit, stderr } = await replay(log("openai-chat", "none"), server, ["--last"]);
    expect(stderr).toBe(`toollint: ${new URL(server.url).host} cannot be reached: nothing listens there\n`);
    expect(exit).toBe(2);
  });
});

describe("nothing goes where the user did not send it", () => {
  test("without a target nothing is sent, and the sentence says what to type", async () => {
    const { exit, stderr } = await toollint(["replay", log("anthropic", "none")], { cwd: folder });
    expect(stderr).toBe(
      "toollint: no target given: type `toollint replay anthropic-none.jsonl --provider anthropic` (or openrouter, deepseek), or `--base-url http://127.0.0.1:11434` for your own server\n",
    );
    expect(exit).toBe(2);
  });

  test("a key is not sent to a host whose own it is not", async () => {
    const server = await model();
    const env = { OPENAI_API_KEY: "sk-secret", TEAM_KEY: "team-secret" };
    await replay(log("openai-chat", "none"), server, ["--last"], { env });
    expect(server.asked[0]?.headers.authorization).toBeUndefined();
    await replay(log("openai-chat", "none"), server, ["--last", "--api-key-env", "TEAM_KEY"], { env });
    expect(server.asked[1]?.headers.authorization).toBe("Bearer team-secret");
  });

  test.each([
    ["http://api.openai.com/v1", "https://api.openai.com/v1"],
    ["http://API.openai.com.:8080/v1/", "https://api.openai.com.:8080/v1"],
    ["http://team.openai.azure.com", "https://team.openai.azure.com"],
    ["http://bedrock-runtime.us-east-1.amazonaws.com", "https://bedrock-runtime.us-east-1.amazonaws.com"],
  ])("a provider is not asked in clear: %s", async (typed, secure) => {
    const args = ["replay", log("openai-chat", "none"), "--base-url", typed, "--dry-run"];
    const { exit, stderr } = await toollint(args, { cwd: folder, env: { OPENAI_API_KEY: "sk-secret" } });
    expect(stderr).toBe(
      `toollint: \`--base-url ${typed}\` would send the key and the history unencrypted: \`--base-url ${secure}\`\n`,
    );
    expect(exit).toBe(2);
  });

  test.each([
    "http://127.0.0.1:1/v1",
    "http://10.0.0.7:8000",
    "http://ec2-1-2-3-4.compute-1.amazonaws.com:8000",
  ])("one's own servers may be: %s", async (typed) => {
    const args = ["replay", log("openai-chat", "none"), "--base-url", typed, "--dry-run"];
    expect((await toollint(args, { cwd: folder })).exit).toBe(0);
  });

  test("a request that is only shown needs no key", async () => {
    const shown = await toollint(["replay", log("gemini", "none"), "--provider", "gemini", "--dry-run"], {
      cwd: folder,
    });
    expect(shown.stderr).toBe(
      "toollint: the request is shown without a key: generativelanguage.googleapis.com requires a key: set GEMINI_API_KEY or GOOGLE_API_KEY, or name another variable with `--api-key-env`\n",
    );
    expect(shown.stdout).toMatch(/^POST https:\/\/generativelanguage\.googleapis\.com\//);
    expect(shown.exit).toBe(0);
  });

  test("a provider without its key", async () => {
    const { exit, stderr } = await toollint(["replay", log("gemini", "none"), "--provider", "gemini"], {
      cwd: folder,
    });
    expect(stderr).toBe(
      "toollint: generativelanguage.googleapis.com requires a key: set GEMINI_API_KEY or GOOGLE_API_KEY, or name another variable with `--api-key-env`\n",
    );
    expect(exit).toBe(2);
  });

  test("a provider that does not speak the log's protocol", async () => {
    const { exit, stderr } = await toollint(["replay", log("gemini", "none"), "--provider", "groq"], {
      cwd: folder,
    });
    expect(stderr).toContain(
      "groq does not speak the log's protocol, gemini: use `--provider gemini`, or translate",
    );
    expect(exit).toBe(2);
  });

  test("--dry-run prints the request, with the key masked, and sends nothing", async () => {
    const server = await model();
    const { stdout, exit } = await replay(
      log("openai-chat", "none"),
      server,
      [
        "--exchange",
        "1",
        "--dry-run",
        "--api-key-env",
        "K",
        "--header",
        "X-Team: agents",
        "--model",
        "other",
      ],
      { env: { K: "sk-0123456789abcdefghij" } },
    );
    expect(stdout.replace(server.url, "http://server")).toBe(`POST http://server/v1/chat/completions
Content-Type: application/json
Accept: application/json
Authorization: ***
X-Team: agents

{
  "model": "other",
  "messages": [
    {
      "role": "user",
      "content": "Do I need an umbrella in Oslo?"
    }
  ]
}
`);
    expect(exit).toBe(0);
    expect(server.asked).toEqual([]);
  });
});

describe("tools are never run", () => {
  test("a call that the log does not know is compared with those that it knows", async () => {
    const server = await model({ rounds: [[{ name: "find_city", args: { query: "Bergen" } }]] });
    const { stdout, exit } = await replay(log("openai-chat", "none"), server, ["--exchange", "1"]);
    expect(stdout).toContain("the log has no result for this call, and toollint does not make one up");
    expect(stdout).toContain('nearest of 1 recorded call: /query was "Oslo", is "Bergen"');
    expect(stdout).toContain("→ made a new call");
    expect(exit).toBe(0);
  });

  test("--tool-result says what a tool returns", async () => {
    fs.writeFileSync(path.join(folder, "bergen.json"), '{"id":3161732}');
    const server = await model({ rounds: [[{ name: "find_city", args: { query: "Bergen" } }]] });
    const { exit } = await replay(log("openai-chat", "none"), server, [
      "--exchange",
      "1",
      "--tool-result",
      "find_city=bergen.json",
    ]);
    expect(server.asked[1]?.body.messages.at(-1)).toEqual({
      role: "tool",
      tool_call_id: "call_s1_0",
      content: '{"id":3161732}',
    });
    expect(exit).toBe(0);
  });

  test("a model that goes on for ever is stopped at the cap", async () => {
    const server = await model();
    expect(
      await outcomes(log("openai-chat", "none"), server, ["--exchange", "1", "--max-rounds", "1"]),
    ).toEqual(["passes", "repaired unfinished"]);
  });
});

test("what the server keeps is put in its place, as far as the log shows it", async () => {
  const lines = storyLog("openai-responses", "none")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  for (const [at, { request, response }] of lines.entries()) {
    response.id = `resp_${at + 1}`;
    if (at === 0) continue;
    request.previous_response_id = `resp_${at}`;
    request.input = request.input.slice(at === 1 ? 2 : 5);
  }
  fs.writeFileSync(
    path.join(folder, "stored.jsonl"),
    lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
  const server = await model();
  expect(await outcomes("stored.jsonl", server, ["--last"])).toEqual(["passes", "repaired answered"]);
  expect(server.asked[0]?.body.previous_response_id).toBeUndefined();
  expect(server.asked[0]?.body.input.map(({ type, role }: Record<string, string>) => type ?? role)).toEqual([
    "user",
    "function_call",
    "function_call_output",
    "function_call",
    "function_call",
    "function_call_output",
    "function_call_output",
  ]);
  fs.writeFileSync(path.join(folder, "tail.jsonl"), `${JSON.stringify(lines[2])}\n`);
  const { exit, stderr } = await replay("tail.jsonl", server, []);
  expect(stderr).toBe(
    "toollint: request 1 continues `resp_2`, which only the server has: replay an earlier request (`--exchange`), or a log of the whole run\n",
  );
  expect(exit).toBe(2);
});

test("--redact=all replaces every private word of the recording, and of nothing that is sent", async () => {
  const server = await model();
  const name = log("openai-chat", "none");
  const { exit } = await replay(name, server, ["--exchange", "1", "-o", "shown.jsonl", "--redact=all"]);
  expect(exit).toBe(0);
  expect(JSON.stringify(server.asked)).toContain("rain");
  const recording = fs.readFileSync(path.join(folder, "shown.jsonl"), "utf8");
  expect(recording).toContain('"messages"');
  expect(recording).not.toMatch(/rain/);
});

test("--redact masks credentials in the bodies that -o keeps, not in those that are sent", async () => {
  const server = await model();
  const secret = `sk-proj-${"aB3dE5fG7".repeat(4)}`;
  const name = "leaking.jsonl";
  const leaking = storyLog("openai-chat", "none", false).replaceAll("rain", secret);
  fs.writeFileSync(path.join(folder, name), leaking);
  const { exit } = await replay(name, server, ["--exchange", "1", "-o", "masked.jsonl", "--redact"]);
  expect(exit).toBe(0);
  expect(JSON.stringify(server.asked)).toContain(secret);
  const kept = fs.readFileSync(path.join(folder, "masked.jsonl"), "utf8");
  expect(kept.split("\n")).toHaveLength(4);
  expect(kept).toContain("sk-p***");
  expect(kept).not.toContain("aB3dE5fG7");
});

test("-o keeps the traffic as a recording that check reads", async () => {
  const server = await model();
  const { exit } = await replay(log("anthropic", "none", true), server, [
    "--exchange",
    "1",
    "-o",
    "kept.jsonl",
  ]);
  expect(exit).toBe(0);
  const checked = await toollint(["check", "kept.jsonl", "--complete"], { cwd: folder });
  expect(checked.stdout).toBe("checked: 3 exchanges, 1 conversation, anthropic\nno findings · passes\n");
});

describe("--to sends the history in another protocol", () => {
  const pairs = protocols.flatMap((from) =>
    protocols.filter((to) => to !== from).map((to) => [from, to] as const),
  );
  test.each(pairs)("%s to %s", async (from, to) => {
    const server = await model();
    const { exit, stdout } = await replay(log(from, "none"), server, [
      "--last",
      "--to",
      to,
      "--model",
      "other",
      "--format",
      "json",
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ protocol: to, model: "other", verdict: "passes", lost: [] });
    expect(exit).toBe(0);
    expect(server.asked).toHaveLength(1);
  });

  test("the model is the other provider's, so it has to be named", async () => {
    const server = await model();
    const { exit, stderr } = await replay(log("openai-chat", "none"), server, ["--to", "anthropic"]);
    expect(stderr).toBe(
      "toollint: `--to anthropic` needs a model for that protocol: name it with `--model`\n",
    );
    expect(exit).toBe(2);
  });
});

describe("what -o keeps", () => {
  test("is on disk before the replay fails", async () => {
    const server = await model({ mishaps: [{ status: 401, body: '{"error":{"message":"no","type":"x"}}' }] });
    const { exit } = await replay(log("openai-chat", "none"), server, ["--last", "-o", "failed.jsonl"]);
    expect(exit).toBe(2);
    const [line = ""] = fs.readFileSync(path.join(folder, "failed.jsonl"), "utf8").split("\n");
    expect(JSON.parse(line).response.status).toBe(401);
  });

  test.each([
    [
      "missing/kept.jsonl",
      "cannot write missing/kept.jsonl: there is no directory missing; create it first: `mkdir -p missing`",
    ],
    [".", "cannot write .: it is a directory"],
    ["-", "the recording of a replay needs a file: `-o replay.jsonl`"],
  ])("%s cannot be written: nothing is sent", async (output, why) => {
    const server = await model();
    const { exit, stderr } = await replay(log("openai-chat", "none"), server, ["--last", "-o", output]);
    expect(stderr).toBe(`toollint: ${why}\n`);
    expect(exit).toBe(2);
    expect(server.asked).toEqual([]);
    expect(fs.existsSync(path.join(folder, "-"))).toBe(false);
  });

  test.each([
    ["a recording", []],
    ["a page", ["--format", "html"]],
  ])("is not the log itself, as %s or by another name", async (_, format) => {
    const server = await model();
    const name = log("openai-chat", "none");
    const before = fs.readFileSync(path.join(folder, name));
    fs.rmSync(path.join(folder, "same.jsonl"), { force: true });
    fs.symlinkSync(name, path.join(folder, "same.jsonl"));
    for (const output of [name, "same.jsonl"]) {
      const { exit, stderr } = await replay(name, server, ["--last", ...format, "-o", output]);
      expect(stderr).toContain(`would overwrite the log ${name}`);
      expect(exit).toBe(2);
    }
    expect(fs.readFileSync(path.join(folder, name))).toEqual(before);
    expect(server.asked).toEqual([]);
  });
});
