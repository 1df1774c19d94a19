import { describe, expect, it, test } from "vitest";
import {
  calls,
  changes,
  outline,
  read,
  result,
  says,
  stepsOf,
  stitched,
  system,
  type Told,
  user,
} from "./story.ts";

const prompt = user("Refund order 17, please.");
const lookUp = calls(["call_1", "look_up", '{"order":17}']);
const order = result("call_1", '{"total":"12.50"}');
const refund = calls(["call_2", "refund", '{"order":17}']);
const refunded = result("call_2", '{"done":true}');
const done = says("Order 17 is refunded: 12.50.");

/** A healthy run: each request is the one before, its reply, and what is new. */
const healthy: readonly Told[] = [
  { sent: [prompt], back: lookUp },
  { sent: [prompt, lookUp, order], back: refund },
  { sent: [prompt, lookUp, order, refund, refunded], back: done },
  { sent: [prompt, lookUp, order, refund, refunded, done, user("Thanks!")], back: says("You are welcome.") },
];

describe("a conversation that grows", () => {
  it("is one, and each step goes on from the one before", async () => {
    const conversations = await stitched(healthy);
    expect(outline(conversations)).toEqual([
      "c1.1 start",
      "c1.2 continuation of 1",
      "c1.3 continuation of 2",
      "c1.4 continuation of 3",
    ]);
    expect(stepsOf(conversations).map(changes)).toEqual([
      ["+ user Refund order 17, please."],
      ["+ result call_1"],
      ["+ result call_2"],
      ["+ user Thanks!"],
    ]);
  });

  it("knows which item of a request stands for which item of the reply", async () => {
    const [, second] = stepsOf(await stitched(healthy));
    expect(second?.echoes.map(({ before, after }) => [before.part, after.part, after.element])).toEqual([
      ["response", "request", 1],
    ]);
    expect({ kept: second?.kept, loss: second?.loss }).toEqual({ kept: 1, loss: undefined });
  });

  it("counts turns by the user's messages", async () => {
    expect(stepsOf(await stitched(healthy)).map(({ turn }) => turn)).toEqual([1, 1, 1, 2]);
  });

  it("is the same whatever order its exchanges have in the log, when they carry their times", async () => {
    const timed = healthy.map((told, index) => ({ ...told, around: { ts: `2025-09-14T12:00:0${index}Z` } }));
    const [a, b, c, d] = timed as [Told, Told, Told, Told];
    const [conversation] = await stitched([c, a, d, b]);
    expect(conversation?.steps.map(({ exchange, relation }) => `${exchange.number} ${relation}`)).toEqual([
      "2 start",
      "4 continuation",
      "1 continuation",
      "3 continuation",
    ]);
  });

  it("is one although a client writes keys and white space in its own way", async () => {
    const rewritten = {
      tool_calls: [
        { function: { arguments: '{ "order": 17 }', name: "look_up" }, type: "function", id: "call_1" },
      ],
      content: "",
      role: "assistant",
    };
    const conversations = await stitched([
      healthy[0] as Told,
      { sent: [prompt, rewritten, order], back: refund },
    ]);
    expect(stepsOf(conversations).map(changes)[1]).toEqual(["+ result call_1"]);
  });

  it("is one although a cache mark moves", async () => {
    const marked = (content: string, isMarked: boolean) => ({
      role: "user",
      content: [{ type: "text", text: content, ...(isMarked && { cache_control: { type: "ephemeral" } }) }],
    });
    const conversations = await stitched([
      { sent: [marked("Refund order 17.", true)], back: lookUp },
      { sent: [marked("Refund order 17.", false), lookUp, order], back: done },
      {
        sent: [marked("Refund order 17.", false), lookUp, order, done, marked("Thanks!", true)],
        back: says("Bye."),
      },
    ]);
    expect(stepsOf(conversations).map(changes)).toEqual([
      ["+ user Refund order 17."],
      ["+ result call_1"],
      ["+ user Thanks!"],
    ]);
  });
});

