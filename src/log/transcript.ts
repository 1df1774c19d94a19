import type { Demands, Exchange, History, Lineage } from "../conversation/exchange.ts";
import type { Item, Role } from "../conversation/item.ts";
import type { Reply } from "../conversation/reply.ts";
import { historyOf } from "../protocols/history.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { append, emptyList, indexOfRange, type Range } from "../reading/lists.ts";
import type { Origin } from "../reading/origin.ts";
import { locateJson, originOf } from "../reading/place.ts";
import type { Element, SharedRun } from "../reading/shared-run.ts";
import type { Defect, Recording } from "../traffic/container.ts";
import type { CallIds, Session } from "../traffic/session.ts";
import type { SessionWriter } from "../traffic/session-writer.ts";
import {
  type Branch,
  branchPlace,
  type Entry,
  entryAt,
  holderOf,
  type Speech,
  sessionOf,
  startOf,
  timeOf,
} from "../traffic/transcript.ts";

/**
 * Converts branches of a transcript into exchanges: one per model reply, whose request is everything before
 * it. Requests share the entries, so the cost is linear in the entries.
 */
export function transcriptExchanges(
  { branches = [], settle, defects }: Pick<Recording, "branches" | "settle" | "defects">,
  protocols: ReadonlyMap<string, Protocol>,
  file: string,
): Exchange[] {
  const lines = new Map<Branch, Line>();
  const exchanges: Exchange[] = [];
  const intervals: Interval[] = [];
  for (const branch of branches) {
    const protocol = protocols.get(branch.protocol);
    if (!protocol || branch.entries.length === 0) continue;
    const line = lineOf(branch, protocol, lines);
    lines.set(branch, line);
    let before: number | undefined;
    for (const { exchange, at } of steps(line, protocol)) {
      const number = exchanges.length + 1;
      exchanges.push(Object.assign(exchange, { number, position: number, file }));
      intervals.push({ line, from: before, to: at });
      before = at;
    }
  }
  markLosses(exchanges, intervals, defects);
  settle?.((protocol, value) => speechOf(protocols.get(protocol)?.decodeElement(value).items ?? []));
  return exchanges;
}

/** The entries between the beginnings of two replies: an exchange, and what its reply follows. */
interface Interval {
  readonly line: Line;
  /** The first entry of the previous reply; absent without one. */
  readonly from: number | undefined;
  readonly to: number;
}

/** Marks the exchanges with records that cannot be read. Defects are known when all has been read. */
function markLosses(
  exchanges: readonly Exchange[],
  intervals: readonly Interval[],
  defects: readonly Defect[],
): void {
  const lost = defects.filter(({ kind }) => kind === "broken" || kind === "cut" || kind === "unfinished");
  const [first] = lost;
  if (!first) return;
  const { source } = first.origin;
  const starts = new Set(lost.flatMap(({ origin }) => (origin.source === source ? [origin.start] : [])));
  const places = [...starts].sort((a, b) => a - b).map((start): Range => ({ start, end: start + 1 }));
  for (const [index, exchange] of exchanges.entries()) {
    const { line, from, to } = intervals[index] as Interval;
    const begin = from === undefined ? undefined : originOf(line.entry(from).span);
    const end = to < line.length ? originOf(line.entry(to).span) : undefined;
    if ((begin ?? end)?.source !== source) continue;
    const next = places[indexOfRange(places, begin?.start ?? 0)];
    if (next && next.start < (end?.start ?? Number.POSITIVE_INFINITY))
      Object.assign(exchange, { lacksRecord: true });
  }
}

function speechOf(items: readonly Item[]): Speech {
  const texts = items.flatMap((item) => {
    if (item.kind === "call") return [item.name, item.argumentsText];
    if (item.kind === "result") return [item.text, item.name ?? ""];
    return "text" in item ? [item.text] : [];
  });
  return { texts, lacksName: items.some((item) => item.kind === "call" && item.name === "") };
}

/** A branch during conversion. */
interface Line {
  readonly branch: Branch;
  readonly session: Session;
  /** How many inherited entries precede its own. */
  readonly start: number;
  readonly length: number;
  readonly demands: Demands;
  /** Its own entries as history elements. */
  readonly own: readonly Element[];
  entry(index: number): Entry;
  /** The model's history after the first `length` entries. */
  history(length: number): History;
  readonly points: Point[];
  /** The last step that ended within the first `length` entries. */
  pointBefore(length: number): Point | undefined;
}

