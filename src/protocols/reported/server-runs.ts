import { parseJson } from "../../reading/parse.ts";
import { fields, list, string } from "../wire.ts";

/**
 * The run on its server that a history goes on with, by its first message: Azure's agents and OpenAI's
 * Assistants keep the history in a thread. Microsoft's Agent Framework names the run in the id of each call:
 * `["run_1","call_1"]`.
 */
export function runOnServer(message: unknown): string | undefined {
  const { parts, contents, content } = fields(message);
  for (const part of list(parts ?? contents ?? content)) {
    const { id, call_id: callId } = fields(part);
    const run = runIn(id ?? callId);
    if (run !== undefined) return run;
  }
  return undefined;
}

function runIn(id: unknown): string | undefined {
  const named = typeof id === "string" && id.startsWith('["run_') ? parseJson(id) : id;
  const run = string(list(named)[0]);
  return run?.startsWith("run_") ? run : undefined;
}
