import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { analyse } from "scslre";
import { expect, test } from "vitest";

/** Texts of a fixed length: an excerpt of a log, or what a person types. */
const isShort = "its text has a bounded length";
/** Pages of rules, which the project writes. */
const isOurs = "no log is read with it";

/**
 * Patterns that take more than linear time, by their file, with the reason why no log can make use of it.
 * Better than an exception: `(?<!x)x+$` for `x+$`, a bound, or alternatives that exclude each other.
 */
const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "cli/commands/replay-target.ts": { "^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\\s*(.*)$": isShort },
  "cli/terminal/page.ts": {
    "^(#{1,6}) +(.*)$": isOurs,
    "^(```+)(.*)$": isOurs,
    "\\[([^\\]]*)\\]\\(([^)]*)\\)": isOurs,
  },
  "cli/usage/values.ts": { "^([^:=]*)(?:[:=]([^:={]*))?(?:[:=]?(\\{.*\\}))?$": isShort },
  // `maxAfter`
  "containers/files/cassettes/yaml-split.ts": {
    "\\n(?:[\\w-]+:[^\\n]{0,200}(?:\\n|$)|[ \\t\\r]*\\n)*$": isShort,
  },
  // Its callers cut the text: 200 characters, or the head of a body (4,096).
  "containers/payloads/unread.ts": {
    '^\\s*(?:\\[[^"[\\]{}]*[a-z.…*][^"[\\]{}]*\\]|\\{[^"[\\]{}:]*\\}|<[^<>="]*>)\\s*$': isShort,
  },
  // The head of a file, 64 kB, where only one line is looked at.
  "log/unsupported-inputs.ts": {
    "^\\s*> (?:@[\\w.-]+\\/)?[\\w.-]+@\\d+\\.\\d+\\.\\d+\\S* [\\w:-]+(?: .*)?\\n> ": isShort,
  },
  // 80 characters
  "reading/literal.ts": {
    '^[[{(\\s]*(?:\'|(?:[a-z_]\\w*\\.)*[A-Z]\\w*\\(\\s*(?:\\w+ ?=[^=]|[\'"])|[a-z_]\\w*=(?:[\'"[]|None\\b)|(?<=\\{\\s*)(?:[A-Za-z_$][\\w$]*: ?|:\\w+ ?=>|"[^"\\\\\\n]{1,40}" ?=>))':
      isShort,
  },
  // `maxIndent` and `maxGap`
  "reading/scan.ts": {
    '^((?:\\.{3,}|(?:\\xe2\\x80\\xa6)+)[^\\n,[\\]{}()"]*)(\\s*[,\\]})]|\\r?\\n)': isShort,
  },
  // 40 characters before a value, and 64 before a separator.
  "reporters/focus.ts": { '(?<=[{,[]\\s*)\\\\*"[\\w-]+\\\\*"\\s*:[\\s[{]*\\\\*"?$': isShort },
  "secrets/named.ts": { "[A-Za-z0-9_.-]+$": isShort },
};

interface Literal {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

const root = join(import.meta.dirname, "../src");

function* literals(): Generator<Literal> {
  for (const file of (readdirSync(root, { recursive: true }) as string[]).sort())
    if (file.endsWith(".ts"))
      for (const node of nodesOf(parseSync(file, readFileSync(join(root, file), "utf8")).program))
        if ("regex" in node) yield { file, ...(node.regex as Omit<Literal, "file">) };
}

function* nodesOf(node: unknown): Generator<object> {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) yield node;
  for (const child of Object.values(node)) yield* nodesOf(child);
}

test("every pattern of the source takes linear time, or has a reason", { timeout: 60_000 }, () => {
  const all = [...literals()];
  expect(all.length).toBeGreaterThan(1000);
  const found = all.flatMap(({ file, pattern, flags }) => {
    const { reports } = analyse(
      { source: pattern, flags },
      { reportTypes: { Move: true }, assumeRejectingSuffix: false },
    );
    return reports.length > 0 ? [{ file, pattern }] : [];
  });
  const unexplained = found.filter(({ file, pattern }) => exceptions[file]?.[pattern] === undefined);
  expect(unexplained).toEqual([]);
  const stale = Object.entries(exceptions).flatMap(([file, patterns]) =>
    Object.keys(patterns).filter(
      (pattern) => !found.some((each) => each.file === file && each.pattern === pattern),
    ),
  );
  expect(stale).toEqual([]);
});
