import type { Severity } from "../findings/finding.ts";
import { numberOf } from "../findings/unlisted.ts";
import { groupBy } from "../reading/group-by.ts";
import { paragraph } from "./layout.ts";
import { counted, placeInFile } from "./numbers.ts";
import type { Root } from "./roots.ts";
import type { Style } from "./style.ts";
import { mostSevereFirst } from "./summing.ts";

/** Files whose findings are shown; a fleet may have ten thousand with the same mistakes. */
const mostFiles = 25;

/** The findings of one file. */
interface OfFile {
  readonly roots: readonly Root[];
}

/**
 * Which files to show, in order: first those with a rule that no earlier file shows, errors before warnings
 * before infos, then the first of the rest.
 */
export function filesToShow<T extends OfFile>(files: readonly T[]): { shown: T[]; folded: T[] } {
  if (files.length <= mostFiles) return { shown: [...files], folded: [] };
  const chosen = new Set<T>();
  const rules = new Set<string>();
  const choose = (isWanted: (root: Root) => boolean): void => {
    for (const file of files) {
      if (chosen.size === mostFiles) return;
      if (chosen.has(file) || !file.roots.some(isWanted)) continue;
      chosen.add(file);
      for (const { finding } of file.roots) rules.add(finding.rule);
    }
  };
  const severities: readonly Severity[] = ["error", "warning", "info"];
  for (const severity of severities)
    choose(({ finding }) => finding.severity === severity && !rules.has(finding.rule));
  choose(() => true);
  return {
    shown: files.filter((file) => chosen.has(file)),
    folded: files.filter((file) => !chosen.has(file)),
  };
}

/** What is in the files that are not shown, a line for each rule. */
export function* foldedFiles(files: readonly OfFile[], style: Style): Iterable<string> {
  if (files.length === 0) return;
  yield `${counted(files.length, "more file")} with findings (--all prints them):`;
  const roots = files.flatMap((file) => file.roots);
  const groups = [...groupBy(roots, ({ finding }) => `${finding.severity} ${finding.rule}`).values()];
  const lines = groups.map((group) => ({ group, severity: group[0]?.finding.severity ?? "info" }));
  for (const { group, severity } of mostSevereFirst(lines)) {
    const findings = group.map(({ finding }) => finding);
    const [first] = findings;
    if (!first) continue;
    const inFiles = new Set(findings.map(({ location }) => location.file)).size;
    const others = inFiles === 1 ? "" : ` and in ${counted(inFiles - 1, "other file")}`;
    const number = numberOf(findings);
    yield* paragraph(
      [
        "  ",
        [severity, style.severity[severity]],
        style.rule(first.rule),
        " ",
        [style.safe(placeInFile(first.location)), style.note],
        `${others}${number > inFiles ? `, ${number} in all` : ""}`,
      ],
      style.proseWidth,
      "    ",
    );
  }
  yield "";
}
