import { decodedSegment } from "../paths.ts";
import type { ResourceRequest, WholeAnswer } from "../server-side.ts";

/**
 * Models in Google's form. A model server has every model that it is asked for.
 * @see https://ai.google.dev/api/models
 */
export function serveModels({ url, context }: ResourceRequest): WholeAnswer {
  const name = /\/models\/([^/]+)\/?$/.exec(url.pathname)?.[1];
  return {
    status: 200,
    body: name === undefined ? { models: [modelInfo(context.model)] } : modelInfo(decodedSegment(name)),
  };
}

function modelInfo(id: string) {
  return {
    name: `models/${id}`,
    version: "001",
    displayName: id,
    description: "A model of a model server for tests",
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ["generateContent", "countTokens"],
    temperature: 1,
    topP: 0.95,
    topK: 64,
    maxTemperature: 2,
  };
}