describe("the same history again", () => {
  it("after a failure is a retry, and what follows goes on from where the first attempt did", async () => {
    const [first, second, third] = healthy as [Told, Told, Told, Told];
    const conversations = await stitched([first, { sent: second.sent, status: 500 }, second, third]);
    expect(outline(conversations)).toEqual([
      "c1.1 start",
      "c1.2 continuation of 1",
      "c1.3 retry of 1",
      "c1.4 continuation of 3",
    ]);
    const steps = stepsOf(conversations);
    expect(steps[1]?.retriedBy).toBe(steps[2]);
    expect(changes(steps[2])).toEqual([]);
  });

  it("after no reply at all is a retry", async () => {
    const [first, second] = healthy as [Told, Told, Told, Told];
    expect(outline(await stitched([{ sent: first.sent }, first, second]))).toEqual([
      "c1.1 start",
      "c1.2 retry",
      "c1.3 continuation of 2",
    ]);
  });

  it("after a good reply is a repeat: the answer was generated again", async () => {
    const [first, second] = healthy as [Told, Told, Told, Told];
    expect(outline(await stitched([first, second, { ...second, back: done }]))).toEqual([
      "c1.1 start",
      "c1.2 continuation of 1",
      "c1.3 repeat of 1",
    ]);
  });

  it("of a lone prompt is another run of it", async () => {
    const again = (told: Told): Told => JSON.parse(JSON.stringify(told).replaceAll('"call_', '"call_b'));
    const twice = [...healthy.slice(0, 2), ...healthy.slice(0, 2).map(again)];
    expect(outline(await stitched(twice))).toEqual([
      "c1.1 start",
      "c1.2 continuation of 1",
      "c2.1 start",
      "c2.2 continuation of 1",
    ]);
  });

  // Some servers' calls have the same ids in every run, or none (Ollama).
  it("of a lone prompt is another run of it, also when the model says the very same", async () => {
    const twice = [...healthy.slice(0, 2), ...healthy.slice(0, 2)];
    expect(outline(await stitched(twice))).toEqual([
      "c1.1 start",
      "c1.2 continuation of 1",
      "c2.1 start",
      "c2.2 continuation of 1",
    ]);
  });
});

describe("a step back", () => {
  const [first, second, third] = healthy as [Told, Told, Told, Told];

  it("where the user says something else is a branch, and nothing is missing", async () => {
    const edited: Told = {
      sent: [prompt, lookUp, order, user("Wait, do not refund it yet.")],
      back: says("All right."),
    };
    const conversations = await stitched([first, second, third, edited]);
    expect(outline(conversations)[3]).toMatch(/^c1\.4 branch of [23]$/);
    expect(changes(stepsOf(conversations)[3])).toEqual(["+ user Wait, do not refund it yet."]);
  });

  it("may go on for itself", async () => {
    const edited: Told = { sent: [prompt, lookUp, order, user("Wait!")], back: says("All right.") };
    const after: Told = { sent: [...edited.sent, says("All right."), user("Now refund it.")], back: refund };
    expect(outline(await stitched([first, second, third, edited, after]))[4]).toBe("c1.5 continuation of 4");
  });
});

