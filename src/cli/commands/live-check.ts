import { checkFiles } from "../../check/check.ts";
import type { FindingReport } from "../../findings/report.ts";
import { fileSource } from "../../reading/source.ts";
import { lines } from "../../reporters/lines.ts";

/** Checks a recording while it grows. */
export interface LiveCheck {
  /** Call this after an exchange was written to disk. */
  exchangeAdded(): void;
  /** Resolves when everything on disk has been checked and reported. */
  finish(): Promise<void>;
}

/**
 * Reports each finding once. Findings in the newest reply wait for the next request, which may answer it, or
 * for the end. Exchanges that arrive during a check are checked together.
 */
export function liveCheck(
  file: string,
  shown: string,
  say: (lines: Iterable<string>) => Promise<void>,
): LiveCheck {
  const said = new Set<string>();
  let isStale = false;
  let running: Promise<void> | undefined;

  async function checkOnce(isFinal: boolean): Promise<void> {
    const source = fileSource(file, shown);
    try {
      const { report } = await checkFiles([{ path: shown, source }]);
      const last = Math.max(0, ...report.files.map(({ exchanges }) => exchanges));
      const isCertain = ({ location }: FindingReport) =>
        isFinal || location.part === "request" || (location.exchange ?? 0) < last;
      const fresh = report.findings.filter(
        (finding) => finding.cause === null && !said.has(finding.fingerprint) && isCertain(finding),
      );
      for (const { fingerprint } of fresh) said.add(fingerprint);
      await say(lines({ findings: fresh }));
    } finally {
      source.close();
    }
  }

  async function checkUntilFresh(): Promise<void> {
    while (isStale) {
      isStale = false;
      await checkOnce(false);
    }
    running = undefined;
  }

  return {
    exchangeAdded() {
      isStale = true;
      running ??= checkUntilFresh();
    },
    async finish() {
      await running;
      await checkOnce(true);
    },
  };
}
