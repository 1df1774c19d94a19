import type { Mutable } from "../reading/mutable.ts";
import { type Compact, compact, expand } from "./compact.ts";
import type {
  HistoryRun,
  Occurrence,
  PageConversation,
  PageData,
  PageItem,
  PagePlace,
  PageStep,
} from "./data.ts";

/** The index of a page as it is written: without what follows from the rest, and compact. */
export function pack(data: PageData): Compact {
  const places = placesIn(data);
  return compact({
    ...data,
    conversations: data.conversations.map((conversation) => ({
      ...conversation,
      steps: conversation.steps.map(packStep),
    })),
    items: data.items.map(({ place, ...item }, index) => ({
      ...item,
      ...(!isSame(place, places.get(index)) && { place }),
    })),
  });
}

/** The index of a page: the inverse of {@link pack}. */
export function unpack(packed: Compact): PageData {
  // It was an index when it was packed.
  const data = expand(packed) as Unpacked;
  for (const { steps } of data.conversations) for (const step of steps) unpackStep(step);
  const places = placesIn(data);
  for (const [index, item] of data.items.entries()) item.place ??= places.get(index) ?? { ...nowhere };
  linkFindings(data);
  return data;
}

const nowhere: PagePlace = { file: 0, line: 1, column: 1 };

/** An index before what follows from the rest is restored. */
type Unpacked = Omit<PageData, "items" | "conversations"> & {
  readonly items: readonly Mutable<PageItem>[];
  readonly conversations: readonly (Omit<PageConversation, "steps"> & { readonly steps: readonly Noted[] })[];
};

/** A step that learns of its findings. */
interface Noted extends Omit<Mutable<PageStep>, "findings" | "also"> {
  findings?: number[];
  also?: number[];
}

/** A step without its findings, which know their steps, and without items that its history has, too. */
function packStep({ findings: _, also: __, time, request, ...step }: PageStep): object {
  const isTail = request && isEqual(request.added, tailOf(request.history, request.added.length));
  return {
    ...step,
    ...(time !== undefined && { time: Date.parse(time) }),
    request: request && (isTail ? { ...request, added: undefined, news: request.added.length } : request),
  };
}

function unpackStep(step: Noted): void {
  if (step.time !== undefined) step.time = new Date(step.time).toISOString();
  const request = step.request as (Mutable<NonNullable<PageStep["request"]>> & { news?: number }) | null;
  if (request?.news === undefined) return;
  request.added = tailOf(request.history, request.news);
  delete request.news;
}

/** The last items of a history that are not from an earlier one. */
function tailOf(history: readonly (HistoryRun | Occurrence)[], count: number): Occurrence[] {
  const tail = count > 0 ? history.slice(-count) : [];
  return tail.filter((part) => !("count" in part)) as Occurrence[];
}

function isEqual(one: readonly Occurrence[], other: readonly Occurrence[]): boolean {
  return (
    one.length === other.length &&
    one.every((each, index) => JSON.stringify(each) === JSON.stringify(other[index]))
  );
}

/** Where the page first refers to each item: mostly its first place in the log. */
function placesIn({ conversations }: Pick<PageData, "conversations">): Map<number, PagePlace> {
  const places = new Map<number, PagePlace>();
  const note = (file: number, part: HistoryRun | Occurrence): void => {
    if ("count" in part || places.has(part.item)) return;
    places.set(part.item, { file, line: part.line, column: part.column });
  };
  for (const { file, request, reply } of conversations.flatMap(({ steps }) => steps)) {
    for (const part of request?.history ?? []) note(request?.file ?? file, part);
    for (const part of reply?.items ?? []) note(reply?.file ?? file, part);
  }
  return places;
}

function isSame(one: PagePlace, other: PagePlace | undefined): boolean {
  return one.file === other?.file && one.line === other.line && one.column === other.column;
}

/** Notes at each step the root findings whose place it is, and those that are in it again. */
function linkFindings({ conversations, findings }: Unpacked): void {
  const steps = new Map<string, Noted[]>();
  const at = ({ file }: Noted, exchange: number): string => `${file} ${exchange}`;
  for (const step of conversations.flatMap((conversation): readonly Noted[] => conversation.steps)) {
    const key = at(step, step.exchange);
    const known = steps.get(key);
    if (known) known.push(step);
    else steps.set(key, [step]);
  }
  for (const [index, { conversation, step, cause, alsoIn }] of findings.entries()) {
    const own = conversations[conversation]?.steps[step];
    if (!own || cause >= 0) continue;
    own.findings ??= [];
    own.findings.push(index);
    for (const other of alsoIn.flatMap((exchange) => steps.get(at(own, exchange)) ?? [])) {
      other.also ??= [];
      other.also.push(index);
    }
  }
}

/** Previews and call ids of a page with many items, a line for each item: see {@link PageData.later}. */
export function laterTexts(items: readonly PageItem[]): {
  readonly previews: string;
  readonly callIds: string;
} {
  return {
    previews: items.map(({ preview }) => preview).join("\n"),
    callIds: items.map(({ callId }) => callId ?? "").join("\n"),
  };
}

/** The items without what {@link laterTexts} holds. */
export function withoutLater(items: readonly PageItem[]): PageItem[] {
  return items.map(({ callId: _, ...item }) => ({ ...item, preview: "" }));
}

/** Gives the items what they lack. */
export function fillLater({ items }: PageData, { previews, callIds }: ReturnType<typeof laterTexts>): void {
  const ids = callIds.split("\n");
  for (const [index, preview] of previews.split("\n").entries()) {
    const item = items[index] as Mutable<PageItem> | undefined;
    if (!item) continue;
    item.preview = preview;
    if (ids[index]) item.callId = ids[index];
  }
}
