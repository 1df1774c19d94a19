import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { allMasks } from "../../src/fix/masks.ts";
import { memorySource } from "../../src/reading/source.ts";
import { patched } from "../../src/reading/view.ts";
import { recordingLine } from "../../src/record/line.ts";
import { toollint } from "../cli/program.ts";
import { leaks, shownPart } from "./kinds.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-secrets-"));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const model = "gpt-5-mini";
const tools = [
  { type: "function", function: { name: "run", parameters: { type: "object", properties: {} } } },
];

interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly object[];
  readonly tool_call_id?: string;
}

const call = (id: string, args: string): Message => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "run", arguments: args } }],
});
const result = (id: string, content: string): Message => ({ role: "tool", tool_call_id: id, content });
/** Each exchange asks something else, so that none continues another. */
const asks = (at: number): Message => ({ role: "user", content: `What is set in part ${at}?` });

const completion = (message: object, finish = "stop"): object => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  model,
  choices: [{ index: 0, message, finish_reason: finish }],
});

/** A reply as its stream, cut into fragments of a few characters. */
function streamed(delta: (fragment: string, index: number) => object, text: string, finish: string): string {
  const fragments = text.match(/.{1,7}/gs) ?? [];
  const chunks = [...fragments.map(delta), {}].map((each, index) => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1745410811,
    model,
    choices: [{ index: 0, delta: each, finish_reason: index === fragments.length ? finish : null }],
  }));
  return [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"]
    .map((data) => `data: ${data}\n\n`)
    .join("");
}

const said = (text: string): string =>
  streamed((content, at) => ({ ...(at === 0 && { role: "assistant" }), content }), text, "stop");
const called = (text: string): string =>
  streamed(
    (args, at) => ({
      tool_calls: [
        {
          index: 0,
          ...(at === 0 && { id: "call_9", type: "function" }),
          function: { ...(at === 0 && { name: "run" }), arguments: args },
        },
      ],
    }),
    JSON.stringify({ script: text }),
    "tool_calls",
  );

interface Exchange {
  readonly messages: readonly Message[];
  readonly reply: object | string;
  readonly status?: number;
}

/** Each place of a conversation where a text may stand; every second one also makes a finding about it. */
const places: Readonly<Record<string, (texts: readonly string[]) => Exchange[]>> = {
  "system prompts and users' messages": (texts) =>
    texts.map((text, at) => ({
      messages: [
        { role: "system", content: `Use this: ${text}` },
        { role: "user", content: `It is (${at})\n${text}` },
      ],
      reply: completion({ role: "assistant", content: "Thanks." }),
    })),
  "the model's text": (texts) =>
    texts.map((text, at) => ({
      messages: [asks(at)],
      reply: completion({ role: "assistant", content: `It is ${text} here.` }),
    })),
  "arguments, and a call that comes again": (texts) =>
    texts.flatMap((text, at) => {
      const again = [call("call_1", JSON.stringify({ script: text })), result("call_1", "ok")];
      const more = [call("call_2", JSON.stringify({ script: text })), result("call_2", "ok")];
      return [
        { messages: [asks(at), ...again], reply: completion({ ...more[0] }, "tool_calls") },
        {
          messages: [asks(at), ...again, ...more],
          reply: completion({ role: "assistant", content: "Done." }),
        },
      ];
    }),
  "results, and one without its call": (texts) =>
    texts.flatMap((text, at) => [
      {
        messages: [asks(at), call("call_1", "{}"), result("call_1", text)],
        reply: completion({ role: "assistant", content: "Done." }),
      },
      {
        messages: [asks(at), result("call_1", text)],
        reply: completion({ role: "assistant", content: "Done." }),
      },
    ]),
  "ids and names": (texts) =>
    texts.map((text, at) => ({
      messages: [asks(at), result(text, "ok")],
      reply: completion(
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: text, type: "function", function: { name: text, arguments: "{" } }],
        },
        "tool_calls",
      ),
    })),
  "results in base64": (texts) =>
    texts.map((text, at) => ({
      messages: [
        asks(at),
        call("call_1", "{}"),
        result("call_1", JSON.stringify({ data: btoa(`it says:\n${text}\n`) })),
      ],
      reply: completion({ role: "assistant", content: "Done." }),
    })),
  "a provider's error": (texts) =>
    texts.map((text, at) => ({
      messages: [asks(at)],
      status: 400,
      reply: { error: { message: `Wrong: ${text}`, type: "invalid_request_error" } },
    })),
  "fragments of the model's text": (texts) =>
    texts.map((text, at) => ({ messages: [asks(at)], reply: said(`It is ${text} here.`) })),
  "fragments of arguments, which nobody answered": (texts) =>
    texts.flatMap((text, at) => [
      { messages: [asks(at)], reply: called(text) },
      { messages: [asks(at), { role: "assistant", content: "Well." }, asks(at)], reply: said("Done.") },
    ]),
};

