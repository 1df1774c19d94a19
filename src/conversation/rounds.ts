import { type Conversation, isCall, isResult, type Placed, placedItems, type Step } from "./conversation.ts";
import { callText } from "./identity.ts";
import type { Item, Message, ToolCall, ToolResult } from "./item.ts";
import { openCalls } from "./pairing/pairing.ts";
import { isReminder } from "./reminder.ts";

/** The client calls of one reply, or of one assistant turn of a history, and what came back for them. */
export interface Round {
  readonly calls: readonly RoundCall[];
  /**
   * The step whose reply made the calls; for a reply that is not in the log, the step whose history first has
   * them.
   */
  readonly step: Step;
}

/** One call of a round; `result` is absent when none was sent. */
export interface RoundCall {
  readonly call: Placed<ToolCall>;
  readonly result: Placed<ToolResult> | undefined;
}

/** The rounds from one user message to the next, along one line of a conversation. */
export interface Turn {
  readonly rounds: readonly Round[];
  /** What the user asked; absent when the history does not begin with it. */
  readonly user: Placed<Message> | undefined;
  /** The last step that belongs to it. */
  readonly last: Step;
}

/** Where a step stands: the turn it belongs to, and how many of its rounds the request carries. */
export interface Standing {
  readonly turn: Turn;
  readonly rounds: number;
}

interface Rounds {
  readonly turns: readonly Turn[];
  readonly standings: ReadonlyMap<Step, Standing>;
}

const known = new WeakMap<Conversation, Rounds>();

/** The turns of a conversation; where it forks, each line has its own. Counted once for all rules. */
export function turnsOf(conversation: Conversation): readonly Turn[] {
  return roundsOf(conversation).turns;
}

/** Where a step stands in its turn. */
export function standingOf(step: Step): Standing | undefined {
  return roundsOf(step.conversation).standings.get(step);
}

/** The same for rounds that make the same calls, however often and in whichever order. */
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
  }
  return rounds;
}

interface Draft {
  rounds: Round[];
  user: Placed<Message> | undefined;
  last: Step;
}

interface DraftRound {
  calls: { call: Placed<ToolCall>; result: Placed<ToolResult> | undefined }[];
  step: Step;
  isAnswered: boolean;
}

function readRounds(conversation: Conversation): Rounds {
  const turns: Draft[] = [];
  const standings = new Map<Step, { turn: Draft; rounds: number }>();
  /** The calls of all replies by id: a history that is read anew finds them there. */
  const made = new Map<string, Placed<ToolCall>>();

  const newTurn = (step: Step, user: Placed<Message> | undefined, rounds: Round[] = []): Draft => {
    const turn: Draft = { rounds, user, last: step };
    turns.push(turn);
    return turn;
  };

  for (const step of conversation.steps) {
    const from = hasOwnHistory(step) ? undefined : step.parent && standings.get(step.parent);
    // Two steps may go on from one: the second gets a line of its own.
    const isFork = from !== undefined && from.rounds < from.turn.rounds.length;
    // A window that the client set up hides the earlier rounds from the model on purpose.
    const isWindow =
      step.loss !== undefined && step.loss.extent !== "current-turn" && step.loss.extent !== "note";
    let turn =
      from && !isFork && !isWindow
        ? from.turn
        : newTurn(step, from?.turn.user, from && !isWindow ? from.turn.rounds.slice(0, from.rounds) : []);
    let round: DraftRound | undefined;

    const close = (): void => {
      if (round?.isAnswered) turn.rounds.push(round);
      round = undefined;
    };
    const open = (call: Placed<ToolCall>): void => {
      if (round?.isAnswered) close();
      round ??= { calls: [], step: call.step, isAnswered: false };
      round.calls.push({ call, result: undefined });
    };

    // A branch may have gone on with another reply than its parent's: it is read from behind the parent's
    // request.
    const goesOn = from !== undefined && step.relation !== "branch";
    if (goesOn) for (const call of step.parent ? openCalls(step.parent) : []) open(call);
    const aliases = new Map<Item, string>();
    // A transcript holds each call once.
    for (const { before, after } of step.exchange.lineage ? [] : step.echoes)
      if (isCall(after) && after.item.id !== undefined) aliases.set(before.item, after.item.id);

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
        const entry = round && answeredBy(round, placed, aliases);
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
    standings.set(step, { turn, rounds: turn.rounds.length });
    for (const call of openCalls(step)) if (call.item.id !== undefined) made.set(call.item.id, call);
  }

  for (const step of conversation.steps) addOpenRound(step, standings.get(step));
  return { turns, standings };
}

/**
 * Nothing of the parent's line can be taken over: the history is another one from some point on, which is not
 * behind the parent's.
 */
function hasOwnHistory({ relation, parent, kept }: Step): boolean {
  if (relation === "branch") return kept === 0 || kept !== parent?.request?.history.length;
  return relation === "start" || relation === "compaction";
}

/** The calls with which a line of the conversation ends are a round too, one without results. */
function addOpenRound(step: Step, standing: { turn: Draft; rounds: number } | undefined): void {
  if (!standing || step.children.length > 0 || step.retriedBy) return;
  const calls = openCalls(step).map((call) => ({ call, result: undefined }));
  if (calls.length > 0 && standing.turn.rounds.length === standing.rounds)
    standing.turn.rounds.push({ calls, step });
}

/**
 * The call of a round that a result answers: by id, also one that the client gave it; else by name, in order.
 */
function answeredBy(
  { calls }: DraftRound,
  { item }: Placed<ToolResult>,
  aliases: ReadonlyMap<Item, string>,
): DraftRound["calls"][number] | undefined {
  const byId = calls.find(
    ({ call, result }) =>
      !result &&
      item.callId !== undefined &&
      (call.item.id === item.callId || aliases.get(call.item) === item.callId),
  );
  if (byId) return byId;
  return calls.find(
    ({ call, result }) =>
      !result &&
      (item.callId === undefined || call.item.id === undefined) &&
      (item.name === undefined || call.item.name === item.name),
  );
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
