import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { brokenLog, healthyLog, loopLog, openLog } from "../cli/logs.ts";

const samples = path.join(import.meta.dirname, "..", "..", "samples");

export const key = "sk-proj-9aZx81KqLmNopQrStUvWxYz0123456789AbCdEfGhIj";
const [firstRound = "", secondRound = ""] = brokenLog.trimEnd().split("\n");
const first: { request: object; response: object } = JSON.parse(firstRound);

/** A session whose sub-agent keeps a file of its own. */
const record = (uuid: string, parentUuid: string | null, isSidechain: boolean, message: object): string =>
  `${JSON.stringify({ parentUuid, sessionId: "5f0c", isSidechain, type: "role" in message && message.role, uuid, message })}\n`;
const task = { type: "tool_use", id: "toolu_1", name: "Task", input: { prompt: "Find the parser." } };
export const session = [
  record("u1", null, false, { role: "user", content: "Where is the parser?" }),
  record("a1", "u1", false, { id: "m1", role: "assistant", content: [task] }),
].join("");
export const agent = [
  record("x1", null, true, { role: "user", content: "Find the parser." }),
  record("x2", "x1", true, {
    id: "n1",
    role: "assistant",
    content: [{ ...task, id: "toolu_9", name: "Grep" }],
  }),
].join("");

const sample = (name: string): string => readFileSync(path.join(samples, name), "utf8");

/** What a folder may hold: its files by name. */
export const stories: readonly Readonly<Record<string, string>>[] = [
  { "healthy.jsonl": healthyLog },
  { "broken.jsonl": brokenLog },
  { "open.jsonl": openLog },
  { "loop.jsonl": loopLog(6) },
  { "again.jsonl": brokenLog, "copy.jsonl": brokenLog },
  // One run in two files.
  { "request-1.json": firstRound, "request-2.json": secondRound },
  { "app.log.1": `${firstRound}\n`, "app.log": `${secondRound}\n` },
  { "cut.jsonl": brokenLog.slice(0, -40), "notes.txt": "nothing to see here", "empty.log": "" },
  { "picture.dat": "\0\u0001\u0002\0", "README.md": "# Readme\n\nNo log.\n" },
  { "secret.jsonl": brokenLog.replaceAll("How warm is it in Paris?", `Use ${key} for Paris.`) },
  { "long.jsonl": brokenLog.replaceAll('{\\"celsius\\":18}', `{\\"note\\":\\"${"warm ".repeat(900)}\\"}`) },
  { "session.jsonl": sample("interrupted-session/failing.jsonl") },
  { "chunks.log": sample("rag-read-loop/failing.log") },
  { "5f0c.jsonl": session, "5f0c/subagents/agent-ab12.jsonl": agent },
  { "5f0c.jsonl": session, "agent-ab12.jsonl": agent },
  {
    "requests/001.json": JSON.stringify(first.request),
    "responses/001.json": JSON.stringify(first.response),
  },
  { "stream.ndjson": sample("ollama-single-turn/failing.ndjson") },
];

/** Folders with stories. */
export type Folders = readonly { readonly name: string; readonly story: number }[];

export const someFolders: fc.Arbitrary<Folders> = fc.array(
  fc.record({
    name: fc.constantFrom("a", "b", "c", "a/x", "b/y", "d/e/f", "."),
    story: fc.nat(stories.length - 1),
  }),
  { maxLength: 6 },
);

/** Writes folders below `tree/`, and `plain.txt` and `own.jsonl` beside it. */
export function writeTree(cwd: string, folders: Folders): void {
  mkdirSync(path.join(cwd, "tree"), { recursive: true });
  writeFileSync(path.join(cwd, "plain.txt"), "a file without a conversation\n");
  writeFileSync(path.join(cwd, "own.jsonl"), brokenLog);
  for (const { name, story } of folders) {
    mkdirSync(path.join(cwd, "tree", name), { recursive: true });
    for (const [file, text] of Object.entries(stories[story] ?? {})) {
      const full = path.join(cwd, "tree", name, file);
      mkdirSync(path.dirname(full), { recursive: true });
      writeFileSync(full, text);
    }
  }
}
