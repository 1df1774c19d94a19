import type { CheckReport } from "../../findings/report.ts";
import { suppress } from "../../findings/suppress.ts";
import { counted } from "../../reporters/numbers.ts";
import { ruleTable } from "../../rules/index.ts";
import { writeOutput } from "../files/output.ts";
import type { Io } from "../terminal/io.ts";
import type { ConfigFile } from "./file.ts";

/** What is to be set aside. */
interface Asked {
  /** The baseline's path, as sentences name it. */
  readonly baseline: string | undefined;
  /** The baseline is to be written anew, from this run. */
  readonly isUpdate: boolean;
  readonly file: ConfigFile | undefined;
  readonly io: Io;
}

/** Prepares to set findings aside, so that a baseline that cannot be read is told before the work. */
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
    const told = suppress(report, (finding) => {
      const known = baseline?.judge(finding);
      return ignores?.judge(finding) ?? known;
    });
    const notes = ignores?.notes(checked) ?? [];
    if (shown === undefined || !isUpdate)
      return { report: told, notes: [...notes, ...(baseline?.notes(checked) ?? [])] };
    if (hadTrouble)
      return {
        report: told,
        notes: [...notes, `${shown} was not written, because not everything could be checked`],
      };
    const { baselineText } = await import("./baseline.ts");
    await writeOutput(shown, cwd, [baselineText(told.findings, shown, cwd)]);
    const known = new Set(told.findings);
    return {
      report: suppress(report, (finding) =>
        known.has(finding) ? { by: "baseline" } : ignores?.judge(finding),
      ),
      notes: [
        ...notes,
        `${counted(told.findings.length, "finding")} recorded in ${shown}: from now on ${told.findings.length === 1 ? "it is" : "they are"} known`,
      ],
    };
  };
}
