import { pageOf } from "../openai-chat/pages.ts";
import type { ProviderError } from "../refusals.ts";
import type { ResourceRequest, WholeAnswer } from "../server-side.ts";
import { type Fields, fields, list } from "../wire.ts";
import type { Conversation } from "./conversation-store.ts";
import { listedItem } from "./listed-items.ts";
import type { ResponseStore, StoredResponse } from "./response-store.ts";
import { notInBackground, objectNotFound, wrongAddress } from "./stored-errors.ts";

type Answer = WholeAnswer | ProviderError;

interface Resource {
  readonly method: string;
  /** The end of the path; its groups are the ids. */
  readonly path: RegExp;
  answer(store: ResponseStore, ids: readonly string[], request: ResourceRequest): Answer;
}

const response = /\/responses\/([^/]+)$/;
const conversation = /\/conversations\/([^/]+)$/;
const items = /\/conversations\/([^/]+)\/items$/;
const item = /\/conversations\/([^/]+)\/items\/([^/]+)$/;

/**
 * What is stored, and how it is read and changed.
 * @see https://platform.openai.com/docs/api-reference/responses
 * @see https://platform.openai.com/docs/api-reference/conversations
 */
const resources: readonly Resource[] = [
  {
    method: "GET",
    path: response,
    answer: (store, [id]) => ofResponse(store, id, ({ body }) => body),
  },
  {
    method: "DELETE",
    path: response,
    answer: (store, [id = ""]) =>
      store.delete(id) ? ok({ id, object: "response", deleted: true }) : objectNotFound("Response", id),
  },
  {
    method: "POST",
    path: /\/responses\/([^/]+)\/cancel$/,
    answer: (store, [id = ""]) => {
      const found = store.responses.get(id);
      if (!found) return objectNotFound("Response", id);
      return found.body["background"] === true ? ok(found.body) : notInBackground;
    },
  },
  {
    method: "GET",
    path: /\/responses\/([^/]+)\/input_items$/,
    answer: (store, [id], { url }) => ofResponse(store, id, ({ input }) => pageOf(input, url)),
  },
  { method: "POST", path: /\/conversations$/, answer: (store, _, request) => begin(store, request) },
  {
    method: "GET",
    path: conversation,
    answer: (store, [id]) => ofConversation(store, id, shown),
  },
  {
    method: "POST",
    path: conversation,
    answer: (store, [id], { body }) =>
      ofConversation(store, id, (found) =>
        shown(store.conversations.put({ ...found, metadata: fields(body)["metadata"] ?? {} })),
      ),
  },
  {
    method: "DELETE",
    path: conversation,
    answer: (store, [id = ""]) =>
      store.conversations.delete(id)
        ? ok({ id, object: "conversation.deleted", deleted: true })
        : objectNotFound("Conversation", id),
  },
  {
    method: "GET",
    path: items,
    answer: (store, [id], { url }) => ofConversation(store, id, (found) => pageOf(found.items, url)),
  },
  {
    method: "POST",
    path: items,
    answer: (store, [id], request) => ofConversation(store, id, (found) => append(store, found, request)),
  },
  {
    method: "GET",
    path: item,
    answer: (store, ids) => ofItem(store, ids, (_, found) => found),
  },
  {
    method: "DELETE",
    path: item,
    answer: (store, ids) =>
      ofItem(store, ids, (found, dropped) =>
        shown(store.conversations.put({ ...found, items: found.items.filter((each) => each !== dropped) })),
      ),
  },
];

/** Whether an address names something stored. */
export function isResource(method: string, pathname: string): boolean {
  return resources.some((resource) => resource.method === method && resource.path.test(pathname));
}

/** Reads or changes what is stored. */
export function answerResource(store: ResponseStore, request: ResourceRequest): Answer {
  const { method, url } = request;
  const pathname = url.pathname.replace(/\/$/, "");
  for (const resource of resources) {
    const match = resource.method === method ? resource.path.exec(pathname) : null;
    if (match) return resource.answer(store, match.slice(1), request);
  }
  return wrongAddress(method, url.pathname);
}

const ok = (body: unknown): Answer => ({ status: 200, body });

function shown({ id, created, metadata }: Conversation): Fields {
  return { id, object: "conversation", created_at: created, metadata };
}

function ofResponse(store: ResponseStore, id = "", answer: (found: StoredResponse) => unknown): Answer {
  const found = store.responses.get(id);
  return found ? ok(answer(found)) : objectNotFound("Response", id);
}

function ofConversation(store: ResponseStore, id = "", answer: (found: Conversation) => unknown): Answer {
  const found = store.conversations.get(id);
  return found ? ok(answer(found)) : objectNotFound("Conversation", id);
}

function ofItem(
  store: ResponseStore,
  [id = "", itemId = ""]: readonly string[],
  answer: (found: Conversation, item: Fields) => unknown,
): Answer {
  const found = store.conversations.get(id);
  if (!found) return objectNotFound("Conversation", id);
  const named = found.items.find((each) => each["id"] === itemId);
  return named ? ok(answer(found, named)) : objectNotFound("Item", itemId);
}

function begin(store: ResponseStore, { body, context }: ResourceRequest): Answer {
  const added = list(fields(body)["items"]).map((each) => listedItem(each, context));
  store.remember(added);
  const begun = store.conversations.put({
    id: context.newId("conv_", 50, "hex"),
    created: context.created,
    metadata: fields(body)["metadata"] ?? {},
    items: added,
    isPartial: false,
  });
  return ok(shown(begun));
}

function append(store: ResponseStore, found: Conversation, { body, context }: ResourceRequest): Fields {
  const added = list(fields(body)["items"]).map((each) => listedItem(each, context));
  store.remember(added);
  store.conversations.put({ ...found, items: [...found.items, ...added] });
  return { ...pageOf(added, new URL("?order=asc&limit=100", "http://127.0.0.1")) };
}
