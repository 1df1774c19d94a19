import { fingerprintOf } from "../findings/fingerprint.ts";
import type { CheckReport } from "../findings/report.ts";
import { type Folders, pathFromRoot } from "./artifact.ts";
import { maskedJson } from "./masked-json.ts";
import { rootsOf } from "./roots.ts";
import { remarksOf } from "./summing.ts";
import { printable } from "./visible.ts";

export interface GitlabContext {
  /** `root` has to be the checkout (`CI_PROJECT_DIR`): findings are drawn into its files. */
  readonly folders?: Folders | undefined;
}

const severities = { error: "major", warning: "minor", info: "info" } as const;

/**
 * The report in GitLab's Code Quality form, in pieces that bring their line feeds: roots only. Credentials are masked.
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
      // GitLab shows one of those that have the same: the same mistake in two logs has to have two.
      fingerprint: fingerprintOf(`${path} ${fingerprint}`),
      severity: severities[severity],
      location: { path, lines: { begin: location.line, end: location.endLine } },
    };
  });
  yield `${maskedJson(issues, 2)}\n`;
}
