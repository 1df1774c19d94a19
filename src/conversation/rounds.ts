import { type Conversation, isCall, isResult, type Placed, placedItems, type Step } from "./conversation.ts";
import { callText } from "./identity.ts";
import type { Item, Message, ToolCall, ToolResult } from "./item.ts";
import { openCalls } from "./pairing/pairing.ts";
import { isReminder } from "./reminder.ts";
import { type DraftCall, WaitingCalls } from "./waiting-calls.ts";

/** The client calls of one reply, or of one assistant turn of a history, and their results. */
export interface Round {
  readonly calls: readonly RoundCall[];
  /** The step whose reply made the calls or, if the log lacks it, the first with them in its history. */
  readonly step: Step;
}

/** One call of a round; `result` is absent if none was sent. */
export interface RoundCall {
  readonly call: Placed<ToolCall>;
  readonly result: Placed<ToolResult> | undefined;
}

/** The rounds from one user message to the next, on one branch of a conversation. */
export interface Turn {
  readonly rounds: readonly Round[];
  /** The user's message; absent when the history does not begin with it. */
  readonly user: Placed<Message> | undefined;
  /** The turn's last step. */
  readonly last: Step;
  /** The turn that a compaction interrupted and this one goes on with. */
  readonly resumes: Turn | undefined;
  /** A later turn goes on with it after a compaction. */
  readonly isResumed: boolean;
}

/** A step's position: its turn, and how many of the turn's rounds the request carries. */
export interface Standing {
  readonly turn: Turn;
  readonly rounds: number;
}

interface Rounds {
  readonly turns: readonly Turn[];
  readonly standings: ReadonlyMap<Step, Standing>;
}

const known = new WeakMap<Conversation, Rounds>();
/** Of shorter conversations only the latest is known, as a log may have a million of them. */
const fewSteps = 4;
let latestShort: WeakRef<Conversation> | undefined;

/** The turns of a conversation, per branch where it forks. Computed once for all rules. */
export function turnsOf(conversation: Conversation): readonly Turn[] {
  return roundsOf(conversation).turns;
}

/** A step's position in its turn. */
export function standingOf(step: Step): Standing | undefined {
  return roundsOf(step.conversation).standings.get(step);
}

/** Equal for rounds with the same calls, in any order and number. */
export function keyOfRound(round: Round): string {
  const [first] = round.calls;
  if (first && round.calls.length === 1) return callText(first.call.item);
  return [...new Set(round.calls.map(({ call }) => callText(call.item)))].sort().join("\n");
}

function roundsOf(conversation: Conversation): Rounds {
  let rounds = known.get(conversation);
  if (!rounds) {
    rounds = readRounds(conversation);
    known.set(conversation, rounds);
    if (conversation.steps.length < fewSteps) {
      const before = latestShort?.deref();
      if (before) known.delete(before);
      latestShort = new WeakRef(conversation);
    }
  }
  return rounds;
}

interface Draft {
  rounds: Round[];
  user: Placed<Message> | undefined;
  last: Step;
  resumes: Draft | undefined;
  isResumed: boolean;
}

interface DraftRound {
  calls: DraftCall[];
  step: Step;
  isAnswered: boolean;
  waiting: WaitingCalls;
}

