import { isFixable } from "../check/fixable.ts";
import type { Finding } from "../findings/finding.ts";
import { lossRules } from "./grounds.ts";
import { localRules } from "./local/index.ts";
import { memberRules } from "./members.ts";
import { isAboutOrder } from "./order.ts";

/** Whether a repair is known, and only the form in which the request is told of stands in its way. */
export function isUnwritable(finding: Finding): boolean {
  const { fix, severity, cause, locus } = finding;
  return (
    fix !== undefined &&
    severity !== "info" &&
    cause === undefined &&
    locus.part === "request" &&
    !isFixable(finding)
  );
}

/** Whether fixing knows how to mend such a finding. */
export function hasKnownFix(finding: Finding): boolean {
  const { rule } = finding;
  const isKnown =
    lossRules.has(rule) || localRules.has(rule) || memberRules.has(rule) || isAboutOrder(finding);
  return isFixable(finding) && isKnown;
}
