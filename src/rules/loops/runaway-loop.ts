import type { Conversation, Placed } from "../../conversation/conversation.ts";
import { clientCalls, isUnfinished } from "../../conversation/reply-followups.ts";
import { type Turn, turnsOf } from "../../conversation/rounds.ts";
import { isFinalTool } from "../../conversation/tool-names.ts";
import { severityOfEnd } from "../lifecycle/severity-of-end.ts";
import { defineRule } from "../rule.ts";
import { short } from "../words.ts";
import { openingCalls, roundName, roundPlace } from "./round-words.ts";

/** A client that stops after this many rounds has a limit; earlier, it may have crashed or been stopped. */
const smallestCap = 10;

export default defineRule({
  name: "runaway-loop",
  summary: "Round after round of calls in one turn without an answer",
  ground: "misleads",
  severity: "warning",
  needs: "requests",
  looksAt: ["calls"],
  follows: [{ trait: "causes-loops", rules: ["repeated-call", "cyclic-calls"], by: "before" }],
  messages: {
    capped: ({ count: rounds, last }: Facts) =>
      `${rounds} rounds of calls in one turn end without an answer; the last call is to ${last}`,
    told: ({ count: rounds, cap }: Omit<Facts, "last"> & { readonly cap: string }) =>
      `after ${rounds} rounds of calls in one turn the client gives up: \`${short(cap, 80)}\``,
    long: ({ count: rounds, limit }: Facts & { readonly limit: number }) =>
      `${rounds} rounds of calls in one turn; the limit is ${limit}`,
  },

  habit: {
    title: "The run never reaches an answer",
    consequence: "So the user gets no answer, and every round is billed",
    change: "limit the rounds per turn, and ask for an answer without tools in the last one",
  },
  // A long turn may still be answered.
  effect: { rank: 4, kinds: ["capped", "told"], words: () => "the run ended without an answer" },

  options: {
    maxRounds: {
      default: 50,
      minimum: 1,
      meaning: "rounds in one turn; a turn with more is reported even if it may still be answered",
    },
  },

  *check(conversation, report, { maxRounds }) {
    const seen = new Set<string>();
    for (const turn of turnsOf(conversation)) {
      const { rounds } = turn;
      const first = rounds[0];
      const last = rounds.at(-1);
      const start = openingCalls(first)[0];
      const end = openingCalls(last)[0];
      if (!first || !last || !start || !end || seen.has(roundPlace(first))) continue;
      const facts = {
        count: rounds.length,
        exchanges: [...new Set(rounds.map(({ step }) => step.exchange.number))],
        last: roundName(last),
        callIds: last.calls.flatMap(({ call }) => call.item.id ?? []),
      };
      const notes = [{ message: "the first round of the turn", at: start }];
      const cap = rounds.length > 2 ? capOf(turn) : undefined;
      if (cap)
        yield report("told", { ...facts, cap: cap.text }, cap.at, {
          notes,
          callIds: facts.callIds,
        });
      else if (rounds.length >= smallestCap && isStoppedAt(conversation, turn))
        yield report("capped", facts, end, {
          severity: severityOfEnd(turn.last) === "info" ? "info" : "warning",
          notes,
          callIds: facts.callIds,
        });
      else if (rounds.length > maxRounds) {
        const over = openingCalls(rounds[maxRounds])[0] ?? end;
        yield report("long", { ...facts, limit: maxRounds }, over, { severity: "info", notes });
      } else continue;
      seen.add(roundPlace(first));
    }
  },
});

interface Facts {
  readonly count: number;
  /** The exchanges whose replies made the calls, by number. */
  readonly exchanges: readonly number[];
  readonly last: string;
  readonly callIds: readonly string[];
}

/** The log ends with unanswered calls although no error occurred. */
function isStoppedAt({ steps }: Conversation, { rounds, last }: Turn): boolean {
  const open = rounds.at(-1);
  if (last !== steps.at(-1) || !open || open.step !== last || isUnfinished(last)) return false;
  // A run that ends with the tool for its answer has been answered.
  return open.calls.every(({ call, result }) => !result && !isFinalTool(call.item.name));
}

/** Every text that {@link caps} matches contains one of these words; few others do. */
const capWords = /reached|exceeded|limit|stopped/i;
const caps =
  /\b(?:max(?:imum)?(?: number of)? (?:tool )?(?:rounds|turns|iterations|steps|tool calls|calls)(?: \(\d+\))? (?:was |were |have been |has been )?(?:reached|exceeded)|(?:tool call|iteration|step|turn|round|recursion) limit (?:of \d+ )?(?:was |has been )?(?:reached|exceeded|hit)|agent stopped due to (?:iteration|max iterations))/i;

/** The client's own message about its limit, in its last request. An answer of the model ends the loop. */
function capOf({ last }: Turn): { readonly text: string; readonly at: Placed } | undefined {
  if (last.children.length > 0 || (last.reply && clientCalls(last).length === 0)) return undefined;
  for (const at of last.added) {
    const { item } = at;
    const isClients = item.kind === "result" || (item.kind === "message" && item.role !== "assistant");
    if (isClients && item.text.length <= 400 && capWords.test(item.text) && caps.test(item.text))
      return { text: item.text, at };
  }
  return undefined;
}
