import type { Run } from "../../log/open.ts";
import { groupBy } from "../../reading/group-by.ts";
import { count } from "../../rules/words.ts";
import type { AnswerSource, AskedTurn } from "./answer-source.ts";
import { isAnswering, type RecordedTurn, recordedAnswer } from "./recorded-replies.ts";
import { RecordedTurns } from "./recorded-turns.ts";

/**
 * Answers from logs, which are to be opened with `keepsReplies`: a request gets the reply that a request with
 * the same conversation got. System prompts, tools, models, thinking, ids and times make no difference, but
 * where several requests differ in them alone, the most similar one counts. Equal requests get their replies
 * in the order of the log, and after the last one the last one again.
 */
export function recordedAnswers(runs: readonly Run[]): AnswerSource {
  const turns = new RecordedTurns(runs);
  const used = new Set<RecordedTurn>();
  const given = new Map<AskedTurn, RecordedTurn>();
  let repeated = 0;
  return {
    answer(turn) {
      const found = turns.find(turn);
      if (typeof found === "string") return { kind: "miss", why: found };
      const next = found.find((each) => !used.has(each));
      if (next) {
        used.add(next);
        given.set(turn, next);
      } else repeated++;
      return recordedAnswer((next ?? found.at(-1) ?? found[0]).outcome);
    },
    sent: (turn) => {
      given.delete(turn);
    },
    unsent(turn) {
      const taken = given.get(turn);
      if (taken) used.delete(taken);
      given.delete(turn);
    },
    usesId: (id) => turns.ids.has(id),
    notes: () => notesOn(turns.all, used, repeated),
  };
}

function notesOn(
  all: readonly RecordedTurn[],
  used: ReadonlySet<RecordedTurn>,
  repeated: number,
): readonly string[] {
  if (all.length === 0) return ["the log has no request of a model"];
  const unused = all.filter((turn) => isAnswering(turn) && !used.has(turn)).length;
  const failed = all.flatMap(({ outcome }) => (typeof outcome === "string" ? outcome : []));
  const kinds = [...groupBy(failed, (outcome) => outcome)]
    .map(([outcome, each]) => `${each.length} ${outcome}`)
    .join(", ");
  return [
    ...(kinds === ""
      ? []
      : [
          `${count(failed.length, "exchange")} of the log cannot be used as ${failed.length === 1 ? "an answer" : "answers"}: ${kinds}`,
        ]),
    ...(repeated > 0 ? [`${count(repeated, "request")} got a recorded reply that was already used`] : []),
    ...(unused > 0 ? [`${count(unused, "recorded reply was", "recorded replies were")} never used`] : []),
  ];
}
