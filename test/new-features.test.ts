import { describe, expect, test } from "vitest";
import { check, type FindingReport } from "../src/index.ts";

/** What is said about a log, most serious first; `undefined` in a body is left out. */
async function said(log: object): Promise<string[]> {
  const { findings } = await check(JSON.parse(JSON.stringify(log)));
  const order = ["error", "warning", "info"];
  return findings
    .map(({ rule, kind, severity }: FindingReport) => `${severity} ${rule}/${kind}`)
    .sort((a, b) => order.indexOf(a.split(" ")[0] ?? "") - order.indexOf(b.split(" ")[0] ?? ""));
}

const exchange = (url: string) => (request: object, response: object) => ({ url, request, response });

describe("async tools of OpenAI Responses", () => {
  const sent = exchange("https://api.openai.com/v1/responses");
  const parameters = { type: "object", properties: { order: { type: "string" } }, required: ["order"] };
  const tools = [{ type: "function", name: "track_parcel", async: true, parameters }];
  const call = {
    type: "function_call",
    id: "fc_7",
    call_id: "call_parcel",
    name: "track_parcel",
    arguments: '{"order":"A-17"}',
    status: "completed",
  };
  const asked = { role: "user", content: "Where is order A-17, and what are your hours?" };
  const next = { role: "user", content: "Are you open on Sunday?" };
  const answer = (id: string, text: string) => ({
    type: "message",
    id: `msg_${id}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  });
  const reply = (id: string, ...output: object[]) => ({
    id: `resp_${id}`,
    object: "response",
    status: "completed",
    model: "gpt-6-astra",
    output,
  });
  const late = { type: "function_call_output", call_id: "call_parcel", output: "In Hamburg." };
  const hours = answer("1", "We are open from 9 to 6. I am looking for the parcel.");
  const sunday = answer("2", "No, Sunday is our day off.");
  const found = answer("3", "The parcel is in Hamburg.");

  test.each([
    ["the call says so", { ...call, async: true }, tools],
    ["only the tool says so", call, tools],
    [
      "the tool is a custom one",
      { type: "custom_tool_call", id: "ctc_1", call_id: "call_parcel", name: "sql", input: "x", async: true },
      [{ type: "custom", name: "sql", async: true }],
    ],
  ])("the result may come in any later request: %s", async (_, made, offered) => {
    const output = made.type === "custom_tool_call" ? { ...late, type: "custom_tool_call_output" } : late;
    const body = { model: "gpt-6-astra", store: false, tools: offered };
    const log = [
      sent({ ...body, input: [asked] }, reply("1", made, hours)),
      sent({ ...body, input: [asked, made, hours, next] }, reply("2", sunday)),
      sent({ ...body, input: [asked, made, hours, next, sunday, output] }, reply("3", found)),
    ];
    expect(await said(log)).toEqual([]);
    expect(await said(log.slice(0, 2))).toEqual(["info unclosed-loop/pending"]);
    expect(await said(log.slice(0, 1))).toEqual(["info unclosed-loop/pending"]);
    expect(await said(log.slice(1, 2))).toEqual(["info unclosed-loop/pending"]);
  });

  test("in a chain the call may be in any ancestor", async () => {
    const made = { ...call, async: true };
    const body = { model: "gpt-6-astra", tools };
    const log = [
      sent({ ...body, input: [asked] }, reply("1", made, hours)),
      sent({ ...body, previous_response_id: "resp_1", input: [next] }, reply("2", sunday)),
      sent({ ...body, previous_response_id: "resp_2", input: [next] }, reply("2b", sunday)),
      sent({ ...body, previous_response_id: "resp_2b", input: [late] }, reply("3", found)),
    ];
    expect(await said(log)).toEqual([]);
    expect(await said(log.slice(0, 3))).toEqual(["info unclosed-loop/pending"]);
  });

  test("other calls still need their results", async () => {
    const body = { model: "gpt-6-astra", store: false, tools: [{ ...tools[0], async: false }] };
    const log = [
      sent({ ...body, input: [asked] }, reply("1", call, hours)),
      sent({ ...body, input: [asked, call, hours, next] }, reply("2", sunday)),
    ];
    expect(await said(log)).toContain("error unanswered-tool-call/noResult");
  });
});

describe("the tools of a request", () => {
  const asked = { role: "user", content: "Turn the light in the kitchen off." };
  const schema = { type: "object", properties: { room: { type: "string" } } };

  describe("of Anthropic", () => {
    const sent = exchange("https://api.anthropic.com/v1/messages?beta=true");
    const lamp = { name: "set_lamp", input_schema: schema };
    const time = { name: "get_time", input_schema: { type: "object" } };
    const use = { type: "tool_use", id: "toolu_1", name: "set_lamp", input: { room: "kitchen" } };
    const reply = (...content: object[]) => ({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-opus-5-5",
      content,
      stop_reason: content.some((block) => (block as { type: string }).type === "tool_use")
        ? "tool_use"
        : "end_turn",
    });
    const body = { model: "claude-opus-5-5", max_tokens: 1024 };
    const change = (type: string, tool: object) => ({ role: "system", content: [{ type, tool }] });
    const reference = { type: "tool_reference", name: "set_lamp" };
    const unknown = "warning undefined-tool/unknown";

    test.each([
      [
        "an addition that defines the tool",
        [time],
        [change("tool_addition", { type: "tool_definition", definition: lamp })],
        [],
      ],
      [
        "an addition that refers to it",
        [time, lamp],
        [change("tool_removal", reference), change("tool_addition", reference)],
        [],
      ],
      [
        "additions alone",
        undefined,
        [change("tool_addition", { type: "tool_definition", definition: lamp })],
        [],
      ],
      ["a removal", [time, lamp], [change("tool_removal", reference)], [unknown]],
      ["nothing", [time], [], [unknown]],
    ])("are changed by %s", async (_, tools, changes, expected) => {
      const log = [sent({ ...body, tools, messages: [asked, ...changes] }, reply(use))];
      expect((await said(log)).filter((line) => !line.includes("unclosed-loop"))).toEqual(expected);
    });

    test("are changed by what a compaction block replaces", async () => {
      const tool = { type: "tool_definition", definition: lamp };
      const tool_changes = [{ type: "tool_addition", tool }];
      const content = [
        { type: "compaction", content: "They speak of lamps.", signature: "Eq", tool_changes },
      ];
      const messages = [{ role: "assistant", content }, asked];
      const log = [sent({ ...body, tools: [time], messages }, reply(use))];
      expect((await said(log)).filter((line) => !line.includes("unclosed-loop"))).toEqual([]);
    });

    test("include the members of a toolset", async () => {
      const tools = [{ type: "browser_toolset_20260801" }];
      const click = {
        type: "tool_use",
        id: "toolu_2",
        name: "click",
        toolset_name: "browser",
        input: { ref: "e3" },
      };
      const result = {
        type: "tool_result",
        tool_use_id: "toolu_2",
        toolset_name: "browser",
        content: [{ type: "browser_state", tabs: [] }],
      };
      const messages = [asked, { role: "assistant", content: [click] }, { role: "user", content: [result] }];
      const log = [
        sent({ ...body, tools, messages: [asked] }, reply(click)),
        sent({ ...body, tools, messages }, reply({ type: "text", text: "It is off." })),
      ];
      expect(await said(log)).toEqual([]);
    });
  });

  describe("of OpenAI", () => {
    const sent = exchange("https://api.openai.com/v1/responses");
    const lamp = { type: "function", name: "set_lamp", parameters: schema, defer_loading: true };
    const search = {
      type: "tool_search_call",
      id: "tsc_1",
      call_id: null,
      execution: "server",
      arguments: { query: "light" },
      status: "completed",
    };
    const loaded = {
      type: "tool_search_output",
      id: "tso_1",
      call_id: null,
      execution: "server",
      status: "completed",
      tools: [{ type: "namespace", name: "home", tools: [lamp] }],
    };
    const call = {
      type: "function_call",
      id: "fc_1",
      call_id: "call_1",
      name: "set_lamp",
      namespace: "home",
      arguments: '{"room":"kitchen"}',
    };
    const output = { type: "function_call_output", call_id: "call_1", output: "off" };
    const reply = (id: string, ...items: object[]) => ({
      id,
      object: "response",
      status: "completed",
      model: "gpt-6-astra",
      output: items,
    });
    const said1 = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "Off." }],
    };
    const tools = [{ type: "function", name: "get_time", parameters: { type: "object", properties: {} } }];
    const body = { model: "gpt-6-astra", tools };

    test("include what a search of the reply loads, whose call may come back in a different form", async () => {
      const normalised = { ...search, arguments: { paths: ["home"] }, id: undefined };
      const log = [
        sent({ ...body, store: false, input: [asked] }, reply("resp_1", search, loaded, call)),
        sent(
          { ...body, store: false, input: [asked, normalised, loaded, call, output] },
          reply("resp_2", said1),
        ),
      ];
      expect(await said(log)).toEqual([]);
    });

    test("include what a search of an earlier reply has loaded", async () => {
      const again = { ...call, id: "fc_2", call_id: "call_2" };
      const log = [
        sent({ ...body, input: [asked] }, reply("resp_1", search, loaded, call)),
        sent({ ...body, previous_response_id: "resp_1", input: [output] }, reply("resp_2", again)),
        sent(
          { ...body, previous_response_id: "resp_2", input: [{ ...output, call_id: "call_2" }] },
          reply("resp_3", said1),
        ),
      ];
      expect(await said(log)).toEqual([]);
    });

    test("include the additional tools of the history, wherever they stand", async () => {
      const hello = Array.from({ length: 6 }, (_, index) => ({ role: "user", content: `Hello ${index}` }));
      const input = [...hello, { type: "additional_tools", role: "developer", tools: [lamp] }, asked];
      const log = [sent({ ...body, store: false, input }, reply("resp_1", call))];
      expect((await said(log)).filter((line) => !line.includes("unclosed-loop"))).toEqual([]);
    });

    test("a tool that the client runs, though the request does not name it, is no warning", async () => {
      const log = [
        sent({ ...body, store: false, input: [asked] }, reply("resp_1", call)),
        sent({ ...body, store: false, input: [asked, call, output] }, reply("resp_2", said1)),
      ];
      expect(await said(log)).toEqual(["info undefined-tool/run"]);
      const refusal = { ...output, output: "Error: there is no tool `set_lamp`." };
      const failing = [
        log[0],
        sent({ ...body, store: false, input: [asked, call, refusal] }, reply("resp_2", said1)),
      ];
      expect(await said(failing as object)).toEqual(["warning undefined-tool/unknown"]);
    });
  });
});

describe("compaction that the client asks Anthropic for", () => {
  const sent = exchange("https://api.anthropic.com/v1/messages?beta=true");
  const body = {
    model: "claude-opus-5-5",
    max_tokens: 1024,
    tools: [
      { name: "read_file", input_schema: { type: "object", properties: { path: { type: "string" } } } },
    ],
  };
  const reply = (id: string, stop_reason: string, ...content: object[]) => ({
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content,
    stop_reason,
  });
  const use = (id: string, path: string) => ({ type: "tool_use", id, name: "read_file", input: { path } });
  const read = (id: string, content: string) => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content }],
  });
  const asked = { role: "user", content: "Compare a.txt with b.txt." };
  const first = { role: "assistant", content: [use("toolu_a", "a.txt")] };
  const between = { role: "assistant", content: [{ type: "text", text: "a.txt lists three ports." }] };
  const old = [asked, first, read("toolu_a", "80 443 22"), between];
  const go = { role: "user", content: "Now b.txt." };
  const block = { type: "compaction", content: "a.txt lists the ports 80, 443 and 22.", signature: "EqQB" };

  test("in the background: turns that came meanwhile stand behind the summary", async () => {
    const meanwhile = { role: "assistant", content: [use("toolu_b", "b.txt")] };
    const log = [
      sent({ ...body, messages: [asked] }, reply("1", "tool_use", ...first.content)),
      sent({ ...body, messages: old.slice(0, 3) }, reply("2", "end_turn", ...between.content)),
      sent({ ...body, messages: old, compaction: { type: "summarize" } }, reply("3", "compaction", block)),
      sent({ ...body, messages: [...old, go] }, reply("4", "tool_use", ...meanwhile.content)),
      sent(
        {
          ...body,
          messages: [{ role: "assistant", content: [block] }, go, meanwhile, read("toolu_b", "80 443")],
        },
        reply("5", "end_turn", { type: "text", text: "b.txt lacks 22." }),
      ),
    ];
    expect(await said(log)).toEqual([]);
  });
});

test("a call that a program makes again and again is the program's", async () => {
  const sent = exchange("https://api.openai.com/v1/responses");
  const tools = [
    { type: "programmatic_tool_calling" },
    {
      type: "function",
      name: "get_rate",
      parameters: { type: "object", properties: {} },
      allowed_callers: ["programmatic"],
    },
  ];
  const program = { type: "program", id: "prog_1", call_id: "call_p", code: "for (;;) await get_rate()" };
  const call = (id: number, caller?: object) => ({
    type: "function_call",
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name: "get_rate",
    arguments: "{}",
    caller,
  });
  const output = (id: number) => ({ type: "function_call_output", call_id: `call_${id}`, output: "1.08" });
  const asked = { role: "user", content: "What is the euro worth?" };
  const log = (caller?: object) =>
    [0, 1, 2, 3].map((round) => {
      const calls = [1, 2, 3].slice(0, round).flatMap((id) => [call(id, caller), output(id)]);
      const input = [asked, ...(round === 0 ? [] : [program]), ...calls];
      const made =
        round === 3
          ? [
              { type: "program_output", id: "po_1", call_id: "call_p", result: "1.08", status: "completed" },
              {
                type: "message",
                id: "msg_1",
                role: "assistant",
                content: [{ type: "output_text", text: "1.08 dollars." }],
              },
            ]
          : [...(round === 0 ? [program] : []), call(round + 1, caller)];
      return sent(
        { model: "gpt-6-astra", store: false, tools, input },
        { id: `resp_${round}`, object: "response", status: "completed", model: "gpt-6-astra", output: made },
      );
    });
  expect(await said(log({ type: "program", caller_id: "call_p" }))).toEqual(["info repeated-call/byProgram"]);
  expect(await said(log())).toEqual(["warning repeated-call/repeated"]);
});

test.each([
  ["xAI's SDK", (role: string) => `ROLE_${role.toUpperCase()}`],
  ["a chat API", (role: string) => role],
])("a call that xAI's server makes needs no definition: %s", async (_, named) => {
  const asked = { role: named("user"), content: [{ type: "text", text: "What does the attachment say?" }] };
  const call = {
    id: "call_1",
    type: "TOOL_CALL_TYPE_ATTACHMENT_SEARCH_TOOL",
    function: { name: "attachment_search", arguments: '{"query":"total"}' },
  };
  const messages = [
    asked,
    { role: named("assistant"), content: "", tool_calls: [call] },
    { role: named("assistant"), content: [{ type: "text", text: "The total is 12." }] },
    asked,
  ];
  const tools = [{ type: "function", function: { name: "get_time" } }];
  const found = await said({ model: "grok-5", messages, tools });
  expect(found.filter((line) => !line.startsWith("info unknown-feature"))).toEqual([]);
});

test("a system message of Anthropic may set the effort and say nothing", async () => {
  const asked = { role: "user", content: "Which port does the server use?" };
  const said1 = { role: "assistant", content: "It uses port 443." };
  const effort = { role: "system", output_config: { effort: "low" } };
  const body = { model: "claude-opus-5-5", max_tokens: 1024 };
  const url = "https://api.anthropic.com/v1/messages";
  expect(await said({ url, request: { ...body, messages: [asked, effort, said1, asked] } })).toEqual([]);
  const empty = { role: "system", content: [] };
  expect(await said({ url, request: { ...body, messages: [asked, empty, said1, asked] } })).toEqual([
    "error empty-content/message",
  ]);
});
