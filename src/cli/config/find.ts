import { existsSync } from "node:fs";
import path from "node:path";
import type { Io } from "../terminal/io.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import type { ConfigFile } from "./file.ts";

export const configNames = ["toollint.config.json", "toollint.config.jsonc"] as const;

/** The config file of a folder, or of the nearest one above it; `undefined` if there is none. */
export function findConfig(folder: string): string | undefined {
  for (let here = folder; ; here = path.dirname(here)) {
    for (const name of configNames) {
      const full = path.join(here, name);
      if (existsSync(full)) return full;
    }
    if (here === path.dirname(here)) return undefined;
  }
}

/** The config file of a command, named or nearest; `undefined` if there is none or it is switched off. */
export async function configOf(invocation: Invocation, io: Io): Promise<ConfigFile | undefined> {
  const named = invocation.one("config");
  if (invocation.has("no-config")) {
    if (named !== undefined)
      throw new Trouble("`--config` and `--no-config` cannot be combined: use one of them");
    return undefined;
  }
  const full = named === undefined ? findConfig(io.cwd) : path.resolve(io.cwd, named);
  if (full === undefined) return undefined;
  const { readConfig } = await import("./file.ts");
  return readConfig(full, io.cwd);
}
