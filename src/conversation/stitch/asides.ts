import { emptyList } from "../../reading/lists.ts";
import type { Mutable } from "../../reading/mutable.ts";
import { isResult, placedItems, type Step } from "../conversation.ts";
import { differencesOf, type FrameDifference, hasOwnFrame } from "../frames.ts";
import { contentOf } from "../identity.ts";
import { quotes, summaryProbe } from "./compaction.ts";
import type { ConversationDraft, DraftStep } from "./draft.ts";

/**
 * Marks the requests that a client makes beside a conversation, with the conversation's history: who speaks
 * next? Is this safe? What is it about? What is worth remembering? They have another frame (model, prompt,
 * tools, form of the answer), and the conversation goes on without their replies. So they take nothing from
 * it, and nothing is missing in it or in them. Few logs need `said`, so it is asked for.
 */
export function markAsides({ entries }: ConversationDraft, said: () => ReplySteps): void {
  if (entries.length < 2) return;
  const steps = entries.map(({ step }) => step);
  const questions = new Set<string>();
  // A later step decides whether an earlier one returned, so begin at the end.
  for (const { step } of [...entries].reverse()) {
    const { parent } = step;
    if (!parent || step.exchange.lineage) continue;
    if (step.exchange.purpose === "compaction") takeNothing(step);
    else if (isBeside(step, parent, steps) || isMirror(step, said)) {
      leaveOut(step, parent);
      const question = questionOf(step);
      if (question !== "") questions.add(question);
    }
  }
  for (const { step } of entries)
    if (step.parent && step.resends?.isAside && !step.isAside) leaveOut(step, step.parent);
  // The last question beside a conversation is one that was asked before.
  const last = entries.at(-1)?.step;
  if (last?.parent && !last.isAside && isAskedAgain(last, last.parent, questions))
    leaveOut(last, last.parent);
}

/** The steps whose replies said something, by content. */
export type ReplySteps = ReadonlyMap<string, Step>;

/** The model's texts and calls in all replies of a log. */
export function repliesOf(threads: readonly ConversationDraft[]): ReplySteps {
  const said = new Map<string, Step>();
  for (const { entries } of threads)
    for (const { step } of entries)
      for (const item of step.reply?.items ?? [])
        if (item.kind === "call" || item.kind === "message") said.set(contentOf(item), step);
  return said;
}

/**
 * A check that is repeated as a conversation grows: its own last reply is left out, and what the model says
 * in its place was said to somebody else.
 */
function isMirror({ relation, parent, missing, added, echoes }: Step, said: () => ReplySteps): boolean {
  if (relation !== "continuation" || echoes.length > 0) return false;
  if (!missing.some(({ part, item }) => part === "response" && item.kind !== "reasoning")) return false;
  const spoken = added.filter(({ item }) => item.role === "assistant" && item.kind !== "reasoning");
  return (
    spoken.length > 0 &&
    spoken.every(({ item }) => {
      const speaker = said().get(contentOf(item));
      return speaker !== undefined && speaker !== parent;
    })
  );
}

function leaveOut(step: DraftStep, parent: Step): void {
  takeNothing(step);
  // A summary in the middle of a round is the only request that shows its results.
  if (parent.children.length === 1 && answersCalls(step, parent)) return;
  step.relation = "branch";
  (parent as Mutable<Step>).children = parent.children.filter((child) => child !== step);
}

function takeNothing(step: DraftStep): void {
  step.isAside = true;
  step.missing = emptyList;
  step.changed = emptyList;
  step.moved = emptyList;
}

function isAskedAgain(step: DraftStep, parent: Step, questions: ReadonlySet<string>): boolean {
  return (
    step.children.length === 0 &&
    isOfConversation(step) &&
    differencesOf(parent, step).size > 0 &&
    questions.has(questionOf(step))
  );
}

/** The user's text at the end of a request. */
function questionOf({ request }: Step): string {
  const history = request?.history;
  const last = history && history.length > 0 ? history.items(history.length - 1).at(-1) : undefined;
  return last?.kind === "message" && last.role === "user" ? last.text.trim() : "";
}

function isBeside(step: DraftStep, parent: Step, later: readonly Step[]): boolean {
  if (!isOfConversation(step) || step.isPartial) return false;
  const differences = differencesOf(parent, step);
  if (differences.size === 0) return false;
  const goesOn = step.children.some(
    ({ relation, echoes }) => relation === "continuation" && echoes.length > 0,
  );
  const others = parent.children.filter((child) => child !== step && isOfConversation(child));
  const isFork = others.some((other) => isRatherMain(other, step, parent));
  // Words about a summary need not be one: the conversation went on with its whole history.
  if (step.relation === "compaction") return isFork;
  // An agent that was forked off with the history makes several rounds of its own.
  if (goesOn) return isFork && isOfItsOwn(differences);
  if (isFork || isSummary(step, later)) return true;
  if (!isOfItsOwn(differences) || answersCalls(step, parent)) return false;
  return others.every((other) => isOfItsOwn(differencesOf(parent, other)));
}

/** Several things differ, and not only by being left out, as a forgetful client does. */
function isOfItsOwn(differences: ReadonlySet<FrameDifference>): boolean {
  return differences.size > 1 && hasOwnFrame(differences);
}

function isOfConversation({ relation }: Step): boolean {
  return relation !== "retry" && relation !== "repeat";
}

/** Another request that continues the same step has more of its frame, and is no question beside it. */
function isRatherMain(other: Step, step: Step, parent: Step): boolean {
  return (
    other.relation !== "compaction" &&
    (other.children.length > 0 || other.number > step.number) &&
    differencesOf(parent, other).size < differencesOf(parent, step).size
  );
}

/** A summary stands within this many elements from the beginning of a compacted history. */
const maxOpening = 12;

/** A later history was compacted with this reply, and nothing else continues it. */
function isSummary({ children, number, reply }: Step, later: readonly Step[]): boolean {
  if (children.some(({ relation }) => relation !== "compaction")) return false;
  const said = (reply?.items ?? []).flatMap((item) => (item.kind === "message" ? [item.text] : []));
  const start = summaryProbe(said.join("\n"));
  return (
    children.length > 0 ||
    later.some(
      (step) =>
        step.number > number &&
        step.relation === "compaction" &&
        quotes(
          [
            ...placedItems(
              step,
              step.request?.history,
              0,
              Math.min(maxOpening, step.request?.history.length ?? 0),
            ),
          ],
          start,
        ),
    )
  );
}

/** The request brings results for the parent's calls: the conversation goes on with it. */
function answersCalls({ pairing: { pairs }, added }: Step, parent: Step): boolean {
  const own = new Set(added.filter(isResult).map(({ item }) => item));
  const asked = new Set(parent.reply?.items);
  return pairs.some(({ call, result }) => own.has(result.item) || asked.has(call.item));
}
