import picocolors from "picocolors";
import type { Invocation } from "../usage/parse.ts";
import { choice } from "../usage/values.ts";
import { wantsColor } from "./color.ts";
import type { Io } from "./io.ts";

export type Paint = ReturnType<typeof picocolors.createColors>;

/** Colours as the options and the environment want them. */
export function paintFor(invocation: Invocation, io: Io): Paint {
  const flag = choice(invocation, "color", ["auto", "always", "never"]);
  return picocolors.createColors(wantsColor(flag, io.env, io.isTTY));
}
