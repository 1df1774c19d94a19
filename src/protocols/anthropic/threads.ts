import { mostReplies, RecentMap } from "../recent-map.ts";
import type { ProviderError } from "../refusals.ts";
import type { ServerSide, StoredHistory } from "../server-side.ts";
import { type Fields, fields, list, string } from "../wire.ts";

/** What a thread holds behind one of its replies. */
interface Thread {
  /** All messages up to that reply, with it. */
  readonly messages: readonly unknown[];
  /** What only the first request says. */
  readonly kept: Fields;
  /** It began on another server. */
  readonly isPartial: boolean;
  /** The messages that continued it, as JSON, and the thread behind the reply to them. */
  continuation?: { readonly messages: string; readonly thread: Thread };
}

/** "No usable Thread state was found for `previous_message_id`." */
const notFound: ProviderError = { status: 404, message: "Thread not found.", code: "thread_not_found" };

/** @see https://github.com/anthropics/anthropic-sdk-typescript/blob/main/src/resources/messages/messages.ts */
const continued: ProviderError = {
  status: 400,
  message:
    "The response that `previous_message_id` names has already been continued, and each response can be continued only once. Continue from the Thread's most recent response `id`.",
  code: "thread_already_continued",
};

/**
 * Message threads: the server keeps a conversation, with its system prompt and tools, behind the id of each
 * reply, and a request that continues it sends only what is new. Threads of a model server expire when
 * many later ones have begun.
 * @see https://platform.claude.com/docs/en/build-with-claude/message-threads
 */
export function createThreads(): Required<Pick<ServerSide, "stored" | "store">> {
  const threads = new RecentMap<Thread>(mostReplies);
  const nameOf = (request: Fields): string => string(fields(request["thread"])["previous_message_id"]) ?? "";
  return {
    stored(request): StoredHistory | ProviderError | undefined {
      if (fields(request["thread"])["type"] !== "continue") return undefined;
      const name = nameOf(request);
      const thread = threads.get(name);
      if (!thread) {
        // Another server may have sent it.
        return name.startsWith("msg_")
          ? { elements: [], isPartial: true, unknown: [`the thread behind ${name}`] }
          : notFound;
      }
      if (thread.continuation && !isRetry(thread.continuation, request)) return continued;
      return { elements: thread.messages, isPartial: thread.isPartial, fields: thread.kept };
    },
    store({ history, isPartial, reply }, { fields: request }): void {
      const type = fields(request["thread"])["type"];
      const id = string(reply["id"]);
      if (id === undefined || (type !== "create" && type !== "continue")) return;
      const earlier = type === "continue" ? threads.get(nameOf(request)) : undefined;
      const { system, tools } = request;
      const thread: Thread = {
        messages: [...history, { role: "assistant", content: list(reply["content"]) }],
        kept: earlier?.kept ?? {
          ...(system !== undefined && { system }),
          ...(tools !== undefined && { tools }),
        },
        isPartial,
      };
      threads.set(id, thread);
      if (earlier) earlier.continuation = { messages: textOf(request), thread };
    },
  };
}

const textOf = (request: Fields): string => JSON.stringify(request["messages"]);

/** A client that lost the reply sends the same request again. */
function isRetry({ messages, thread }: NonNullable<Thread["continuation"]>, request: Fields): boolean {
  return messages === textOf(request) && !thread.continuation;
}