/** The end of a step, where other branches may fork. */
interface Point {
  readonly lineage: Lineage;
  /** The index of the first entry after its reply. */
  readonly end: number;
}

function lineOf(
  branch: Branch,
  { name, demands, decodeElement }: Protocol,
  lines: ReadonlyMap<Branch, Line>,
): Line {
  const start = startOf(branch);
  const base = branch.origin && lines.get(branch.origin.branch);
  const points: Point[] = [];
  const own = branch.entries.map((entry) => new EntryElement(entry));
  const entry = (index: number): Entry => entryAt(branch, index) as Entry;
  const length = start + own.length;
  const elementBefore = (index: number): Element | undefined => {
    const holder = holderOf(branch, index);
    return lines.get(holder)?.own[index - startOf(holder)];
  };
  const originAt = (index: number): Origin => locateJson(entry(index).span, entry(index).pointer);
  const run: SharedRun = {
    length,
    element: (index) => (index < start ? elementBefore(index) : own[index - start]) as Element,
    start: (index) => originAt(index).start,
    end: (index) => originAt(index).end,
    arrayStart: 0,
    arrayEnd: 0,
    level: 0,
    state: "complete",
  };
  const whole = historyOf(run, name, decodeElement);
  return {
    branch,
    session: sessionOf(branch, (index) => callIdsOf(index < length ? whole.items(index) : [])),
    demands: branch.writer ? demandsOn(branch.writer, demands) : demands,
    start,
    length,
    own,
    entry,
    history: (most) => new PartOfHistory(whole, most),
    points,
    pointBefore: (most) => points.findLast(({ end }) => end <= most) ?? base?.pointBefore(most),
  };
}

/** An entry as a history element, parsed on demand. */
class EntryElement implements Element {
  readonly isBroken = false;
  decoded: unknown = undefined;
  readonly #entry: Entry;

  constructor(entry: Entry) {
    this.#entry = entry;
  }

  get value(): unknown {
    return this.#entry.value;
  }

  get outline(): unknown {
    return this.#entry.outline;
  }

  get size(): number {
    const { start, end } = this.#entry.span;
    return end - start;
  }
}

function callIdsOf(items: readonly Item[]): CallIds {
  return {
    made: items.flatMap((item) => (item.kind === "call" ? (item.id ?? []) : [])),
    answered: items.flatMap((item) => (item.kind === "result" ? (item.callId ?? []) : [])),
  };
}

/** The demands on an agent's records. The provider is unknown, but calls and results must match anywhere. */
function demandsOn({ resultsFollow }: SessionWriter, demands: Demands): Demands {
  return {
    ...demands,
    refusesDuplicateResults: true,
    ...(resultsFollow && { adjacency: "following-run" }),
  };
}

/** A prefix of a history. There is one per reply, so it shares all it can. */
class PartOfHistory implements History {
  readonly length: number;
  readonly #whole: History;

  constructor(whole: History, length: number) {
    this.#whole = whole;
    this.length = length;
  }

