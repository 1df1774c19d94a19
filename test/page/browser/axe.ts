import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe has against a page. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + " " + target.join(" ") + ": " + failureSummary)))`,
  );
}
