import type { Step } from "../conversation/conversation.ts";
import type { FixReason, FixTarget } from "./target.ts";

/**
 * Maps each step to the same client's previous step, across conversations.
 *
 * @param steps in the order in which they were sent
 */
export function previousOfClient(steps: readonly Step[]): ReadonlyMap<Step, Step> {
  const previous = new Map<Step, Step>();
  const latest = new Map<string, Step>();
  for (const step of steps) {
    const client = clientOf(step);
    const before = latest.get(client);
    if (before) previous.set(step, before);
    latest.set(client, step);
  }
  return previous;
}

/**
 * The step that a conversation's first request continues although they share nothing. A client known to drop
 * everything before the latest user message begins every turn like this.
 *
 * @param parent the same client's previous step, in any conversation
 * @param targets what the earlier steps should have been
 */
export function resumedFrom(
  step: Step,
  parent: Step | undefined,
  targets: ReadonlyMap<Step, FixTarget>,
): { readonly parent: Step; readonly why: FixReason } | undefined {
  const history = step.request?.history;
  if (!history || step.relation !== "start" || step.isPartial) return undefined;
  const spoken = [...step.added].filter(({ item }) => item.role !== "system");
  const isLone =
    spoken.length > 0 && spoken.every(({ item }) => item.kind === "message" && item.role === "user");
  if (!isLone) return undefined;
  const before = parent && targets.get(parent);
  if (!parent || !before || parent.children.length > 0 || !isAnswered(parent)) return undefined;
  const why = droppedIn(before);
  const first = before.entries.find(({ element }) => !isSystem(element.value, parent));
  const opening = history.element(firstSpoken(step));
  const isRerun =
    first !== undefined && JSON.stringify(first.element.value) === JSON.stringify(opening.value);
  return why && !isRerun ? { parent, why } : undefined;
}

/** Why turns were restored in a history; `undefined` if none were. */
export function droppedIn({ entries }: FixTarget): FixReason | undefined {
  return entries
    .filter(({ recorded }) => recorded === undefined)
    .flatMap(({ whys }) => whys)
    .find(({ finding }) => finding.rule === "dropped-turns");
}

function isAnswered({ reply }: Step): boolean {
  return (
    reply !== undefined &&
    !reply.error &&
    reply.state === "complete" &&
    reply.items.length > 0 &&
    reply.items.every(({ kind }) => kind !== "call")
  );
}

function clientOf({ exchange, request }: Step): string {
  return JSON.stringify([
    exchange.protocol,
    exchange.url,
    request?.model,
    request?.system,
    request?.tools?.map(({ name }) => name),
    request?.links.clientKey,
  ]);
}

function firstSpoken({ request }: Step): number {
  const history = request?.history;
  let index = 0;
  while (history && index + 1 < history.length && history.role(index) === "system") index++;
  return index;
}

function isSystem(value: unknown, { request }: Step): boolean {
  const history = request?.history;
  for (let index = 0; history && index < history.length; index++)
    if (history.role(index) === "system" && history.element(index).value === value) return true;
  return false;
}