  get run(): SharedRun {
    return { ...this.#whole.run, length: this.length };
  }

  element(index: number): Element {
    return this.#whole.element(index);
  }

  items(index: number): readonly Item[] {
    return this.#whole.items(index);
  }

  role(index: number): Role {
    return this.#whole.role(index);
  }
}

/** The exchanges of a line, each with the entry that its reply begins at, or would. */
function* steps(line: Line, protocol: Protocol): Generator<{ exchange: Exchange; at: number }> {
  const { length } = line;
  const whole = line.history(length);
  const { origin } = line.branch;
  let at = (origin?.how === "compaction" ? origin.kept?.to : undefined) ?? line.start;
  /** The first entry that is new to the next step. */
  let from = at;
  let lineage = firstRecorded(line);
  while (at < length) {
    if (whole.role(at) !== "assistant") {
      at++;
      continue;
    }
    const end = endOfReply(line, whole, at);
    yield { exchange: exchangeOf(line, protocol, lineage, { from, at, end }), at };
    line.points.push({ lineage, end });
    lineage = {
      from: lineage,
      relation: "continuation",
      known: { from: 0, to: end },
      isPartial: lineage.isPartial,
    };
    from = end;
    at = end;
  }
  if (from < length) {
    const rest = { from, at: length, end: length };
    yield { exchange: exchangeOf(line, protocol, lineage, rest), at: length };
  }
}

function firstRecorded({ branch: { origin, isPartial = false, calledBy }, pointBefore }: Line): Lineage {
  const before = origin && pointBefore(origin.length);
  const nothing = { from: 0, to: 0 };
  if (!origin || !before)
    return {
      from: undefined,
      relation: "start",
      known: nothing,
      isPartial,
      ...(calledBy !== undefined && { calledBy }),
    };
  const known = origin.how === "branch" ? { from: 0, to: origin.length } : (origin.kept ?? nothing);
  return { from: before.lineage, relation: origin.how, known, isPartial };
}

/** The end of one model reply: where another speaker or another reply begins. */
function endOfReply(line: Line, whole: History, from: number): number {
  const { reply } = line.entry(from);
  let end = from + 1;
  while (end < line.length && whole.role(end) === "assistant" && line.entry(end).reply === reply) end++;
  return end;
}

/** A step: new entries from `from`, its reply from `at`, the rest from `end`. */
interface Extents {
  readonly from: number;
  readonly at: number;
  readonly end: number;
}

/** Facts that a transcript lacks; one object for all its exchanges. */
const nothing = Object.freeze({});

function exchangeOf(line: Line, protocol: Protocol, lineage: Lineage, { from, at, end }: Extents): Exchange {
  const { branch } = line;
  const time = timeOf(line.entry(Math.max(line.start, at - 1)).time);
  let isAborted = false;
  for (let index = at; index < end; index++) isAborted ||= line.entry(index).isAborted === true;
  return {
    number: 0,
    file: "",
    position: 0,
    protocol: protocol.name,
    demands: line.demands,
    isOwnProvider: false,
    fidelity: "wire",
    request: {
      place: branchPlace(branch, Math.max(0, Math.min(from, at - 1)), Math.max(1, at)),
      historyPointer: "",
      history: line.history(at),
      system: undefined,
      tools: undefined,
      toolChoice: undefined,
      model: undefined,
      maxTokens: undefined,
      isStreaming: false,
      links: nothing,
      settings: nothing,
    },
    reply: end > at ? replyOf(line, protocol, at, end) : undefined,
    ...(time !== undefined && { time }),
    headers: nothing,
    isAborted,
    isCut: false,
    lineage,
    session: line.session,
  };
}

function replyOf(line: Line, { meaningOf }: Protocol, at: number, end: number): Reply {
  const said = new RecordedReply(line, at, end);
  for (let index = at; index < end; index++) {
    const { model, usage, finish, error, reply } = line.entry(index);
    if (reply !== undefined) said.id = reply;
    if (model !== undefined) said.model = model;
    if (usage !== undefined) said.usage = usage;
    if (finish) {
      const meaning = meaningOf?.(finish.reason) ?? "other";
      said.finish = { reason: finish.reason, meaning, pointer: `/${index}${finish.pointer}` };
    }
    if (error)
      said.error = { message: error.message, isMidStream: false, pointer: `/${index}${error.pointer}` };
  }
  return said;
}

/** The reply in the entries from `at` up to, but not including, `end`. */
class RecordedReply implements Reply {
  readonly place: Reply["place"];
  readonly form = "json";
  readonly state = "complete";
  readonly flaws = emptyList;
  readonly otherChoices = 0;
  declare id?: string;
  declare model?: string;
  declare usage?: NonNullable<Reply["usage"]>;
  declare finish?: NonNullable<Reply["finish"]>;
  declare error?: NonNullable<Reply["error"]>;
  readonly #line: Line;
  readonly #at: number;
  readonly #end: number;
  #items: readonly Item[] | undefined;

  constructor(line: Line, at: number, end: number) {
    this.place = branchPlace(line.branch, at, end);
    this.#line = line;
    this.#at = at;
    this.#end = end;
  }

  /** The same items as in the history, but their pointers begin with the entry. */
  get items(): readonly Item[] {
    this.#items ??= this.#read();
    return this.#items;
  }

  #read(): readonly Item[] {
    const whole = this.#line.history(this.#end);
    let items: readonly Item[] = [];
    for (let index = this.#at; index < this.#end; index++)
      for (const item of whole.items(index))
        items = append(items, { ...item, pointer: `/${index}${item.pointer}` });
    return items;
  }
}
