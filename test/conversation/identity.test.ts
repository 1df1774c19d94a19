import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { callText, canonical, contentOf, keyOf } from "../../src/conversation/identity.ts";
import type { Item, ToolCall } from "../../src/conversation/item.ts";
import { openaiChat } from "../../src/protocols/openai-chat/index.ts";

function itemsOf(message: unknown): readonly Item[] {
  return openaiChat.decodeElement(message).items;
}

function callOf(argumentsText: string, id = "call_1", name = "refund"): ToolCall {
  return itemsOf({
    role: "assistant",
    tool_calls: [{ id, type: "function", function: { name, arguments: argumentsText } }],
  })[0] as ToolCall;
}

function contents(message: unknown): string[] {
  return itemsOf(message).map(contentOf);
}

describe("two items are the same when a model would read the same", () => {
  test("whatever the key order and the white space of arguments", () => {
    expect(contentOf(callOf('{"order":17,"why":{"a":1,"b":[1,2]}}'))).toBe(
      contentOf(callOf('{ "why": {"b":[1, 2], "a":1},\n "order":17 }')),
    );
    expect(contentOf(callOf('{"order":17}'))).not.toBe(contentOf(callOf('{"order":18}')));
    expect(contentOf(callOf('{"list":[1,2]}'))).not.toBe(contentOf(callOf('{"list":[2,1]}')));
  });

  test("whatever the white space around a text", () => {
    expect(contents({ role: "user", content: " Hi.\n" })).toEqual(contents({ role: "user", content: "Hi." }));
    expect(contents({ role: "user", content: "Hi  there" })).not.toEqual(
      contents({ role: "user", content: "Hi there" }),
    );
  });

  test("whether a text is a string or a list of parts", () => {
    expect(
      contents({
        role: "user",
        content: [{ type: "text", text: "Hi.", cache_control: { type: "ephemeral" } }],
      }),
    ).toEqual(contents({ role: "user", content: "Hi." }));
  });

  test("but not when another role says it, or a picture stands beside it", () => {
    expect(contents({ role: "user", content: "Hi." })).not.toEqual(
      contents({ role: "assistant", content: "Hi." }),
    );
    expect(
      contents({
        role: "user",
        content: [
          { type: "text", text: "Hi." },
          { type: "image_url", image_url: { url: "…" } },
        ],
      }),
    ).not.toEqual(contents({ role: "user", content: "Hi." }));
  });

  test("arguments that are no JSON are compared as text", () => {
    expect(contentOf(callOf('{"order":'))).toBe(contentOf(callOf(' {"order": ')));
    expect(contentOf(callOf('{"order":'))).not.toBe(contentOf(callOf("{")));
  });
});

describe("an item stays itself when its content changes", () => {
  it("by its id", () => {
    expect(keyOf(callOf("{}"))).toBe(keyOf(callOf('{"order":17}')));
    expect(keyOf(callOf("{}"))).not.toBe(keyOf(callOf("{}", "call_2")));
    const result = (content: string): string[] =>
      itemsOf({ role: "tool", tool_call_id: "call_1", content }).map(keyOf);
    expect(result("one")).toEqual(result("two"));
  });

  it("and without one it is what it says", () => {
    const legacy = (argumentsText: string): string[] =>
      itemsOf({ role: "assistant", function_call: { name: "refund", arguments: argumentsText } }).map(keyOf);
    expect(legacy('{"order":17}')).toEqual(legacy('{ "order": 17 }'));
    expect(legacy('{"order":17}')).not.toEqual(legacy("{}"));
  });
});

test("the same call made twice is known by tool and arguments, not by its id", () => {
  expect(callText(callOf('{"order":17}', "call_1"))).toBe(callText(callOf('{ "order": 17 }', "call_2")));
  expect(callText(callOf("", "call_1"))).toBe(callText(callOf("{}", "call_2")));
  expect(callText(callOf("{}", "call_1"))).not.toBe(callText(callOf("{}", "call_1", "look_up")));
});

describe("canonical JSON", () => {
  it("has sorted keys, whatever they are", () => {
    expect(canonical(JSON.parse('{"b":[{"z":1,"a":null}],"a":"x","__proto__":true}'))).toBe(
      '{"__proto__":true,"a":"x","b":[{"a":null,"z":1}]}',
    );
    expect(canonical(undefined)).toBe("null");
  });

  it("is equal for equal values, and reads back as what it was", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const shuffled = JSON.parse(JSON.stringify(value), (_, member: unknown) =>
          typeof member === "object" && member !== null && !Array.isArray(member)
            ? Object.fromEntries(Object.entries(member).reverse())
            : member,
        ) as unknown;
        expect(canonical(shuffled)).toBe(canonical(JSON.parse(JSON.stringify(value))));
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("does not run out of stack", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    expect(canonical(deep)).toContain("…");
  });
});
