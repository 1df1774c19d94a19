import type { Finish, FinishMeaning } from "../../conversation/reply.ts";
import { fields, filled, lookUp } from "../wire.ts";

const meanings: Readonly<Record<string, FinishMeaning>> = {
  stop: "answer",
  end_turn: "answer",
  endturn: "answer",
  stop_sequence: "answer",
  "tool-calls": "calls",
  tool_calls: "calls",
  tool_call: "calls",
  tool_use: "calls",
  tooluse: "calls",
  function_call: "calls",
  length: "length",
  max_tokens: "length",
  maxtokens: "length",
  "content-filter": "filter",
  content_filter: "filter",
  refusal: "refusal",
  error: "error",
};

/** The reason as a word, or as the AI SDK's pair `{unified, raw}`. */
export function finishOf(value: unknown, pointer: string): Finish | undefined {
  const reason = filled(value) ?? filled(fields(value)["unified"]) ?? filled(fields(value)["raw"]);
  if (reason === undefined) return undefined;
  return { reason, meaning: lookUp(meanings, reason.toLowerCase()) ?? "other", pointer };
}
