import type { Conversation, Step } from "../conversation/conversation.ts";
import { gaps } from "../findings/gaps.ts";
import type { NotChecked } from "../findings/report.ts";
import type { LogFile } from "../log/log-file.ts";
import { contentsOf, looksAt } from "../rules/contents.ts";
import { rules } from "../rules/index.ts";
import type { Evidence } from "../rules/rule.ts";
import { shows } from "../rules/run.ts";

/** Rules that need evidence this file and its conversations cannot provide. */
export function notCheckedIn(
  { path, kind, unknownReplies = 0, holdsUnread = false, defects }: LogFile,
  conversations: readonly Conversation[],
): NotChecked[] {
  const list = uncheckedIn(conversations).map(({ rule, why }) => ({ file: path, rule, why }));
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
  const isPartUnread = holdsUnread || defects.some(isUnread);
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

/** Rules that could not check all of a conversation, each with its first reason. */
function uncheckedIn(conversations: readonly Conversation[]): Pick<NotChecked, "rule" | "why">[] {
  const whys = new Map<string, string>();
  const able = rules.filter((rule) => rule.unchecked);
  for (const conversation of conversations) {
    const contents = contentsOf(conversation);
    for (const rule of able) {
      if (!looksAt(rule, contents) || whys.has(rule.name)) continue;
      const why = rule.unchecked?.(conversation);
      if (why !== undefined) whys.set(rule.name, why);
    }
  }
  return able.flatMap(({ name: rule }) => {
    const why = whys.get(rule);
    return why === undefined ? [] : { rule, why };
  });
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
