import { fingerprintOf } from "../findings/fingerprint.ts";
import type { CheckReport } from "../findings/report.ts";
import { type Folders, pathFromRoot } from "./artifact.ts";
import { maskedJson } from "./masked-json.ts";
import { rootsOf } from "./roots.ts";
import { remarksOf } from "./summing.ts";
import { printable } from "./visible.ts";

export interface GitlabContext {
  /** `root` must be the checkout (`CI_PROJECT_DIR`): findings appear in its files. */
  readonly folders?: Folders | undefined;
}

const severities = { error: "major", warning: "minor", info: "info" } as const;

/**
 * The roots of the report for GitLab's Code Quality, in chunks with line feeds. Credentials are masked.
 *
 * @see https://docs.gitlab.com/ci/testing/code_quality/
 */
export function* reportGitlab(report: CheckReport, { folders }: GitlabContext = {}): Iterable<string> {
  const issues = rootsOf(report).map((root) => {
    const { rule, message, severity, location, fingerprint } = root.finding;
    const path = pathFromRoot(location.file, folders);
    return {
      description: [message, ...remarksOf(root)].map((text) => printable(text, false)).join("; "),
      check_name: rule,
      // GitLab shows one finding per fingerprint, so the same mistake in two logs needs two.
      fingerprint: fingerprintOf(`${path} ${fingerprint}`),
      severity: severities[severity],
      location: { path, lines: { begin: location.line, end: location.endLine } },
    };
  });
  yield `${maskedJson(issues, 2)}\n`;
}
