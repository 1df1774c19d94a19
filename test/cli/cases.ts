import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { brokenLog, healthyLog, loopLog, openLog } from "./logs.ts";
import { toollint, type World } from "./program.ts";

/** One run of the program and what comes of it. */
export interface Case extends World {
  readonly name: string;
  readonly args: readonly string[];
  /** The whole output, or what it must match; nothing when left out. */
  readonly out?: string | RegExp;
  readonly err?: string | RegExp;
  readonly exit: 0 | 1 | 2;
}

/** A directory with logs and with what people take for logs; it is gone when the test file is done. */
export function logFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-cli-"));
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  const write = (file: string, content: string | Buffer) => {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), content);
  };
  write("healthy.jsonl", healthyLog);
  write("broken.jsonl", brokenLog);
  write("open.jsonl", openLog);
  const [before = "", after = ""] = healthyLog.trim().split("\n");
  write("rotated/app.log.1", `${before}\n`);
  write("rotated/app.log", `12:00 the log goes on\n${after}\n`);
  write("loop.jsonl", loopLog(3));
  write("1e3", healthyLog);
  write("-dash.jsonl", brokenLog);
  write("packed.jsonl.gz", gzipSync(brokenLog));
  write("empty.log", "");
  write("blank.log", "\n \n");
  write("notes.txt", "Buy milk.\n");
  write("archive.zip", Buffer.from("PK\x03\x04\0\0rest"));
  write("store.db", Buffer.from("SQLite format 3\0rest"));
  write("data.bin", Buffer.from([1, 2, 0, 3]));
  write("wide.log", Buffer.from(`\ufeff${healthyLog}`, "utf16le"));
  write("wide/a.log", Buffer.from(`\ufeff${healthyLog}`, "utf16le"));
  write("node-sdk.log", "[log_f04941] sending request {\n  messages: [Array],\n  choices: [ [Object] ]\n}\n");
  write("python-sdk.log", "DEBUG:openai._base_client:Request options: {'method': 'post', 'json_data': {}}\n");
  write(
    "claude.jsonl",
    '{"parentUuid":null,"sessionId":"s1","type":"user","uuid":"u1","message":{"role":"user"}}\n',
  );
  write(
    "session.jsonl",
    [
      { type: "summary", summary: "Hello" },
      {
        uuid: "1",
        parentUuid: null,
        sessionId: "s1",
        type: "user",
        message: { role: "user", content: "Is it warm?" },
      },
      {
        uuid: "2",
        parentUuid: "1",
        sessionId: "s1",
        type: "assistant",
        message: { id: "msg_1", role: "assistant", content: [{ type: "text", text: "Yes." }] },
      },
    ]
      .map((record) => `${JSON.stringify(record)}\n`)
      .join(""),
  );
  write("rollout.jsonl", '{"timestamp":"2026-01-05","type":"session_meta","payload":{"id":"s1"}}\n');
  write("gemini.json", '{\n  "sessionId": "s1",\n  "projectHash": "1b37d2",\n  "messages": []\n}\n');
  write("ui_messages.json", '[{"ts":1,"type":"say","say":"task","text":"How warm is it?"}]\n');
  write(
    "eval-head.json",
    '{"version":2,"status":"success","eval":{"run_id":"r","task_id":"t"},"plan":{"steps":[]}}\n',
  );
  write(
    "realtime.jsonl",
    '{"type":"session.created","session":{"id":"sess_1"}}\n{"type":"conversation.item.created","item":{"type":"message"}}\n',
  );
  write("assistants.json", '{"id":"run_1","object":"thread.run","status":"requires_action"}\n');
  write(
    "spans.json",
    '{"name":"chat gpt-5","attributes":{"gen_ai.operation.name":"chat","gen_ai.request.model":"gpt-5"}}\n',
  );
  write(
    "report.txt",
    'error[repeated-call]  `read` is called again\n  ┌─ run.log:4:1 · reply 2\n  │ 4 ▸ {"model":"gpt-5","messages":[{"role":"user","content":"Hi"}]}\n  └─\n',
  );
  write("aider.md", "\n# aider chat started at 2026-01-05 12:00:00\n\n> Add dry-run\n");
  write("aider.llm.history", "TO LLM 2026-01-05T12:00:00\n-------\nUSER Add dry-run\n");
  write(
    "spend.json",
    '[{"request_id":"r1","call_type":"acompletion","spend":0.1,"messages":"{}","response":"{}"}]\n',
  );
  write(
    "invocations.jsonl",
    '{"schemaType":"ModelInvocationLog","input":{"inputBodyS3Path":"s3://logs/in.json.gz"},"output":{}}\n',
  );
  write(
    "crew.json",
    '[{"timestamp":"2026-01-05 12:00:00","task_name":"t","task":"Ask","agent":"Clerk","status":"started"}]\n',
  );
  write("crew.txt", '2026-01-05 12:00:00: task_name="t", task="Ask", agent="Clerk", status="started"\n');
  write(
    "realtime-call.jsonl",
    '{"type":"session.created","event_id":"e1","session":{"id":"sess_1"}}\n{"type":"response.done","event_id":"e2","response":{"object":"realtime.response","id":"resp_1","output":[{"type":"function_call","call_id":"call_1","name":"weather","arguments":"{}"}]}}\n',
  );
  write(
    "items.json",
    '{"object":"list","data":[{"type":"function_call_output","call_id":"call_1","output":"17"},{"type":"function_call","call_id":"call_1","name":"weather","arguments":"{}"}],"has_more":false}\n',
  );
  write("claude-result.json", '{"type":"result","subtype":"success","result":"Done.","session_id":"5c3a"}\n');
  write(
    "mock.json",
    '{"_meta":{"copied":true},"fixtures":[{"match":{"userMessage":"Hi"},"response":{"content":"Hello."}}]}\n',
  );
  write(
    "replayed.json",
    '{"model_name":"weather","steps":[{"response":{"type":"user_input","content":"How warm is it?"}},{"request_hint":{"min_message_count":2},"response":{"type":"tool_calls","tool_calls":[{"id":"call_1","name":"weather","arguments":{}}]}}]}\n',
  );
  write(
    "tree.json",
    '{\n  "win": false,\n  "tree": {\n    "size": 2,\n    "tree": {"node_type": "Action", "children": []}}}\n',
  );
  write(
    "questions.json",
    '[{"id":0,"query":"How warm is it?","answers":"[{\\"name\\":\\"weather\\"}]","tools":"[]"}]\n',
  );
  write("board.jsonl", '{"id":"simple_0","result":[{"area":"{\\"base\\": 10}"}],"input_token_count":9}\n');
  write(
    "flat.jsonl",
    '{"system":"SYSTEM: Be brief.","chat":"USER: How warm is it?\\n\\nASSISTANT: Warm."}\n',
  );
  write(
    "traceback.log",
    'Traceback (most recent call last):\n  File "/srv/app.py", line 1, in <module>\nKeyError: 1\n',
  );
  write(
    "refusal.json",
    '{"message":"No tool call found for function call output.","type":"invalid_request_error"}\n',
  );
  write("npm.log", "\n> weather@1.0.0 start\n> node main.js\n\nReady.\n");
  write(
    "shard.jsonl",
    `{"type":"toollint-blob","schemaVersion":"1.0"}\n{"type":"run","before":${JSON.stringify(healthyLog)}}\n`,
  );
  write("typed.history", "/model\nHow warm is it?\n/exit\n");
  write("turns.txt", "HTTP 400: Unexpected role 'user' after role 'tool'\n");
  write("setting.txt", "POST failed: 400 Bad Request: Argument not supported on this model: topP\n");
  write("tools.txt", "> hello\n\n✕ [API Error: 400 invalid params, function parameters is empty (2013)]\n");
  write("topic.md", "Our notes: this argument is not allowed; you must provide a model parameter.\n");
  write(
    "dashscope.txt",
    '[API Error: 400 <400> messages with role "tool" must be a response to a preceeding message with "tool_calls".]\n',
  );
  write("call.log", "WARN No tool call found for function call output with call_id call_1.\n");
  write(
    "wrapped.txt",
    "The request failed:\n\nNo tool call found for function call\noutput with call_id call_1.\n",
  );
  write(
    "groq.txt",
    'status 400\n  error: {\n    code: "tool_use_failed",\n    type: "invalid_request_error",\n    failed_generation: "<function=',
  );
  write("overloaded.txt", "Error code: 429 - You exceeded your current quota\n");
  write(
    "trace.log",
    `Traceback (most recent call last):
  File "/srv/app.py", line 1, in <module>
openai.BadRequestError: Error code: 400 - An assistant message with 'tool_calls' must be followed by tool
messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1
`,
  );
  write("call.json", '{ "name": "calculator", "arguments": { "input": "2 * 3" } }\n');
  write(
    "vllm.log",
    "INFO 04-10 03:35:45 [logger.py:39] Received request chatcmpl-b654: prompt: '<|im_start|>user\\nHi<|im_end|>\\n', params: SamplingParams(n=1, stop=[]), lora_request: None.\n",
  );
  write(
    "generate.jsonl",
    '{"model":"llama3","created_at":"2026-01-02T03:04:05Z","response":"Hi","done":false}\n{"model":"llama3","created_at":"2026-01-02T03:04:06Z","response":"","done":true}\n',
  );
  write("said.txt", '### What time is it?\n{"name": "clock", "arguments": {"zone": "UTC"}}\n');
  write(
    "chat.md",
    'The parser of the server does not run it. I get `<|python_start|>{"name": "clock", "parameters": {}}<|python_end|>`.\n',
  );
  write(
    "parser.md",
    "## Error\nThe model answers well without tools, and with one call at a time it works, too. It began with the newest version, and the older one that I have on my other machine does not do it. I tried three sizes of the model and two of its templates. The model answers well without tools, and with one call at a time it works, too. It began with the newest version, and the older one that I have on my other machine does not do it. I tried three sizes of the model and two of its templates. Failed to parse tool call\n\n```xml\n<tool_call>clock<arg_key>zone</arg_key><arg_value>CET</arg_value></tool_call>\n```\n",
  );
  write(
    "token.txt",
    'The model answers well without tools, and with one call at a time it works, too. It began with the newest version, and the older one that I have on my other machine does not do it. I tried three sizes of the model and two of its templates. It answers in a format like this:\n<|tool_call_start|>[clock(zone="CET")]<|tool_call_end|>\n\nThe same happens when I call the server, where the list of calls is empty and the text has this.\n',
  );
  write(
    "printed.txt",
    `With \`stream=True\` the reply of the client has it in its text. For example:\n\`\`\`json\n{'role': 'assistant', 'content': '{"name": "clock", "parameters": {}}'}\n\`\`\`\nThe same without a stream is fine, and the text is empty there.\n`,
  );
  write("sentence.txt", "The schema has no converter: wrap it with `toJsonSchema()` before you pass it.\n");
  write(
    "page.txt",
    '{"created": [1763879881](tel:1763879881), "choices": [{"message": {"role": "assistant", "content": "Hi."}}]}\n',
  );
  write("block.json", '{"type":"tool_use","id":"toolu_1","name":"glob","input":{}}\n');
  write("calls.json", '[{"name":"a","arguments":"{}"},{"name":"b","arguments":{"x":1}}]\n');
  write("declared.json", '[{"name":"a","parameters":{"type":"object","properties":{}}}]\n');
  write("react.txt", "Thought: Yes\nAction: search\nAction Input: rain\nObservation: none\n");
  write(
    "two-ids.txt",
    "Error: messages.8: tool_use ids were found without tool_result blocks immediately after: toolu_1, toolu_2. Each\n",
  );
  write(
    "path.txt",
    "Bad request\nInvalid 'messages[2].content': empty array. Expected an array with minimum length 1, but got an empty array instead.\n",
  );
  write(
    "detail.txt",
    '"type": "extra_forbidden",\n"msg": "Extra inputs are not permitted",\n"loc": ["body", "messages", X, "assistant", "reasoning_content"]\n',
  );
  write(
    "template.log",
    '12:01:07 ERROR turn failed: Error rendering prompt with jinja template: "Unknown test: sequence".\n\nThis is usually an issue with the model.\n',
  );
  write("printed.py", "# stream=True\nChatCompletionChunk(..., finish_reason=None, ...)\n");
  write("unknown.txt", "Error code: 400 - the moon is not full\n");
  const snapshot = `{
  "kwargs": {
    "invalid_tool_calls": [],
    "tool_calls": undefined,
    "content": "It rains.",
    "messages": [
      "AIMessage",
    ],
  },
}`;
  const keys = `{\n  "tool_calls": undefined,\n  "content": "messages",\n  "invalid_tool_calls": [],\n}`;
  write("jest.snap", `// Jest Snapshot v1\n\nexports[\`rain 1\`] = \`\n${keys}\n\`;\n`);
  write("vitest.snap", `// Vitest Snapshot v1\n\nexports[\`rain 1\`] = \`\n${snapshot}\n\`;\n`);
  write(
    "golden.yaml",
    'kwargs:\n  "invalid_tool_calls": []\n  "messages": ["AIMessage"]\n  "content": "undefined"\n',
  );
  write("server.go", `package main\n${"// the server\n".repeat(400)}const kind = "invalid_request_error"\n`);
  write("plan.md", "# Plan\n\nAsk for the weather.\n");
  write("hooks.yaml", "# Runs before each call\n\n# of a tool\nversion: 2\nhooks:\n  pre_tool_use: []\n");
  const pasted = '{"model":"m","messages":[{"role":"agent","content":"How warm is it?"}]}';
  const quoted = `\n_**User**_\n\nHow warm is it?\n\n\`\`\`json\n${pasted}\n\`\`\`\n`;
  write("history.md", `<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# Weather\n${quoted}`);
  write("cursor.md", `# Weather\n_Exported on 5/13/2026 at 11:04:12 from Cursor (2.6.1)_\n${quoted}`);
  const hook = { session_id: "s1", transcript_path: "/s1.jsonl", cwd: "/work" };
  const ran = { tool_name: "Bash", tool_input: { command: "make" }, tool_use_id: "toolu_1" };
  write(
    "hooks.jsonl",
    [
      { ...hook, hook_event_name: "UserPromptSubmit", prompt: "Build it." },
      { ...hook, hook_event_name: "PreToolUse", ...ran },
      { ...hook, hook_event_name: "PostToolUse", ...ran, tool_response: { stdout: "done" } },
    ]
      .map((record) => `${JSON.stringify(record)}\n`)
      .join(""),
  );
  const given = { sessionId: "s1", timestamp: 1_767_600_000_000, cwd: "/work" };
  const args = { toolName: "bash", toolArgs: '{"command":"make"}' };
  write(
    "copilot-hooks.jsonl",
    [
      { ...given, prompt: "Build it." },
      { ...given, ...args },
      { ...given, ...args, toolResult: { resultType: "success", textResultForLlm: "done" } },
    ]
      .map((record) => `${JSON.stringify(record)}\n`)
      .join(""),
  );
  write("cctrace.md", `# Claude Code Session Export\n\n**Session ID:** \`1\`\n${quoted}`);
  write("rendered.md", `# Claude Code Session: weather\n\n> Exported from cctrace v2.0.0\n${quoted}`);
  write("cctrace.xml", `<?xml version="1.0" ?>\n<claude-session export-version="1.0">\n${quoted}`);
  write("opencode.md", `# Weather\n\n**Session ID:** ses_1\n**Created:** 5/13/2026\n${quoted}`);
  write(
    "openapi.yaml",
    `openapi: 3.1.0\ninfo:\n  title: Weather\npaths:\n  /chat:\n    post:\n      example:\n        ${pasted}\n`,
  );
  write(
    "page.yaml",
    `paths:\n  path: /chat\n  example:\n    ${pasted}\n  schema:\n    $ref: '#/components/schemas/Chat'\n`,
  );
  const post = { requestBody: { content: { "application/json": { example: JSON.parse(pasted) } } } };
  write(
    "openapi.json",
    JSON.stringify({ openapi: "3.1.0", info: { title: "Weather" }, paths: { "/chat": { post } } }),
  );
  const $ref = "#/components/schemas/Text";
  const schemas = Object.fromEntries(
    Array.from({ length: 2000 }, (_, place) => [
      `Text${place}`,
      { allOf: [{ $ref }], description: "A text." },
    ]),
  );
  write(
    "sorted.json",
    JSON.stringify({ components: { schemas }, info: {}, openapi: "3.1.0", paths: { "/chat": { post } } }),
  );
  write("page.json", JSON.stringify({ paths: { "/chat": { post } }, components: { schemas: {} } }));
  const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", examples: [JSON.parse(pasted)] };
  write("schema.json", JSON.stringify(schema, undefined, 2));
  const chapter = `\n## Ask\n\n\`\`\`python\nclient.chat()\n\`\`\`\n\nThis sends\n\n\`\`\`json\n${pasted}\n\`\`\`\n`;
  write("guide.md", `---\ntitle: Guide\n---\n\n# Guide\n${chapter.repeat(10)}`);
  const packed = `const body = ${pasted};\n`;
  write(
    "repomix.txt",
    `This file is a merged representation of the entire codebase, combined into one document.\n\n${packed}`,
  );
  write("digest.txt", `Directory structure:\n\u2514\u2500\u2500 sky/\n\n====\nFILE: a.js\n====\n${packed}`);
  write("prompt.txt", `Project Path: sky\n\nSource Tree:\n\n\`\`\`\nsky\n\`\`\`\n\n${packed}`);
  const licence = "Licensed under the terms below.\n".repeat(30);
  write("licensed.md", `<!--\n${licence}-->\n\n# Guide\n${chapter.repeat(10)}`);
  const side = "\u2500".repeat(20);
  const drawn = `\u250c${side}\u2510\n\u2502 Sends ${pasted} \u2502\n\u2502 {"model":"m", \u2502\n\u2514${side}\u2518\n`;
  write("page.mdx", `---\nsidebar: true\ntitle: Guide\n---\n\nHow to ask.\n${chapter.repeat(10)}`);
  const says = "A client MUST send its requests in the order in which it got the replies. ".repeat(9);
  const shows = `\n# Part\n\n${says}\n\n\`\`\`json\n${pasted}\n\`\`\`\n`;
  const imports = 'import { Code } from "./code.astro";\n\n';
  write("spec.mdx", `${imports}<h1 class="title">Specification</h1>\n\n${says}\n${shows.repeat(10)}`);
  write("journal.md", `# Journal\n${`\n## Request\n\nSent:\n\n\`\`\`json\n${pasted}\n\`\`\`\n`.repeat(10)}`);
  write("flow.md", `# Flow\n${`\n## Ask\n\n\`\`\`\n${drawn}\`\`\`\n`.repeat(6)}`);
  const sent = `It sends:\n\n    ${pasted}\n\n`;
  write("sky.txt", `*sky.txt*    Weather for Vim\n\n${`Ask it: >\n    :Sky\n<\n${sent}`.repeat(4)}`);
  write("sky.rst", `Guide\n=====\n\n${`.. code-block:: python\n\n    ask()\n\n${sent}`.repeat(4)}`);
  write("sky.adoc", `= Guide\n\n${`[source,python]\n----\nask()\n----\n\n${sent}`.repeat(4)}`);
  write("report.md", `# Bug\n${chapter.repeat(2)}`);
  write("kiro.json", '{"session_id":"k1","cwd":"/home/ada","session_state":{"version":"v1"}}\n');
  write("bad\u001b[31m.log", "nothing\n");
  write("logs/a.jsonl", healthyLog);
  write("logs/deep/b.jsonl", brokenLog);
  write("logs/readme.txt", "How these were made.\n");
  write("logs/picture.bin", Buffer.from([0, 1, 2]));
  write("logs/node_modules/x/c.jsonl", brokenLog);
  write("logs/.hidden.jsonl", brokenLog);
  write("logs/client.test.ts", brokenLog);
  write("no-logs/readme.txt", "Nothing here.\n");
  fs.mkdirSync(path.join(folder, "bare"));
  return folder;
}

/** Makes a test of every case, run in this directory. */
export function run(folder: string, cases: readonly Case[]): void {
  for (const { name, args, out = "", err = "", exit, ...world } of cases) {
    test(name, async () => {
      const outcome = await toollint(args, { cwd: folder, ...world });
      if (typeof out === "string") expect(outcome.stdout).toBe(out);
      else expect(outcome.stdout).toMatch(out);
      if (typeof err === "string") expect(outcome.stderr).toBe(err);
      else expect(outcome.stderr).toMatch(err);
      expect(outcome.exit).toBe(exit);
    });
  }
}

/** What `check` says about a log without findings. */
export const clean = /^checked: \d exchanges, .*\nno findings · passes\n$/s;
/** What `check` says about the log in which the call was dropped. */
export const dropped = /error\[dropped-tool-call\]/;