/** A log with each of the texts at a place. */
function logOf(place: (texts: readonly string[]) => Exchange[], texts: readonly string[]): string {
  return place(texts)
    .map(({ messages, reply, status = 200 }) =>
      JSON.stringify({
        request: {
          method: "POST",
          url: "https://api.openai.com/v1/chat/completions",
          body: { model, tools, messages },
        },
        response: { status, body: reply },
      }),
    )
    .map((line) => `${line}\n`)
    .join("");
}

const formats = ["text", "lines", "json", "jsonl", "sarif", "junit", "github", "gitlab", "markdown"];
const printing: readonly (readonly string[])[] = [
  ...formats.map((format) => ["check", "LOG", "--format", format]),
  ["check", "LOG", "--complete"],
  ["check", "LOG", "--explain-input"],
  ["check", "LOG", "--baseline", "baseline.json", "--update-baseline"],
  ["show", "LOG"],
  ["show", "LOG", "--full"],
  ["show", "LOG", "--format", "json"],
  ["diff", "LOG", "OTHER"],
  ["diff", "LOG", "OTHER", "--format", "json"],
  ["diff", "LOG", "OTHER", "--format", "markdown"],
  ["diff", "LOG", "--steps"],
  ["diff", "LOG", "--steps", "--format", "json"],
  ["fix", "LOG", "--dry-run", "--unsafe"],
  ["fix", "LOG", "--dry-run", "--unsafe", "--format", "json"],
  ["fix", "LOG", "--unsafe", "--redact", "-o", "-"],
  ["fix", "LOG", "--unsafe", "--redact", "--emit", "requests", "-o", "-"],
  ["shrink", "LOG", "-o", "small.jsonl"],
  ["shrink", "LOG", "-o", "small.jsonl", "--format", "json"],
  ["explain", "--error", "messages[1]: tool_call_id", "LOG"],
  ["explain", "--error", "messages[1]: tool_call_id", "LOG", "--format", "json"],
  ["replay", "LOG", "--base-url", "http://127.0.0.1:9/v1", "--exchange", "1", "--dry-run"],
];

/** The kinds of which an output shows a part, also where it is wrapped. */
function kindsShown(output: string): string[] {
  const joined = output.replace(/\n\s*/g, "");
  return leaks
    .filter(({ secret }) => [output, joined].some((text) => shownPart(text, secret, 12, 6) !== undefined))
    .map(({ kind }) => kind);
}

const numberOfPlaces = Object.keys(places).length;

/**
 * By output, the numbers of three places, one of each third of the kinds. All pairs of places and outputs
 * would take minutes, so this is a sample, the same one in each run: every output meets every kind, and
 * every place meets about a third of the outputs.
 */
const sample = printing.map((_, output) =>
  [0, 1, 2].map((third) => {
    const turn = Math.floor(output / 3 ** third) + third * output;
    return third + 3 * (turn % (numberOfPlaces / 3));
  }),
);

test("every output meets every kind, and every place meets several outputs", () => {
  for (const numbers of sample) expect(numbers.map((at) => at % 3)).toEqual([0, 1, 2]);
  for (const at of Object.keys(places).keys())
    expect(sample.filter((numbers) => numbers.includes(at)).length).toBeGreaterThan(5);
});

