import type { CheckSettings, FileSettings } from "../../check/check.ts";
import type { CheckOutcome } from "../../check/run-report.ts";
import { containers } from "../../containers/index.ts";
import { protocols } from "../../protocols/index.ts";
import { largest } from "../../reading/lists.ts";
import { ruleTable } from "../../rules/index.ts";
import type { Io } from "../terminal/io.ts";
import type { Invocation } from "../usage/parse.ts";
import { judgeOf, named, ruleSettings } from "../usage/values.ts";
import type { ConfigFile } from "./file.ts";
import { configOf } from "./find.ts";
import type { PlacedSettings } from "./overrides.ts";

/** How a file is read and judged, by the command line and the config file. */
export type SettingsOf = (path: string) => PlacedSettings;

/** The settings of the command line, for all files. */
export function typedSettings(invocation: Invocation): FileSettings {
  const container = named(invocation, "container", containers);
  const protocol = named(invocation, "protocol", protocols);
  const isComplete = invocation.flag("complete");
  const judge = judgeOf(invocation);
  return {
    ...ruleSettings(invocation, ruleTable),
    ...(isComplete !== undefined && { isComplete }),
    ...(container && { container }),
    ...(protocol && { protocol }),
    ...(judge && { judge }),
  };
}

/** The settings of each file, by the command line and the config file of the command. */
export async function settingsFor(invocation: Invocation, io: Io): Promise<SettingsOf> {
  return settingsByPath(await configOf(invocation, io), typedSettings(invocation), io);
}

/** The settings of each file; the command line wins over a config file. */
export async function settingsByPath(
  file: ConfigFile | undefined,
  typed: FileSettings,
  io: Io,
): Promise<SettingsOf> {
  if (!file) return () => typed;
  const { merged, settingsByFile } = await import("./overrides.ts");
  const configured = settingsByFile(file, io.cwd);
  return (path) => merged(configured(path), typed);
}

/** Reports a conversation or exchanges that no file has: no findings would look like a clean log. */
export function unmatched(
  { conversations, report }: CheckOutcome,
  { conversation, exchanges }: CheckSettings,
): string[] {
  if (report.files.length === 0) return [];
  const troubles: string[] = [];
  if (conversation !== undefined && !conversations.includes(conversation)) {
    troubles.push(`there is no conversation ${conversation}: ${listOf(conversations)}`);
  }
  const most = largest(report.files.map((file) => file.exchanges));
  if (exchanges && exchanges.from > most)
    troubles.push(`there is no exchange ${exchanges.from}: the last one is ${most}`);
  return troubles;
}

function listOf(names: readonly string[]): string {
  return names.length === 1 ? `the only one is ${names[0]}` : `they are ${names[0]} to ${names.at(-1)}`;
}
