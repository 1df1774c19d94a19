import picocolors from "picocolors";
import type { Severity } from "../findings/finding.ts";
import type { Paint } from "./layout.ts";
import { printable } from "./visible.ts";

/** How the text reports look: colours, width, and what may be shown. */
export interface Style {
  readonly width: number;
  readonly showValues: boolean;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly note: Paint;
  readonly severity: Readonly<Record<Severity, Paint>>;
  /** Text from a log as it may be printed. */
  safe(text: string): string;
}

/** The narrowest terminal that is written for. */
const minWidth = 60;

/** A style for a terminal of `width` columns; without colour no escape sequence is written. */
export function styleFor(options: {
  readonly color: boolean;
  readonly width: number;
  readonly showValues: boolean;
}): Style {
  const { bold, dim, cyan, red, yellow, blue } = picocolors.createColors(options.color);
  return {
    width: Math.max(minWidth, Math.floor(options.width) || minWidth),
    showValues: options.showValues,
    bold,
    dim,
    note: cyan,
    severity: {
      error: (text) => bold(red(text)),
      warning: (text) => bold(yellow(text)),
      info: (text) => bold(blue(text)),
    },
    safe: (text) => printable(text, options.showValues),
  };
}
