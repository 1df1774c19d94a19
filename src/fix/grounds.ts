import { type Placed, replyItems, type Step } from "../conversation/conversation.ts";
import type { Finding } from "../findings/finding.ts";
import type { Grounds } from "./merge.ts";
import type { FixReason, HistoryEntry } from "./target.ts";

/** The fixable findings for the exchange at a position. */
export type Offers = (position: number) => readonly Finding[];

/** Rules that report a part of the history or of the reply as missing or altered. */
export const lossRules = new Set([
  "dropped-turns",
  "dropped-tool-call",
  "orphaned-tool-result",
  "dropped-assistant-text",
  "dropped-reasoning",
  "lost-fragments",
  "rewritten-history",
]);

export function isLossy({ rule }: Finding): boolean {
  return lossRules.has(rule);
}

/** The grounds for restoring something in the history of this step. */
export function groundsOf(step: Step, reasons: readonly Finding[], resumed: FixReason | undefined): Grounds {
  const of = (...rules: string[]): Finding | undefined => reasons.find(({ rule }) => rules.includes(rule));
  const turns = of("dropped-turns");
  const call =
    of("dropped-tool-call") ??
    reasons.find(({ rule, fix }) => rule === "orphaned-tool-result" && fix?.safety === "safe");
  return {
    missing(expected, entry) {
      const evidence = evidenceOf(expected, entry, step);
      const [known] = entry.whys;
      const { item } = expected;
      if (known && entry.recorded === undefined) return known;
      if (turns) return { finding: turns, evidence };
      if (resumed) return { finding: resumed.finding, evidence };
      if (item.role === "system") return undefined;
      const isOfModel = item.role === "assistant";
      const isReply = entry.recorded === undefined;
      const text = item.kind === "message" && isOfModel && isReply ? of("dropped-assistant-text") : undefined;
      const reasoning = item.kind === "reasoning" ? of("dropped-reasoning") : undefined;
      const finding = (isOfModel ? call : undefined) ?? text ?? reasoning;
      return finding && { finding, evidence };
    },
    changed(expected, actual, entry) {
      const finding = reasons.find(
        (reason) =>
          (reason.rule === "dropped-reasoning" && expected.item.kind === "reasoning") ||
          (changeRules.has(reason.rule) &&
            (reason.locus.exchange !== step.exchange || pointsAt(reason, step, actual))),
      );
      return finding && { finding, evidence: evidenceOf(expected, entry, step) };
    },
  };
}

/** Rules that report an item as changed when it came back. */
const changeRules: ReadonlySet<string> = new Set(["lost-fragments", "rewritten-history"]);

function pointsAt(finding: Finding, step: Step, { element, item }: Placed): boolean {
  const base = `${step.request?.historyPointer ?? ""}/${element}`;
  return finding.locus.pointer === base || finding.locus.pointer === `${base}${item.pointer}`;
}

/** Where the log contains what is restored. */
export function evidenceOf({ item, element }: Placed, entry: HistoryEntry, step: Step): Placed | undefined {
  if (entry.copyOf) {
    return { item, step: entry.copyOf.step, part: "request", element: entry.copyOf.element };
  }
  const { parent } = step;
  if (!parent) return undefined;
  const said = replyItems(parent).find((placed) => placed.item.kind === item.kind);
  return said ?? { item, step: parent, part: "request", element };
}
