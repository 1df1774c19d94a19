import type { Step } from "../../conversation/conversation.ts";
import type { Finding } from "../../findings/finding.ts";
import type { Protocol } from "../../protocols/protocol.ts";
import type { EditedHistory } from "../edited-elements.ts";
import { HistoryEditor } from "../history-editor.ts";
import type { Elements, HistoryEntry } from "../target.ts";
import { encodeArguments, wrapArguments } from "./arguments.ts";
import { removeEmpty, writeResultsAsText } from "./content.ts";
import { nameCalls, rewriteIds, setCallsApart } from "./ids.ts";
import { leaveReasoningEmpty, removeReasoning } from "./reasoning.ts";
import { leaveOut, sendInFull } from "./references.ts";
import { keepOneResult, moveResults } from "./results.ts";
import { makeCalls } from "./text-calls.ts";
import { joinCalls, settleTurns } from "./turns.ts";
import { closeCalls, turnIntoText } from "./unpaired.ts";
import { addTypes, correctWords, leaveOneForm, suitResults } from "./words.ts";

/** Fixes what one request shows: types, ids, positions, encodings. Restoring lost items is done elsewhere. */
type Repair = (editor: HistoryEditor, finding: Finding) => void;

const repairs: Readonly<Record<string, Repair>> = {
  "invalid-request": correctWords,
  "text-tool-call": makeCalls,
  "missing-output-type": addTypes,
  "call-id-mismatch": nameCalls,
  "duplicate-call-id": setCallsApart,
  "invalid-call-id": rewriteIds,
  "result-kind-mismatch": suitResults,
  "misplaced-tool-result": moveResults,
  "duplicate-tool-result": keepOneResult,
  "malformed-tool-result": writeResultsAsText,
  "misencoded-arguments": encodeArguments,
  "incomplete-arguments": wrapArguments,
  "empty-content": removeEmpty,
  "mixed-protocols": leaveOneForm,
  "bad-turn-order": settleTurns,
  "merged-or-split-turns": joinCalls,
  "refused-reasoning": removeReasoning,
  "dropped-reasoning": leaveReasoningEmpty,
  "resent-items": leaveOut,
  "unresolvable-reference": sendInFull,
  "unanswered-tool-call": closeCalls,
  "orphaned-tool-result": turnIntoText,
};

/** The order of fixes: first what an item is, then its position, removals last. */
const order = new Map(Object.keys(repairs).map((rule, index) => [rule, index]));

/** The rules whose findings are fixed here. */
export const localRules: ReadonlySet<string> = new Set(order.keys());

/**
 * The history of a step with every given finding fixed for which a local fix exists.
 *
 * @param recorded the elements as recorded
 * @param from elements before this index come from the parent, and are fixed there
 */
export function fixLocally(
  step: Step,
  recorded: readonly HistoryEntry[],
  from: number,
  reasons: readonly Finding[],
  protocol: Protocol,
  elements: Elements,
): EditedHistory {
  const editor = new HistoryEditor(step, recorded, from, protocol, elements);
  const asked = reasons.filter(({ rule }) => localRules.has(rule));
  for (const finding of asked.sort((a, b) => (order.get(a.rule) ?? 0) - (order.get(b.rule) ?? 0)))
    repairs[finding.rule]?.(editor, finding);
  return editor.done();
}
