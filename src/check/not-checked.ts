import type { Conversation } from "../conversation/conversation.ts";
import type { NotChecked } from "../findings/report.ts";
import type { LogFile } from "../log/read.ts";
import { rules } from "../rules/index.ts";
import { shows } from "../rules/run.ts";

/** A file that was read, with the conversations that stand in it. */
interface ReadFile {
  readonly path: string;
  readonly log: LogFile;
  readonly conversations: readonly Conversation[];
}

/** Rules that need what this file cannot show. */
export function notCheckedIn({ path, log, conversations }: ReadFile): NotChecked[] {
  const list = rules.flatMap((rule): NotChecked[] => {
    const whys = conversations.flatMap((conversation) => rule.unchecked?.(conversation) ?? []);
    return whys.slice(0, 1).map((why) => ({ file: path, rule: rule.name, why }));
  });
  if (log.kind === "transcript") {
    for (const rule of rules)
      if (!conversations.some((conversation) => shows(conversation, rule.needs)))
        list.push({ file: path, rule: rule.name, why: "transcript: requests are not in the log" });
    return list;
  }
  const steps = conversations.flatMap((conversation) => conversation.steps);
  if (steps.some(({ exchange }) => exchange.isRetold)) {
    const why = "an SDK or a tracing tool retells the requests: their form on the wire is not in the log";
    for (const rule of rules)
      if (rule.needs === "wire" || rule.needs === "history") list.push({ file: path, rule: rule.name, why });
  }
  if (steps.some(({ request }) => request?.isCut)) {
    const why = "parts of requests are not in the log: it breaks off, or holds dots in their place";
    for (const rule of ["orphaned-tool-result", "unanswered-tool-call", "dropped-turns", "dropped-tool-call"])
      list.push({ file: path, rule, why });
  } else if (steps.some((step) => step.isPartial)) {
    const why = "the server holds history that the log lacks (previous_response_id, conversation or thread)";
    for (const rule of ["orphaned-tool-result", "dropped-turns", "dropped-tool-call"])
      list.push({ file: path, rule, why });
  }
  if (steps.every((step) => !step.request)) {
    for (const rule of ["dropped-turns", "orphaned-tool-result", "unanswered-tool-call"])
      list.push({ file: path, rule, why: "the log holds replies only, no requests" });
  }
  if (steps.every((step) => !step.reply)) {
    for (const rule of ["lost-fragments", "finish-reason-mismatch", "truncated-stream"])
      list.push({ file: path, rule, why: "the log holds requests only, no replies" });
  }
  return list;
}
