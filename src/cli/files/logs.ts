import type { CheckOutcome } from "../../check/run-report.ts";
import type { LogFile } from "../../log/log-file.ts";
import type { Run } from "../../log/open.ts";
import { counted } from "../../reporters/numbers.ts";
import { shellWord } from "../../reporters/shell.ts";
import type { SettingsOf } from "../config/file-settings.ts";
import { note } from "../terminal/complaint.ts";
import type { Io } from "../terminal/io.ts";
import { Trouble } from "../trouble.ts";
import { type Inputs, openInputs, type Threading } from "./inputs.ts";

/** A command that reads logs, as the user types it. */
type LogCommand =
  | "check"
  | "show"
  | "explain"
  | "diff"
  | "diff --steps"
  | "fix"
  | "shrink"
  | "redact"
  | "report-bug"
  | "replay"
  | "serve";

/** Runs `work` on the named files, then closes them. Throws {@link Trouble} if one cannot be opened. */
export function withLogs<T>(
  paths: readonly string[],
  io: Io,
  work: (inputs: Inputs) => Promise<T>,
): Promise<T> {
  return withInputs(paths, io, (inputs) => {
    if (inputs.troubles.length > 0) throw new Trouble(messagesOf(inputs).join("\n"));
    return work(inputs);
  });
}

/** Like {@link withLogs}, but skips files that cannot be opened. Without any file, only returns 2. */
export function withAnyLogs(
  paths: readonly string[],
  io: Io,
  work: (inputs: Inputs) => Promise<number>,
  threading?: Threading,
): Promise<number> {
  const some = (inputs: Inputs) => (inputs.files.length > 0 ? work(inputs) : withoutFiles(inputs, io));
  return withInputs(paths, io, some, threading);
}

/** Says why there is no file to work on, and returns the exit code. */
export async function withoutFiles(inputs: Inputs, io: Io): Promise<2> {
  const searched = inputs.searched.map((each) => `${each} has no files that could be logs`);
  await note(io, ...messagesOf(inputs), ...searched);
  return 2;
}

/** Runs `work` on what could be opened, then closes it. */
export function withInputs<T>(
  paths: readonly string[],
  io: Io,
  work: (inputs: Inputs) => Promise<T>,
  threading?: Threading,
): Promise<T> {
  return withOpened(openInputs(paths, io, threading), work);
}

/** Runs `work` on opened files, then closes them. */
export async function withOpened<T>(
  opened: Promise<Inputs>,
  work: (inputs: Inputs) => Promise<T>,
): Promise<T> {
  const inputs = await opened;
  try {
    return await work(inputs);
  } finally {
    for (const { source } of inputs.files) source.close();
  }
}

/** What could not be read or found, a sentence each. */
export function messagesOf({ troubles }: Inputs): string[] {
  return troubles.map(({ message }) => message);
}

/** Refuses logs in which nothing was understood: says what they are, and what to type next. */
export async function refuseUnread(
  command: LogCommand,
  runs: readonly Run[],
  settingsOf: SettingsOf,
): Promise<void> {
  const unread = runs.filter(({ exchanges }) => exchanges.length === 0);
  if (unread.length === 0) return;
  const sentences = unread.map(({ files: [file] }) => notUnderstood(command, file, settingsOf));
  throw new Trouble((await Promise.all(sentences)).join("\n"));
}

/** The message about folders and patterns in whose files nothing was understood. */
export function nothingUnderstood({ files, searched, binaries }: Inputs): string {
  return nothingUnderstoodIn(searched, files.filter(({ isNamed }) => !isNamed).length, binaries);
}

/** The same message by the number of files that were read, and of those that are binary. */
export function nothingUnderstoodIn(searched: readonly string[], read: number, binaries: number): string {
  const others = binaries > 0 ? `, ${binaries} binary not` : "";
  return `no conversation was understood in ${searched.join(", ")} (${counted(read, "file")} read${others}): see \`toollint formats\``;
}

/** A message for each named file in which nothing was understood. */
export async function unreadNamed(
  command: LogCommand,
  inputs: Inputs,
  outcome: CheckOutcome,
  settingsOf: SettingsOf,
): Promise<string[]> {
  return [...(await unreadNamedByPath(command, inputs, outcome, settingsOf)).values()];
}

/** The same messages by the paths of the files. */
export async function unreadNamedByPath(
  command: LogCommand,
  inputs: Inputs,
  { unreadFiles }: CheckOutcome,
  settingsOf: SettingsOf,
): Promise<ReadonlyMap<string, string>> {
  const named = new Map(
    inputs.files.flatMap(({ path, isNamed, source }) => (isNamed ? [[path, source]] : [])),
  );
  const messages = unreadFiles.map(async (file): Promise<[string, string][]> => {
    const source = named.get(file.path);
    return source ? [[file.path, await notUnderstood(command, { ...file, source }, settingsOf)]] : [];
  });
  return new Map((await Promise.all(messages)).flat());
}

/** Few runs need the sentences about what cannot be read, so they are not loaded with the check. */
async function notUnderstood(
  command: LogCommand,
  { path, source, advice }: Pick<LogFile, "path" | "source" | "advice">,
  settingsOf: SettingsOf,
): Promise<string> {
  const { meaningOfError } = await import("../../explain/meaning.ts");
  const { unreadSentence } = await import("../../log/unsupported-inputs.ts");
  const retry = `toollint ${command} --container NAME ${shellWord(path)}`;
  return unreadSentence(source, { retry, meaningOf: meaningOfError, ...settingsOf(path) }, advice);
}
