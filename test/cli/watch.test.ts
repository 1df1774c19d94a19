import { type ChildProcess, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { statusLine } from "../../src/cli/terminal/status-line.ts";
import { brokenLog, healthyLog, loopLog } from "./logs.ts";
import { toollint } from "./program.ts";

const program = path.join(import.meta.dirname, "../../bin/toollint.js");
const [firstLine = "", brokenLine = ""] = brokenLog.trimEnd().split("\n");
const passes = "no findings · passes\n";
/** The log ends with a call, which the next request may answer. */
const waits = "1 info · passes (--fail-on error)\n";
const fails = "1 error · fails (--fail-on error)\n";

let folder: string;
const running = new Set<ChildProcess>();

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "toollint-watch-"));
});
afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  running.clear();
  fs.rmSync(folder, { recursive: true });
});

const at = (name: string): string => path.join(folder, name);
const write = (name: string, text: string): void => fs.writeFileSync(at(name), text);
const append = (name: string, text: string): void => fs.appendFileSync(at(name), text);

/** A watch in a process of its own, whose output goes into pipes. */
function watch(...args: readonly string[]) {
  const child = spawn(process.execPath, [program, "check", "--watch", ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let stdout = "";
  let stderr = "";
  let seen = 0;
  child.stdout.on("data", (part) => {
    stdout += part;
  });
  child.stderr.on("data", (part) => {
    stderr += part;
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    child,
    ended,
    stderr: () => stderr,
    /** Waits for a text after what was waited for before, and returns what came up to its end. */
    async until(text: string): Promise<string> {
      await expect.poll(() => stdout.indexOf(text, seen), { timeout: 20_000, interval: 20 }).not.toBe(-1);
      const end = stdout.indexOf(text, seen) + text.length;
      const part = stdout.slice(seen, end);
      seen = end;
      return part;
    },
    /** What came since. */
    rest: () => stdout.slice(seen),
    async stop(signal: NodeJS.Signals = "SIGINT"): Promise<{ exit: number | null; last: string }> {
      child.kill(signal);
      const exit = await ended;
      return { exit, last: stdout.trimEnd().split("\n").at(-1) ?? "" };
    },
  };
}

const aWhile = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(process.platform === "win32")("check --watch", { timeout: 60_000 }, () => {
  test("waits for a file, prints what is new once, and ends with the exit code of the last check", async () => {
    const run = watch("run.jsonl");
    await run.until("nothing to check yet: cannot read run.jsonl: there is no such file\n");
    write("run.jsonl", `${firstLine}\n`);
    expect(await run.until(waits)).toBe(waits);
    append("run.jsonl", `${brokenLine}\n`);
    const news = await run.until(fails);
    expect(news).toMatch(/^The client drops the model's tool calls from the history\.$/m);
    expect(news).toMatch(/^error\[dropped-tool-call\] .*\n.*\n {2}┌─ run\.jsonl:2:\d+ · request 2/m);
    expect(news).toContain("\nChange in the client: ");
    append("run.jsonl", "\n");
    await aWhile(1200);
    expect(run.rest()).toBe("");
    expect(await run.stop()).toEqual({ exit: 1, last: fails.trimEnd() });
    expect(run.stderr()).toBe("");
  });

  test("ends in the middle of a check, with the exit code of the last one", async () => {
    write("run.jsonl", brokenLog);
    const run = watch("run.jsonl");
    await run.until(fails);
    // Every line is a run of its own, and takes its time.
    const own = (index: number): string =>
      healthyLog.replaceAll("call_", `call_${index}_`).replaceAll("Paris", `Paris ${index}`);
    write("run.jsonl", Array.from({ length: 12_000 }, (_, index) => own(index)).join(""));
    await aWhile(900);
    run.child.kill("SIGINT");
    expect(await run.ended).toBe(1);
    expect(run.rest()).toBe("");
  });

  test("a line that is half written is no news, and its other half is", async () => {
    write("run.jsonl", `${firstLine}\n`);
    const run = watch("run.jsonl", "--fail-on", "warning");
    await run.until("1 info · passes (--fail-on warning)\n");
    append("run.jsonl", brokenLine.slice(0, 150));
    await aWhile(1200);
    append("run.jsonl", `${brokenLine.slice(150)}\n`);
    const news = await run.until("1 error · fails (--fail-on warning)\n");
    expect(news).not.toContain("unreadable-record");
    expect(await run.stop()).toMatchObject({ exit: 1 });
  });

  test("a file that is cut, replaced or deleted is read anew", async () => {
    write("run.jsonl", brokenLog);
    const run = watch("run.jsonl");
    await run.until(fails);
    write("run.jsonl", `${firstLine}\n`);
    expect(await run.until(waits)).toMatch(/^gone: error\[dropped-tool-call\] run\.jsonl:2:\d+$/m);
    write("next.jsonl", brokenLog);
    fs.renameSync(at("next.jsonl"), at("run.jsonl"));
    expect(await run.until(fails)).toContain("error[dropped-tool-call]  ");
    fs.rmSync(at("run.jsonl"));
    await run.until("nothing to check yet: cannot read run.jsonl: there is no such file\n");
    write("run.jsonl", healthyLog);
    await run.until(passes);
    expect(await run.stop("SIGTERM")).toMatchObject({ exit: 0, last: passes.trimEnd() });
    expect(run.stderr()).toBe("");
  });

  test("a file that is missing for a moment while it is replaced is not gone", async () => {
    write("run.jsonl", healthyLog);
    const run = watch("run.jsonl");
    await run.until(passes);
    fs.renameSync(at("run.jsonl"), at("run.jsonl.1"));
    await aWhile(400);
    write("run.jsonl", brokenLog);
    expect(await run.until(fails)).not.toContain("nothing to check");
    await run.stop();
  });

  test("new files of a directory are checked, and one that was read before stays said", async () => {
    fs.mkdirSync(at("logs"));
    write("logs/a.jsonl", brokenLog);
    const run = watch("logs");
    await run.until(fails);
    write("logs/b.jsonl", loopLog(3));
    const news = await run.until("1 error, 1 warning · fails (--fail-on error)\n");
    expect(news).toMatch(/^logs\/b\.jsonl$/m);
    expect(news).not.toContain("dropped-tool-call");
    fs.rmSync(at("logs/a.jsonl"));
    await run.until("1 warning · passes (--fail-on error)\n");
    expect(await run.stop()).toMatchObject({ exit: 0 });
  });

  test("a log that is written all the time is checked all the same, and keeps nobody busy", async () => {
    write("run.jsonl", `${firstLine}\n`);
    const run = watch("run.jsonl");
    await run.until(waits);
    const timer = setInterval(() => append("run.jsonl", "\n"), 20);
    append("run.jsonl", `${brokenLine}\n`);
    try {
      await run.until(fails);
    } finally {
      clearInterval(timer);
    }
    await run.stop();
  });

  test("an idle watch takes next to no time", async () => {
    write("run.jsonl", healthyLog);
    const run = watch("run.jsonl");
    await run.until(passes);
    if (process.platform !== "linux") return;
    const ticks = (): number => {
      const fields = fs.readFileSync(`/proc/${run.child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      return Number(fields[11]) + Number(fields[12]);
    };
    await aWhile(500);
    const before = ticks();
    await aWhile(3000);
    // A tick is a hundredth of a second: below a tenth of the time.
    expect(ticks() - before).toBeLessThan(30);
    await run.stop();
  });

  test("ends when nobody reads its output any more", async () => {
    write("run.jsonl", healthyLog);
    const run = watch("run.jsonl");
    await run.until(passes);
    run.child.stdout.destroy();
    append("run.jsonl", `${brokenLine}\n`);
    expect(await run.ended).not.toBeNull();
  });
});

describe("what does not go with --watch", () => {
  test.each([
    [["-"], "`--watch` needs files: standard input cannot be read twice"],
    [["run.jsonl", "--format", "json"], "`--watch` and `--format` cannot be combined: it prints text"],
    [["run.jsonl", "-o", "out.txt"], "`--watch` and `--output` cannot be combined: it prints to the screen"],
  ])("%j", async (args, message) => {
    const { exit, stderr } = await toollint(["check", "--watch", ...args], { cwd: folder });
    expect(stderr).toContain(`toollint: ${message}`);
    expect(exit).toBe(2);
  });
});

describe("the status line", () => {
  const written = async (isTTY: boolean, columns?: number) => {
    let text = "";
    const { Writable } = await import("node:stream");
    const stdout = new Writable({
      write(part, _, done) {
        text += part;
        done();
      },
    });
    const io = { stdin: process.stdin, stdout, stderr: stdout, env: {}, cwd: folder, isTTY, columns };
    const line = statusLine(io);
    await line.set(["1 error", " · fails"], "Ctrl-C ends");
    await line.print(["news", ""]);
    await line.set(["1 error", " · fails"], "Ctrl-C ends");
    await line.close();
    return text;
  };

  test("is rewritten in place on a terminal, and stays as the last line", async () => {
    const line = "\r\u001b[K1 error · fails · Ctrl-C ends";
    const news = `\r\u001b[Knews\n\n${line.slice(4)}`;
    expect(await written(true, 80)).toBe(`${line}${news}${line}\r\u001b[K1 error · fails\n`);
  });

  test("never reaches the edge of the terminal, where it would wrap", async () => {
    expect((await written(true, 40)).split("\r\u001b[K")[1]).toBe("1 error · fails · Ctrl-C ends");
    expect((await written(true, 20)).split("\r\u001b[K")[1]).toHaveLength(29);
  });

  test("is printed in a pipe when it changes, and after news", async () => {
    expect(await written(false)).toBe("1 error · fails\nnews\n\n1 error · fails\n");
  });
});