describe("several conversations in one log", () => {
  const weather = user("How warm is it in Bern?");
  const ask = calls(["call_9", "weather", '{"city":"Bern"}']);
  const warm = result("call_9", "18");

  it("may take turns", async () => {
    const conversations = await stitched([
      healthy[0] as Told,
      { sent: [weather], back: ask },
      healthy[1] as Told,
      { sent: [weather, ask, warm], back: says("18 °C.") },
      healthy[2] as Told,
    ]);
    expect(outline(conversations)).toEqual([
      "c1.1 start",
      "c2.1 start",
      "c1.2 continuation of 1",
      "c2.2 continuation of 1",
      "c1.3 continuation of 2",
    ]);
  });

  it("are not one because they share their system prompt", async () => {
    const rules = system("You are a helpful assistant of a shop. Be brief and friendly.");
    const conversations = await stitched([
      { sent: [rules, prompt], back: lookUp },
      { sent: [rules, weather], back: ask },
      { sent: [rules, prompt, lookUp, order], back: done },
      { sent: [rules, weather, ask, warm], back: says("18 °C.") },
    ]);
    expect(outline(conversations)).toEqual([
      "c1.1 start",
      "c2.1 start",
      "c1.2 continuation of 1",
      "c2.2 continuation of 1",
    ]);
  });

  it("may be a conversation and its sub-agent, between a call and its result", async () => {
    const task = calls(["call_t", "task", '{"prompt":"Find order 17."}']);
    const conversations = await stitched([
      { sent: [system("You delegate."), prompt], back: task },
      { sent: [system("You find orders."), user("Find order 17.")], back: lookUp },
      {
        sent: [system("You find orders."), user("Find order 17."), lookUp, order],
        back: says("Order 17 costs 12.50."),
      },
      {
        sent: [system("You delegate."), prompt, task, result("call_t", "Order 17 costs 12.50.")],
        back: done,
      },
    ]);
    expect(outline(conversations)).toEqual([
      "c1.1 start",
      "c2.1 start",
      "c2.2 continuation of 1",
      "c1.2 continuation of 1",
    ]);
    expect(
      stepsOf(conversations).every(({ pairing }) => pairing.orphans.length + pairing.unanswered.length === 0),
    ).toBe(true);
  });

  it("may have a title made beside them", async () => {
    const conversations = await stitched([
      healthy[0] as Told,
      {
        sent: [system("You are a title generator."), user("Make a title for this."), prompt],
        back: says("Refund of order 17"),
      },
      healthy[1] as Told,
    ]);
    expect(outline(conversations)).toEqual(["c1.1 start", "c2.1 start", "c1.2 continuation of 1"]);
  });
});

test("trials of one task whose answers end in a summary are no compactions", async () => {
  const trial = (id: string): Told => ({
    sent: [
      prompt,
      calls([id, "look_up", '{"order":17}']),
      result(id, '{"total":"12.50"}'),
      says("The order is refunded.\n\n<summary>\nRefunded order 17.\n</summary>"),
    ],
  });
  const trials = ["call_a", "call_b", "call_c"].map(trial);
  const conversations = await read(trials.map(({ sent }) => ({ messages: sent })));
  expect(outline(conversations).filter((line) => line.includes("compaction"))).toEqual([]);
});

describe("a run under another prompt that begins alike", () => {
  const answered = (about: string): object[] => [
    says("What do you need?"),
    user(`The agent called ${about}.`),
    user("Research is done."),
  ];
  const long = [
    system("You are Ada."),
    ...answered("research and mystery"),
    says("Sharper, please."),
    user("Building it."),
    user("Shipped."),
  ];

  test.each([
    ["that ends there", []],
    ["that goes on in another way", [user("Nothing was built."), says("Try again.")]],
  ])("lost nothing: one %s", async (_, rest) => {
    const [, second] = stepsOf(
      await stitched([
        { sent: long, back: says("Even sharper.") },
        { sent: [system("You are Bob."), ...answered("research"), ...rest], back: says("Go on.") },
      ]),
    );
    expect(second?.loss).toBeUndefined();
  });

  test.each([
    ["with the reply", [says("Even sharper."), user("Closing.")]],
    ["with the newest message", [user("Shipped."), user("Closing.")]],
  ])("has a loss where the end is kept: %s", async (_, end) => {
    const [, second] = stepsOf(
      await stitched([
        { sent: long, back: says("Even sharper.") },
        { sent: [system("It is 14:05. You are Ada."), ...answered("research and mystery"), ...end] },
      ]),
    );
    expect(second?.loss?.items.length).toBeGreaterThan(0);
  });
});

