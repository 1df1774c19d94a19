import { type Placed, placedItems, type Step } from "../conversation/conversation.ts";
import type { Run } from "../log/open.ts";
import { linesOf } from "../reading/origin.ts";
import { describeConversation, type Selected, type Selection, selected } from "../show/describe.ts";
import type { ShownConversation, ShownReply, ShownRequest, ShownStep } from "../show/shown.ts";
import { countText, durationText, outcomeText, relationText } from "../show/words.ts";
import type { PayloadPlace } from "../traffic/place.ts";
import type {
  HistoryRun,
  Occurrence,
  PageConversation,
  PageLoop,
  PageReply,
  PageRequest,
  PageStep,
} from "./data.ts";
import type { FileTable } from "./files.ts";
import { type ItemTable, type NumberedItem, shownLine, shownStart } from "./items.ts";
import { shownText, type TextTable } from "./texts.ts";

/** What the conversations of a page share. */
export interface Tables {
  readonly files: FileTable;
  readonly items: ItemTable;
  readonly texts: TextTable;
}

/** A step that its raw events are added to. */
interface OpenStep extends Omit<PageStep, "reply"> {
  readonly reply: (Omit<PageReply, "events"> & { events?: number }) | null;
}

/** The conversations of a page, and where the steps of the logs went. */
export interface PageConversations {
  readonly conversations: (PageConversation & { readonly steps: readonly OpenStep[] })[];
  /** The indexes of each step in the page. */
  readonly places: ReadonlyMap<Step, { readonly conversation: number; readonly step: number }>;
}

/** The conversations of some logs. */
export function conversationsOf(
  runs: readonly Pick<Run, "conversations">[],
  selection: Selection,
  tables: Tables,
): PageConversations {
  const chosen = runs.map(({ conversations }) => selected(conversations, selection));
  const places = new Map<Step, { conversation: number; step: number }>();
  for (const [conversation, { steps }] of chosen.flat().entries())
    for (const [step, each] of steps.entries()) places.set(each, { conversation, step });
  let first = 0;
  const conversations = chosen.flatMap((own, log) => {
    const names = new Map(own.map(({ conversation: { name } }, index) => [name, first + index]));
    first += own.length;
    return own.map((one) => {
      const made = conversationOf(one, names, own, places, tables);
      return log === 0 ? made : { ...made, id: `${made.name}.${log + 1}` };
    });
  });
  return { conversations, places };
}

function conversationOf(
  chosen: Selected,
  names: ReadonlyMap<string, number>,
  all: readonly Selected[],
  places: PageConversations["places"],
  tables: Tables,
): PageConversations["conversations"][number] {
  const { conversation, steps } = chosen;
  const shown = describeConversation(chosen, tables.items.occurrence);
  const histories = new Histories(chosen, tables.items);
  const opening = shown.opening === null ? null : shownStart(shownText(shown.opening.slice(0, 2000)), 160);
  return {
    name: shown.name,
    id: shown.name,
    file: tables.files.indexOf(steps[0]?.exchange.file ?? conversation.log.file),
    protocol: shown.protocol,
    kind: conversation.kind,
    opening,
    calledBy: callerIn(shown, names, all, places),
    totals: shown.totals,
    steps: shown.steps.map((step, index) => stepOf(step, steps[index] as Step, histories, tables)),
    loops: loopsOf(shown, steps),
  };
}

function callerIn(
  { calledBy }: ShownConversation<NumberedItem>,
  names: ReadonlyMap<string, number>,
  all: readonly Selected[],
  places: PageConversations["places"],
): PageConversation["calledBy"] {
  if (!calledBy) return null;
  const conversation = names.get(calledBy.conversation);
  const caller = all
    .find(({ conversation: { name } }) => name === calledBy.conversation)
    ?.steps.find(({ exchange }) => exchange.number === calledBy.exchange);
  const place = caller && places.get(caller);
  if (conversation === undefined || !place) return null;
  return { conversation, step: place.step, tool: shownLine(calledBy.tool) };
}

function stepOf(shown: ShownStep<NumberedItem>, step: Step, histories: Histories, tables: Tables): OpenStep {
  for (const { call, result } of step.pairing.pairs) tables.items.pair(call, result);
  const { model, time, durationMs, status } = shown;
  const relation = relationText(shown).join(", ");
  const file = tables.files.indexOf(step.exchange.file);
  return {
    number: shown.step,
    exchange: shown.exchange,
    file,
    turn: shown.turn,
    relation: shown.relation,
    ...(relation !== "" && { relationText: relation }),
    ...(shown.isAside && { isAside: true }),
    ...(model !== null && { model: shownLine(model) }),
    ...(time !== null && { time }),
    ...(durationMs !== null && { durationMs }),
    ...(status !== null && { status }),
    ...(shown.isAborted && { isAborted: true }),
    ...(shown.isPartial && { isPartial: true }),
    request: shown.request && requestOf(shown.request, step, file, histories, tables),
    reply: shown.reply && replyOf(shown.reply, step, file, tables),
  };
}

