import type { Conversation, Step } from "../conversation/conversation.ts";
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
        list.push({ file: path, rule: rule.name, why: "transcript: requests are not in the log" });
    return list;
  }
  const steps = conversations.flatMap((conversation) => conversation.steps);
  if (steps.some(({ exchange }) => exchange.fidelity === "reported")) {
    const why = "an SDK or a tracing tool retells the requests: their form on the wire is not in the log";
    for (const rule of rules)
      if (rule.needs === "wire" || rule.needs === "history") list.push({ file: path, rule: rule.name, why });
  }
  const lost = new Set(defects.filter(isUnread).map(({ half }) => half));
  const whyOf = (evidence: Evidence): string => {
    if (evidence === "requests" && lost.has("request")) return "no request in the log could be read whole";
    if (evidence === "replies" && lost.has("reply")) return "no reply in the log could be read";
    if (evidence === "replies" && unknownReplies > 0) return notUnderstood;
    const isPart = (evidence === "requests" || evidence === "replies") && defects.some(isUnread);
    return isPart
      ? `${evidence} may stand in the parts of the log that could not be read`
      : reasons[evidence];
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

const reasons: Readonly<Record<Evidence, string>> = {
  "whole-requests": "parts of requests are not in the log, or cannot be read",
  "whole-history":
    "the server holds history that the log lacks (previous_response_id, conversation or thread)",
  requests: "the log holds replies only, no requests",
  replies: "the log holds requests only, no replies",
};

const notUnderstood = "the responses in the log were not understood";

function lackingIn(steps: readonly Step[]): Evidence[] {
  const lacking: Evidence[] = [];
  if (steps.some(({ request }) => request?.isCut)) lacking.push("whole-requests");
  else if (steps.some((step) => step.isPartial)) lacking.push("whole-history");
  if (steps.every((step) => !step.request)) lacking.push("requests");
  if (steps.every((step) => !step.reply)) lacking.push("replies");
  return lacking;
}
