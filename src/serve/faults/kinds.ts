import type { Ending, Fault } from "./fault.ts";

/** When a fault shows: before any content, in the stream, in what the model says. */
export type FaultStage = "before content" | "in the stream" | "in the reply";

/** A way in which an answer can go wrong. */
export interface FaultKind {
  readonly name: string;
  readonly stage: FaultStage;
  readonly summary: string;
  /** How it is written, the usual form first. */
  readonly examples: readonly [string, ...string[]];
  /** The names of the members of a fault that it sets; two kinds with the same one exclude each other. */
  readonly sets: readonly (keyof Fault)[];
  /** What stands behind `@` and `=`; `undefined` if that is not understood. */
  read(at: string | undefined, value: string | undefined): Omit<Fault, "text"> | undefined;
}

/** A number that stands for itself, or `undefined`. */
function count(text: string | undefined, least: number): number | undefined {
  if (text === undefined || !/^\d{1,9}$/.test(text)) return undefined;
  const number = Number(text);
  return number >= least ? number : undefined;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/** The longest wait, in milliseconds: an hour. */
const longest = 3_600_000;

function milliseconds(text: string | undefined, withoutUnit?: string): number | undefined {
  const [, number = "", unit = withoutUnit ?? ""] =
    /^(\d{1,7}(?:\.\d{1,3})?)(ms|s|m)?$/.exec(text ?? "") ?? [];
  const factor = units[unit];
  if (number === "" || factor === undefined) return undefined;
  const time = Math.round(Number(number) * factor);
  return time <= longest ? time : undefined;
}

/** A kind that is written as its name alone. */
function plain(
  { summary, ...kind }: Pick<FaultKind, "name" | "stage" | "summary">,
  fault: Omit<Fault, "text">,
): FaultKind {
  return {
    ...kind,
    summary,
    examples: [kind.name],
    sets: Object.keys(fault) as (keyof Fault)[],
    read: (at, value) => (at === undefined && value === undefined ? fault : undefined),
  };
}

function ending(how: Ending["how"], at: string | undefined, value: string | undefined) {
  if (value !== undefined) return undefined;
  const isBytes = how === "cut" && at?.endsWith("b");
  const after = count(isBytes ? at?.slice(0, -1) : at, 0);
  if (after === undefined) return undefined;
  return { ending: { how, after, unit: isBytes ? ("byte" as const) : ("event" as const) } };
}

/** The name of the kind for all statuses. */
export const anyStatus = "STATUS";

export const faultKinds: readonly FaultKind[] = [
  {
    name: anyStatus,
    stage: "before content",
    summary: "an error with this status, from 400 to 599, in the provider's own words",
    examples: ["429", "500", "529"],
    sets: ["instead"],
    read: () => undefined,
  },
  {
    name: "retry-after",
    stage: "before content",
    summary: "with a status: how long the client must wait, in seconds or with a unit",
    examples: ["429,retry-after=2", "529,retry-after=50ms"],
    sets: ["retryAfterMs"],
    read: (at, value) => {
      const retryAfterMs = at === undefined ? milliseconds(value, "s") : undefined;
      return retryAfterMs === undefined ? undefined : { retryAfterMs };
    },
  },
  {
    ...plain(
      {
        name: "html",
        stage: "before content",
        summary: "with a status: a gateway's HTML page instead of the provider's error",
      },
      { isHtml: true },
    ),
    examples: ["502,html"],
  },
  plain(
    { name: "reset", stage: "before content", summary: "the connection is reset without an answer" },
    { instead: { kind: "reset" } },
  ),
  plain(
    { name: "hang", stage: "before content", summary: "no answer comes until the client goes away" },
    { instead: { kind: "hang" } },
  ),
  {
    name: "slow-start",
    stage: "before content",
    summary: "the first byte comes late",
    examples: ["slow-start=2s", "slow-start=300ms"],
    sets: ["delayMs"],
    read: (at, value) => {
      const delayMs = at === undefined ? milliseconds(value) : undefined;
      return delayMs === undefined ? undefined : { delayMs };
    },
  },
  {
    name: "cut",
    stage: "in the stream",
    summary: "the connection breaks after this many events or bytes",
    examples: ["cut@5", "cut@120b"],
    sets: ["ending"],
    read: (at, value) => ending("cut", at, value),
  },
  {
    name: "end",
    stage: "in the stream",
    summary: "the stream ends after this many events, as if it were complete",
    examples: ["end@5"],
    sets: ["ending"],
    read: (at, value) => ending("end", at, value),
  },
  {
    name: "error-event",
    stage: "in the stream",
    summary:
      "the provider's error event after this many events (default: half of them); then the stream ends",
    examples: ["error-event@5", "error-event"],
    sets: ["ending"],
    read: (at, value) =>
      at === undefined && value === undefined
        ? { ending: { how: "error", unit: "event" } }
        : ending("error", at, value),
  },
  {
    name: "slow",
    stage: "in the stream",
    summary: "a pause between two events",
    examples: ["slow=50ms"],
    sets: ["pauseMs"],
    read: (at, value) => {
      const pauseMs = at === undefined ? milliseconds(value) : undefined;
      return pauseMs === undefined ? undefined : { pauseMs };
    },
  },
  {
    name: "chunks",
    stage: "in the stream",
    summary: "writes of this many bytes, regardless of event boundaries",
    examples: ["chunks=7"],
    sets: ["writes"],
    read: (at, value) => {
      const size = at === undefined ? count(value, 1) : undefined;
      return size === undefined ? undefined : { writes: { unit: "byte", size } };
    },
  },
  {
    name: "glue",
    stage: "in the stream",
    summary: "this many events in each write (default: all)",
    examples: ["glue=3", "glue"],
    sets: ["writes"],
    read: (at, value) => {
      const size = value === undefined ? Number.POSITIVE_INFINITY : count(value, 1);
      return at !== undefined || size === undefined ? undefined : { writes: { unit: "event", size } };
    },
  },
  plain({ name: "crlf", stage: "in the stream", summary: "lines end with CR and LF" }, { isCrlf: true }),
  plain(
    { name: "empty", stage: "in the reply", summary: "the model returns an empty reply and stops normally" },
    { reply: "empty" },
  ),
  plain(
    {
      name: "length",
      stage: "in the reply",
      summary: "the model hits its token limit in the middle of its last call's arguments or of its text",
    },
    { reply: "length" },
  ),
];

/** Reads a status as a kind: `429`. */
export function statusFault(word: string): Omit<Fault, "text"> | undefined {
  return /^[45]\d\d$/.test(word) ? { instead: { kind: "status", status: Number(word) } } : undefined;
}
