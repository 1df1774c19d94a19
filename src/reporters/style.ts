import picocolors from "picocolors";
import type { Severity } from "../findings/finding.ts";
import type { Paint, StyledText } from "./layout.ts";
import { ruleUrl } from "./rule-url.ts";
import { printable } from "./visible.ts";

/** The style of text reports: colours, width, and whether values are masked. */
export interface Style {
  /** Columns of the terminal, for text from a log. */
  readonly width: number;
  /** Columns for sentences: longer lines are hard to read. */
  readonly proseWidth: number;
  readonly showValues: boolean;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly note: Paint;
  readonly good: Paint;
  readonly severity: Readonly<Record<Severity, Paint>>;
  /** A rule's name in brackets; in terminals that can, a link to the rule's page. */
  rule(name: string, isBold?: boolean): StyledText;
  /** Printable text from a log. */
  safe(text: string): string;
}

/** The narrowest supported terminal. */
const minWidth = 60;
const maxProseWidth = 100;

/** A style for a terminal of `width` columns; without colour it writes no escape sequences. */
export function styleFor(options: {
  readonly color: boolean;
  readonly width: number;
  readonly showValues: boolean;
  /** The terminal shows links: rule names lead to their pages. Only with colour. */
  readonly hasLinks?: boolean;
}): Style {
  const { bold, dim, cyan, green, red, yellow, blue } = picocolors.createColors(options.color);
  const width = Math.max(minWidth, Math.floor(options.width) || minWidth);
  return {
    width,
    proseWidth: Math.min(width, maxProseWidth),
    showValues: options.showValues,
    bold,
    dim,
    note: cyan,
    good: (text) => bold(green(text)),
    severity: {
      error: (text) => bold(red(text)),
      warning: (text) => bold(yellow(text)),
      info: (text) => bold(blue(text)),
    },
    rule(name, isBold = false) {
      const url = options.color && options.hasLinks ? ruleUrl(name) : undefined;
      const paint: Paint = isBold ? bold : (text) => text;
      return [
        `[${printable(name, options.showValues)}]`,
        url === undefined ? paint : (text) => `\u001b]8;;${url}\u001b\\${paint(text)}\u001b]8;;\u001b\\`,
      ];
    },
    safe: (text) => printable(text, options.showValues),
  };
}
