import { activeBranch } from "../conversation/active-branch.ts";
import {
  type Conversation,
  isCall,
  isResult,
  type Placed,
  placedItems,
} from "../conversation/conversation.ts";
import type { FindingReport } from "../findings/report.ts";
import type { PastedError } from "./pasted.ts";

/** What an error text refers to in a session file, from which the agent builds its requests. */
export interface SessionPlace {
  /** The call or result that the text names; absent when it names none, or the session lacks it. */
  readonly item: Placed | undefined;
  /** The finding that the text may be about. */
  readonly finding: FindingReport | undefined;
  /** The text names it, or no other finding says the same. */
  readonly isCertain: boolean;
}

/** Finds what an error text refers to, if anything. Agents regroup messages, so indexes are ignored. */
export function placeInSession(
  { match }: PastedError,
  conversations: readonly Conversation[],
  findings: readonly FindingReport[],
): SessionPlace | undefined {
  const ids = match?.callIds ?? [];
  const isNamed = ({ data }: FindingReport): boolean =>
    ids.some((id) => Object.values(data).flat().includes(id));
  const same = findings.filter(({ rule, fix }) => rule === match?.rule && fix !== null);
  const finding =
    same.find(isNamed) ??
    findings.find((other) => other.fix !== null && isNamed(other)) ??
    (ids.length === 0 ? same.at(-1) : undefined);
  const item = itemNamed(ids, conversations);
  if (!finding && !item) return undefined;
  return { item, finding, isCertain: finding === undefined || isNamed(finding) || same.length === 1 };
}

/** The newest call or result with one of the ids, on the branches with which the agent continues. */
function itemNamed(ids: readonly string[], conversations: readonly Conversation[]): Placed | undefined {
  for (const conversation of conversations) {
    const live = activeBranch(conversation) ?? conversation.steps.at(-1);
    const items = live ? [...placedItems(live, live.request?.history, 0)] : [];
    const found = items.findLast(
      (placed) =>
        (isCall(placed) && placed.item.id !== undefined && ids.includes(placed.item.id)) ||
        (isResult(placed) && placed.item.callId !== undefined && ids.includes(placed.item.callId)),
    );
    if (found) return found;
  }
  return undefined;
}
