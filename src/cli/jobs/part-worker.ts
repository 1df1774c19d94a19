import path from "node:path";
import { PassThrough } from "node:stream";
import { parentPort } from "node:worker_threads";
import type { CheckSettings } from "../../check/check.ts";
import { type CheckedPart, checkPart } from "../../check/part.ts";
import type { LogSource } from "../../log/log-file.ts";
import { fileSource } from "../../reading/source.ts";
import { checkSettingsOf } from "../commands/check-settings.ts";
import { configOf } from "../config/find.ts";
import { besideIn, type InputTrouble, unreadable } from "../files/inputs.ts";
import type { Io } from "../terminal/io.ts";
import { codeOf, reasonOf } from "../trouble.ts";
import { parse } from "../usage/parse.ts";

/** The command line that a thread works for. */
export interface PartCommand {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a thread is asked: the paths to check, and the runs among them if they are known. */
export interface PartQuestion {
  readonly paths: readonly string[];
  readonly runs?: readonly (readonly string[])[];
}

/** What a thread found. */
export interface PartAnswer {
  readonly checked: CheckedPart;
  /** Files that could not be opened. */
  readonly failed: readonly InputTrouble[];
}

/** An error as plain data: its class is lost between threads. */
export interface ThreadError {
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
  readonly syscall: string | undefined;
}

/** Checks the parts that the main thread asks for, one after the other. */
export async function answerParts(command: PartCommand): Promise<void> {
  const settings = await commandSettings(command);
  parentPort?.on("message", (question: PartQuestion) => {
    answerOf(question, settings, command.cwd).then(
      (answer) => parentPort?.postMessage({ answer }),
      (error: unknown) => parentPort?.postMessage({ error: plainError(error) }),
    );
  });
  parentPort?.postMessage({ isReady: true });
}

/** The settings of a check, read again from the command line and the config file. */
export async function commandSettings({ args, cwd, env }: PartCommand): Promise<CheckSettings> {
  const stream = new PassThrough();
  const io: Io = { stdin: stream, stdout: stream, stderr: stream, env, cwd, isTTY: false };
  const invocation = await parse(args);
  if ("wants" in invocation) throw new Error("a thread was asked for help");
  return checkSettingsOf(invocation, await configOf(invocation, io), io);
}

/** Checks some files of a command. */
export async function answerOf(
  { paths, runs }: PartQuestion,
  settings: CheckSettings,
  cwd: string,
): Promise<PartAnswer> {
  const inputs: LogSource[] = [];
  const failed: InputTrouble[] = [];
  try {
    for (const shown of paths) {
      try {
        const source = fileSource(path.resolve(cwd, shown), shown);
        inputs.push({ path: shown, source, beside: besideIn(cwd) });
      } catch (error) {
        if (codeOf(error) === undefined) throw error;
        failed.push(unreadable(shown, reasonOf(error)));
      }
    }
    return { checked: await checkPart(inputs, settings, runs), failed };
  } finally {
    for (const { source } of inputs) source.close();
  }
}

function plainError(error: unknown): ThreadError {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return {
    message: error instanceof Error ? error.message : String(error),
    stack: error instanceof Error ? error.stack : undefined,
    code: typeof code === "string" ? code : undefined,
    syscall,
  };
}
