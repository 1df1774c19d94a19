import type { CheckReport } from "../findings/report.ts";
import { placeInFile } from "./numbers.ts";
import { rootsOf } from "./roots.ts";
import { printable } from "./visible.ts";

export interface LinesContext {
  readonly showValues?: boolean;
}

/**
 * One line per finding, as compilers write them, followed by indented lines for its notes and consequences.
 *
 * @example
 * run.log:41:18: error: tool result `call_2` answers no earlier tool call [orphaned-tool-result]
 *   run.log:12:9: note: the call was made here
 */
export function* lines(
  report: Pick<CheckReport, "findings">,
  { showValues = false }: LinesContext = {},
): Iterable<string> {
  const safe = (text: string): string => printable(text, showValues);
  for (const { finding, consequences } of rootsOf(report)) {
    const { location, severity, message, rule, related } = finding;
    yield safe(`${placeInFile(location)}: ${severity}: ${message} [${rule}]`);
    for (const note of related) yield `  ${safe(`${placeInFile(note.location)}: note: ${note.message}`)}`;
    for (const each of consequences)
      yield `  ${safe(`${placeInFile(each.location)}: ${each.severity}: ${each.message} [${each.rule}]`)}`;
  }
}
