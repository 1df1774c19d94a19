import picocolors from "picocolors";
import type { Invocation } from "../usage/parse.ts";
import { choice } from "../usage/values.ts";
import { wantsColor } from "./color.ts";
import { type Io, widthOf } from "./io.ts";

export type Paint = ReturnType<typeof picocolors.createColors>;

/** How text for people is laid out. */
export interface Style {
  readonly color: boolean;
  readonly width: number;
  /** Credentials are written as they are. */
  readonly showValues: boolean;
}

/** The style that the options and the environment want. */
export function styleFor(invocation: Invocation, io: Io, isTTY = io.isTTY): Style {
  const flag = choice(invocation, "color", ["auto", "always", "never"]);
  return {
    color: wantsColor(flag, io.env, isTTY),
    width: widthOf(io),
    showValues: invocation.has("show-values"),
  };
}

export function paintFor(invocation: Invocation, io: Io): Paint {
  return picocolors.createColors(styleFor(invocation, io).color);
}
