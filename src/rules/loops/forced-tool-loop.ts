import type { Placed, Step } from "../../conversation/conversation.ts";
import { callText } from "../../conversation/identity.ts";
import type { ToolCall } from "../../conversation/item.ts";
import { hasSameResults } from "../../conversation/loops.ts";
import { clientCalls } from "../../conversation/reply-followups.ts";
import { keyOfRound, type Round, standingOf } from "../../conversation/rounds.ts";
import { isPoll } from "../../conversation/tool-names.ts";
import { stubOf } from "../results/stubs.ts";
import { defineRule } from "../rule.ts";
import { toolName } from "../words.ts";
import { openingCalls, roundIds } from "./round-words.ts";

export default defineRule({
  name: "forced-tool-loop",
  summary: "`tool_choice` forces a call in round after round, so the model cannot answer",
  ground: "misleads",
  severity: "warning",
  needs: "requests",
  looksAt: ["calls"],
  traits: ["causes-loops"],
  messages: {
    tool: ({ tool, count }: Facts & { readonly tool: string }) =>
      `the request forces ${toolName(tool)} again after ${count} rounds of it in this turn, so the model cannot answer; the calls bring nothing new`,
    any: ({ count }: Facts) =>
      `the request forces a call again after ${count} rounds of calls in this turn, so the model cannot answer; the calls bring nothing new`,
  },

  habit: {
    title: "The client forces a tool call in every round",
    consequence: "So the model cannot answer and has to call something",
    change: "force a call only in the first request, then set the tool choice back to auto",
  },

  options: {
    minRounds: {
      default: 3,
      minimum: 2,
      meaning: "forced rounds in one turn before they are reported",
    },
  },

  *check({ steps }, report, { minRounds }) {
    const turns = new Set<unknown>();
    for (const step of steps) {
      const choice = step.request?.toolChoice;
      if (choice?.mode !== "required" && choice?.mode !== "tool") continue;
      const standing = standingOf(step);
      if (!standing || turns.has(standing.turn)) continue;
      const rounds = standing.turn.rounds
        .slice(0, standing.rounds)
        .filter((round) => isForced(round, choice.name));
      if (rounds.length + 1 < minRounds || !isIdle(rounds, step)) continue;
      turns.add(standing.turn);
      const callIds = [
        ...roundIds(standing.turn.rounds.slice(0, standing.rounds)),
        ...clientCalls(step).flatMap(({ item }) => item.id ?? []),
      ];
      const notes = rounds.flatMap((round, index) =>
        openingCalls(round)
          .slice(0, 1)
          .map((at) => ({ message: index === 0 ? "the first forced round" : "another forced round", at })),
      );
      const at = { step, part: "request" as const, pointer: "/tool_choice" };
      const facts = { count: rounds.length, callIds };
      if (choice.name === undefined) yield report("any", facts, at, { notes, callIds });
      else yield report("tool", { ...facts, tool: choice.name }, at, { notes, callIds });
    }
  },
});

interface Facts {
  readonly count: number;
  readonly callIds: readonly string[];
}

/** The round was forced. If the log lacks its request, a call to the forced tool is the evidence. */
function isForced(round: Round, tool: string | undefined): boolean {
  const made = round.calls.some(({ call }) => call.part === "response");
  const mode = made ? round.step.request?.toolChoice?.mode : undefined;
  const isAsked = tool === undefined || round.calls.some(({ call }) => call.item.name === tool);
  return isAsked && (!made || mode === "required" || mode === "tool");
}

/** The number of recent rounds to compare, so that long runs take linear time. */
const maxCompared = 8;

/** The newest round equals an earlier one, the model repeats a call, or the client no longer runs calls. */
function isIdle(all: readonly Round[], step: Step): boolean {
  const rounds = all.slice(-maxCompared).filter(({ calls }) => !calls.some(({ call }) => isPoll(call.item)));
  const newest = rounds.at(-1);
  if (!newest) return false;
  if (newest.calls.some(({ result }) => result && stubOf(result.item.text) !== undefined)) return true;
  const asked = new Set(rounds.flatMap(({ calls }) => calls.map(({ call }) => callText(call.item))));
  const next: readonly Placed<ToolCall>[] = clientCalls(step);
  if (next.length > 0 && next.every(({ item }) => asked.has(callText(item)))) return true;
  return rounds
    .slice(0, -1)
    .some((other) => keyOfRound(other) === keyOfRound(newest) && hasSameResults(other, newest));
}
