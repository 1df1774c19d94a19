import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

/**
 * A dry run of each kind of addition that CONTRIBUTING.md describes, in a copy of the project: the files that
 * its table names are enough for the types, for the build and for the program.
 */

const root = path.join(import.meta.dirname, "..");

/** One addition: what somebody writes by hand. */
interface Addition {
  /** The row of the table in CONTRIBUTING.md. */
  readonly kind: string;
  /** New files, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** A line in a list that stands there: what is imported from where, and before which entry it goes. */
  readonly line?: {
    readonly list: string;
    readonly name: string;
    readonly from: string;
    readonly before: string;
  };
  /** A log that shows the addition, the command that reads it, and what it has to print. */
  readonly log: string;
  readonly command: readonly string[];
  readonly shows: string;
}

const rule: Addition = {
  kind: "rule",
  files: {
    "src/rules/intent/shouted-answer.ts": `import { replyItems } from "../../conversation/conversation.ts";
import { defineRule } from "../rule.ts";

export default defineRule({
  name: "shouted-answer",
  summary: "An answer in capital letters",
  ground: "misleads",
  severity: "warning",
  needs: "anything",
  messages: {
    shouted: ({ said }: { said: string }) => \`the answer \\\`\${said}\\\` is in capital letters\`,
  },
  habit: {
    title: "The model answers in capital letters",
    consequence: "So people feel shouted at",
    change: "ask for plain sentences in the system prompt",
  },
  *check({ steps }, report) {
    for (const step of steps)
      for (const placed of replyItems(step))
        if (placed.item.kind === "message" && /^[A-Z !]{4,}$/.test(placed.item.text))
          yield report("shouted", { said: placed.item.text }, placed);
  },
});
`,
    "src/rules/intent/shouted-answer.md":
      "# shouted-answer\n\n## What it does\nReports an answer in capital letters.\n",
  },
  log: `${JSON.stringify({
    request: { model: "gpt-5-mini", messages: [{ role: "user", content: "Where is my order?" }] },
    response: {
      id: "chatcmpl-1",
      object: "chat.completion",
      choices: [
        { index: 0, finish_reason: "stop", message: { role: "assistant", content: "IT IS ON ITS WAY" } },
      ],
    },
  })}\n`,
  command: ["check"],
  shows: "shouted-answer",
};

const container: Addition = {
  kind: "container",
  files: {
    "src/containers/files/crate.ts": `import type { Container } from "../../traffic/container.ts";
import { jsonl } from "./jsonl.ts";

/** A crate says what it is in its first line, and holds an exchange in each of the others. */
export const crate: Container = {
  name: "crate",
  summary: "crates: an exchange a line",
  signs: "a first line #crate",
  recognize: (head) => (head.toString("latin1", 0, 7) === "#crate\\n" ? 1 : 0),
  read: (source, recognizer) => ({ ...jsonl.read(source, recognizer), container: "crate" }),
};
`,
  },
  line: { list: "src/containers/index.ts", name: "crate", from: "./files/crate.ts", before: "  har,\n" },
  log: `#crate\n${rule.log}`,
  command: ["check", "--format", "json"],
  shows: '"container": "crate"',
};

const session: Addition = {
  kind: "session format",
  files: {
    "src/containers/sessions/agents/parrot.ts": `import { fields, filled } from "../../../reading/values.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, newBranch } from "../branches.ts";
import { contentParts, plainEntry } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";

export const format: SessionFormat = {
  name: "parrot",
  summary: "sessions of Parrot",
  signs: "a member parrot in each record",
  recognize: ({ lines }) => lines.some((line) => "parrot" in line),
};

export function* read(file: SessionFile): Generator<Branch> {
  const branch = newBranch("plain");
  for (const record of file.lines()) {
    const { who, says } = fields(record.value["parrot"]);
    const role = filled(who) === "user" ? "user" : "assistant";
    addEntry(branch, plainEntry(record, role, contentParts(says, "/parrot/says")));
  }
  yield branch;
}
`,
  },
  log: '{"parrot":{"who":"user","says":"Where is my order?"}}\n{"parrot":{"who":"bird","says":"On its way."}}\n',
  command: ["check", "--format", "json"],
  shows: '"container": "parrot"',
};