describe("a history that was replaced by a summary", () => {
  const long = healthy.slice(0, 3);
  const later = user("And order 18?");

  test.each([
    [
      "Claude Code",
      [
        user(
          "This session is being continued from a previous conversation that ran out of context. Order 17 was refunded.",
        ),
        later,
      ],
    ],
    [
      "Codex",
      [
        prompt,
        user(
          "Another language model started to solve this problem and produced a summary of its thinking process: order 17 is refunded.",
        ),
        later,
      ],
    ],
    [
      "opencode",
      [
        user("What did we do so far?"),
        says("We refunded order 17."),
        user("Continue if you have next steps, or stop and ask."),
      ],
    ],
    [
      "pi",
      [
        user(
          "The conversation history before this point was compacted into the following summary: order 17 is refunded.",
        ),
        later,
      ],
    ],
    [
      "Gemini CLI",
      [
        user("<state_snapshot>order 17 is refunded</state_snapshot>"),
        says("Got it. Thanks for the additional context!"),
        later,
      ],
    ],
  ])("is known by the words of %s", async (_, sent) => {
    const conversations = await stitched([...long, { sent, back: says("It is open.") }]);
    expect(outline(conversations)[3]).toMatch(/^c1\.4 compaction of \d$/);
    expect(stepsOf(conversations)[3]?.missing).toEqual([]);
  });

  it("is known by the summary's own text, whatever the client writes around it", async () => {
    const summary =
      "The user wanted order 17 refunded. It cost 12.50 and was refunded with the tool `refund`; nothing is left to do.";
    const conversations = await stitched([
      ...long,
      { sent: [system("Summarise."), user("user: Refund order 17 … tool: done")], back: says(summary) },
      { sent: [user(`Earlier:\n\n${summary}\n\n${later.content}`)], back: says("It is open.") },
    ]);
    expect(outline(conversations)[4]).toMatch(/compaction/);
  });

  it("is one even if its summary equals the last one, as in a loop", async () => {
    const compacted = {
      sent: [user("This session is being continued from a previous conversation. Order 17 is open.")],
      back: calls(["call_9", "find_order"]),
    };
    const worked = {
      sent: [...compacted.sent, compacted.back, result("call_9", "open"), user("Summarise the work.")],
      back: says("Order 17 is open."),
    };
    const conversations = await stitched([...long, compacted, worked, compacted, worked]);
    expect(outline(conversations)[5]).toMatch(/compaction/);
  });

  it("is not what a user calls a summary", async () => {
    const conversations = await stitched([
      ...long,
      { sent: [user("Give me a summary of the news.")], back: says("Nothing new.") },
    ]);
    expect(outline(conversations)[3]).toBe("c2.1 start");
  });
});

