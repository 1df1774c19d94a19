import type { CheckReport } from "../findings/report.ts";
import { maskedJson } from "./masked-json.ts";

/**
 * The report as JSON Lines: one line per finding, then one line with everything else, which has the member
 * `summary`. Chunks include their line feeds; credentials are masked.
 */
export function* reportJsonl({ findings, ...rest }: CheckReport): Iterable<string> {
  for (const finding of findings) yield `${maskedJson(finding)}\n`;
  const { summary, files, ...more } = rest;
  yield `${maskedJson({ summary, files, ...more })}\n`;
}