const framework: Addition = {
  kind: "framework's dump",
  files: {
    "src/protocols/reported/frameworks/choir.ts": `import { fields, string } from "../../wire.ts";
import type { Framework } from "./framework.ts";

/** Choir keeps what its singers sing under their voices. */
export const choir: Framework = {
  listed: { row: "frameworks", name: "Choir" },
  messageKeys: [["voice", "verse"]],
  decode(element) {
    const voice = string(element["voice"]);
    const text = string(fields(element["verse"])["text"]);
    if (voice === undefined || text === undefined) return undefined;
    const role = voice === "audience" ? ("user" as const) : ("assistant" as const);
    return { role, items: [{ kind: "message", role, text, pointer: "/verse/text", hasMedia: false }] };
  },
};
`,
  },
  line: {
    list: "src/protocols/reported/frameworks/index.ts",
    name: "choir",
    from: "./choir.ts",
    before: "  langChain,\n",
  },
  log: '[{"voice":"audience","verse":{"text":"Where is my order?"}},{"voice":"tenor","verse":{"text":"On its way."}}]\n',
  command: ["show"],
  shows: "On its way.",
};

const protocol: Addition = {
  kind: "protocol",
  files: {
    "src/protocols/pigeon/index.ts": `import { level } from "../../traffic/certainty.ts";
import { noDemands } from "../demands.ts";
import { historyOf, looseRun } from "../history.ts";
import type { DecodedElement, Protocol, ReplyBody, StreamBody } from "../protocol.ts";
import { fields, list, string } from "../wire.ts";

const name = "pigeon";

/** The API of a mail service: letters go out, and one letter comes back. */
export const pigeon: Protocol = {
  name,
  summary: "letters by pigeon",
  historyKeys: ["letters"],
  stableKeys: [],
  demands: noDemands,
  recognize(peek) {
    const [letter] = list(peek.value("letters"));
    if ("from" in fields(letter)) return { part: "request", certainty: level.certain };
    return peek.kind("coo") === "string" ? { part: "reply", certainty: level.certain } : undefined;
  },
  paths: [{ pattern: /\\/coop\\/letters$/, purpose: "turn" }],
  endpoint: "unsupported",
  idiom: { append: "letters.push(reply.coo, ...results)", result: "{ ring: call.ring, text }" },
  answers: "unsupported",
  encode: "unsupported",
  writes: "unsupported",
  places: "unsupported",
  loadSchema: "unsupported",
  refusals: "unsupported",
  errorTexts: "unsupported",
  loadServerSide: "unsupported",
  decodeElement,
  decodeRequest: ({ run, place, base, historyPointer }) => ({
    place,
    historyPointer: historyPointer ?? base,
    history: historyOf(run ?? looseRun([]), name, decodeElement),
    system: undefined,
    tools: undefined,
    toolChoice: undefined,
    model: undefined,
    maxTokens: undefined,
    isStreaming: false,
    links: {},
    settings: {},
  }),
  decodeReply: (body) => replyOf(body, "json"),
  decodeStream: (body) => replyOf(body, "stream"),
  isTerminal: () => false,
  replyId: () => undefined,
};

function decodeElement(value: unknown): DecodedElement {
  const role = fields(value)["from"] === "bird" ? ("assistant" as const) : ("user" as const);
  const text = string(fields(value)["text"]) ?? "";
  return { role, items: [{ kind: "message", role, text, pointer: "/text", hasMedia: false }] };
}

function replyOf(body: ReplyBody | StreamBody, form: "json" | "stream") {
  const text = "value" in body ? (string(fields(body.value)["coo"]) ?? "") : "";
  return {
    place: body.place,
    form,
    items: [{ kind: "message" as const, role: "assistant" as const, text, pointer: "/coo", hasMedia: false }],
    state: "complete" as const,
    flaws: [],
    otherChoices: 0,
  };
}
`,
  },
  line: {
    list: "src/protocols/index.ts",
    name: "pigeon",
    from: "./pigeon/index.ts",
    before: "  openaiChat,\n",
  },
  log: '{"request":{"letters":[{"from":"user","text":"Where is my order?"}]},"response":{"coo":"On its way."}}\n',
  command: ["check", "--format", "json"],
  shows: '"pigeon"',
};

const additions = [rule, protocol, container, session, framework];

let copy = "";
let before: ReadonlyMap<string, string>;

function filesOf(folder: string): Map<string, string> {
  const src = path.join(folder, "src");
  return new Map(
    readdirSync(src, { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(folder, file).split(path.sep).join("/"), readFileSync(file, "utf8")]),
  );
}

