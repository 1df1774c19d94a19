import { ruleTable } from "./index.ts";

/** What a rule finds, in one line; `undefined` for an unknown name. */
export function ruleSummary(rule: string): string | undefined {
  return ruleTable.find(({ name }) => name === rule)?.summary;
}
