import { isCall, type Placed, replyItems, type Step } from "./conversation.ts";
import type { Item, Message, ToolCall } from "./item.ts";
import { isReminder } from "./reminder.ts";

/** A user message and the calls with which the model answered it. */
export interface Answered {
  readonly user: Placed<Message>;
  readonly calls: readonly Placed<ToolCall>[];
  /** The model's text before that message; empty when there is none. */
  readonly before: string;
  readonly step: Step;
}

const known = new WeakMap<readonly Step[], readonly Answered[]>();

/** User messages that the model answered with calls. Open calls from earlier rounds do not count. */
export function answeredWithCalls(steps: readonly Step[]): readonly Answered[] {
  let answered = known.get(steps);
  if (!answered) {
    answered = readAnswered(steps);
    known.set(steps, answered);
  }
  return answered;
}

function readAnswered(steps: readonly Step[]): readonly Answered[] {
  const answered: Answered[] = [];
  for (const step of steps) {
    addFromHistory(step, answered);
    const calls = replyItems(step).filter(isCall);
    const user =
      calls.length > 0 && step.pairing.unanswered.length === 0 ? newestUserMessage(step) : undefined;
    if (user) answered.push({ user, calls, before: saidBefore(step, user.element), step });
  }
  return answered;
}

/** Adds the assistant turns in the history whose reply is not in the log. */
function addFromHistory(step: Step, answered: Answered[]): void {
  let user: Placed<Message> | undefined;
  let calls: Placed<ToolCall>[] = [];
  const close = (): void => {
    if (user && calls.length > 0)
      answered.push({ user, calls, before: saidBefore(step, user.element), step });
  };
  for (const placed of step.added) {
    if (isCall(placed) && user) calls.push(placed);
    if (isUserMessage(placed) || placed.item.kind === "result") {
      close();
      calls = [];
      user = isUserMessage(placed) ? placed : undefined;
    }
  }
  close();
}

/** The user message at the end of the request, ignoring reminders. */
function newestUserMessage(step: Step): Placed<Message> | undefined {
  const history = step.request?.history;
  for (let element = (history?.length ?? 0) - 1; history && element >= 0; element--) {
    const items = history.items(element);
    for (let index = items.length - 1; index >= 0; index--) {
      const item = items[index] as Item;
      const placed: Placed = { item, step, part: "request", element };
      if (isUserMessage(placed)) return placed;
      if (item.kind === "result" || item.role === "assistant") return undefined;
    }
  }
  return undefined;
}

function isUserMessage(placed: Placed): placed is Placed<Message> {
  const { item } = placed;
  return (
    item.kind === "message" &&
    item.role === "user" &&
    (item.text.trim() !== "" || item.hasMedia) &&
    !isReminder(item.text)
  );
}

function saidBefore(step: Step, element: number): string {
  const history = step.request?.history;
  for (let at = element - 1; history && at >= 0 && history.role(at) !== "user"; at--) {
    const said = history.items(at).findLast((item) => item.kind === "message" && item.role === "assistant");
    if (said?.kind === "message") return said.text;
  }
  return "";
}
