import type { CheckSettings } from "../check/check.ts";
import type { Safety } from "../findings/finding.ts";

export interface FixSettings extends CheckSettings {
  /** The safety classes of fixes that may be applied; only `safe` by default. */
  readonly classes?: readonly Safety[];
}
