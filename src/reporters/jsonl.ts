import type { CheckReport } from "../findings/report.ts";
import { maskedJson } from "./masked-json.ts";

/**
 * The report for programs that read line by line: each finding on a line of its own, then one line with everything else, known by
 * its member `summary`. The text comes in pieces that bring their line feeds; credentials are masked.
 */
export function* reportJsonl({ findings, ...rest }: CheckReport): Iterable<string> {
  for (const finding of findings) yield `${maskedJson(finding)}\n`;
  const { summary, files, ...more } = rest;
  yield `${maskedJson({ summary, files, ...more })}\n`;
}
