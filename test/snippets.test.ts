import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "../src/cli/usage/parse.ts";
import { check } from "../src/index.ts";
import { parseScript } from "../src/serve/answers/script-file.ts";

/** The code of the documentation does what the documentation says; test/serve/testing-page.test.ts has docs/testing.md. */

const root = path.join(import.meta.dirname, "..");
const pages = [
  "README.md",
  ...readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md")),
].map((name) => (name === "README.md" ? name : `docs/${name}`));
const blocks = pages.flatMap((page) =>
  [...readFileSync(path.join(root, page), "utf8").matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = "", code = ""]) => ({ page, language, code }),
  ),
);
const blocksOf = (page: string, language: string) =>
  blocks.filter((block) => block.page === page && block.language === language).map(({ code }) => code);

const folder = mkdtempSync(path.join(tmpdir(), "toollint-snippets-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A command as a shell would split it, up to a comment or a pipe. */
function words(line: string): string[] {
  const [command = ""] = line.split(/\s+(?:#|\|)/);
  return [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? "",
  );
}

const commands = blocks
  .filter(({ language }) => ["sh", "yaml", "text", "console"].includes(language))
  .flatMap(({ page, code }) =>
    [...code.matchAll(/(?:^\s*(?:\$ |- (?:run: )?|run: )?|\| )(?:npx )?toollint ([a-z].*)$/gm)].map(
      ([, rest = ""]) => ({ page, command: rest }),
    ),
  );

test("the documentation shows many commands", () => {
  expect(commands.length).toBeGreaterThan(40);
});

test.each(commands)("$page: toollint $command can be typed so", async ({ command }) => {
  expect(await parse(words(command))).toHaveProperty("command");
});

test.each(blocksOf("docs/serve.md", "yaml").filter((code) => !code.includes("- run:")))(
  "script %# of docs/serve.md is one",
  (code) => {
    expect(() => parseScript(code, "script.yaml")).not.toThrow();
  },
);

/** What a hook may meet: each path has its kind of reply. */
let model: Server;
let address: string;
beforeAll(async () => {
  model = createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.url === "/v1/models") response.end('{"data":[]}');
      else if (request.url === "/v1/empty") response.writeHead(204).end();
      else if (request.url === "/v1/stream") {
        response.write('data: {"choices":[{"delta":{"content":"18"}}]}\n\n');
        response.end("data: [DONE]\n\n");
      } else
        response.end(
          '{"choices":[{"message":{"role":"assistant","content":"18 °C"},"finish_reason":"stop"}]}',
        );
    });
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
});
afterAll(() => void model.close());

const body = '{"model":"gpt-5-mini","messages":[{"role":"user","content":"How warm is it?"}]}';

describe("keepFetch of docs/logs.md", () => {
  const [keepFetch = ""] = blocksOf("docs/logs.md", "ts");

  async function run(program: string): Promise<{ stdout: string; stderr: string; log: string }> {
    rmSync(path.join(folder, "run.jsonl"), { force: true });
    const { code } = await transform(keepFetch, { loader: "ts", format: "esm" });
    writeFileSync(
      path.join(folder, "keep.mjs"),
      `${code}\nconst address = ${JSON.stringify(address)};\nconst body = ${JSON.stringify(body)};\n${program}`,
    );
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["keep.mjs"], { cwd: folder });
    const kept = readdirSync(folder).includes("run.jsonl");
    return { stdout, stderr, log: kept ? readFileSync(path.join(folder, "run.jsonl"), "utf8") : "" };
  }

  test.each([
    ["a text", 'address + "/chat/completions", { method: "POST", body }'],
    ["bytes", 'address + "/chat/completions", { method: "POST", body: new TextEncoder().encode(body) }'],
    ["a Request", 'new Request(address + "/chat/completions", { method: "POST", body })'],
    ["a text, the reply a stream", 'address + "/stream", { method: "POST", body }'],
  ])("keeps a request whose body is %s, so that check reads it", async (_, request) => {
    const { stdout, log } = await run(
      `console.log((await (await keepFetch(${request})).text()).length > 10);`,
    );
    expect(stdout).toBe("true\n");
    expect(log.trim().split("\n")).toHaveLength(1);
    const { files, summary } = await check(log);
    expect([files[0]?.exchanges, summary.error]).toEqual([1, 0]);
  });

  test.each([
    ["no body", 'address + "/models"'],
    ["an empty body", 'address + "/models", { method: "POST", body: "" }'],
    ["an empty body and an empty reply", 'address + "/empty", { method: "POST", body: "" }'],
    ["text that is no JSON", 'address + "/models", { method: "POST", body: "{ hello" }'],
    ["a form", 'address + "/models", { method: "POST", body: new URLSearchParams({ a: "1" }) }'],
    [
      "form data",
      '(() => { const form = new FormData(); form.set("file", new Blob(["x"]), "x.txt"); return form; })()',
    ],
    ["a blob", 'address + "/models", { method: "POST", body: new Blob(["x"]) }'],
    ["a stream", 'address + "/models", { method: "POST", duplex: "half", body: new Blob([body]).stream() }'],
    ["a Request without a body", 'new Request(address + "/models")'],
  ])("lets a request with %s pass", async (name, request) => {
    const args = name === "form data" ? `address + "/models", { method: "POST", body: ${request} }` : request;
    const { stdout, log } = await run(`console.log((await keepFetch(${args})).ok);`);
    expect(stdout).toBe("true\n");
    expect(log).toBe("");
  });

  test("lets the program's own errors through, and keeps its own to itself", async () => {
    const { stdout, stderr } = await run(`
process.on("unhandledRejection", (error) => console.log("unhandled", error));
await keepFetch("http://127.0.0.1:9/").catch((error) => console.log(error.message));
const folder = await import("node:fs");
folder.mkdirSync("run.jsonl");
console.log((await keepFetch(address + "/chat/completions", { method: "POST", body })).status);
process.on("exit", () => folder.rmdirSync("run.jsonl"));
`);
    expect(stdout).toBe("fetch failed\n200\n");
    expect(stderr).toContain("not kept in run.jsonl: Error: EISDIR");
  });
});