describe("a loss", () => {
  it("of a round in the middle of a turn is one of the current turn", async () => {
    const [first, second, third] = healthy as [Told, Told, Told, Told];
    const steps = stepsOf(
      await stitched([first, second, { sent: [prompt, refund, refunded], back: third.back as object }]),
    );
    expect(changes(steps[2])).toEqual(["+ result call_2", "− call call_1", "− result call_1"]);
    expect(steps[2]?.loss).toMatchObject({ extent: "current-turn" });
  });

  it("says how far a history was trimmed, if only its beginning is gone", async () => {
    const call = (index: number) => calls([`call_${index}`, "refund", `{"order":${index}}`]);
    const rounds = (from: number, to: number): object[] =>
      Array.from({ length: to - from + 1 }, (_, index) => [
        call(from + index),
        result(`call_${from + index}`, `refunded ${from + index}`),
      ]).flat();
    const trimmed = async (...sent: object[]) => {
      const [, second] = stepsOf(
        await stitched([
          { sent: [prompt, ...rounds(1, 4)], back: call(5) },
          { sent, back: done },
        ]),
      );
      return second?.loss?.trim;
    };
    expect(await trimmed(...rounds(3, 5))).toEqual({ from: 9, to: 6 });
    // The task is kept, what was done first is not.
    expect(await trimmed(prompt, ...rounds(3, 5))).toEqual({ from: 9, to: 7 });
    // A hole is no trim, and neither is a client that sends only what is new.
    expect(await trimmed(prompt, ...rounds(1, 1), ...rounds(3, 5))).toBeUndefined();
    expect(await trimmed(prompt, ...rounds(5, 5))).toBeUndefined();
  });

  it("of the same many old turns in every request is a window", async () => {
    const turn = (index: number) => [
      user(`Question ${index}: what is ${index} + ${index}?`),
      says(`Answer ${index}: it is ${index * 2}.`),
    ];
    const story: Told[] = Array.from({ length: 8 }, (_, last) => {
      const history = Array.from({ length: last }, (_, index) => turn(index))
        .flat()
        .slice(-6);
      const [question, answer] = turn(last) as [object, object];
      return { sent: [...history, question], back: answer };
    });
    const conversations = await stitched(story);
    expect(conversations).toHaveLength(1);
    expect(stepsOf(conversations).map(({ loss }) => loss?.extent)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      "window",
      "window",
      "window",
      "window",
    ]);
  });

  it("of the reply's call leaves its result behind", async () => {
    const steps = stepsOf(await stitched([healthy[0] as Told, { sent: [prompt, order], back: done }]));
    expect(changes(steps[1])).toEqual(["+ result call_1", "− call call_1"]);
    expect(steps[1]?.pairing.orphans.map(({ lostCall }) => lostCall?.step.number)).toEqual([1]);
  });
});

describe("what changed on the way", () => {
  const [first, second] = healthy as [Told, Told, Told, Told];

  test.each([
    [
      "arguments",
      calls(["call_1", "look_up", "{}"]),
      order,
      ["+ result call_1", "~ arguments: call call_1 → call call_1"],
    ],
    [
      "the tool's name",
      calls(["call_1", "look", '{"order":17}']),
      order,
      ["+ result call_1", "~ name: call call_1 → call call_1"],
    ],
    [
      "the id of both call and result",
      calls(["call_x", "look_up", '{"order":17}']),
      result("call_x", order.content),
      ["+ result call_x", "~ id: call call_1 → call call_x"],
    ],
  ])("%s", async (_, call, answer, expected) => {
    const steps = stepsOf(await stitched([first, { sent: [prompt, call, answer], back: refund }]));
    expect(changes(steps[1])).toEqual(expected);
  });

  test("an old result", async () => {
    const steps = stepsOf(
      await stitched([
        first,
        second,
        { sent: [prompt, lookUp, result("call_1", "[cleared]"), refund, refunded], back: done },
      ]),
    );
    expect(changes(steps[2])).toEqual(["+ result call_2", "~ result: result call_1 → result call_1"]);
  });

  test("the order of the reply's items", async () => {
    const both = { ...calls(["call_1", "look_up"], ["call_2", "refund"]), content: null };
    const swapped = calls(["call_2", "refund"], ["call_1", "look_up"]);
    const steps = stepsOf(
      await stitched([
        { sent: [prompt], back: both },
        { sent: [prompt, swapped, order, refunded], back: done },
      ]),
    );
    expect(changes(steps[1]).filter((change) => change.startsWith("↕"))).toHaveLength(1);
  });
});