function readRounds(conversation: Conversation): Rounds {
  const turns: Draft[] = [];
  const standings = new Map<Step, { turn: Draft; rounds: number }>();
  /** The calls of all replies by id; a history that must be read from its start finds them here. */
  const made = new Map<string, Placed<ToolCall>>();

  const newTurn = (step: Step, user: Placed<Message> | undefined, rounds: Round[] = []): Draft => {
    const turn: Draft = { rounds, user, last: step, resumes: undefined, isResumed: false };
    turns.push(turn);
    return turn;
  };

  for (const step of conversation.steps) {
    const from = hasOwnHistory(step) ? undefined : step.parent && standings.get(step.parent);
    // Two steps may continue one: the second gets its own branch.
    const isFork = from !== undefined && from.rounds < from.turn.rounds.length;
    // A window set up by the client hides earlier rounds from the model on purpose.
    const isWindow =
      step.loss !== undefined && step.loss.extent !== "current-turn" && step.loss.extent !== "note";
    let turn =
      from && !isFork && !isWindow
        ? from.turn
        : newTurn(step, from?.turn.user, from && !isWindow ? from.turn.rounds.slice(0, from.rounds) : []);
    let round: DraftRound | undefined;
    const aliases = new Map<Item, string>();
    // A transcript contains each call once.
    for (const { before, after } of step.exchange.lineage ? [] : step.echoes)
      if (isCall(after) && after.item.id !== undefined) aliases.set(before.item, after.item.id);

    const close = (): void => {
      if (round?.isAnswered) turn.rounds.push({ calls: round.calls, step: round.step });
      round = undefined;
    };
    const open = (call: Placed<ToolCall>): void => {
      if (round?.isAnswered) close();
      round ??= { calls: [], step: call.step, isAnswered: false, waiting: new WaitingCalls(aliases) };
      const entry: DraftCall = { call, result: undefined };
      round.calls.push(entry);
      round.waiting.add(entry);
    };

    // A branch may continue with a reply other than its parent's, so it is read from the end of the parent's
    // request.
    const goesOn = from !== undefined && step.relation !== "branch";
    if (goesOn) for (const call of step.parent ? openCalls(step.parent) : []) open(call);

    let resultElement = -1;
    for (const placed of goesOn
      ? step.added
      : placedItems(step, step.request?.history, from ? step.kept : 0)) {
      if (isCall(placed)) {
        const own = placed.item.id === undefined ? undefined : made.get(placed.item.id);
        if (!placed.item.isHosted) open(own && callText(own.item) === callText(placed.item) ? own : placed);
      } else if (isResult(placed)) {
        if (placed.item.isHosted) continue;
        resultElement = placed.element;
        const entry = round?.waiting.answeredBy(placed.item);
        if (!round || !entry) continue;
        entry.result = placed;
        round.isAnswered = true;
      } else if (isUserMessage(placed) && placed.element !== resultElement && beginsTurn(placed.item)) {
        close();
        turn = newTurn(step, placed);
      }
    }
    close();
    turn.last = step;
    const interrupted = step.relation === "compaction" ? interruptedTurn(step, standings) : undefined;
    if (interrupted && interrupted !== turn) {
      turn.resumes = interrupted;
      interrupted.isResumed = true;
    }
    standings.set(step, { turn, rounds: turn.rounds.length });
    for (const call of openCalls(step)) if (call.item.id !== undefined) made.set(call.item.id, call);
  }

  for (const step of conversation.steps) addOpenRound(step, standings.get(step));
  return { turns, standings };
}

/** How many steps before a compaction are searched for the work; requests for summaries lie between. */
const maxBetween = 4;

/** The turn that a compaction interrupts: the newest with rounds. */
function interruptedTurn(
  { number, conversation: { steps } }: Step,
  standings: ReadonlyMap<Step, { readonly turn: Draft }>,
): Draft | undefined {
  for (let before = number - 1; before > 0 && number - before <= maxBetween; before--) {
    const turn = standings.get(steps[before - 1] as Step)?.turn;
    if (turn && turn.rounds.length > 0) return turn;
  }
  return undefined;
}

/** Nothing of the parent's branch applies: the history diverges before the end of the parent's. */
function hasOwnHistory({ relation, parent, kept }: Step): boolean {
  if (relation === "branch") return kept === 0 || kept !== parent?.request?.history.length;
  return relation === "start" || relation === "compaction";
}

/** The calls at the end of a branch form a round too, one without results. */
function addOpenRound(step: Step, standing: { turn: Draft; rounds: number } | undefined): void {
  if (!standing || step.children.length > 0 || step.retriedBy) return;
  const calls = openCalls(step).map((call) => ({ call, result: undefined }));
  if (calls.length > 0 && standing.turn.rounds.length === standing.rounds)
    standing.turn.rounds.push({ calls, step });
}

function isUserMessage(placed: Placed): placed is Placed<Message> {
  return placed.item.kind === "message" && placed.item.role === "user";
}

const nudge =
  /^(?:(?:please )?(?:continue|go on|go ahead|keep going|carry on|proceed|next|resume)|yes|ok(?:ay)?|weiter|continua|continuez?|继续|続けて)[\s.!…]*$/iu;

/** Whether a user message asks for something; a bare "continue" does not. */
function beginsTurn({ text }: Message): boolean {
  const trimmed = text.trim();
  return trimmed !== "" && !nudge.test(trimmed.slice(0, 40)) && !isReminder(trimmed);
}
