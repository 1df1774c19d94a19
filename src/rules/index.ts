import type { Rule } from "./rule.ts";

/** All rules, in the order in which they are listed. */
export const rules: readonly Rule[] = [];
