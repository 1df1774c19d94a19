import type { ProviderError } from "../refusals.ts";
import type { ResourceRequest, WholeAnswer } from "../server-side.ts";
import { fields, filled } from "../wire.ts";
import { loaded } from "./served-reply.ts";

/** What a served model is said to be. */
const details = {
  parent_model: "",
  format: "gguf",
  family: "llama",
  families: ["llama"],
  parameter_size: "8.0B",
  quantization_level: "Q4_K_M",
};

const digest = "0".repeat(64);
const size = 4_900_000_000;

/**
 * Models, the version, what is loaded, and requests that only load a model. A model server has every model
 * that it is asked for.
 * @see https://github.com/ollama/ollama/blob/main/docs/api.md
 */
export function serveResources({ url, body, context }: ResourceRequest): WholeAnswer | ProviderError {
  const [, what] = /\/api\/(\w+)\/?$/.exec(url.pathname) ?? [];
  const modified = new Date(context.created * 1000).toISOString();
  const asked = filled(fields(body)["model"]) ?? filled(fields(body)["name"]);
  const name = asked ?? context.model;
  switch (what) {
    case "chat":
    case "generate":
      return asked === undefined
        ? { status: 400, message: "model is required" }
        : { status: 200, body: loaded(context) };
    case "version":
      return { status: 200, body: { version: "0.13.0" } };
    case "ps":
      return { status: 200, body: { models: [] } };
    case "tags":
      return {
        status: 200,
        body: { models: [{ name, model: name, modified_at: modified, size, digest, details }] },
      };
    default:
      return {
        status: 200,
        body: {
          license: "",
          modelfile: `FROM ${name}\n`,
          parameters: "",
          template: "{{ .Prompt }}",
          details,
          model_info: { "general.architecture": "llama", "llama.context_length": 131_072 },
          capabilities: ["completion", "tools", "thinking"],
          modified_at: modified,
        },
      };
  }
}
