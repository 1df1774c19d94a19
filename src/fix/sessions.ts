import { activeBranch, fullHistory } from "../conversation/active-branch.ts";
import type { Conversation, Pairing, Step } from "../conversation/conversation.ts";
import type { Finding } from "../findings/finding.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { fixLocally } from "./local/index.ts";
import { inRecords } from "./own-form.ts";
import { type Elements, type FixTarget, isTouched, recordedEntries } from "./target.ts";

/**
 * Says what the history of a session should be. Each thing that was said stands in it once, so that a mistake
 * is mended once: in the history with which the last step of its line ends.
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
  const byStep = new Map<Step, Finding[]>();
  for (const finding of findings) {
    const own = steps.find(({ exchange }) => exchange === finding.locus.exchange);
    if (!own?.exchange.session?.takesRecords) continue;
    const last = live && line.has(own) ? live : endOf(own);
    byStep.set(last, [...(byStep.get(last) ?? []), finding]);
  }
  return [...byStep].flatMap(([step, asked]) => {
    const writer = step.exchange.session?.writer;
    const known = protocols.get(step.exchange.protocol);
    const { step: told, protocol } = writer ? inRecords(step, writer) : { step, protocol: known };
    if (!protocol || !told.request) return [];
    const whole = { ...told, pairing: pairingOf(told, asked) };
    const mended = fixLocally(whole, recordedEntries(told), 0, asked, protocol, elements);
    const target = { step: told, protocol, ...mended };
    return isTouched(target) ? [target] : [];
  });
}

/** A step and those that it goes on from. */
function lineTo(step: Step): Step[] {
  const line: Step[] = [];
  for (let each: Step | undefined = step; each; each = each.parent) line.push(each);
  return line;
}

/** The last step of the line that a step is on. */
function endOf(step: Step): Step {
  let last = step;
  for (;;) {
    const next = last.children.findLast(({ relation }) => relation === "continuation");
    if (!next) return last;
    last = next;
  }
}

/** How calls and results meet in the whole history of a step: only those of which findings speak. */
function pairingOf(step: Step, findings: readonly Finding[]): Pairing {
  const asked = new Set(findings.map(({ data }) => data["callId"]));
  const { pairing } = fullHistory(step);
  return {
    ...pairing,
    unanswered: pairing.unanswered.filter(({ item }) => asked.has(item.id)),
    orphans: pairing.orphans.filter(({ result }) => asked.has(result.item.callId)),
  };
}
