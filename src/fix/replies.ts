import type { Conversation, Step } from "../conversation/conversation.ts";
import type { Item } from "../conversation/item.ts";
import { type Protocol, supported } from "../protocols/protocol.ts";
import { valueAt } from "../reading/pointer.ts";
import { allWritings, type ClientStyle, plainStyle } from "./client-style.ts";
import { isLossy, type Offers } from "./grounds.ts";
import { withValueAt } from "./json.ts";
import { portableTurn, turnIn } from "./portable-turn.ts";
import { type Copies, copiesIn, styleLearner } from "./rounds.ts";
import type { Elements, HistoryEntry } from "./target.ts";

/** Returns the parent's reply as elements of the history of a step that continues it. */
export type Replies = (parent: Step, step: Step, protocol: Protocol) => HistoryEntry[];

/**
 * Writes replies in the client's own style: as another request contains them, otherwise by the learned style.
 *
 * @param allFindings rounds in which one of them reports a loss teach nothing about the client's style
 */
export function createReplies(
  conversations: readonly Conversation[],
  allFindings: Offers,
  elements: Elements,
): Replies {
  const styles = new Map<Conversation, ClientStyle>();
  const copies = new Map<Conversation, Copies>();

  const isHealthy = (step: Step): boolean =>
    !hasLostReply(step) ||
    !allFindings(step.exchange.position).some((finding) => finding.severity !== "info" && isLossy(finding));
  const learnStyle = styleLearner(conversations, isHealthy);

  const styleFor = (conversation: Conversation): ClientStyle => {
    const style = styles.get(conversation) ?? learnStyle(conversation) ?? plainStyle;
    styles.set(conversation, style);
    return style;
  };
  const copiesFor = (conversation: Conversation): Copies => {
    const known = copies.get(conversation) ?? copiesIn([conversation]);
    copies.set(conversation, known);
    return known;
  };

  return function replyEntries(parent: Step, step: Step, protocol: Protocol): HistoryEntry[] {
    const { reply } = parent;
    if (!reply || reply.error || reply.state === "open") return [];
    const copied = copiesFor(parent.conversation).find(reply.items, step);
    if (copied) {
      const { history } = copied.step.request ?? {};
      return copied.elements.flatMap((element) => {
        const found = history?.element(element);
        return found ? [{ element: found, copyOf: { step: copied.step, element }, whys: [] }] : [];
      });
    }
    const writings = allWritings(reply);
    const written = writings
      ? styleFor(parent.conversation)(writings)
      : writtenBy(reply.items, step.exchange.protocol);
    return withClientIds(
      written,
      reply.items.filter(({ kind }) => kind === "call"),
      step,
      protocol,
    )
      .filter((value) => !isEmptyReference(value, step, protocol))
      .map((value) => ({ element: elements(value), whys: [] }));
  };
}

/** Part of the previous reply is missing or altered; the findings decide if that is a fault or a habit. */
function hasLostReply({ missing, changed }: Step): boolean {
  return (
    missing.some(({ part }) => part === "response") ||
    changed.some(({ before }) => before.part === "response")
  );
}

/** A reply that a tracing tool recorded, in the form of the provider's documentation. */
function writtenBy(items: readonly Item[], protocol: string): readonly unknown[] {
  const turn = portableTurn(items);
  return turn ? turnIn(protocol, turn) : [];
}

/** A reference to server-side reasoning that the server does not store. */
function isEmptyReference(value: unknown, { request }: Step, protocol: Protocol): boolean {
  const { items } = protocol.decodeElement(value);
  return (
    request?.settings.isUnstored === true &&
    items.length > 0 &&
    items.every((item) => item.kind === "reasoning" && item.id !== undefined && item.seal === undefined)
  );
}

/**
 * Clients invent ids where the server sends none, and use them in results. Calls still in the history keep
 * their ids; a restored call gets the id of its result.
 */
function withClientIds(
  values: readonly unknown[],
  calls: readonly Item[],
  step: Step,
  protocol: Protocol,
): unknown[] {
  const places = supported(protocol.places);
  const results = step.pairing.orphans.flatMap(({ result: { item } }) =>
    item.callId === undefined ? [] : [{ id: item.callId, name: item.name }],
  );
  const kept = calls.map((call) => step.echoes.find(({ before }) => before.item === call)?.after);
  if (!places || (results.length === 0 && kept.every((call) => call === undefined))) return [...values];
  let count = 0;
  return values.map((value) => {
    let named = value;
    for (const item of protocol.decodeElement(value).items) {
      if (item.kind !== "call") continue;
      const echo = kept[count++];
      if (item.id !== undefined) continue;
      const id = echo ? idOf(echo.item) : takenFrom(results, item.name);
      const place = `${item.pointer}${places(valueAt(value, item.pointer)).callId}`;
      if (id !== undefined) named = withValueAt(named, place, id);
    }
    return named;
  });
}

function idOf(item: Item): string | undefined {
  return item.kind === "call" ? item.id : undefined;
}

/** Takes the id of the first result for a tool with this name; each id is given out once. */
function takenFrom(
  results: { readonly id: string; readonly name: string | undefined }[],
  tool: string,
): string | undefined {
  const at = results.findIndex(({ name }) => name === undefined || name === tool);
  return at < 0 ? undefined : results.splice(at, 1)[0]?.id;
}
