import type { Step } from "../../conversation/conversation.ts";
import type { Item } from "../../conversation/item.ts";
import type { Run } from "../../log/open.ts";
import { protocols } from "../../protocols/index.ts";
import { supported } from "../../protocols/protocol.ts";
import { count } from "../../rules/words.ts";
import type { AnswerSource, AskedTurn } from "./answer-source.ts";
import { Point } from "./prefix-tree.ts";
import { whyMissed } from "./recorded-misses.ts";
import { flawOf, type NoAnswer, type RecordedTurn, recordedAnswer } from "./recorded-replies.ts";
import { type Said, type SaidIn, type StoredItems, saidInAll } from "./said.ts";

/**
 * Answers from logs, which are to be opened with `keepsReplies`: a request gets the reply that a request with
 * the same conversation got. System prompts, tools, models, thinking, ids and times make no difference, but
 * where several requests differ in them alone, the most similar one counts. Equal requests get their replies
 * in the order of the log, and after the last one the last one again.
 */
export function recordedAnswers(runs: readonly Run[]): AnswerSource {
  const starts = new Map<string, Point<RecordedTurn>>();
  const exactKeys = new ExactKeys();
  const used = new Set<RecordedTurn>();
  const given = new Map<AskedTurn, RecordedTurn>();
  const flaws = new Map<NoAnswer, number>();
  let repeated = 0;
  let total = 0;
  const startOf = (name: string): Point<RecordedTurn> => {
    let start = starts.get(name);
    if (!start) {
      start = new Point();
      starts.set(name, start);
    }
    return start;
  };
  const steps = turnsOf(runs);
  const stored = storedItems(steps);
  for (const step of steps) {
    const { exchange } = step;
    const flaw = flawOf(exchange);
    const reply: SaidIn = { exchange, part: "reply" };
    const said = saidInAll([...partsOf(step), ...(flaw ? [] : [reply])], stored);
    const conversation = said.filter(({ from }) => from !== reply);
    const point = startOf(served.has(exchange.protocol) ? exchange.protocol : neutral).extend(conversation);
    point.endings.push({ exchange, exactKey: exactKeys.add(conversation), flaw });
    point.extend(said.slice(conversation.length));
    if (flaw) flaws.set(flaw, (flaws.get(flaw) ?? 0) + 1);
    total++;
  }

  return {
    answer(turn) {
      const conversation = saidInAll([{ exchange: turn.exchange, part: "request" }], stored);
      const ways = [turn.exchange.protocol, neutral].flatMap((name) => {
        const start = starts.get(name);
        return start ? [{ start, ...start.follow(conversation) }] : [];
      });
      const exactKey = exactKeys.find(conversation);
      const planned = ways
        .filter(({ length }) => length === conversation.length)
        .flatMap(({ point }) => point.endings.filter(({ flaw }) => !flaw));
      const equal = planned.filter((each) => each.exactKey === exactKey);
      const fitting = equal.length > 0 ? equal : planned;
      const next = fitting.find((each) => !used.has(each));
      const recorded = next ?? fitting.at(-1);
      const reply = recorded?.exchange.reply;
      if (!recorded || !reply) return { kind: "miss", why: whyMissed(conversation, ways, turn) };
      if (next) {
        used.add(next);
        given.set(turn, next);
      } else repeated++;
      return recordedAnswer(reply);
    },
    sent: (turn) => {
      given.delete(turn);
    },
    unsent(turn) {
      const taken = given.get(turn);
      if (taken) used.delete(taken);
      given.delete(turn);
    },
    notes() {
      const unused = total - used.size - [...flaws.values()].reduce((sum, number) => sum + number, 0);
      const kinds = [...flaws].map(([flaw, number]) => `${number} ${flaw}`).join(", ");
      return [
        ...(total === 0 ? ["the log has no request of a model"] : []),
        ...(kinds === "" ? [] : [`of the log, these replies answer nothing: ${kinds}`]),
        ...(repeated > 0 ? [`${count(repeated, "request")} got a recorded reply once more`] : []),
        ...(unused > 0
          ? [`${count(unused, "recorded reply was", "recorded replies were")} not asked for`]
          : []),
      ];
    },
  };
}

/** Stands for the protocols that nobody asks a server in: what sessions and tracers write. */
const neutral = "";

const served = new Set(
  protocols.filter(({ loadServerSide }) => supported(loadServerSide)).map(({ name }) => name),
);

/** The turns of all runs, in the order of their logs. */
function turnsOf(runs: readonly Run[]): readonly Step[] {
  return runs.flatMap(({ conversations }) =>
    conversations
      .flatMap(({ steps }) => steps)
      .filter(({ exchange, request }) => request && !request.isCut && exchange.purpose === undefined)
      .sort((a, b) => a.exchange.position - b.exchange.position),
  );
}

/** The items of all replies that have ids of their own. */
function storedItems(steps: readonly Step[]): StoredItems {
  const stored = new Map<string, Item>();
  for (const { reply } of steps)
    for (const item of reply?.items ?? []) {
      const id = "itemId" in item ? item.itemId : item.kind === "reasoning" ? item.id : undefined;
      if (id !== undefined) stored.set(id, item);
    }
  return stored;
}

/** What leads to a request: the history that the server has stored of it, and its own. */
function partsOf(step: Step): readonly SaidIn[] {
  const parts: SaidIn[] = [{ exchange: step.exchange, part: "request" }];
  let { request, parent } = step;
  while (parent && request && (request.links.previousReply ?? request.links.conversation) !== undefined) {
    const { exchange } = parent;
    parts.unshift({ exchange, part: "request" }, { exchange, part: "reply" });
    ({ request, parent } = parent);
  }
  return parts;
}

/** Short keys for all that was said, to the letter. */
class ExactKeys {
  private readonly ids = new Map<string, number>();

  /** The key of a recorded conversation. */
  add(conversation: readonly Said[]): number {
    let id = 0;
    for (const { exactKey } of conversation) {
      const key = `${id} ${exactKey}`;
      id = this.ids.get(key) ?? this.ids.size + 1;
      this.ids.set(key, id);
    }
    return id;
  }

  /** The key of an equal recorded conversation; `undefined` if there is none. */
  find(conversation: readonly Said[]): number | undefined {
    let id: number | undefined = 0;
    for (const { exactKey } of conversation) {
      id = this.ids.get(`${id} ${exactKey}`);
      if (id === undefined) return undefined;
    }
    return id;
  }
}
