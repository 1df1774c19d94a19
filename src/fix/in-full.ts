import type { Placed, Step } from "../conversation/conversation.ts";
import type { Request } from "../conversation/exchange.ts";
import { serverHistory } from "../conversation/server-history.ts";
import type { Finding } from "../findings/finding.ts";
import { type Protocol, supported } from "../protocols/protocol.ts";
import { prepend } from "../reading/lists.ts";

import { bodyBase } from "./members.ts";
import {
  type Elements,
  type FixTarget,
  type HistoryEntry,
  type RequestMember,
  recordedEntries,
} from "./target.ts";

/** Whether a finding says that a request relies on a history that its server does not have. */
export function isAboutLink({ rule, kind, fix }: Finding): boolean {
  return (
    rule === "unresolvable-reference" && (kind === "response" || kind === "ignored") && fix !== undefined
  );
}

/** Whether a member is the reference to the previous reply. */
export function isLink({ finding, isGone }: RequestMember): boolean {
  return isGone === true && isAboutLink(finding);
}

/** The links of a request that sends its history itself. */
export function withoutLink({ previousReply: _, ...links }: Request["links"]): Request["links"] {
  return links;
}

/** A request with its history written out from the log, instead of a reference to the server's copy. */
export function inFull(
  step: Step,
  finding: Finding,
  targets: ReadonlyMap<Step, FixTarget>,
  protocol: Protocol,
  elements: Elements,
): FixTarget {
  const { stored } = supported(protocol.endpoint) ?? {};
  const serverSteps = serverHistory(step);
  const own = recordedEntries(step).map((entry) => spelledOut(entry, elements));
  if (!stored || !serverSteps) return { step, entries: own, removals: [] };

  const before: HistoryEntry[] = [];
  for (const { step: each, isKept } of serverSteps.toReversed()) {
    const target = targets.get(each);
    const said = (each.reply?.writings?.[0] ?? [])
      .flatMap((value) => (isKept ? [value] : stored.portable(value)))
      .map((value): HistoryEntry => {
        const [item] = protocol.decodeElement(value).items;
        const evidence = item && placeInReply(item, each);
        return { element: elements(value), whys: [{ finding, evidence }] };
      });
    prepend(before, [...sentBy(each, target, finding, elements), ...said]);
    // This request already contains everything before it.
    if (target?.members?.some(isLink)) break;
  }
  const link: RequestMember = {
    key: stored.linkKey,
    pointer: `${bodyBase(step)}/${stored.linkKey}`,
    value: step.request?.links.previousReply,
    isGone: true,
    isThere: true,
    finding,
    source: step,
  };
  return { step, entries: [...before, ...own], removals: [], members: [link] };
}

/** What a request sent, or should have sent, for a later request to send again. */
function sentBy(
  step: Step,
  target: FixTarget | undefined,
  finding: Finding,
  elements: Elements,
): HistoryEntry[] {
  const history = step.request?.history;
  return (target?.entries ?? recordedEntries(step)).map((entry): HistoryEntry => {
    const { recorded, copyOf } = entry;
    const isAsRecorded = recorded !== undefined && history?.element(recorded) === entry.element;
    const [item] = recorded === undefined ? [] : (history?.items(recorded) ?? []);
    const source = isAsRecorded ? { step, element: recorded } : copyOf;
    const evidence: Placed | undefined =
      item && recorded !== undefined ? { item, step, part: "request", element: recorded } : undefined;
    return spelledOut(
      { element: entry.element, ...(source && { copyOf: source }), whys: [{ finding, evidence }] },
      elements,
    );
  });
}

/** A history given as a plain text, as the user message that it becomes in a list. */
function spelledOut(entry: HistoryEntry, elements: Elements): HistoryEntry {
  const { copyOf: _, ...rest } = entry;
  const { value } = entry.element;
  return typeof value === "string" ? { ...rest, element: elements({ role: "user", content: value }) } : entry;
}

/** Where the reply contains an item. */
function placeInReply(item: Placed["item"], step: Step): Placed | undefined {
  const said = step.reply?.items.find(
    (other) =>
      other.kind === item.kind && (other.kind !== "call" || item.kind !== "call" || other.id === item.id),
  );
  return said && { item: said, step, part: "response", element: -1 };
}
