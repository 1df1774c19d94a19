import { activeBranch, fullHistory } from "../conversation/active-branch.ts";
import type { Conversation, Pairing, Step } from "../conversation/conversation.ts";
import type { Finding } from "../findings/finding.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { groupBy } from "../reading/group-by.ts";
import { fixLocally } from "./local/index.ts";
import { inRecords } from "./own-form.ts";
import { type Elements, type FixTarget, isTouched, recordedEntries } from "./target.ts";

/**
 * Computes what the history of a session should be. A session contains each item once, so a mistake is fixed
 * once, in the history of the last step of its branch.
 */
export function sessionTargets(
  conversation: Conversation,
  findings: readonly Finding[],
  protocols: ReadonlyMap<string, Protocol>,
  elements: Elements,
): FixTarget[] {
  const { steps } = conversation;
  const live = activeBranch(conversation) && steps.at(-1);
  const line = new Set(live && lineTo(live));
  const byExchange = new Map(steps.map((step) => [step.exchange, step]));
  const answerable = findings.filter(
    ({ locus }) => byExchange.get(locus.exchange)?.exchange.session?.takesRecords,
  );
  const byStep = groupBy(answerable, ({ locus }) => {
    const own = byExchange.get(locus.exchange) as Step;
    return live && line.has(own) ? live : endOf(own);
  });
  return [...byStep].flatMap(([step, asked]) => {
    const writer = step.exchange.session?.writer;
    const known = protocols.get(step.exchange.protocol);
    const { step: recorded, protocol } = writer ? inRecords(step, writer) : { step, protocol: known };
    if (!protocol || !recorded.request) return [];
    const whole = { ...recorded, pairing: pairingOf(recorded, asked) };
    const fixed = fixLocally(whole, recordedEntries(recorded), 0, asked, protocol, elements);
    const target = { step: recorded, protocol, ...fixed };
    return isTouched(target) ? [target] : [];
  });
}

/** A step and its ancestors. */
function lineTo(step: Step): Step[] {
  const line: Step[] = [];
  for (let each: Step | undefined = step; each; each = each.parent) line.push(each);
  return line;
}

/** The last step of a step's branch. */
function endOf(step: Step): Step {
  let last = step;
  for (;;) {
    const next = last.children.findLast(({ relation }) => relation === "continuation");
    if (!next) return last;
    last = next;
  }
}

/** Pairs calls and results over the whole history of a step, limited to those in the findings. */
function pairingOf(step: Step, findings: readonly Finding[]): Pairing {
  const asked = new Set(findings.map(({ data }) => data["callId"]));
  const { pairing } = fullHistory(step);
  return {
    ...pairing,
    unanswered: pairing.unanswered.filter(({ item }) => asked.has(item.id)),
    orphans: pairing.orphans.filter(({ result }) => asked.has(result.item.callId)),
  };
}
