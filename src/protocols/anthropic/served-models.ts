import { decodedSegment } from "../paths.ts";
import type { ResourceRequest, WholeAnswer } from "../server-side.ts";

/**
 * Models in Anthropic's form. A model server has every model that it is asked for.
 * @see https://platform.claude.com/docs/en/api/models-list
 */
export function serveModels({ url, context }: ResourceRequest): WholeAnswer {
  const name = /\/v1\/models\/([^/]+)\/?$/.exec(url.pathname)?.[1];
  if (name !== undefined) return { status: 200, body: modelInfo(decodedSegment(name)) };
  const models = [modelInfo(context.model)];
  return {
    status: 200,
    body: { data: models, has_more: false, first_id: models[0]?.id, last_id: models.at(-1)?.id },
  };
}

function modelInfo(id: string) {
  return {
    type: "model",
    id,
    display_name: id,
    // "May be set to an epoch value if the release date is unknown."
    created_at: "1970-01-01T00:00:00Z",
    deprecated_at: null,
    lifecycle: "active",
    line: null,
    max_input_tokens: 200_000,
    max_tokens: 64_000,
    capabilities: null,
  };
}
