import type { CreateServerSide, ResourceRequest, Route } from "../server-side.ts";
import { idPolicyOf } from "./foreign-ids.ts";
import { ResponseStore } from "./response-store.ts";
import { compacted } from "./served-compaction.ts";
import { bodyIn, errorEvent, eventsOf } from "./served-events.ts";
import { whole } from "./served-reply.ts";
import { answerResource, isResource } from "./served-resources.ts";

export const createServerSide: CreateServerSide = () => {
  const store = new ResponseStore();
  return {
    framing: "sse",
    route,
    isStreaming: (body) => body["stream"] === true,
    whole: (reply, context) => store.sent(whole(reply, context), context),
    events: (_, context, body) => eventsOf(body, context),
    bodyIn,
    errorEvent,
    count: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
    compact: compacted,
    resource: (request: ResourceRequest) => answerResource(store, request),
    headers: (requestId) => ({ "x-request-id": requestId }),
    stored: (body, { profile }) => store.history(body, idPolicyOf(profile)),
    store: (sent, context) => store.store(sent, context),
  };
};

/** Other servers have the same API below other paths, so that only the end counts. */
function route(method: string, { pathname }: URL): Route | undefined {
  const path = pathname.replace(/\/$/, "");
  if (method === "POST" && path.endsWith("/responses")) return { does: "turn" };
  if (method === "POST" && path.endsWith("/responses/input_tokens")) return { does: "count" };
  if (method === "POST" && path.endsWith("/responses/compact")) return { does: "compact" };
  return isResource(method, path) ? { does: "resource" } : undefined;
}
