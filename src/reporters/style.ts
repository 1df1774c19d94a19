import picocolors from "picocolors";
import type { Severity } from "../findings/finding.ts";
import type { Paint } from "./layout.ts";
import { printable } from "./visible.ts";

/** The style of text reports: colours, width, and whether values are masked. */
export interface Style {
  readonly width: number;
  readonly showValues: boolean;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly note: Paint;
  readonly severity: Readonly<Record<Severity, Paint>>;
  /** Printable text from a log. */
  safe(text: string): string;
}

/** The narrowest supported terminal. */
const minWidth = 60;

/** A style for a terminal of `width` columns; without colour it writes no escape sequences. */
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
