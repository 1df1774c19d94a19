import type { Step } from "../conversation/conversation.ts";
import type { PageConversations } from "./conversations.ts";
import type { PageFinding } from "./data.ts";
import { shownText, type TextTable } from "./texts.ts";

/**
 * Adds the raw events of streams to their steps, as long as they fit into `room` bytes of the page: first
 * those of steps with findings. What does not fit is counted, not read.
 */
export function addEvents(
  { conversations, places }: PageConversations,
  findings: readonly PageFinding[],
  texts: TextTable,
  room: number,
): void {
  const broken = new Set(findings.map(({ conversation, step }) => `${conversation} ${step}`));
  const streams = [...places].flatMap(([step, { conversation, step: index }]) => {
    const open = conversations[conversation]?.steps[index];
    const isStream = step.reply?.form === "stream";
    const isFirst = broken.has(`${conversation} ${index}`);
    return isStream && open?.reply ? [{ step, reply: open.reply, isFirst }] : [];
  });
  const first = streams.filter(({ isFirst }) => isFirst);
  const rest = streams.filter(({ isFirst }) => !isFirst);
  for (const { step, reply } of [...first, ...rest]) {
    const { size } = spanOf(step);
    const hasRoom = size <= longest && texts.written + texts.pending < room;
    const number = hasRoom ? texts.add(shownText(eventsOf(step)), "events") : texts.leaveOut(size);
    reply.events = number;
  }
}

/** A longer stream is nothing to look through in a page. */
const longest = 8 << 20;

function spanOf(step: Step): { readonly start: number; readonly end: number; readonly size: number } {
  const { start = 0, end = 0 } = step.reply?.place.span ?? {};
  return { start, end, size: end - start };
}

function eventsOf(step: Step): string {
  const { start, end } = spanOf(step);
  return step.reply?.place.span.view.read(start, end).toString("utf8") ?? "";
}
