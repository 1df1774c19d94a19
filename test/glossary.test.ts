import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

/** Holds the code against the table "Words" of CONTRIBUTING.md. */

const root = path.join(import.meta.dirname, "..");

const files = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll(path.sep, "/"))
  .filter((file) => file.endsWith(".ts"))
  .sort()
  .map((file) => ({ file, source: readFileSync(path.join(root, "src", file), "utf8") }));

/** Kinds of messages are part of the JSON report, and stay whatever the words are. */
const published: ReadonlySet<string> = new Set(["told in rules/loops/runaway-loop.ts"]);

/** The names that a module declares: values, types, parameters and members. */
function declaredIn(source: string): Set<string> {
  const code = source
    .replaceAll(/\/\*[\s\S]*?\*\/|(?<![:\\/"'`])\/\/.*$/gm, "")
    .replaceAll(/"(?:\\.|[^"\\\n])*"/g, '""');
  const declared = code.matchAll(
    /\b(?:const|let|function\*?|class|interface|type|readonly|private|get)\s+([A-Za-z_$][\w$]*)|([A-Za-z_$][\w$]*)\??:\s/g,
  );
  return new Set([...declared].flatMap(([, value, member]) => value ?? member ?? []));
}

describe("the words of CONTRIBUTING.md", () => {
  const contributing = readFileSync(path.join(root, "CONTRIBUTING.md"), "utf8");
  const section = contributing.slice(
    contributing.indexOf("## Words"),
    contributing.indexOf("## What an addition takes"),
  );
  /** Words that no identifier has, each with the word that stands for it. */
  const banned = [...section.matchAll(/^\| (.+?) \| .+? \| (\S.*?) \|$/gm)]
    .filter(([, word]) => word !== "word")
    .flatMap(([, word = "", not = ""]) => not.split(", ").map((each) => [each, word] as const));

  test("the table names words to avoid", () => {
    expect(banned.map(([word]) => word)).toEqual(expect.arrayContaining(["stretch", "told", "stray"]));
  });

  test.each(banned)("no identifier has `%s`: say `%s`", (word) => {
    const [first = "", ...others] = word.split(" ");
    const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
    const camel = [first, ...others.map(capital)].join("");
    const plural = "(?:e?s)?";
    // A word of its own within a name in camel case: `told`, `isTold`, `toldKeys`, not `toldest`.
    const inName = new RegExp(
      `(?<![A-Za-z])${camel}${plural}(?![a-z])|(?<=[a-z0-9])${capital(camel)}${plural}(?![a-z])`,
    );
    const named = files.flatMap(({ file, source }) => {
      return [...declaredIn(source)].filter((name) => inName.test(name)).map((name) => `${name} in ${file}`);
    });
    expect(named.filter((each) => !published.has(each))).toEqual([]);
  });

  /** Whether every module of a kind has to give this name to its answer: protocols, session formats, entries for CommonJS. */
  function isAnswer(file: string, name: string): boolean {
    return (
      file.startsWith("protocols/") ||
      file.startsWith("library/commonjs/") ||
      (file.startsWith("containers/sessions/agents/") && (name === "format" || name === "read"))
    );
  }

  test("no name is exported for two things", () => {
    const homes = new Map<string, string[]>();
    for (const { file, source } of files) {
      const names = source.matchAll(
        /^export (?:default )?(?:async )?(?:abstract )?(?:const|function\*?|class|interface|type) (\w+)/gm,
      );
      for (const [, name = ""] of names)
        if (!isAnswer(file, name)) homes.set(name, [...(homes.get(name) ?? []), file]);
    }
    const doubles = [...homes].filter(([, places]) => new Set(places).size > 1);
    expect(doubles.map(([name, places]) => `${name}: ${places.join(", ")}`)).toEqual([]);
  });

  test("comments keep to the width of the code", () => {
    const { lineWidth } = JSON.parse(readFileSync(path.join(root, "biome.json"), "utf8")).formatter;
    // The file that `init` writes has comments of its own, in a template.
    const commented = files.filter(({ file }) => file !== "cli/commands/init.ts");
    const wide = commented.flatMap(({ file, source }) =>
      source
        .split("\n")
        .flatMap((line, index) =>
          line.length > lineWidth && /^\s*(?:\/\/|\/?\*{1,2}) /.test(line) && !/https?:\/\//.test(line)
            ? [`${file}:${index + 1}`]
            : [],
        ),
    );
    expect(wide).toEqual([]);
  });
});
