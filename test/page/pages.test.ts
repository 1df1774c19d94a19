import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { historyAt } from "../../src/page/history.ts";
import { unpack } from "../../src/page/wire.ts";
import { toollint } from "../cli/program.ts";
import { answer, rounds, storyLog } from "../replay/story.ts";
import { strictServer } from "../replay/strict-server.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-page-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const samples = path.join(import.meta.dirname, "../../samples");
const failing = path.join(samples, "rag-read-loop/failing.log");
const passing = path.join(samples, "rag-read-loop/passing.log");

function written(name: string, text: string): string {
  fs.writeFileSync(path.join(folder, name), text);
  return name;
}

async function page(...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await toollint([...args, "--format", "html"], { cwd: folder });
  expect(stderr).toBe("");
  return stdout;
}

function index(html: string) {
  const [, type, text = ""] = /<script type="([^"]+)" id="index">([^<]*)</.exec(html) ?? [];
  const json = type === "text/plain" ? gunzipSync(Buffer.from(text, "base64")).toString() : text;
  return unpack(JSON.parse(json));
}

function blocks(html: string): string[] {
  return [...html.matchAll(/id="block-\d+">([^<]*)</g)].map(([, block = ""]) =>
    gunzipSync(Buffer.from(block, "base64")).toString(),
  );
}

/** The static part: all before the first script. */
function staticPart(html: string): string {
  return html.slice(html.indexOf("<main"), html.indexOf("<script"));
}

/** Whether every element that is opened is closed, in order. */
function unclosed(html: string): string[] {
  const open: string[] = [];
  for (const [, slash, name = ""] of html.matchAll(/<(\/?)([a-z]+\d?)(?:\s[^<>]*)?>/g)) {
    if (["meta", "br"].includes(name)) continue;
    if (slash === "") open.push(name);
    else if (open.pop() !== name) return [`</${name}>`, ...open];
  }
  return open;
}

const nasty = [
  "</script><script>alert(1)</script>",
  "<!-- <script>",
  "\u2028\u2029\u202e\u200b\u0007",
  "$& $1 $`",
  "javascript:alert(1)",
  `"'><img src=x onerror=alert(1)>`,
  "&lt;b&gt; `code` </title></style>",
].join(" ");

function exchange(messages: readonly unknown[], message: object, finish: string): string {
  return JSON.stringify({
    url: "https://api.openai.com/v1/chat/completions",
    request: {
      model: nasty,
      messages,
      tools: [{ type: "function", function: { name: "read", description: nasty, parameters: {} } }],
    },
    response: {
      id: "chatcmpl-1",
      object: "chat.completion",
      model: nasty,
      choices: [{ index: 0, message, finish_reason: finish }],
    },
  });
}

function hostileLog(key: string): string {
  const call = {
    role: "assistant",
    content: nasty,
    tool_calls: [
      { id: nasty, type: "function", function: { name: nasty, arguments: JSON.stringify({ path: nasty }) } },
    ],
  };
  const user = { role: "user", content: `${nasty} ${key}` };
  return [
    exchange([{ role: "system", content: nasty }, user], call, "tool_calls"),
    exchange(
      [{ role: "system", content: nasty }, user, { role: "tool", tool_call_id: nasty, content: nasty }],
      { role: "assistant", content: nasty },
      nasty,
    ),
  ].join("\n");
}

const known = new Set(
  "lang class id content name charset href value tabindex http-equiv aria-labelledby data-kind data-outcome data-diagnosis data-copy data-finding data-severity data-rule data-tool data-line aria-hidden open".split(
    " ",
  ),
);

const key = ["sk", "proj", "a8Kd93jfLs02mQpX71zVbN45tYwE6rUc"].join("-");

