import type { Conversation, Placed, Step } from "../conversation/conversation.ts";
import { callText, contentOf } from "../conversation/identity.ts";
import type { Item } from "../conversation/item.ts";
import { largest, smallest } from "../reading/lists.ts";
import { allWritings, type ClientStyle, clientStyle, type LearnedRound } from "./client-style.ts";

/** Number of healthy rounds that suffice to learn a client's style. */
const maxRounds = 16;

/**
 * Learns the client's style for a conversation from those of its rounds that `isHealthy` accepts, then
 * from those of others of its protocol: a log usually comes from one client. If none is healthy, broken
 * rounds count.
 */
export function styleLearner(
  conversations: readonly Conversation[],
  isHealthy: (step: Step) => boolean,
): (conversation: Conversation) => ClientStyle | undefined {
  const healthy = learnerFrom(conversations, (conversation) => roundsOf(conversation, isHealthy, false));
  const broken = learnerFrom(conversations, (conversation) => roundsOf(conversation, isHealthy, true));
  return (conversation) => healthy(conversation) ?? broken(conversation);
}

function learnerFrom(
  conversations: readonly Conversation[],
  roundsIn: (conversation: Conversation) => readonly LearnedRound[],
): (conversation: Conversation) => ClientStyle | undefined {
  const known = new Map<Conversation, readonly LearnedRound[]>();
  const rounds = (conversation: Conversation): readonly LearnedRound[] => {
    const found = known.get(conversation) ?? roundsIn(conversation);
    known.set(conversation, found);
    return found;
  };
  const learned = (own: readonly LearnedRound[], protocol: string, not?: Conversation) => {
    const all = [...own];
    for (const other of conversations) {
      if (all.length >= maxRounds) break;
      if (other !== not && other.protocol === protocol) for (const round of rounds(other)) all.push(round);
    }
    return clientStyle(all.slice(0, maxRounds));
  };
  // What conversations without such a round learn is the same for all of them.
  const shared = new Map<string, ClientStyle | undefined>();
  return (conversation) => {
    const { protocol } = conversation;
    const own = rounds(conversation);
    if (own.length > 0) return learned(own, protocol, conversation);
    if (!shared.has(protocol)) shared.set(protocol, learned([], protocol));
    return shared.get(protocol);
  };
}

/** The first rounds of a conversation that show how its client writes. */
function roundsOf(
  { steps }: Conversation,
  isHealthy: (step: Step) => boolean,
  takesBroken: boolean,
): readonly LearnedRound[] {
  const rounds: LearnedRound[] = [];
  for (const step of steps) {
    if (rounds.length >= maxRounds) break;
    const { parent } = step;
    if (step.relation !== "continuation" || step.isPartial || !parent?.reply) continue;
    const isBroken = !isHealthy(step);
    if (isBroken && !takesBroken) continue;
    const elements = step.echoes.length > 0 ? echoedElements(step) : isBroken ? newOfModel(step) : [];
    const writings = elements.length > 0 && allWritings(parent.reply);
    if (writings) rounds.push({ writings, elements, isBroken });
  }
  return rounds;
}

/** The elements that repeat the parent's reply, plus elements of the model without content among them. */
function echoedElements(step: Step): unknown[] {
  const history = step.request?.history;
  if (!history) return [];
  const places = step.echoes.map(({ after }) => after.element);
  const first = smallest(places);
  let last = largest(places);
  while (last + 1 < history.length && isSilent(step, last + 1)) last++;
  const values: unknown[] = [];
  for (let element = first; element <= last; element++) {
    const role = history.role(element);
    if (places.includes(element) || isSilent(step, element)) values.push(history.element(element).value);
    else if (role === "assistant") return [];
  }
  return values;
}

/** The model's elements that are new in a request. */
function newOfModel({ request, kept }: Step): unknown[] {
  const history = request?.history;
  const values: unknown[] = [];
  for (let element = kept; history && element < history.length; element++)
    if (history.role(element) === "assistant") values.push(history.element(element).value);
  return values;
}

function isSilent({ request }: Step, element: number): boolean {
  return request?.history.role(element) === "assistant" && request.history.items(element).length === 0;
}

/** Finds the elements of another request of the conversation that contain a whole reply. */
export interface Copies {
  find(
    reply: readonly Item[],
    not: Step,
  ): { readonly step: Step; readonly elements: readonly number[] } | undefined;
}

export function copiesIn(conversations: readonly Conversation[]): Copies {
  const known = new Map<string, Placed[]>();
  for (const { steps } of conversations) {
    for (const step of steps) {
      const history = step.request?.history;
      for (let element = step.kept; history && element < history.length; element++) {
        if (history.role(element) !== "assistant") continue;
        for (const item of history.items(element)) {
          const placed: Placed = { item, step, part: "request", element };
          for (const key of item.kind === "call" ? [contentOf(item), saidBy(item)] : [contentOf(item)]) {
            const list = known.get(key) ?? [];
            list.push(placed);
            known.set(key, list);
          }
        }
      }
    }
  }
  return {
    find(reply, not) {
      const call = reply.find((item) => item.kind === "call");
      if (!call) return undefined;
      // Where the server sends no ids, the client's own ids are ignored.
      const isNamed = call.kind === "call" && call.id !== undefined;
      const keyOf = isNamed ? contentOf : saidBy;
      const wanted = reply.filter((item) => item.kind !== "reasoning").map(keyOf);
      const found = new Map<string, { readonly step: Step; readonly elements: readonly number[] }>();
      for (const placed of known.get(keyOf(call)) ?? []) {
        if (placed.step === not) continue;
        const elements = turnAround(placed);
        const history = placed.step.request?.history;
        const items = elements.flatMap((element) => history?.items(element) ?? []);
        const calls = items.filter((item) => item.kind === "call").length;
        const isWhole =
          wanted.every((key) => items.some((item) => keyOf(item) === key)) &&
          calls === reply.filter((item) => item.kind === "call").length;
        if (!isWhole) continue;
        if (isNamed) return { step: placed.step, elements };
        const text = JSON.stringify(elements.map((element) => history?.element(element).value));
        if (!found.has(text)) found.set(text, { step: placed.step, elements });
      }
      // The same call was made twice, so the match is ambiguous.
      return found.size === 1 ? [...found.values()][0] : undefined;
    },
  };
}

/** The content of an item without its id. */
function saidBy(item: Item): string {
  return item.kind === "call" ? callText(item) : contentOf(item);
}

/** The consecutive elements of the model around one. */
function turnAround({ step, element }: Placed): number[] {
  const history = step.request?.history;
  if (!history) return [];
  let first = element;
  while (first > 0 && history.role(first - 1) === "assistant") first--;
  let last = element;
  while (last + 1 < history.length && history.role(last + 1) === "assistant") last++;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
