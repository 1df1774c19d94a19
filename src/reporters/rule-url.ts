/** The web address of a rule's page, as it is in the published package of this version. */
export function ruleUrl(rule: string): string {
  return new URL(`docs/rules/${encodeURIComponent(rule)}.md`, __HOMEPAGE__).href;
}
