import { describe, expect, test } from "vitest";
import { check } from "../../src/index.ts";

/** Text logs in which people quote the code that sent a request, next to what was sent. */

const sent = {
  model: "gpt-5",
  messages: [{ role: "user", content: "How warm is it in Bern?" }],
};
const around = (code: string): string =>
  `The request that failed:\n\n${JSON.stringify(sent)}\n\nThe code, response = client.create(\n${code}\n`;

const codes: Readonly<Record<string, string>> = {
  "Python: strings in parentheses": `    model="gpt-5",
    messages=[
        {
            "role": "user",
            "content": [
                {"type": "text", "text": (
                    "How warm is it "
                    "in Bern?"
                )},
            ],
        }
    ])`,
  "Python: unpacked parts": `    messages=[
        {"role": "user", "content": [{"type": "text", "text": "Look:"}, *image_parts]},
    ])`,
  "Python: an f-string": `    messages=[
        {"role": "user", "content": f"How warm is it in {city}?"},
    ])`,
  "Python: a variable": `    model="claude-sonnet-4-5", max_tokens=9,
    messages=[{"role": "user", "content": question}])`,
  "Python: a call": `    json={"model": os.environ["MODEL"], "messages": build_messages(city), "role": "user"})`,
  "Python: a call with a variable": `    model="gpt-5", messages=[
        {"role": "tool", "content": json.dumps(result), "tool_call_id": "call_1"},
    ])`,
  "Python: a name of several words": `    model="gpt-5", messages=[
        {
            "role": "user",
            "content": latest_question
        },
    ])`,
  "Python: the member of an object": `    model="gpt-5", messages=[
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": call.id, "type": "function", "function": {"name": "rain", "arguments": "{}"}}
        ]},
        {"role": "tool", "content": str(result), "tool_call_id": call.id},
    ])`,
  "JavaScript: a member": `    { "model": "gpt-5", "messages": [
        { "role": "user", "content": turn.question, "name": turn.user }
    ] })`,
  "JavaScript: a spread": `    { "model": "gpt-5", "messages": [{ "role": "user", "content": "Hi" }, ...history] })`,
  "a page's template: loops and values": `    {
        labels: [{% for row in rows %}'{{ row.tag }}',{% endfor %}],
        data: [{% for row in rows %}{{ row.share }},{% endfor %}],
        data: {{ total }},
    })`,
  "JavaScript: a call": `    { "role": "user", "content": JSON.stringify({ city }), "model": "gpt-5" })`,
};

describe("quoted code is no broken record", () => {
  test.each(Object.entries(codes))("%s", async (_, code) => {
    const { findings, files } = await check(around(code));
    expect(findings.filter(({ severity }) => severity !== "info")).toEqual([]);
    expect(files[0]?.exchanges).toBeGreaterThan(0);
  });
});

test.each([
  ["a bare word", '{"model":"gpt-5","messages":[{"role":"user","content":How warm}]}'],
  ["words with a line below", '{"model":"gpt-5","messages":[{"role":"user","content":How_warm is it}]}'],
  ["a name in parentheses", '{"model":"gpt-5","messages":[{"role":"user","content":(above)}]}'],
  ["a remark", '{"model":"gpt-5","messages":[{"role":"user","content":(see above)}]}'],
])("a damaged request is one: %s", async (_, body) => {
  const log = `POST https://api.openai.com/v1/chat/completions\nrequest: ${body}\nrequest: ${JSON.stringify(sent)}\n`;
  const { findings } = await check(log);
  expect(findings.map(({ rule }) => rule)).toContain("unreadable-record");
});
