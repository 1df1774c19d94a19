import { mostReplies, RecentMap } from "../recent-map.ts";
import type { ProviderError } from "../refusals.ts";
import type { ReplyContext, SentReply, StoredHistory } from "../server-side.ts";
import { type Fields, fields, filled, list, valueText } from "../wire.ts";
import { callKinds } from "./calls.ts";
import { ConversationStore } from "./conversation-store.ts";
import type { IdPolicy } from "./foreign-ids.ts";
import { asItem, inputItems, listedItem } from "./listed-items.ts";
import { storedItems } from "./stored.ts";
import { itemNotFound, objectNotFound, previousNotFound, wrongPrefix } from "./stored-errors.ts";

export interface StoredResponse {
  readonly body: Fields;
  /** The items of its own request. */
  readonly input: readonly Fields[];
  /** All items up to and including its output. */
  readonly elements: readonly unknown[];
  readonly isPartial: boolean;
}

/** Items that are kept to be referred to. */
const mostItems = 20 * mostReplies;

/**
 * What the Responses API stores in one run: responses, conversations, and the items of both. The oldest are
 * forgotten; a request that refers to them is then judged by what it holds itself.
 */
export class ResponseStore {
  readonly responses = new RecentMap<StoredResponse>(mostReplies);
  readonly conversations = new ConversationStore();
  private readonly items = new RecentMap<unknown>(mostItems);
  /** Ids of responses and items that were sent and not stored, or deleted. */
  private readonly gone = new Set<string>();
  /** Whole replies to requests in the background. */
  private readonly background = new RecentMap<Fields>(mostReplies);

  /** The history that a request refers to, and its own items with references resolved. */
  history(body: Fields, policy: IdPolicy): StoredHistory | ProviderError | undefined {
    if (!policy.keepsReplies) return undefined;
    const before = this.before(body, policy);
    if (before && "message" in before) return before;
    const own = this.resolved(body, policy);
    if (own && "message" in own) return own;
    if (!before && !own) return undefined;
    const unknown = [...(before?.unknown ?? []), ...(own?.unknown ?? [])];
    return {
      elements: before?.elements ?? [],
      isPartial: (before?.isPartial ?? false) || unknown.length > 0,
      ...(own && { own: own.items }),
      unknown,
    };
  }

  private before(body: Fields, policy: IdPolicy): StoredHistory | ProviderError | undefined {
    const conversation = conversationOf(body);
    const id = filled(body["previous_response_id"]);
    // Both at once is for the judge of the request.
    if (id !== undefined && conversation !== undefined) return undefined;
    if (conversation !== undefined) return this.ofConversation(conversation, policy);
    if (id === undefined) return undefined;
    const stored = this.responses.get(id);
    if (stored) return stored;
    if (!policy.hasPrefix(id, "resp")) return wrongPrefix("previous_response_id", id, "resp");
    if (this.gone.has(id) || !policy.mayBeForeign(id)) return previousNotFound(id);
    return { elements: [], isPartial: true, unknown: [`the response ${id}`] };
  }

  private ofConversation(id: string, policy: IdPolicy): StoredHistory | ProviderError {
    const conversation = this.conversations.get(id);
    if (conversation) return { elements: conversation.items, isPartial: conversation.isPartial };
    if (!policy.hasPrefix(id, "conv")) return wrongPrefix("conversation", id, "conv");
    if (this.conversations.isDeleted(id) || !policy.mayBeForeign(id))
      return objectNotFound("Conversation", id);
    return { elements: [], isPartial: true, unknown: [`the conversation ${id}`] };
  }

  /** A request's items, with those that it only refers to; `undefined` if it refers to none. */
  private resolved(
    body: Fields,
    policy: IdPolicy,
  ): { readonly items: readonly unknown[]; readonly unknown: readonly string[] } | ProviderError | undefined {
    const own = inputItems(body["input"]);
    const unknown: string[] = [];
    const items: unknown[] = [];
    for (const element of own) {
      const id = storedItems.referenceOf(element);
      const item = id === undefined ? undefined : this.items.get(id);
      if (id !== undefined && item === undefined) {
        if (this.gone.has(id) || !policy.mayBeForeign(id)) return itemNotFound(id, this.gone.has(id));
        unknown.push(`the item ${id}`);
      }
      // A plain call that is only referred to is reported to break the pairing: the judge warns of it.
      const isUnreferable = callKinds.get(valueText(fields(item)["type"]))?.isUnreferable === true;
      items.push(item === undefined || isUnreferable ? element : item);
    }
    return unknown.length > 0 || items.some((item, at) => item !== own[at]) ? { items, unknown } : undefined;
  }

  /** What is sent of a reply: one in the background is fetched later. */
  sent(reply: Fields, { fields: body }: ReplyContext): Fields {
    if (body["background"] !== true || body["stream"] === true) return reply;
    this.background.set(String(reply["id"]), reply);
    return {
      ...reply,
      status: "queued",
      output: [],
      usage: null,
      completed_at: null,
      incomplete_details: null,
    };
  }

  /** Stores a reply with its history, unless the request says not to. */
  store({ history, before, isPartial, reply: sent }: SentReply, context: ReplyContext): void {
    const body = context.fields;
    const id = filled(sent["id"]);
    const reply = this.background.get(id ?? "") ?? sent;
    const output = list(reply["output"]).map(fields);
    if (id === undefined) return;
    this.background.delete(id);
    const conversation = conversationOf(body);
    const input = history.slice(before).map((item) => listedItem(item, context));
    if (conversation !== undefined)
      this.remember(this.conversations.add(conversation, [...input, ...output], context.created));
    if (body["store"] === false) {
      for (const each of [id, ...idsOf(output)]) if (!this.items.has(each)) this.gone.add(each);
      return;
    }
    this.responses.set(id, { body: reply, input, elements: [...history.map(asItem), ...output], isPartial });
    this.remember([...input, ...output]);
  }

  /** Deletes a response; whether there was one. */
  delete(id: string): boolean {
    const response = this.responses.get(id);
    if (!response) return false;
    this.responses.delete(id);
    this.gone.add(id);
    for (const item of idsOf(list(response.body["output"]).map(fields))) {
      this.items.delete(item);
      this.gone.add(item);
    }
    return true;
  }

  remember(items: readonly Fields[]): void {
    for (const item of items) {
      const id = filled(item["id"]);
      if (id !== undefined) this.items.set(id, item);
    }
  }
}

function idsOf(items: readonly Fields[]): string[] {
  return items.flatMap(({ id }) => filled(id) ?? []);
}

function conversationOf(body: Fields): string | undefined {
  return filled(body["conversation"]) ?? filled(fields(body["conversation"])["id"]);
}
