import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { logFolder, run } from "./cases.ts";
import { healthyLog } from "./logs.ts";
import { toollint } from "./program.ts";

const folder = logFolder();
fs.writeFileSync(path.join(folder, "renamed.jsonl"), healthyLog.replaceAll("call_paris", "call_lyon"));
const key = "sk-proj-abcdefghijklmnopqrstuvwx";
const hostile = healthyLog.replaceAll("It is 18 degrees", `\\u001b[2J ${key} \\u202eIt is 18`);
fs.writeFileSync(path.join(folder, "hostile.jsonl"), hostile);

describe("diff", () => {
  run(folder, [
    {
      name: "the same run with other ids is the same",
      args: ["diff", "renamed.jsonl", "healthy.jsonl"],
      out: /^The runs are the same, except for ids and other values that change with every run\.\n/,
      exit: 0,
    },
    {
      name: "says in two lines where, on whose side, by which rule, and why",
      args: ["diff", "broken.jsonl", "healthy.jsonl"],
      out: `The runs diverge at step 2, in the client's request (dropped-tool-call, orphaned-tool-result).
The call to \`get_weather\` is missing; everything before is the same, so the client caused it, not
chance.
The replies are the same anyway.

failing  broken.jsonl   jsonl · openai-chat · 2 exchanges
passing  healthy.jsonl  jsonl · openai-chat · 2 exchanges

step 1  the same

step 2  failing :2 ↔ passing :2
 request  differs
   =           user How warm is it in Paris?                                                 :2 ↔ :2
   − missing   call get_weather {"city":"Paris"}                                                ↔ :2
   ~ changed   result {"celsius":18}                                                         :2 ↔ :2
               answers  failing no call (call_paris) · passing the call to get_weather
 reply    the same

Change in the client: keep the whole reply in the history, before its results:
    messages.push(reply.message, ...results)
Learn: toollint explain dropped-tool-call
`,
      exit: 1,
    },
    {
      name: "one step alone",
      args: ["diff", "broken.jsonl", "healthy.jsonl", "--step", "1"],
      out: /^step 1 {2}failing :1 ↔ passing :1\n request {2}the same\n reply {4}the same\n/m,
      exit: 1,
    },
    {
      name: "a wide terminal shows the runs side by side",
      args: ["diff", "broken.jsonl", "healthy.jsonl"],
      columns: 160,
      out: /^ {3}user How warm is it in Paris\? +:2 = {3}user How warm is it in Paris\? +:2$/m,
      exit: 1,
    },
    {
      name: "what is not counted can be listed",
      args: ["diff", "renamed.jsonl", "healthy.jsonl", "--show-ignored"],
      out: / {3}call ids +1 {3}call_lyon ↔ call_paris$/m,
      exit: 0,
    },
    {
      name: "and be counted",
      args: ["diff", "renamed.jsonl", "healthy.jsonl", "--strict"],
      out: /^The runs diverge at step 1, in the model's reply/,
      exit: 1,
    },
    {
      name: "as data",
      args: ["diff", "broken.jsonl", "healthy.jsonl", "--format", "json"],
      out: /"firstDivergence":\{"step":2,"side":"request".*"reasons":\["dropped-tool-call","orphaned-tool-result"\]/,
      exit: 1,
    },
    {
      name: "as a comment for an issue",
      args: ["diff", "broken.jsonl", "healthy.jsonl", "--format", "markdown"],
      out: /^### toollint diff: different\n\n\*\*.*\| missing \| request \| `call get_weather` \|/s,
      exit: 1,
    },
    {
      name: "standard input is one of the logs",
      args: ["diff", "-", "healthy.jsonl"],
      stdin: healthyLog,
      out: /^The runs are the same\.\n/,
      exit: 0,
    },
    {
      name: "--steps says what each request lost of the one before",
      args: ["diff", "--steps", "broken.jsonl"],
      out: /^Request 2 is the first that lacks something from request 1 or its reply \(dropped-tool-call,\sorphaned-tool-result\)\.\n1 of 1 requests lose or rewrite something; of these, 1 item is gone\./,
      exit: 1,
    },
    {
      name: "--steps of a healthy log",
      args: ["diff", "--steps", "healthy.jsonl"],
      out: /^Every request contains everything from the previous request and its reply\./,
      exit: 0,
    },
    {
      name: "--steps of a transcript does not say that every request was whole",
      args: ["diff", "--steps", "session.jsonl"],
      out: /^This is a transcript: each item appears once, so it does not show what each request contained\./,
      exit: 0,
    },
    {
      name: "--steps as data",
      args: ["diff", "--steps", "broken.jsonl", "--format", "json"],
      out: /"isWhole":false/,
      exit: 1,
    },
  ]);

  test("what a log holds is neither obeyed nor shown where it is secret", async () => {
    for (const format of ["text", "json", "markdown"]) {
      for (const columns of [100, 180]) {
        const { stdout } = await toollint(["diff", "hostile.jsonl", "healthy.jsonl", "--format", format], {
          cwd: folder,
          columns,
        });
        expect(stdout).not.toContain("\u001b");
        expect(stdout).not.toContain("\u202e");
        expect(stdout).not.toContain(key);
      }
    }
  });
});

describe("what diff cannot do", () => {
  run(folder, [
    {
      name: "compare nothing",
      args: ["diff"],
      err: "toollint: `toollint diff` needs logs: `toollint diff failing.log passing.log`\n",
      exit: 2,
    },
    {
      name: "compare one log with nothing",
      args: ["diff", "broken.jsonl"],
      err: `toollint: \`toollint diff\` needs two logs, the failing one first: \`toollint diff broken.jsonl passing.log\`
  To compare the requests of one log with each other: \`toollint diff --steps broken.jsonl\`
`,
      exit: 2,
    },
    {
      name: "compare three",
      args: ["diff", "a", "b", "c"],
      err: /compares two logs, not 3/,
      exit: 2,
    },
    {
      name: "read a file that is not there",
      args: ["diff", "healthy.jsonl", "gone.jsonl"],
      err: /^toollint: cannot read gone\.jsonl: there is no such file/,
      exit: 2,
    },
    {
      name: "understand what is no log, and says which of the two it is",
      args: ["diff", "healthy.jsonl", "notes.txt"],
      err: /^toollint: notes\.txt: no conversation was found in it/,
      exit: 2,
    },
    {
      name: "compare a directory",
      args: ["diff", "logs", "healthy.jsonl"],
      err: /^toollint: logs is not one log but 3 files: name one, such as logs\/a\.jsonl/,
      exit: 2,
    },
    {
      name: "show a step that is not there",
      args: ["diff", "broken.jsonl", "healthy.jsonl", "--step", "9"],
      err: "toollint: there is no step 9: the last one is 2\n",
      exit: 2,
    },
    {
      name: "show a conversation that is not there",
      args: ["diff", "broken.jsonl", "healthy.jsonl", "--conversation", "c4"],
      err: "toollint: there is no conversation c4 in broken.jsonl: the only one is c1\n",
      exit: 2,
    },
    {
      name: "take two logs with --steps",
      args: ["diff", "--steps", "broken.jsonl", "healthy.jsonl"],
      err: /takes one log/,
      exit: 2,
    },
  ]);
});
