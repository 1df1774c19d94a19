import type { Oddities } from "../../protocols/oddity.ts";
import type { Framing, ServedEvent } from "../../protocols/server-side.ts";
import { count } from "../../rules/words.ts";
import { closingFrames, framesOf } from "../frames.ts";
import type { Ending, Fault, Writes } from "./fault.ts";

/** The bytes of a faulty answer, one write each. */
export interface FaultyBytes {
  readonly writes: readonly Buffer[];
  /** The connection breaks behind the last one. */
  readonly isCut: boolean;
  /** The client got all that the model said. */
  readonly isWhole: boolean;
}

/** Why an oddity of another protocol changes nothing. */
export function noSuchHabit(name: string): string {
  return `no server of this protocol is known to do \`${name}\``;
}

interface StreamContext {
  readonly framing: Framing;
  readonly oddities: Oddities;
  /** The provider's error event. */
  errorEvent(sent: number): ServedEvent;
  /** Called with the reason why a part of the fault can change nothing. */
  idle(why: string): void;
}

/** A stream with its fault. */
export function faultyStream(
  fault: Fault,
  events: readonly ServedEvent[],
  { framing, oddities, errorEvent, idle }: StreamContext,
): FaultyBytes {
  let odd = events;
  for (const name of fault.oddities ?? []) {
    const oddity = Object.hasOwn(oddities, name) ? oddities[name] : undefined;
    if (oddity?.events) odd = oddity.events(odd);
    else idle(oddity ? `\`${name}\` affects only non-streamed bodies` : noSuchHabit(name));
  }
  if (framing !== "sse" && odd.some(({ before }) => before)) idle("only server-sent events have comments");
  const { ending } = fault;
  const limit = ending?.unit === "event" ? (ending.after ?? Math.floor(odd.length / 2)) : odd.length;
  const isShort = limit < odd.length;
  if (ending?.unit === "event" && !isShort) idle(`the stream has ${count(odd.length, "event")}`);
  const kept = odd.slice(0, limit);
  const sent = isShort && ending?.how === "error" ? [...kept, errorEvent(limit)] : kept;
  const isBroken = isShort && ending?.how === "cut";
  const texts = [...framesOf(sent, framing), ...(isBroken ? [] : closingFrames(sent, framing))];
  const frames = texts.map((text) => Buffer.from(fault.isCrlf ? withCrlf(text) : text));
  const cut = cutBytes(frames, ending, idle);
  return {
    writes: divided(cut?.frames ?? frames, fault.writes),
    isCut: cut !== undefined || isBroken,
    isWhole: !isShort && !cut,
  };
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, "\r\n");
}

/** A body that is sent at once, with its fault. */
export function faultyBody(fault: Fault, body: string, idle: (why: string) => void): FaultyBytes {
  const bytes = Buffer.from(fault.isCrlf ? withCrlf(body) : body);
  if (fault.ending?.unit === "event") idle("the client asked for no stream");
  const isPaced = fault.pauseMs !== undefined && fault.writes?.unit !== "byte";
  if (isPaced || fault.writes?.unit === "event") idle("the client asked for no stream");
  const cut = cutBytes([bytes], fault.ending, idle);
  return {
    writes: divided(cut?.frames ?? [bytes], fault.writes),
    isCut: cut !== undefined,
    isWhole: !cut,
  };
}

function cutBytes(
  frames: readonly Buffer[],
  ending: Ending | undefined,
  idle: (why: string) => void,
): { readonly frames: readonly Buffer[] } | undefined {
  if (ending?.unit !== "byte") return undefined;
  const size = frames.reduce((sum, { length }) => sum + length, 0);
  let left = ending.after ?? 0;
  if (left >= size) {
    idle(`the answer has ${count(size, "byte")}`);
    return undefined;
  }
  const kept: Buffer[] = [];
  for (const frame of frames) {
    if (left > 0) kept.push(frame.subarray(0, left));
    left = Math.max(0, left - frame.length);
  }
  return { frames: kept };
}

function divided(frames: readonly Buffer[], writes: Writes | undefined): readonly Buffer[] {
  if (!writes) return frames;
  const { unit, size } = writes;
  const slices: Buffer[] = [];
  if (unit === "event") {
    const step = Math.min(size, Math.max(1, frames.length));
    for (let at = 0; at < frames.length; at += step) slices.push(Buffer.concat(frames.slice(at, at + step)));
    return slices;
  }
  const bytes = Buffer.concat(frames);
  for (let at = 0; at < bytes.length; at += size) slices.push(bytes.subarray(at, at + size));
  return slices;
}
