import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import schema from "../../schemas/script.schema.json" with { type: "json" };
import { scriptOf } from "../../src/serve/answers/script.ts";

const root = path.join(import.meta.dirname, "../..");
const section = (page: string, heading: string) => {
  const [, text = ""] = readFileSync(path.join(root, "docs", page), "utf8").split(`\n## ${heading}\n`);
  return text.split("\n## ")[0] ?? "";
};
const scripts = section("serve.md", "Scripts");

/** The tables of a section by the head of their first column: the name and the examples of each row. */
function tablesOf(text: string): Map<string, Map<string, string[]>> {
  const tables = [...text.matchAll(/^\| (.+?) \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm)];
  return new Map(
    tables.map(([, head = "", rows = ""]) => [
      head,
      new Map(
        [...rows.matchAll(/^\| `([\w$]+)[^|]*\|(?: (`.*?`) \|)?/gm)].map(([, name = "", examples = ""]) => [
          name,
          [...examples.matchAll(/`([^`]+)`/g)].map(([, example = ""]) => example),
        ]),
      ),
    ]),
  );
}

const tables = tablesOf(scripts);
const rows = (head: string) => tables.get(head) ?? new Map<string, string[]>();
const { reply, call, when } = schema.$defs;

describe("the section on scripts names each member of the schema, and no other", () => {
  test.each([
    ["member of a script", schema.properties],
    ["member of a reply", reply.properties],
    ["member of a call", call.properties],
    ["member of `when`", when.properties],
  ])("%s", (head, properties) => {
    expect([...rows(head).keys()].sort()).toEqual(Object.keys(properties).sort());
  });

  test("with the values that they may have", () => {
    for (const value of [...reply.properties.stop.enum, ...when.properties.protocol.enum])
      expect(scripts).toContain(`\`${value}\``);
    for (const member of Object.keys(reply.properties.usage.properties))
      expect(scripts).toContain(`${member}:`);
    expect(Object.keys(reply.properties.items.items.properties)).toEqual(["text", "reasoning", "call"]);
  });
});

describe("each example on the page is a script, or a part of one", () => {
  const wrapped: Readonly<Record<string, (part: unknown) => unknown>> = {
    "member of a reply": (part) => ({ replies: [part] }),
    "member of a call": (part) => ({ replies: [{ calls: [part] }] }),
    "member of `when`": (part) => ({ conversations: [{ when: part, replies: [{ text: "Hi." }] }] }),
  };
  const examples = Object.entries(wrapped).flatMap(([head, wrap]) =>
    [...rows(head)].flatMap(([name, shown]) => shown.map((example) => ({ name, example, wrap }))),
  );

  test("there is one for each member", () => {
    const members = [reply, call, when].flatMap(({ properties }) => Object.keys(properties));
    expect(examples.map(({ name }) => name)).toEqual(expect.arrayContaining(members));
  });

  test.each(examples)("$example", ({ name, example, wrap }) => {
    const part: object = parse(example);
    expect(part).toHaveProperty(name);
    expect(() => scriptOf(wrap(part), "page")).not.toThrow();
  });

  test("the files", () => {
    const files = [...scripts.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, text = ""]) => text);
    expect(files).toHaveLength(2);
    for (const text of files) expect(() => scriptOf(parse(text), "page")).not.toThrow();
  });
});

describe("the library's page names what `toollint/testing` has", () => {
  const library = tablesOf(section("library.md", "A model server in tests"));
  const source = (file: string) => readFileSync(path.join(root, "src/library", file), "utf8");
  const membersOf = (text: string, type: string) => {
    const [, body = ""] = text.split(`export interface ${type} {`);
    return [...(body.split("\n}")[0] ?? "").matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(
      ([, name]) => name,
    );
  };

  test("the options", () => {
    const members = membersOf(source("testing.ts"), "TestServerOptions");
    expect(members).toContain("profile");
    expect([...(library.get("option of `serve`") ?? new Map()).keys()]).toEqual(members);
  });

  test("the members of the server, and of what it saw", () => {
    const file = source("testing-matcher.ts");
    const members = membersOf(file, "TestServer");
    expect(members).toContain("baseUrl");
    expect([...(library.get("member of the server") ?? new Map()).keys()].sort()).toEqual(members.sort());
    for (const type of ["TestRefusal", "TestMiss"])
      for (const member of membersOf(file, type))
        expect(section("library.md", "A model server in tests")).toContain(`\`${member}\``);
  });
});