// Each place has a third of the kinds, another third than the place before it.
describe.each(Object.entries(places).map((entry, at) => [...entry, at] as const))(
  "%s",
  (name, place, turn) => {
    const texts = leaks.filter((_, at) => (at + turn) % 3 === 0).map(({ text }) => text);
    const log = `${name.replace(/\W+/g, "-")}.jsonl`;
    const other = `other-${log}`;
    fs.writeFileSync(path.join(folder, log), logOf(place, texts));
    fs.writeFileSync(
      path.join(folder, other),
      logOf(
        place,
        texts.map((_, at) => `text ${at}`),
      ),
    );

    const met = printing.filter((_, output) => sample[output]?.includes(turn));
    test.each(met.map((words) => [words.join(" "), words] as const))(
      "by %s: no kind is shown",
      async (_, words) => {
        const args = words.map((word) => (word === "LOG" ? log : word === "OTHER" ? other : word));
        const { exit, stdout, stderr } = await toollint(args, { cwd: folder, columns: 200 });
        // A command that does not run shows nothing.
        expect([exit, exit === 2 ? stderr : ""]).toEqual([expect.toBeOneOf([0, 1]), ""]);
        expect(kindsShown(stdout + stderr)).toEqual([]);
        const baseline = path.join(folder, "baseline.json");
        if (words.includes("--baseline")) expect(kindsShown(fs.readFileSync(baseline, "utf8"))).toEqual([]);
      },
    );

    test("a log that is redacted is as long as before, line by line, and still JSON", () => {
      const bytes = Buffer.from(logOf(place, texts));
      const found = allMasks(memorySource(log, bytes), []);
      if ("encoded" in found) throw new Error("nothing is encoded here");
      const after = patched(bytes, found.masks).toString();
      expect(kindsShown(after)).toEqual([]);
      const before = bytes.toString().split("\n");
      expect(after.split("\n").map((line) => line.length)).toEqual(before.map((line) => line.length));
      for (const line of after.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
    });
  },
);

test("a recording with redaction holds no kind, in bodies as they are and in fragments", () => {
  for (const { kind, text, secret } of leaks) {
    const body = Buffer.from(JSON.stringify({ model, messages: [{ role: "user", content: text }] }));
    const line = recordingLine(
      {
        number: 1,
        time: 0,
        durationMs: 1,
        request: {
          method: "POST",
          url: "http://localhost/v1/chat/completions",
          headers: [["x-note", text.replace(/\s/g, " ")]],
          body,
        },
        response: {
          status: 200,
          headers: [["content-type", "text/event-stream"]],
          body: Buffer.from(said(text)),
        },
      },
      true,
    );
    expect([kind, shownPart(line, secret, 12)]).toEqual([kind, undefined]);
    const { request, response } = JSON.parse(line);
    expect(request.body.model).toBe(model);
    const data = response.body.split("\n\n").filter((event: string) => event.startsWith("data: {"));
    const spoken = data
      .map((event: string) => JSON.parse(event.slice(6)).choices[0].delta.content ?? "")
      .join("");
    expect([kind, shownPart(spoken, secret, 12)]).toEqual([kind, undefined]);
  }
});

test("an excerpt hides the fragment of a credential that the lines around it continue", async () => {
  const [key = ""] = leaks.filter(({ kind }) => kind === "Groq").map(({ secret }) => secret);
  const data = (content: string): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }], object: "chat.completion.chunk", model })}\n\n`;
  const request = JSON.stringify({ model, stream: true, messages: [asks(1)] });
  const cut = [20, 40].map((at, index) => data(key.slice(at - 20, index === 0 ? at : undefined))).join("");
  fs.writeFileSync(path.join(folder, "cut.log"), `${request}\n${cut}`);
  const { stdout } = await toollint(["check", "cut.log"], { cwd: folder, columns: 200 });
  expect(stdout).toMatch(/▸ .*"content":"\*\*\*"/);
  expect(shownPart(stdout, key, 8)).toBe(undefined);
});

describe("what is typed", () => {
  test.each(leaks.map((leak) => [leak.kind, leak] as const))(
    "%s is not repeated in a complaint",
    async (_, { text, secret }) => {
      const words = [
        ["check", text],
        ["check", "--rule", text],
        ["explain", text],
        ["explain", "--error", text],
      ];
      for (const args of words) {
        const { stdout, stderr } = await toollint(args, { cwd: folder });
        expect([args[0], shownPart(stdout + stderr, secret, 12)]).toEqual([args[0], undefined]);
      }
    },
  );
});
