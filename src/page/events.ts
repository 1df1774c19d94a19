import type { Step } from "../conversation/conversation.ts";
import type { PageConversations } from "./conversations.ts";
import type { PageFinding, TextNumber } from "./data.ts";
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
  let latest: { readonly at: Span; readonly number: TextNumber } | undefined;
  for (const { step, reply } of [...first, ...rest]) {
    const at = spanOf(step);
    const hasRoom = at.size <= longest && texts.written + texts.pending < room;
    if (!hasRoom) reply.events = texts.leaveOut(at.size);
    // A file of thousands of replies is the span of each of them.
    else if (latest && isSame(latest.at, at)) reply.events = latest.number;
    else {
      const number = texts.add(shownText(eventsOf(step)), "events");
      latest = { at, number };
      reply.events = number;
    }
  }
}

/** A longer stream is nothing to look through in a page. */
const longest = 8 << 20;

interface Span {
  readonly view: unknown;
  readonly start: number;
  readonly end: number;
  readonly size: number;
}

function spanOf(step: Step): Span {
  const { view, start = 0, end = 0 } = step.reply?.place.span ?? {};
  return { view, start, end, size: end - start };
}

function isSame(a: Span, b: Span): boolean {
  return a.view === b.view && a.start === b.start && a.end === b.end;
}

function eventsOf(step: Step): string {
  const { start, end } = spanOf(step);
  return step.reply?.place.span.view.read(start, end).toString("utf8") ?? "";
}
