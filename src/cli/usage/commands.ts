import type { Command } from "./command.ts";
import { liveCommands } from "./live-commands.ts";
import { logCommands } from "./log-commands.ts";
import { otherCommands } from "./other-commands.ts";

/** The commands in the order of the help. */
export const commands: readonly Command[] = [...logCommands, ...liveCommands, ...otherCommands];

/** Finds a command by name. */
export function commandNamed(name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}
