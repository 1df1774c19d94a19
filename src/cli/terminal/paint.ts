import picocolors from "picocolors";
import type { Invocation } from "../usage/parse.ts";
import { choice } from "../usage/values.ts";
import { showsLinks, wantsColor } from "./color.ts";
import { type Io, terminalWidth } from "./io.ts";

export type Palette = ReturnType<typeof picocolors.createColors>;

/** How text for people is laid out. */
export interface TerminalStyle {
  readonly color: boolean;
  /** Rule names may be links. */
  readonly hasLinks: boolean;
  readonly width: number;
  /** Writes credentials unmasked. */
  readonly showValues: boolean;
}

/** The style by the options and the environment. */
export function terminalStyle(invocation: Invocation, io: Io, isTTY = io.isTTY): TerminalStyle {
  const flag = choice(invocation, "color", ["auto", "always", "never"]);
  return {
    color: wantsColor(flag, io.env, isTTY),
    hasLinks: isTTY && showsLinks(io.env),
    width: terminalWidth(io),
    showValues: invocation.has("show-values"),
  };
}

/** Colours and width for standard error. */
export function errorStyle(invocation: Invocation, io: Io): { paint: Palette; width: number } {
  const isTTY = io.stderr === process.stderr && process.stderr.isTTY;
  const { color, width } = terminalStyle(invocation, io, isTTY);
  return { paint: picocolors.createColors(color), width };
}

export function paintFor(invocation: Invocation, io: Io): Palette {
  return picocolors.createColors(terminalStyle(invocation, io).color);
}
