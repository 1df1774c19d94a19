import type { HistoryRun, ItemNumber, Occurrence, PageConversation, PageData } from "../data.ts";
import { historyAt } from "../history.ts";

/** A step of a conversation, by their indexes. */
export interface StepIndex {
  readonly conversation: number;
  readonly step: number;
}

/** Where an item first appears: new in a request, or in a reply. */
export interface FirstPlace extends StepIndex {
  readonly part: "request" | "reply";
}

/** Where each item first appears. */
export function firstPlaces({ conversations }: PageData): ReadonlyMap<ItemNumber, FirstPlace> {
  const places = new Map<ItemNumber, FirstPlace>();
  for (const [conversation, { steps }] of conversations.entries()) {
    for (const [step, { request, reply }] of steps.entries()) {
      const add = (items: readonly Occurrence[], part: FirstPlace["part"]): void => {
        for (const { item } of items) if (!places.has(item)) places.set(item, { conversation, step, part });
      };
      if (request) {
        add(request.added, "request");
        add(
          request.changed.map(({ after }) => after),
          "request",
        );
        add(
          request.history.filter((part): part is Occurrence => !isRun(part)),
          "request",
        );
      }
      if (reply) add(reply.items, "reply");
    }
  }
  return places;
}

/** The part of a history that the step before it had already, or its reply. */
export function sentAgain(conversation: PageConversation, step: number): Occurrence[] {
  const request = conversation.steps[step]?.request;
  if (!request) return [];
  const fresh = new Map<ItemNumber, number>();
  for (const { item } of [...request.added, ...request.changed.map(({ after }) => after)])
    fresh.set(item, (fresh.get(item) ?? 0) + 1);
  // What is new stands at the end, so the last occurrences of an item are the new ones.
  return historyAt(conversation, step)
    .reverse()
    .filter(({ item }) => {
      const left = fresh.get(item) ?? 0;
      if (left > 0) fresh.set(item, left - 1);
      return left === 0;
    })
    .reverse();
}

/** Index of the step that a request continues: the last that its history has items of; −1 for none. */
export function continuedStep(conversation: PageConversation, step: number): number {
  const runs = conversation.steps[step]?.request?.history.filter(isRun) ?? [];
  return Math.max(-1, ...runs.map(({ from }) => from));
}

function isRun(part: HistoryRun | Occurrence): part is HistoryRun {
  return "count" in part;
}

/** In a diff, two steps with one number are in view. */
export function runOf({ diff, conversations }: PageData, conversation: PageConversation): string {
  if (!diff) return "";
  return conversation === conversations[0] ? " of the left run" : " of the right run";
}
