import type { Placed } from "../../conversation/conversation.ts";
import { callText } from "../../conversation/identity.ts";
import type { ToolCall } from "../../conversation/item.ts";
import type { Round } from "../../conversation/rounds.ts";
import { toolName } from "../words.ts";

/** The distinct calls of a round, in the order in which they were made. */
export function openingCalls(round: Round | undefined): Placed<ToolCall>[] {
  const calls = new Map<string, Placed<ToolCall>>();
  for (const { call } of round?.calls ?? [])
    if (!calls.has(callText(call.item))) calls.set(callText(call.item), call);
  return [...calls.values()];
}

/** The tools of a round for messages, in backticks. */
export function roundName(round: Round): string {
  const counts = new Map<string, number>();
  for (const { item } of openingCalls(round)) counts.set(item.name, (counts.get(item.name) ?? 0) + 1);
  const names = [...counts].map(([name, times]) => `${toolName(name, 40)}${times > 1 ? ` ×${times}` : ""}`);
  return names.length <= 3
    ? names.join(" and ")
    : `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`;
}

/** A key for a round, equal in all branches that share the round. */
export function roundPlace({ calls }: Round): string {
  const call = calls[0]?.call;
  return call ? `${call.step.number} ${call.part} ${call.element} ${call.item.pointer}` : "";
}

/** The ids of all calls in some rounds. */
export function roundIds(rounds: readonly Round[]): string[] {
  return rounds.flatMap(({ calls }) => calls.flatMap(({ call }) => call.item.id ?? []));
}

/** A program that the model wrote made the calls of the round: the model did not see each result. */
export function isOfProgram({ calls }: Round): boolean {
  return calls.every(({ call }) => call.item.isByProgram === true);
}
