import { mostReplies, RecentMap } from "../recent-map.ts";
import type { ProviderError } from "../refusals.ts";
import type { ReplyContext, ResourceRequest, SentReply, WholeAnswer } from "../server-side.ts";
import { type Fields, fields, filled } from "../wire.ts";
import { pageOf } from "./pages.ts";

type Answer = WholeAnswer | ProviderError;

interface StoredCompletion {
  readonly body: Fields;
  readonly messages: readonly Fields[];
}

const path = /\/chat\/completions(?:\/([^/]+)(\/messages)?)?$/;

/**
 * The completions that were made with `store: true`.
 * @see https://platform.openai.com/docs/api-reference/chat/list
 */
export class CompletionStore {
  private readonly completions = new RecentMap<StoredCompletion>(mostReplies);

  /** Whether an address is about stored completions. */
  static knows(method: string, pathname: string): boolean {
    const match = path.exec(pathname);
    const [, id, messages] = match ?? [];
    if (!match || (messages !== undefined && method !== "GET")) return false;
    return method === "GET" || (id !== undefined && (method === "POST" || method === "DELETE"));
  }

  store({ history, reply }: SentReply, { fields: body }: ReplyContext): void {
    const id = filled(reply["id"]);
    if (body["store"] !== true || id === undefined) return;
    const messages = history.map((message, index) => ({ id: `${id}-${index}`, ...fields(message) }));
    this.completions.set(id, { body: { ...reply, metadata: body["metadata"] ?? {} }, messages });
  }

  /** Lists, reads, changes or deletes what is stored. */
  answer({ method, url, body }: ResourceRequest): Answer {
    const [, id, messages] = path.exec(url.pathname.replace(/\/$/, "")) ?? [];
    if (id === undefined) return ok(pageOf(this.matching(url), url, "asc"));
    const found = this.completions.get(id);
    if (!found)
      return { status: 404, message: `Chat completion with id '${id}' not found.`, param: "completion_id" };
    if (messages !== undefined) return ok(pageOf(found.messages, url, "asc"));
    if (method === "DELETE") {
      this.completions.delete(id);
      return ok({ object: "chat.completion.deleted", id, deleted: true });
    }
    if (method === "GET") return ok(found.body);
    const changed = { ...found.body, metadata: fields(body)["metadata"] ?? {} };
    this.completions.set(id, { ...found, body: changed });
    return ok(changed);
  }

  private matching({ searchParams }: URL): readonly Fields[] {
    const model = searchParams.get("model");
    return [...this.completions.values()]
      .map(({ body }) => body)
      .filter((body) => model === null || body["model"] === model);
  }
}

const ok = (body: unknown): Answer => ({ status: 200, body });