describe("a page of a hostile log", () => {
  const commands: readonly (readonly [string, ...string[]])[] = [
    ["check", "hostile</title>.jsonl"],
    ["show", "hostile</title>.jsonl"],
    ["diff", "hostile</title>.jsonl", "other.jsonl"],
  ];
  fs.mkdirSync(path.join(folder, "hostile<"), { recursive: true });
  written("hostile</title>.jsonl", hostileLog(key));
  written("other.jsonl", hostileLog("other"));

  test.each(commands)("%s: nothing of the log is markup", async (command, ...logs) => {
    const html = await page(command, ...logs);
    expect(html.match(/<script(?=[\s>])/g)).toHaveLength(2 + blocks(html).length);
    expect(html.match(/<!--/g)).toBeNull();
    expect(html.match(/<(?:img|iframe|link|object|svg|base|form)\b/gi)).toBeNull();
    const markup = html.slice(0, html.indexOf("<script"));
    const attributes = [...markup.matchAll(/<[a-z]+\d?((?:\s+[\w-]+(?:="[^"]*")?)*)\s*>/g)]
      .flatMap(([, own = ""]) => [...own.matchAll(/\s([\w-]+)(?:="[^"]*")?/g)])
      .map(([, name = ""]) => name);
    expect([...new Set(attributes)].filter((name) => !known.has(name))).toEqual([]);
    expect(html.match(/(?:src|href)="(?!#)/g)).toBeNull();
    expect(unclosed(html.slice(0, html.indexOf("<script")).replace(/<style>[\s\S]*<\/style>/, ""))).toEqual(
      ["html", "body", "div"].slice(0, 2),
    );
    expect(html.slice(0, html.lastIndexOf("<script>"))).not.toMatch(/[\u2028\u2029\u202e\u200b]/);
  });

  test.each(commands)("%s: credentials are masked everywhere", async (command, ...logs) => {
    const html = await page(command, ...logs);
    const all = [staticPart(html), JSON.stringify(index(html)), ...blocks(html)].join("\n");
    expect(all).not.toContain(key.slice(12));
    expect(all).not.toMatch(/[\u202e\u200b]/);
    expect(all).toContain("\\u{202e}");
  });

  test("its texts are those of the log, for the app to escape", async () => {
    const html = await page("show", "other.jsonl");
    const [first] = index(html).items.filter(({ role }) => role === "user");
    expect(blocks(html).join("")).toContain("</script><script>alert(1)</script>");
    expect(blocks(html).join("")).toContain("$& $1 $`");
    expect(first?.preview.startsWith("</script><script>alert(1)</script> <!-- <script>")).toBe(true);
  });
});

describe("the static part", () => {
  test("has the verdict, each root finding with its place and lines, and what to change", async () => {
    const html = staticPart(await page("check", failing));
    expect(html).toContain(
      "The client sends tool results without <code>type</code>, and sends only the first prompt and the newest round.",
    );
    expect(html).toContain('<p class="counts"><strong>2 errors</strong> · fails (--fail-on error)</p>');
    expect(html).toContain("<pre data-copy>input.push(...reply.output, ...outputs)</pre>");
    expect([...html.matchAll(/<article data-finding="(f\d+)"/g)].map(([, id]) => id)).toEqual([
      "f1",
      "f3",
      "f4",
      "f5",
      "f2",
    ]);
    expect(html).toContain('href="#conversation=c1&amp;step=2"');
    expect(html).toContain('<pre class="frame"><span class="line" data-line="175">');
    expect(html).toContain('<p class="sums">');
    expect(html).toContain("<ins>+  &quot;type&quot;: &quot;function_call_output&quot;</ins>");
    expect(html).toContain("<h2>Not checked</h2>");
  });

  test("of a log without findings says so", async () => {
    const html = staticPart(await page("check", passing));
    expect(html).toContain("<h1>No findings</h1>");
    expect(html).toContain("<strong>passes</strong>");
  });
});

test("a page is the same for the same log", async () => {
  expect(await page("check", failing)).toBe(await page("check", failing));
});

test("several files stand in one page, each with its conversations", async () => {
  const html = await page("check", failing, passing, "--separate");
  const { files, conversations, findings, title } = index(html);
  expect(title).toBe("2 files");
  expect(files.map(({ path: file }) => path.basename(file))).toEqual(["failing.log", "passing.log"]);
  expect(conversations.map(({ id, file }) => [id, file])).toEqual([
    ["c1", 0],
    ["c1.2", 1],
  ]);
  expect(new Set(findings.map(({ conversation }) => conversation))).toEqual(new Set([0]));
});

test("steps know their findings, and the repair of each request is a diff of what is new in it", async () => {
  const html = await page("check", failing);
  const { conversations, findings, repairs, items, texts } = index(html);
  const steps = conversations[0]?.steps ?? [];
  expect(steps.map((step) => step.findings)).toEqual([
    undefined,
    [0],
    [1],
    ...Array.from({ length: 6 }, () => undefined),
  ]);
  expect(steps[4]?.also).toEqual([0, 1]);
  expect(items[findings[0]?.item ?? -1]?.remarks).toEqual(["without type"]);
  expect(repairs[0]?.edits).toEqual([{ finding: 0, safety: "safe", title: "adds the type" }]);
  expect(findings[0]?.repair).toBe(0);
  const diff = repairs[0]?.diff ?? -1;
  const start = texts.sizes
    .slice(0, diff)
    .reduce((sum, size, text) => sum + (texts.blocks[text] === 0 ? size : 0), 0);
  expect(blocks(html)[0]?.slice(start, start + 20)).toMatch(/^@@ \/input\/3 @@\n {/);
});

test("the raw events of a stream are as the log has them", async () => {
  const html = await page("show", failing);
  const { conversations, texts } = index(html);
  const events = conversations[0]?.steps[0]?.reply?.events ?? -1;
  expect(texts.sizes[events]).toBeGreaterThan(1000);
  expect(blocks(html).join("")).toContain("event: response.output_text.delta\n");
});

test("media are named by their size, and are not in the page", async () => {
  const image = Buffer.from(Array.from({ length: 213_000 }, (_, at) => (at * 7919) % 251)).toString("base64");
  const content = [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
  ];
  const log = written(
    "image.jsonl",
    exchange([{ role: "user", content }], { role: "assistant", content: "A cat." }, "stop"),
  );
  const html = await page("show", log);
  expect(html.length).toBeLessThan(250_000);
  expect(index(html).items.flatMap(({ media = [] }) => media)).toEqual(["image, 213.0 kB"]);
});

test("a page of diff has both runs, their steps aligned, and where they part", async () => {
  const { stdout, exit } = await toollint(["diff", failing, passing, "--format", "html"]);
  const { conversations, diff, kind } = index(stdout);
  expect([exit, kind]).toEqual([1, "diff"]);
  expect(conversations).toHaveLength(2);
  expect(diff?.rows[0]).toEqual({ left: 0, right: 0, state: "same", differences: [] });
  expect(diff?.first).toBe(1);
  expect(diff?.rows[1]?.state).toBe("different");
  expect(diff?.rows[1]?.differences[0]).toMatch(/^request: .*without `type`/);
  expect(diff?.verdict[0]).toBe("The runs diverge at step 2, in the client's request (missing-output-type).");
  expect(staticPart(stdout)).toContain("The runs diverge at step 2");
});

test("a page of replay has what was sent and what the model did", async () => {
  const log = written("story.jsonl", storyLog("openai-chat", "forgets-rounds"));
  const server = await strictServer({ rounds, answer });
  try {
    const { stdout, exit } = await toollint(
      ["replay", log, "--base-url", server.url, "--format", "html=replay.html", "-o", "recording.jsonl"],
      { cwd: folder },
    );
    const html = fs.readFileSync(path.join(folder, "replay.html"), "utf8");
    const { replay, conversations } = index(html);
    expect(exit).toBe(0);
    expect(stdout).toContain("passes: ");
    expect(replay?.verdict).toBe("passes");
    expect(replay?.runs[0]?.rounds.at(-1)?.text).toContain(answer);
    expect(conversations[0]?.steps[replay?.step ?? -1]).toBeDefined();
    expect(staticPart(html)).toContain("The model makes progress");
    expect(fs.existsSync(path.join(folder, "recording.jsonl"))).toBe(true);
  } finally {
    await server.close();
  }
});

describe("where a page goes", () => {
  test.each(["check", "show"])("%s writes no page on a terminal, and says what to type", async (command) => {
    const { exit, stdout, stderr } = await toollint([command, failing, "--format", "html"], { isTTY: true });
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`\`toollint ${command} `);
    expect(stderr).toContain("--format html -o report.html");
  });

  test.each(["check", "show"])("%s writes it to the file of -o, and never over the log", async (command) => {
    const log = written("own.log", fs.readFileSync(failing, "utf8"));
    const { exit } = await toollint([command, log, "--format", "html", "-o", "own.html"], { cwd: folder });
    expect(exit).toBe(command === "check" ? 1 : 0);
    expect(fs.readFileSync(path.join(folder, "own.html"), "utf8")).toMatch(/^<!doctype html>\n/);
    const over = await toollint([command, log, "--format", "html", "-o", log], { cwd: folder });
    expect(over.exit).toBe(2);
    expect(over.stderr).toContain("would overwrite the log");
  });

  test("--open needs a page, and opens it without a shell", async () => {
    const without = await toollint(["check", failing, "--open"], { cwd: folder });
    expect(without.exit).toBe(2);
    expect(without.stderr).toContain("`--format html -o report.html --open`");
    // Nobody has this folder in PATH, so no browser is found: the page is written all the same.
    const { exit, stderr } = await toollint(
      ["check", passing, "--format", "html", "-o", "opened.html", "--open"],
      { cwd: folder, env: { PATH: path.join(folder, "nothing") } },
    );
    expect(exit).toBe(0);
    expect(stderr).toMatch(/no browser was opened: .* open opened\.html yourself/);
    expect(fs.existsSync(path.join(folder, "opened.html"))).toBe(true);
  });
});

test("a long cumulative log costs what is new in it", async () => {
  const messages: object[] = [{ role: "user", content: "Count." }];
  const lines: string[] = [];
  for (let step = 0; step < 400; step++) {
    const call = {
      id: `call_${step}`,
      type: "function",
      function: { name: "read", arguments: `{"n":${step}}` },
    };
    const message = { role: "assistant", content: null, tool_calls: [call] };
    lines.push(exchange(messages, message, "tool_calls"));
    messages.push(message, { role: "tool", tool_call_id: `call_${step}`, content: `number ${step}` });
  }
  const log = written("cumulative.jsonl", lines.join("\n"));
  const html = await page("show", log);
  const { conversations, items } = index(html);
  const [conversation] = conversations;
  expect(items.length).toBeLessThan(2 * 400 + 5);
  expect(conversation && historyAt(conversation, 399)).toHaveLength(1 + 2 * 399);
  const parts =
    conversation?.steps.reduce((sum, { request }) => sum + (request?.history.length ?? 0), 0) ?? 0;
  expect(parts).toBeLessThan(3 * 400);
  expect(html.length).toBeLessThan(fs.statSync(path.join(folder, log)).size / 20);
});
