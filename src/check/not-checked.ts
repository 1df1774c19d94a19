import type { Conversation, Step } from "../conversation/conversation.ts";
import { gaps } from "../findings/gaps.ts";
import type { NotChecked } from "../findings/report.ts";
import type { LogFile } from "../log/read.ts";
import { rules } from "../rules/index.ts";
import type { Evidence } from "../rules/rule.ts";
import { shows } from "../rules/run.ts";

/** Rules that need evidence this file and its conversations cannot provide. */
export function notCheckedIn(
  { path, kind, unknownReplies = 0, defects }: LogFile,
  conversations: readonly Conversation[],
): NotChecked[] {
  const list = rules.flatMap((rule): NotChecked[] => {
    const whys = conversations.flatMap((conversation) => rule.unchecked?.(conversation) ?? []);
    return whys.slice(0, 1).map((why) => ({ file: path, rule: rule.name, why }));
  });
  if (kind === "transcript") {
    for (const rule of rules)
      if (!conversations.some((conversation) => shows(conversation, rule.needs)))
        list.push({ file: path, rule: rule.name, why: gaps.transcript.why });
    return list;
  }
  const steps = conversations.flatMap((conversation) => conversation.steps);
  if (steps.some(({ exchange }) => exchange.fidelity === "reported")) {
    for (const rule of rules)
      if (rule.needs === "wire" || rule.needs === "history")
        list.push({ file: path, rule: rule.name, why: gaps.reported.why });
  }
  const lost = new Set(defects.filter(isUnread).map(({ half }) => half));
  const isPartUnread = defects.some(isUnread);
  const whyOf = (evidence: Evidence): string => {
    switch (evidence) {
      case "whole-requests":
        return gaps.cutRequests.why;
      case "whole-history":
        return gaps.serverHistory.why;
      case "requests":
        if (lost.has("request")) return gaps.lostRequests.why;
        return isPartUnread ? gaps.unreadRequests.why : gaps.noRequests.why;
      case "replies":
        if (lost.has("reply")) return gaps.lostReplies.why;
        if (unknownReplies > 0) return gaps.unknownReplies.why;
        return isPartUnread ? gaps.unreadReplies.why : gaps.noReplies.why;
    }
  };
  for (const evidence of lackingIn(steps))
    for (const rule of rules)
      if (rule.evidence?.includes(evidence)) list.push({ file: path, rule: rule.name, why: whyOf(evidence) });
  return list;
}

/** Whether a part of an exchange may have stood in the bytes that are wrong. */
function isUnread({ kind }: LogFile["defects"][number]): boolean {
  return kind !== "lax" && kind !== "empty" && kind !== "left-out" && kind !== "unlinked";
}

function lackingIn(steps: readonly Step[]): Evidence[] {
  const lacking: Evidence[] = [];
  if (steps.some(({ request }) => request?.isCut)) lacking.push("whole-requests");
  else if (steps.some((step) => step.isPartial)) lacking.push("whole-history");
  if (steps.every((step) => !step.request)) lacking.push("requests");
  if (steps.every((step) => !step.reply)) lacking.push("replies");
  return lacking;
}