describe("the hook for Python of docs/logs.md", () => {
  const [hook = ""] = blocksOf("docs/logs.md", "python");
  /** The two names of the package that the snippet needs, with the hook at hand. */
  const openai =
    "def DefaultHttpxClient(event_hooks):\n    return event_hooks\ndef OpenAI(http_client):\n    return http_client\n";
  const replies = `
class Request:
    def __init__(self, content):
        self._content = content
    @property
    def content(self):
        if self._content is None:
            raise RuntimeError("Attempted to access streaming request content, without having called read().")
        return self._content

class Reply:
    url = "https://api.openai.com/v1/chat/completions"
    status_code = 200
    text = '{"choices":[{"message":{"role":"assistant","content":"18"},"finish_reason":"stop"}]}'
    def __init__(self, content):
        self.request = Request(content)
        self.wasRead = False
    def read(self):
        self.wasRead = True

[hook] = client["response"]
`;

  async function run(program: string) {
    rmSync(path.join(folder, "run.jsonl"), { force: true, recursive: true });
    writeFileSync(path.join(folder, "openai.py"), openai);
    writeFileSync(path.join(folder, "hook.py"), hook + replies + program);
    return promisify(execFile)("python3", ["hook.py"], { cwd: folder });
  }

  test("keeps a request with a JSON body, so that check reads it", async () => {
    await run(`hook(Reply(b'${body}'))`);
    const { files, summary } = await check(path.join(folder, "run.jsonl"));
    expect([files[0]?.exchanges, summary.error]).toEqual([1, 0]);
  });

  test("lets every other request pass, its reply unread", async () => {
    const { stdout } = await run(`
import os
for content in (b"", b"hello", b"a=1&b=2", b'--boundary\\r\\nContent-Disposition: form-data; name="file"', b"\\xff\\xfe", None):
    reply = Reply(content)
    hook(reply)
    print(reply.wasRead)
print(os.path.exists("run.jsonl"))
`);
    expect(stdout).toBe("False\n".repeat(7));
  });

  test("does not stop a program whose log cannot be written", async () => {
    const { stderr } = await run(`import os\nos.mkdir("run.jsonl")\nhook(Reply(b'${body}'))`);
    expect(stderr).toContain("not kept in run.jsonl:");
  });
});

describe("the library's snippets", () => {
  const guards = blocks.filter(
    ({ language, code }) => language === "ts" && code.includes("await check({ model"),
  );

  test("stand in the README and in docs/library.md", () => {
    expect(guards.map(({ page }) => page).sort()).toEqual(["README.md", "docs/library.md"]);
  });

  test.each(guards)(
    "the guard of $page lets a good request through and stops a broken one",
    async ({ code }) => {
      const run = async (messages: unknown) => {
        const program = code.replace('"toollint"', JSON.stringify(path.join(root, "dist/index.js")));
        const head = `const model = "gpt-5-mini", tools = undefined, messages = ${JSON.stringify(messages)};\n`;
        writeFileSync(
          path.join(folder, "guard.mjs"),
          head + (await transform(program, { loader: "ts" })).code,
        );
        return promisify(execFile)(process.execPath, ["guard.mjs"], { cwd: folder }).then(
          () => "sent",
          ({ stderr }: { stderr: string }) => stderr,
        );
      };
      expect(await run([{ role: "user", content: "Hello" }])).toBe("sent");
      expect(await run([{ role: "tool", tool_call_id: "call_1", content: "18" }])).toContain("call_1");
      expect(await run("oops")).toContain("no conversation was found");
    },
  );

  test("a model server starts as the page says", async () => {
    const code = blocksOf("docs/library.md", "ts").find((each) => each.includes("toollint/testing")) ?? "";
    const program = code.replace('"toollint/testing"', JSON.stringify(path.join(root, "dist/testing.js")));
    writeFileSync(
      path.join(folder, "server.mjs"),
      `${program}\nawait server.close();\nconsole.log(server.url);\n`,
    );
    const { stdout } = await promisify(execFile)(process.execPath, ["server.mjs"], { cwd: folder });
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  });
});
