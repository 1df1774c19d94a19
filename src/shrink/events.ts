import type { Range } from "../reading/lists.ts";
import { plainSpan } from "../reading/place.ts";
import type { PayloadPlace } from "../traffic/place.ts";
import { edited } from "./edited.ts";
import type { FailingLog } from "./oracle.ts";
import type { Pass, Unit } from "./sweep.ts";

/** Consecutive events of a streamed reply, as a range of its plain text. */
interface EventRun extends Unit {
  readonly place: PayloadPlace;
  readonly range: Range;
}

/** A stream is cut in so many runs; what is left of it is cut again, more finely. */
const mostRuns = 32;

/** Takes events that the finding does not need out of replies that came as a stream. */
export const eventPass: Pass<EventRun> = {
  strictness: "warnings",
  unitsOf: (log) => runsOf(log),
  without: (log, units) => {
    const cuts = new Map<PayloadPlace, Range[]>();
    for (const { place, range } of units) cuts.set(place, [...(cuts.get(place) ?? []), range]);
    return edited(
      log,
      [...cuts].map(([place, ranges]) => ({ place, edits: [], cuts: ranges })),
    );
  },
};

const cached = new WeakMap<FailingLog, readonly EventRun[]>();

function runsOf(log: FailingLog): readonly EventRun[] {
  let runs = cached.get(log);
  if (!runs) {
    runs = findRuns(log);
    cached.set(log, runs);
  }
  return runs;
}

function findRuns({ file, run }: FailingLog): EventRun[] {
  if (file.kind === "transcript" || run.files.length + run.sidecars.length > 1) return [];
  return file.exchanges.flatMap(({ number, reply }) => {
    if (reply?.form !== "stream" || reply.isList || reply.place.origin.source !== file.source) return [];
    const { place } = reply;
    const { view, start, end } = plainSpan(place.span);
    const events = eventsIn(view.read(start, end).toString("latin1"));
    const size = Math.ceil(events.length / mostRuns);
    const runs: EventRun[] = [];
    for (let at = 0; at < events.length; at += size) {
      const part = events.slice(at, at + size);
      const range = { start: part[0]?.start ?? 0, end: part.at(-1)?.end ?? 0 };
      runs.push({ place, range, name: `events ${at + 1} to ${at + part.length} of reply ${number}` });
    }
    return runs;
  });
}

/** Events end with an empty line; in a stream without empty lines, each line is one. */
function eventsIn(text: string): Range[] {
  const ends = [...text.matchAll(/\r?\n\r?\n|\r\r/g)].map(({ 0: gap, index }) => index + gap.length);
  const breaks =
    ends.length > 0 ? ends : [...text.matchAll(/\r?\n/g)].map(({ 0: gap, index }) => index + gap.length);
  let start = 0;
  return [...breaks, ...(breaks.at(-1) === text.length ? [] : [text.length])].map((end) => {
    const event = { start, end };
    start = end;
    return event;
  });
}
