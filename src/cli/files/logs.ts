import type { CheckResult } from "../../check/check.ts";
import { unreadSentence } from "../../log/unsupported-inputs.ts";
import type { ByteSource } from "../../reading/source.ts";
import { shellWord } from "../../reporters/shell.ts";
import type { SettingsOf } from "../config/file-settings.ts";
import type { PlacedSettings } from "../config/overrides.ts";
import type { Inputs } from "./inputs.ts";

/** A command that reads logs, as the user types it. */
export type LogCommand = "check" | "show" | "explain" | "diff" | "diff --steps" | "fix" | "replay";

/** Why a command understood nothing in a file, and what to type next. */
export function notUnderstood(
  command: LogCommand,
  { source, advice }: { readonly source: ByteSource; readonly advice?: string | undefined },
  { container, protocol, places }: PlacedSettings,
): string {
  const retry = `toollint ${command} --container NAME ${shellWord(source.name)}`;
  return unreadSentence(source, { retry, container, protocol, places }, advice);
}

/** Named files in which nothing was understood: a sentence each. */
export function unreadNamed(
  command: LogCommand,
  { files }: Inputs,
  { unread, logs }: Pick<CheckResult, "unread" | "logs">,
  settingsOf: SettingsOf,
): string[] {
  const paths = new Set(unread);
  const advices = new Map(logs.map(({ path, log }) => [path, log.advice]));
  return files
    .filter(({ path, isNamed }) => isNamed && paths.has(path))
    .map(({ path, source }) =>
      notUnderstood(command, { source, advice: advices.get(path) }, settingsOf(path)),
    );
}
