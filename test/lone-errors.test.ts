import { describe, expect, test } from "vitest";
import { meaningOfError } from "../src/explain/meaning.ts";
import { refusalsAlone } from "../src/log/lone-errors.ts";

function said(text: string): string | undefined {
  return refusalsAlone("report.md", text, meaningOfError);
}

const orphan = "400 No tool call found for function call output with call_id call_jRznqKc4.";

describe("a report of a failure that quotes the refusal", () => {
  test("has headings, as issue trackers make them", () => {
    expect(
      said(`## Describe the problem\n\n## Steps to reproduce\n${orphan}\n\n## Environment\n- win32\n`),
    ).toMatchInlineSnapshot(`
        "report.md has an error message in line 4, without the request that it is about
        This error means orphaned-tool-result (\`call_jRznqKc4\`): send the reply with the call directly before its result; when trimming old history, drop calls and results together: \`history.push(reply, ...results)\`.
        A log of that run, with its requests, shows the line. \`toollint explain orphaned-tool-result\` explains it."
      `);
  });

  test("is written in another language", () => {
    expect(
      said(`### Что случилось?\n\nВнутренняя ошибка: ${orphan}\n\nМодель: coder-model\nОС: win32\n`),
    ).toMatch(/has an error message in line 3, .*\n.*orphaned-tool-result/);
  });

  test("has typographic quotes", () => {
    const text =
      "Internal error: 400 InternalError.Algo.InvalidParameter: An assistant message with “tool_calls” must be followed by tool messages responding to each “tool_call_id”. The following tool_call_ids did not have response messages: message[571].role";
    expect(said(text)).toMatch(/means unanswered-tool-call: .* element 571 of the history/);
  });

  test("quotes a body of a validator in a list of words", () => {
    const text =
      'Turns out, the response body looks like this:\n\n```\n{"message":"messages.1.content: Input should be a valid list"}\n```\n\nIs that\nright?\n';
    expect(said(text)).toMatch(/has an error message in line 4, .*\n.*points at `messages\[1\]\.content`/);
  });

  test("is longer than an error message", () => {
    const lines = Array.from({ length: 120 }, (_, at) => `step ${at}: read a file of the workspace`).join(
      "\n",
    );
    expect(said(`# Bug\n\n${lines}\n\n${orphan}\n`)).toContain("has an error message in line 124,");
    expect(said(`# Bug\n\n${lines.repeat(8)}\n\n${orphan}\n`)).toBeUndefined();
  });

  test("introduces a sentence of the provider as an error", () => {
    const text =
      "With Google's API it gives an error:\n\n> Unable to submit request because `search` functionDeclaration `parameters.sort` schema didn't specify the schema type field.";
    expect(said(text)).toMatch(/means invalid-request: Vertex wants a `type`/);
  });
});

test("a bad request is an error, whatever its status", () => {
  const text =
    "### Before\n\n> OpenRouter Bad Request: Provider returned error\n\n### After\n\n> OpenRouter Bad Request: Invalid schema for response_format 'foo': In context=(), 'required' is required\n";
  expect(said(text)).toMatch(/in line 7, .*\n.*invalid-request: correct the JSON Schema of the answer/);
});

test("several errors are listed, each with its line", () => {
  const text = `### Description

Tool call failed: arguments were not valid JSON. Please check your tool call format and try again.

user · comment
I also get "Bad Request: an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: bash:51"
`;
  expect(said(text)).toMatchInlineSnapshot(`
    "report.md has 2 error messages, without the requests that they are about
    Line 3: this error means incomplete-arguments: append all fragments of a call, parse them once the call is complete, and never run or store arguments that do not parse. It is about what the model wrote: the same request may succeed on a retry.
    Line 6: this error means unanswered-tool-call (\`bash:51\`): send one result for every call of a reply, even when the tool failed or was denied.
    A log of that run, with its requests, shows the lines. \`toollint explain incomplete-arguments\`, \`toollint explain unanswered-tool-call\` explain more."
  `);
});

test.each(["报错原文：", "Fehlermeldung:", "Mensagem de erro:", "エラー:", "Ошибка:"])(
  "a text about the settings is an error where somebody calls it one: %s",
  (heading) => {
    const text =
      "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'x'>";
    expect(said(`${heading}\n\n${text}\n\nv1.2\n\nmacOS\n`)).toMatch(/in line 3, .*\n.*invalid-request/);
  },
);

describe("an error that has only the status", () => {
  const status = "requests.exceptions.HTTPError: 400 Client Error: Bad Request for url: http://127.0.0.1/v1";

  test("leads to the body of the response", () => {
    expect(said(`## Logs\n\n${status}\n\n## Version\n\n1.2\n`)).toMatch(
      /in line 3, .*\nIt lacks the provider's reason.* body of the response/,
    );
  });

  test("is nothing beside the provider's words", () => {
    expect(said(`# Bug\n\n${status}\n\nThe body is:\n\n${orphan}\n`)).toMatch(
      /in line 7, .*\n.*means orphaned-tool-result/,
    );
  });
});

test("an error that is repeated is one", () => {
  expect(said(`# Bug\n\n${orphan}\n\nand later\nagain\nand again\n\n${orphan}\n`)).toMatch(
    /has an error message in line 3,/,
  );
});

test.each([
  "# Changelog\n\n- The list of tools may be empty.\n- Parameters are sorted.\n",
  "# Tools\n\nWrite one tool per file. A tool has a name and a schema.\n",
  '{"name": "weather", "description": "an error occurs where the city is missing"}',
])("other documents refuse nothing: %s", (text) => {
  expect(said(text)).toBeUndefined();
});