describe("histories that the server holds", () => {
  const response = (id: string, output: readonly object[]) => ({
    id,
    object: "response",
    status: "completed",
    output,
  });
  const functionCall = (id: string) => ({
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name: "look_up",
    arguments: "{}",
  });
  const output = (id: string) => ({ type: "function_call_output", call_id: id, output: "ok" });
  const message = (text: string) => ({
    type: "message",
    id: "msg_1",
    role: "assistant",
    content: [{ type: "output_text", text }],
  });
  const record = (input: readonly object[], reply: object, previous?: string) => ({
    request: {
      model: "gpt-5",
      store: true,
      input,
      ...(previous !== undefined && { previous_response_id: previous }),
    },
    response: reply,
  });

  it("are chained by `previous_response_id`, and the calls of the reply wait for their results", async () => {
    const conversations = await read([
      record([user("Find order 17.")], response("resp_1", [functionCall("call_1"), functionCall("call_2")])),
      record([output("call_1"), output("call_2")], response("resp_2", [message("Found.")]), "resp_1"),
      record([user("Thanks!")], response("resp_3", [message("Bye.")]), "resp_2"),
    ]);
    expect(outline(conversations)).toEqual([
      "c1.1 start",
      "c1.2 continuation of 1",
      "c1.3 continuation of 2",
    ]);
    const { pairing } = stepsOf(conversations)[1] ?? {};
    expect({
      pairs: pairing?.pairs.length,
      orphans: pairing?.orphans.length,
      unanswered: pairing?.unanswered.length,
    }).toEqual({ pairs: 2, orphans: 0, unanswered: 0 });
  });

  it("may be sent results again that the server already has, which answer nothing twice", async () => {
    const again = (text: string) => [
      record([user("Find orders 17 and 18.")], response("resp_1", [functionCall("call_1")])),
      record([output("call_1")], response("resp_2", [functionCall("call_2")]), "resp_1"),
      record(
        [{ ...output("call_1"), ...(text && { output: text }) }, output("call_2")],
        response("resp_3", [message("Found.")]),
        "resp_2",
      ),
    ];
    const [, , last] = stepsOf(await read(again("")));
    expect(last?.pairing.pairs.map(({ call }) => call.item.id)).toEqual(["call_2"]);
    expect(last?.pairing.orphans).toEqual([]);
    // With another text it is a second answer, and its call is not lost.
    const [, , other] = stepsOf(await read(again("No order 17.")));
    expect(other?.pairing.orphans).toMatchObject([
      {
        result: { item: { callId: "call_1" } },
        answeredBefore: { item: { callId: "call_1" } },
        lostCall: undefined,
      },
    ]);
  });

  it("branch where several requests go on from one response, and retries are no branches", async () => {
    const first = record([user("Find order 17.")], response("resp_1", [functionCall("call_1")]));
    const failed = {
      request: record([output("call_1")], {}, "resp_1").request,
      status: 500,
      response: { error: { message: "overloaded" } },
    };
    const conversations = await read([
      first,
      failed,
      record([output("call_1")], response("resp_2", [message("Found.")]), "resp_1"),
      record(
        [output("call_1"), user("In French, please.")],
        response("resp_3", [message("Trouvé.")]),
        "resp_1",
      ),
    ]);
    expect(outline(conversations)).toEqual([
      "c1.1 start",
      "c1.2 continuation of 1",
      "c1.3 retry of 1",
      "c1.4 branch of 1",
    ]);
  });

  it("prove nothing when the response that they go on from is not in the log", async () => {
    const conversations = await read([
      record([output("call_1")], response("resp_2", [message("Found.")]), "resp_1"),
    ]);
    expect(outline(conversations)).toEqual(["c1.1 start, partial"]);
  });

  it("are one under one conversation id", async () => {
    const held = (input: readonly object[], reply: object) => ({
      request: { model: "gpt-5", conversation: "conv_1", input },
      response: reply,
    });
    const conversations = await read([
      held([user("Find order 17.")], response("resp_1", [functionCall("call_1")])),
      held([output("call_1")], response("resp_2", [message("Found.")])),
    ]);
    expect(outline(conversations).map((line) => line.replace(", partial", ""))).toEqual([
      "c1.1 start",
      "c1.2 continuation of 1",
    ]);
  });
});

test("an empty log has no conversations, and a reply without a request is one", async () => {
  expect(await read([])).toEqual([]);
  const [lone] = await read([
    {
      id: "chatcmpl-1",
      object: "chat.completion",
      choices: [{ index: 0, message: done, finish_reason: "stop" }],
    },
  ]);
  expect(lone?.steps.map(({ request, reply, relation }) => [request, reply?.items.length, relation])).toEqual(
    [[undefined, 1, "start"]],
  );
});
