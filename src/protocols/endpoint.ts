import type { HeaderList } from "../http/client.ts";

/** Where and how to send a protocol's requests. The key and the base URL come from the user. */
export interface Endpoint {
  /** The path below the base URL. */
  path(model: string | undefined, isStreaming: boolean): string;
  /** Headers that carry the key. */
  auth(key: string): HeaderList;
  /** Headers that every request needs besides its content type. */
  readonly headers: HeaderList;
  /** Request headers that a replay copies from the log, because they change what the provider does. */
  readonly kept: readonly string[];
  /** The path at the end of the base URL of the provider's clients. */
  readonly basePath: string;
  /** Whether the body (`stream`) or the path requests a stream. */
  readonly streamsBy: "body" | "path";
  /** The server streams by default, so the body says `stream: false` for a whole reply. */
  readonly streamsByDefault?: boolean;
  /** How a history refers to items that the server stores; absent if it stores none. */
  readonly stored?: StoredItems;
}

/** How the elements of a history refer to items that the server stores. */
export interface StoredItems {
  /** The id of the item that an element refers to; `undefined` when the element is an item itself. */
  referenceOf(element: unknown): string | undefined;
  idOf(element: unknown): string | undefined;
  /** The item in a form that another server accepts; empty if there is none. */
  portable(element: unknown): readonly unknown[];
  /** The body's member that names the reply to continue. */
  readonly linkKey: string;
}

/** The key in the form that most providers accept. */
export const bearer = (key: string): HeaderList => [["Authorization", `Bearer ${key}`]];
