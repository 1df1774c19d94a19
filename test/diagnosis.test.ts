import { describe, expect, test } from "vitest";
import { diagnose } from "../src/diagnosis/index.ts";
import { anthropic } from "../src/protocols/anthropic/index.ts";
import { ollama } from "../src/protocols/ollama/index.ts";
import { supported } from "../src/protocols/protocol.ts";
import { ruleTable } from "../src/rules/index.ts";
import { at, diagnosed, finding } from "./reporters/reports.ts";

const request = (exchange: number, pointer: string, file = "run.log") =>
  at(exchange * 10, 1, { file, exchange, part: "request", pointer });
const response = (exchange: number, pointer: string) =>
  at(exchange * 10 + 5, 1, { exchange, part: "response", pointer });

describe("a diagnosis", () => {
  test("says once what the client does, in all exchanges that show it", () => {
    const findings = [
      finding("unanswered-tool-call", request(4, "/messages/2/tool_calls/0"), { id: "f1", alsoIn: [5, 6] }),
      finding("unanswered-tool-call", request(5, "/messages/4/tool_calls/0"), { id: "f2", alsoIn: [6, 8] }),
    ];
    expect(diagnosed(findings, "openai-chat")).toEqual([
      {
        file: "run.log",
        title: "The client continues without answering every tool call",
        rule: "unanswered-tool-call",
        findings: ["f1", "f2"],
        exchanges: [4, 5, 6, 8],
        consequence:
          "So the model never sees what these calls returned, and strict providers reject the request",
        change:
          'send one result for every call of a reply, even when the tool failed or was denied: `{ role: "tool", tool_call_id: call.id, content }`',
      },
    ]);
  });

  test.each([
    ["failed-reply-used", "failed", "The provider or the model gave up on a reply"],
    ["malformed-tool-result", "asUserText", "The client sends a tool result as user text"],
    ["malformed-tool-result", "glued", "The client merges the results of several calls into one"],
  ])("claims of %s (%s) only what the log shows", (rule, kind, title) => {
    const [own] = diagnosed([finding(rule, response(1, "/output"), { kind })], "openai-chat");
    expect(own?.title).toBe(title);
    expect(own?.change).not.toContain("as text");
  });

  test("advises on each meaning of the refusals in a log", () => {
    const refused = (exchange: number, defect: string) =>
      finding("provider-rejected", response(exchange, "/error"), {
        kind: "history",
        data: { defect, callIds: [] },
      });
    const findings = [
      refused(1, "unanswered-tool-call"),
      refused(2, "orphaned-tool-result"),
      refused(3, "unanswered-tool-call"),
    ];
    expect(diagnosed(findings).map(({ exchanges, change }) => [exchanges, change.slice(0, 42)])).toEqual([
      [[1, 3], "this error means unanswered-tool-call: sen"],
      [[2], "this error means orphaned-tool-result: sen"],
    ]);
  });

  test("says where a refusal is to be changed, if not in the client", () => {
    const data = { callIds: [], advice: "start the server with its parser", changeIn: "server" };
    expect(
      diagnosed([finding("provider-rejected", response(1, "/error"), { kind: "request", data })]),
    ).toMatchObject([{ change: "this error means: start the server with its parser", changeIn: "server" }]);
  });

  test("is made of errors and warnings that follow from nothing else", () => {
    const findings = [
      finding("dropped-turns", request(3, "/input/1"), { id: "f1" }),
      finding("repeated-call", response(4, "/output/0"), { id: "f2", severity: "warning", cause: "f1" }),
      finding("broken-cache-prefix", request(2, "/input"), { id: "f3", severity: "info" }),
      finding("exposed-secret", at(1, 1), { id: "f4", severity: "warning" }),
      finding("empty-reply", response(5, "/output"), {
        id: "f5",
        severity: "warning",
        cause: "not in the report",
      }),
    ];
    expect(diagnosed(findings).map(({ findings }) => findings)).toEqual([["f1"], ["f5"]]);
  });

  test("puts errors first, then what came first, file by file", () => {
    const findings = [
      finding("empty-reply", response(1, "/output"), { severity: "warning" }),
      finding("lost-fragments", request(7, "/input/3")),
      finding("empty-content", request(3, "/input/2")),
      finding("empty-content", request(1, "/input/2", "another.log")),
    ];
    expect(diagnosed(findings).map(({ file, rule }) => `${file} ${rule}`)).toEqual([
      "run.log empty-content",
      "run.log lost-fragments",
      "run.log empty-reply",
      "another.log empty-content",
    ]);
  });

  test("tells what followed, and from which cause it came", () => {
    const findings = [
      finding("dropped-tool-call", request(2, "/messages/1"), { id: "f1" }),
      finding("orphaned-tool-result", request(2, "/messages/2"), { id: "f2", cause: "f1" }),
      finding("repeated-call", response(3, "/choices/0/message/tool_calls/0"), {
        id: "f3",
        cause: "f2",
        data: { tools: ["read_file"] },
        related: [2, 4, 5].map((exchange) => ({
          message: "call",
          location: response(exchange, "/choices/0/message/tool_calls/0"),
        })),
      }),
    ];
    expect(diagnosed(findings)[0]?.consequence).toBe(
      "So the model does not know that it made these calls, and may make them again; " +
        "it made the same call to `read_file` again and again (replies 2–5), " +
        "and results were left without their call (request 2)",
    );
  });

  describe("of calls that are gone together with their results", () => {
    const lost = (step: number, kind = "withoutResult") =>
      diagnosed(
        [
          finding("dropped-tool-call", request(step + 1, "/messages/3/content"), {
            kind,
            related: [
              {
                message: "the call was made here",
                location: { ...response(step, "/choices/0/message/tool_calls/0"), step },
              },
            ],
          }),
        ],
        "openai-chat",
      )[0];

    test("says that they were overlooked, where the first reply has them", () => {
      expect(lost(1)).toMatchObject({
        title: "The client ignores the model's tool calls",
        change:
          "look for calls in every reply (assemble a stream to its end first), run them, and append the reply and its results: `messages.push(reply.message, ...results)`",
      });
    });

    test("says that every reply has to be looked at, where only later ones are concerned", () => {
      expect(lost(2)).toMatchObject({
        title: "The client ignores the tool calls of later replies",
        change:
          "run the calls of every reply, not only of the first, and append each reply with its results: `messages.push(reply.message, ...results)`",
      });
    });

    test("says that a part of parallel calls was left out", () => {
      expect(lost(1, "parallel")?.title).toBe("The client drops some of the model's parallel calls");
    });
  });

  test("does not take the places of what is gone for places where it shows", () => {
    const findings = [
      finding("dropped-tool-call", request(3, "/messages/2"), { id: "f1" }),
      finding("dropped-turns", request(3, "/messages/1"), {
        id: "f2",
        cause: "f1",
        related: [{ message: "gone: call read_file {}", location: request(2, "/messages/1") }],
      }),
    ];
    expect(diagnosed(findings)[0]?.consequence).toMatch(/earlier rounds were lost \(request 3\)$/);
  });

  test("tells one story of results without type in a history that is rebuilt", () => {
    const findings = [
      finding("missing-output-type", request(2, "/input/3"), { id: "f1", kind: "result", alsoIn: [3, 4] }),
      finding("dropped-turns", request(3, "/input/1"), { id: "f2", kind: "current", alsoIn: [4, 5] }),
    ];
    const [first, second] = diagnosed(findings);
    expect(first?.title).toBe("The client sends tool results without `type`");
    expect(second?.title).toBe("The client rebuilds the history in every request and loses earlier rounds");
    expect(first?.change).toBe(
      "append to one list, never rebuild it, and give every result its `type`: `input.push(...reply.output, ...outputs)`",
    );
    expect([second?.change, second?.consequence]).toEqual([first?.change, first?.consequence]);
  });

  test("tells one story of a history trimmed through a turn", () => {
    const trimmed = { trim: { from: 361, to: 40 }, isAskGone: true };
    const torn = finding("dropped-tool-call", request(4, "/messages/0"), { kind: "withResult" });
    const story = (data: object) =>
      diagnosed([
        finding("dropped-turns", request(3, "/messages/0"), { id: "f1", kind: "current", data: trimmed }),
        { ...torn, id: "f2", data: { ...torn.data, ...data } },
      ]);
    const [lost, cut] = story({ trim: true });
    expect([lost?.title, cut?.title]).toEqual([
      "The client trims the history in the middle of a turn",
      "The client cuts the history between a call and its result",
    ]);
    expect(lost?.consequence).toMatch(/no longer knows what the user asked/);
    expect(lost?.change).toMatch(/^never trim the user's message, and put a summary/);
    expect(cut?.change).toMatch(/^trim only between rounds/);
    expect(story({})[1]?.change).toMatch(/^keep the whole reply in the history/);
  });

  test("calls something a habit only when it shows in several requests in a row", () => {
    const once = diagnosed([finding("dropped-turns", request(3, "/input/1"), { alsoIn: [7, 9] })]);
    expect(once[0]?.title).toBe("The client drops earlier rounds from the history");
  });

  test("gives advice in the code of the API that its first finding is about", () => {
    const spoken = new Map([
      ["f1", ollama.idiom],
      ["f2", anthropic.idiom],
    ]);
    const [diagnosis] = diagnose(
      [
        finding("dropped-turns", request(3, "/messages/1"), { id: "f1" }),
        finding("dropped-turns", request(4, "/messages/1/content/0"), { id: "f2" }),
      ],
      ({ id }) => supported(spoken.get(id)),
    );
    expect(diagnosis?.change).toBe(
      "append to one list, never rebuild it: `messages.push(reply.message, ...results)`",
    );
  });

  test.each([
    ["an API that is not known", request(3, "/input/1"), "sdk-messages"],
    ["a session, which does not show the code", at(3, 1, { part: "transcript" }), "openai-chat"],
  ])("gives advice in general words for %s", (_, place, protocol) => {
    const [diagnosis] = diagnosed([finding("dropped-turns", place)], protocol);
    expect(diagnosis?.change).toBe("append to one list, never rebuild it: `history.push(reply, ...results)`");
  });

  test("names what to change where the findings say it", () => {
    const missing = (member: string, path: string) =>
      finding("invalid-request", request(1, "/messages/0"), { kind: "missing", data: { path, member } });
    const change = (...findings: Parameters<typeof diagnosed>[0]) => diagnosed(findings)[0]?.change;
    const name = missing("name", "messages[2].tool");
    const role = missing("role", "");
    expect(change(name, missing("name", "messages[4].tool"))).toBe("add `name` to `messages[].tool`");
    expect(change(name, role)).toBe("add `name` to `messages[].tool`; add `role` to the request");
    expect(change(...["a", "b", "c", "d"].map((member) => missing(member, "")))).toBe(
      "add the missing fields",
    );
    expect(change({ ...name, kind: "__proto__" })).toBe(
      "send each field in the form that the schema requires",
    );
  });

  test("of a rule that it does not know is the finding's own message", () => {
    const [diagnosis] = diagnosed([
      finding("own-rule", at(1, 1), { message: "`x` is wrong", kind: "__proto__" }),
    ]);
    expect(diagnosis).toMatchObject({ title: "`x` is wrong", consequence: "", change: "", exchanges: [] });
  });
});

describe("the habits of rules", () => {
  test("every rule has one, unless no diagnosis is made of it", () => {
    const without = ruleTable.filter(({ habit, traits }) => !habit && !traits?.includes("about-log"));
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  const entries = ruleTable.flatMap(({ name, habit, kindHabits = {} }) =>
    Object.entries({ [name]: habit, ...kindHabits }).flatMap(([key, own]) =>
      own ? [[key, own] as const] : [],
    ),
  );
  test.each(entries)("%s is written as sentences are", (_, { title, consequence, change }) => {
    for (const [isFromStart, rejection] of [
      [true, undefined],
      [false, "Mistral rejects the request"],
    ] as const) {
      const facts = {
        isHabit: true,
        isFromStart,
        isTrim: isFromStart,
        isTextKept: !isFromStart,
        isAskGone: isFromStart,
        idiom: { append: "`list.push(x)`", result: "`{}`" },
        rejection,
      };
      const [name, effect, order] = [title, consequence, change].map((text) =>
        typeof text === "string" ? text : text(facts),
      );
      expect(name).toMatch(/^[A-Z].*[^.]$/);
      expect(effect).toMatch(/^So .*[^.]$/);
      expect(order).toMatch(/^[a-z].*[^.]$/);
    }
  });
});

test.each(
  ruleTable.flatMap(({ name, advice = {} }) => Object.keys(advice).map((kind) => [name, kind] as const)),
)("what stands for %s (%s) beyond the limit needs no facts", (rule, kind) => {
  const [own] = diagnosed([finding(rule, request(1, "/messages"), { kind, data: { unlisted: 2 } })]);
  expect(own?.change).not.toContain("undefined");
});
