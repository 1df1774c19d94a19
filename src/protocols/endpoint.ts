import type { HeaderList } from "../http/client.ts";

/**
 * Where requests of a protocol go, as its provider's own clients send them. What is known of an address is data; the key and the address
 * themselves come from the user.
 */
export interface Endpoint {
  /** The path below the base URL. */
  path(model: string | undefined, isStreaming: boolean): string;
  /** Headers that carry the key. */
  auth(key: string): HeaderList;
  /** Headers that every request needs, beside the type of its body. */
  readonly headers: HeaderList;
  /** Request headers that a replay takes over from the log: they change what the provider does. */
  readonly kept: readonly string[];
  /** The path that the base URL of the provider's clients ends with. */
  readonly basePath: string;
  /** Whether the body says that a stream is wanted (`stream`), or the path. */
  readonly streamsBy: "body" | "path";
  /** The body says `stream: false` where none is wanted: the server streams unless it is told not to. */
  readonly streamsByDefault?: boolean;
  /** What the server may hold of a history; absent where it holds nothing. */
  readonly stored?: StoredItems;
}

/** How the elements of a history lean on items that the server keeps. */
export interface StoredItems {
  /** The id of the item that an element stands for; `undefined` when it is an item itself. */
  referenceOf(element: unknown): string | undefined;
  /** The id of an item. */
  idOf(element: unknown): string | undefined;
  /** An item as a server takes it that has never seen it; nothing where it cannot be taken. */
  portable(element: unknown): readonly unknown[];
  /** The member of a body that names the reply that it goes on from. */
  readonly linkKey: string;
}

/** The key as most providers take it. */
export const bearer = (key: string): HeaderList => [["Authorization", `Bearer ${key}`]];
