import { mostReplies, RecentMap } from "../recent-map.ts";
import type { Fields } from "../wire.ts";

export interface Conversation {
  readonly id: string;
  /** In seconds since the epoch. */
  readonly created: number;
  readonly metadata: unknown;
  readonly items: readonly Fields[];
  /** It was begun elsewhere. */
  readonly isPartial: boolean;
}

/** The conversations of one run. @see https://platform.openai.com/docs/api-reference/conversations */
export class ConversationStore {
  private readonly conversations = new RecentMap<Conversation>(mostReplies);
  private readonly deleted = new Set<string>();

  get(id: string): Conversation | undefined {
    return this.conversations.get(id);
  }

  isDeleted(id: string): boolean {
    return this.deleted.has(id);
  }

  put(conversation: Conversation): Conversation {
    this.conversations.set(conversation.id, conversation);
    return conversation;
  }

  /** Appends items; a conversation of which this server knows nothing begins here. */
  add(id: string, items: readonly Fields[], created: number): readonly Fields[] {
    const begun = { id, created, metadata: {}, items: [], isPartial: true };
    const known = this.conversations.get(id) ?? begun;
    this.put({ ...known, items: [...known.items, ...items] });
    return items;
  }

  delete(id: string): boolean {
    this.deleted.add(id);
    return this.conversations.delete(id);
  }
}
