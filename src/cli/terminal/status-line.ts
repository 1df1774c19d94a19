import { oneLine, type StyledText, unstyled } from "../../reporters/layout.ts";
import { type Io, print, printChunks, terminalWidth } from "./io.ts";

/** The state of a command that goes on: the last line of its output. */
export interface StatusLine {
  /** Prints lines above the state. */
  print(lines: Iterable<string>): Promise<void>;
  /** Replaces the state. `hint` follows it on a terminal. */
  set(state: readonly StyledText[], hint: StyledText): Promise<void>;
  /** Leaves the state as the last line of the output. */
  close(): Promise<void>;
}

/** Clears the line that the cursor is in. */
const clear = "\r\u001b[K";

/** A state that is rewritten in place on a terminal; elsewhere it is printed whenever it changes. */
export function statusLine(io: Io): StatusLine {
  return io.isTTY ? onTerminal(io) : inPipe(io);
}

function onTerminal(io: Io): StatusLine {
  let state: readonly StyledText[] = [];
  let hint: StyledText = "";
  // A line of the full width would wrap at the cursor, and could not be cleared.
  const draw = (): string =>
    state.length === 0 ? "" : oneLine([...state, " · ", hint], terminalWidth(io) - 1);
  return {
    async print(lines) {
      await printChunks(io.stdout, [clear]);
      await print(io.stdout, lines);
      await printChunks(io.stdout, [draw()]);
    },
    async set(next, nextHint) {
      state = next;
      hint = nextHint;
      await printChunks(io.stdout, [clear, draw()]);
    },
    async close() {
      const last = state.length === 0 ? "" : `${oneLine(state, Number.POSITIVE_INFINITY)}\n`;
      await printChunks(io.stdout, [clear, last]);
    },
  };
}

function inPipe(io: Io): StatusLine {
  let state: readonly StyledText[] = [];
  let isLast = true;
  const say = (): Promise<void> => {
    isLast = true;
    return print(io.stdout, [oneLine(state, Number.POSITIVE_INFINITY)]);
  };
  return {
    async print(lines) {
      const all = [...lines];
      if (all.length === 0) return;
      isLast = false;
      await print(io.stdout, all);
    },
    async set(next) {
      const isNew = textOf(next) !== textOf(state);
      state = next;
      if (isNew || !isLast) await say();
    },
    async close() {
      if (!isLast && state.length > 0) await say();
    },
  };
}

function textOf(state: readonly StyledText[]): string {
  return state.map(unstyled).join("");
}