function inCopy(...command: readonly string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: copy, encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
}

beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), "toollint-additions-"));
  for (const entry of [
    "src",
    "samples/order-lookup",
    "schemas",
    "bin",
    "build.mjs",
    "indexes.mjs",
    "package.json",
    "tsconfig.json",
    "tsconfig.build.json",
  ])
    cpSync(path.join(root, entry), path.join(copy, entry), { recursive: true });
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"), "junction");
  // The library's types extend those of the test runner, which is loaded by tests.
  mkdirSync(path.join(copy, "test"));
  writeFileSync(path.join(copy, "test/runner.ts"), 'import "vitest";\n');
  before = filesOf(copy);
  for (const { files, line } of additions) {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
      writeFileSync(path.join(copy, file), text);
    }
    if (!line) continue;
    const list = readFileSync(path.join(copy, line.list), "utf8");
    expect(list).toContain(line.before);
    const added = list.replace(line.before, `  ${line.name},\n${line.before}`);
    writeFileSync(path.join(copy, line.list), `import { ${line.name} } from "${line.from}";\n${added}`);
  }
  const built = inCopy("build.mjs");
  expect(built, built.output).toMatchObject({ status: 0 });
});

describe("an addition takes the files that CONTRIBUTING.md names, and no other", () => {
  /** The rows of the table: the files by hand, and those that the build writes. */
  const table = new Map(
    [
      ...readFileSync(path.join(root, "CONTRIBUTING.md"), "utf8").matchAll(/^\| a (.+?) \|(.*)\|(.*)\|$/gm),
    ].map(([, kind = "", byHand = "", byBuild = ""]) => [
      kind,
      { byHand: pathsIn(byHand), byBuild: pathsIn(byBuild) },
    ]),
  );

  function pathsIn(cell: string): string[] {
    return [...cell.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file);
  }

  test.each([rule, session])("$kind: the page shows the module of this test", ({ files }) => {
    const page = readFileSync(path.join(root, "CONTRIBUTING.md"), "utf8").replaceAll("\n   ", "\n");
    for (const [file, text] of Object.entries(files)) if (file.endsWith(".ts")) expect(page).toContain(text);
  });

  test("the table has a row for each kind", () => {
    expect([...table.keys()].sort()).toEqual(additions.map(({ kind }) => kind).sort());
  });

  test.each(additions)("$kind: the files by hand", ({ kind, files, line }) => {
    const named = (table.get(kind)?.byHand ?? []).map((file) => new RegExp(`^${pattern(file)}$`));
    const written = [...Object.keys(files), ...(line ? [line.list] : [])];
    expect(written.filter((file) => !named.some((name) => name.test(file)))).toEqual([]);
    expect(named.filter((name) => !written.some((file) => name.test(file)))).toEqual([]);
  });

  /** `<name>` stands for any name. */
  function pattern(file: string): string {
    return file.replaceAll(".", "\\.").replace(/<[a-z]+>/g, "[a-z-]+");
  }

  test("the build writes the rest", () => {
    const byHand = new Set(additions.flatMap(({ files, line }) => [...Object.keys(files), line?.list ?? ""]));
    const changed = [...filesOf(copy)]
      .filter(([file, text]) => before.get(file) !== text)
      .map(([file]) => file);
    const byBuild = [...table.values()].flatMap((row) => row.byBuild);
    expect(changed.filter((file) => !byHand.has(file)).sort()).toEqual([...new Set(byBuild)].sort());
  });

  test("the types hold", () => {
    const checked = inCopy("node_modules/typescript/bin/tsc", "-p", "tsconfig.json", "--noEmit");
    expect(checked, checked.output).toMatchObject({ status: 0 });
  });

  test.each(additions)("$kind: the program has it", ({ kind, log, command, shows }) => {
    const file = path.join(copy, `${kind.replaceAll(/\W+/g, "-")}.log`);
    writeFileSync(file, log);
    const [name = "", ...options] = command;
    const read = inCopy("bin/toollint.js", name, ...options, path.basename(file));
    expect(read.output).toContain(shows);
  });

  test("and `explain` prints the page of the rule", () => {
    expect(inCopy("bin/toollint.js", "explain", "shouted-answer").output).toContain("in capital letters");
  });
});