function requestOf(
  shown: ShownRequest<NumberedItem>,
  step: Step,
  file: number,
  histories: Histories,
  tables: Tables,
): PageRequest {
  const { line, length, added, gone, loss, changed, moved, unanswered, system, tools } = shown;
  return {
    ...elsewhere(step.request?.place, file, tables),
    line,
    column: columnOf(step.request?.place),
    length,
    history: histories.of(step),
    added: added.map(plain),
    gone: gone.map(plain),
    loss,
    changed: changed.map(({ what, before, after }) => ({ what, before: plain(before), after: plain(after) })),
    moved: moved.map(plain),
    unanswered: unanswered.map(plain),
    ...(system !== undefined && { system: system === null ? null : tables.texts.add(shownText(system)) }),
    ...(tools !== undefined && { tools: tools?.map(shownLine) ?? null }),
  };
}

function replyOf(shown: ShownReply<NumberedItem>, step: Step, file: number, tables: Tables): PageReply {
  const { line, form, state, items, wantsTools, stop, tokens, error } = shown;
  const outcome = outcomeText(shown, stop ? shownLine(stop.reason) : "").join(", ");
  const errorWords = [error?.type, error?.code, error?.message].filter(Boolean).join(": ");
  return {
    ...elsewhere(step.reply?.place, file, tables),
    line,
    column: columnOf(step.reply?.place),
    form,
    ...(state === "open" && { isOpen: true }),
    items: items.map(plain),
    ...(wantsTools && { wantsTools }),
    ...(outcome !== "" && { outcome }),
    ...(tokens && { tokens }),
    ...(error && { error: shownLine(errorWords) }),
  };
}

function plain({ kind: _, ...occurrence }: NumberedItem): Occurrence {
  return occurrence;
}

/** The file of a half, where it is not the step's. */
function elsewhere(place: PayloadPlace | undefined, file: number, { files }: Tables): { file?: number } {
  const own = place && files.known(place.origin.source.name);
  return own === undefined || own === file ? {} : { file: own };
}

function columnOf(place: PayloadPlace | undefined): number {
  return place ? linesOf(place.origin.source).at(place.origin.start).column : 1;
}

/** Histories as what earlier steps have, and what is new. */
class Histories {
  readonly #indexes: ReadonlyMap<Step, number>;
  readonly #items: ItemTable;
  /** The number of items of each history. */
  readonly #lengths = new Map<Step, number>();

  constructor({ steps }: Selected, items: ItemTable) {
    this.#indexes = new Map(steps.map((step, index) => [step, index]));
    this.#items = items;
  }

  of(step: Step): PageRequest["history"] {
    const parent = step.parent;
    const from = parent && this.#indexes.get(parent);
    const before = parent?.request?.history;
    if (from === undefined || !parent || !before)
      return this.#noted(step, 0, this.#occurrences(placedItems(step)));
    const kept = Math.min(step.kept, before.length);
    const rest = [...placedItems(parent, before, kept)];
    const count = (this.#lengths.get(parent) ?? 0) - rest.length;
    const own = [...placedItems(step, step.request?.history, kept)];
    const parts = own.length > fewItems ? this.#matched(own, rest, from, count) : this.#occurrences(own);
    const runs = count > 0 ? [{ from, start: 0, count }, ...parts] : parts;
    return this.#noted(step, count + own.length, runs);
  }

  #noted(step: Step, length: number, parts: PageRequest["history"]): PageRequest["history"] {
    this.#lengths.set(step, length || parts.length);
    return parts;
  }

  #occurrences(placed: Iterable<Placed>): Occurrence[] {
    return Array.from(placed, (each) => plain(this.#items.occurrence(each)));
  }

  /** A client that changes the beginning of its history sends the rest of it again. */
  #matched(
    own: readonly Placed[],
    before: readonly Placed[],
    from: number,
    offset: number,
  ): (HistoryRun | Occurrence)[] {
    const positions = new Map<number, number>();
    for (const [at, placed] of before.entries()) positions.set(this.#items.numberOf(placed), at);
    const parts: (HistoryRun | Occurrence)[] = [];
    for (let at = 0; at < own.length; ) {
      const start = positions.get(this.#items.numberOf(own[at] as Placed));
      let count = 0;
      while (start !== undefined && this.#isSame(own[at + count], before[start + count])) count++;
      if (start !== undefined && count >= shortestRun) parts.push({ from, start: offset + start, count });
      else {
        count = Math.max(1, count);
        for (const one of own.slice(at, at + count)) parts.push(plain(this.#items.occurrence(one)));
      }
      at += count;
    }
    return parts;
  }

  #isSame(one: Placed | undefined, other: Placed | undefined): boolean {
    return (
      one !== undefined && other !== undefined && this.#items.numberOf(one) === this.#items.numberOf(other)
    );
  }
}

/** As many new items as this are listed without a search for them in the history before. */
const fewItems = 12;
const shortestRun = 4;

function loopsOf({ repeats, steps }: ShownConversation<NumberedItem>, own: readonly Step[]): PageLoop[] {
  const indexes = new Map(own.map(({ exchange }, index) => [exchange.number, index]));
  return repeats.flatMap(({ calls, exchanges, results, cost }) => {
    const at = exchanges.flatMap((number) => indexes.get(number) ?? []).sort((a, b) => a - b);
    if (at.length < 2 || steps.length === 0) return [];
    const spent = [
      ...(cost.tokens === null ? [] : [countText(cost.tokens, "token")]),
      ...(cost.durationMs === null ? [] : [durationText(cost.durationMs)]),
    ].join(", ");
    return [
      {
        calls: calls.map((call) => ({
          tool: shownLine(call.tool),
          arguments: shownStart(shownText(call.arguments), 160),
        })),
        steps: at,
        results,
        ...(spent !== "" && { cost: spent }),
      },
    ];
  });
}
