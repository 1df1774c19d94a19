import { parentPort } from "node:worker_threads";
import { checkFiles } from "../../check/check.ts";
import type { CheckReport } from "../../findings/report.ts";
import { fileSource } from "../../reading/source.ts";
import { isOfSystem, reasonOf } from "../trouble.ts";

export type Findings = CheckReport["findings"];

/** What a check of a growing recording says. */
export interface CheckedRecording {
  /** How many exchanges the recording has. */
  readonly exchanges: number;
  readonly findings: Findings;
}

/** What a worker answers. */
export type WorkerAnswer =
  | { readonly kind: "checked"; readonly checked: CheckedRecording }
  | { readonly kind: "failed"; readonly reason: string };

/** Checks a recording as it is now. Rejects with the reason in words. */
export async function checkedFile(file: string, shown: string): Promise<CheckedRecording> {
  try {
    const source = fileSource(file, shown);
    try {
      const { report } = await checkFiles([{ path: shown, source }]);
      const exchanges = Math.max(0, ...report.files.map((each) => each.exchanges));
      return { exchanges, findings: report.findings };
    } finally {
      source.close();
    }
  } catch (error) {
    if (isOfSystem(error)) throw new Error(`${shown} cannot be read: ${reasonOf(error)}`);
    throw new Error(`internal error: ${error instanceof Error ? error.message : error}; please report it`);
  }
}

/** Answers the messages of the recorder, one check each. */
export function answerChecks(): void {
  parentPort?.on("message", ({ file, shown }: { readonly file: string; readonly shown: string }) => {
    const answer = (one: WorkerAnswer): void => parentPort?.postMessage(one);
    checkedFile(file, shown).then(
      (checked) => answer({ kind: "checked", checked }),
      (error: Error) => answer({ kind: "failed", reason: error.message }),
    );
  });
}
