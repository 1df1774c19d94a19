import type { CheckReport } from "../../findings/report.ts";
import { suppress } from "../../findings/suppress.ts";
import { counted } from "../../reporters/numbers.ts";
import { ruleTable } from "../../rules/index.ts";
import { writeWhole } from "../files/atomic.ts";
import type { Io } from "../terminal/io.ts";
import type { ConfigFile } from "./file.ts";

/** Which findings to suppress. */
interface Asked {
  /** The baseline's path, as sentences name it. */
  readonly baseline: string | undefined;
  /** Rewrites the baseline from this run. */
  readonly isUpdate: boolean;
  readonly file: ConfigFile | undefined;
  readonly io: Io;
}

/** Prepares to suppress findings; reads the baseline first, so that an error in it shows before the work. */
export async function setAside({ baseline: shown, isUpdate, file, io }: Asked) {
  const { cwd } = io;
  const today = (io.now ?? new Date()).toISOString().slice(0, 10);
  const ignores = file?.config.ignore
    ? (await import("./overrides.ts")).ignoresOf(file, ruleTable, cwd, today)
    : undefined;
  const baseline =
    shown === undefined || isUpdate
      ? undefined
      : await (await import("./baseline.ts")).readBaseline(shown, cwd);

  return async (
    report: CheckReport,
    hadTrouble: boolean,
  ): Promise<{ report: CheckReport; notes: string[] }> => {
    const checked = report.files.map(({ path }) => path);
    const suppressed = suppress(report, (finding) => {
      const known = baseline?.judge(finding);
      return ignores?.judge(finding) ?? known;
    });
    const notes = ignores?.notes(checked) ?? [];
    if (shown === undefined || !isUpdate)
      return { report: suppressed, notes: [...notes, ...(baseline?.notes(checked) ?? [])] };
    if (hadTrouble)
      return {
        report: suppressed,
        notes: [...notes, `${shown} was not written, because some of the log could not be checked`],
      };
    const { baselineText } = await import("./baseline.ts");
    await writeWhole(shown, cwd, [baselineText(suppressed.findings, shown, cwd)]);
    const known = new Set(suppressed.findings);
    return {
      report: suppress(report, (finding) =>
        known.has(finding) ? { by: "baseline" } : ignores?.judge(finding),
      ),
      notes: [
        ...notes,
        `${counted(suppressed.findings.length, "finding")} recorded in ${shown}: from now on ${suppressed.findings.length === 1 ? "it is" : "they are"} known`,
      ],
    };
  };
}
