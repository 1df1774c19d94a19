import { isUtf8 } from "node:buffer";
import type { Dice } from "../dice.ts";
import type { SeedLog } from "../seeds/seed.ts";

/** What an operator gets: a log, numbers, and the other logs for what takes two. */
export interface Victim {
  readonly log: Buffer;
  readonly file: string;
  readonly dice: Dice;
  readonly others: readonly SeedLog[];
}

/** One way of damaging or changing a log. */
export interface Operator {
  /** `group/name`, what `--only` looks in. */
  readonly name: string;
  /** The changed log; `undefined` where there is nothing that it could change. */
  readonly apply: (victim: Victim) => Buffer | undefined;
  /**
   * The log holds what it held, and its syntax is broken in one place. So whatever is not read any more has to be
   * told; of what was taken out nobody can tell.
   */
  readonly breaksOnly?: true;
}

/** Operators from their names and what they do to a log's text. */
export function onText(
  group: string,
  changes: Readonly<Record<string, (text: string, victim: Victim) => string | undefined>>,
  more: Pick<Operator, "breaksOnly"> = {},
): Operator[] {
  return Object.entries(changes).map(([name, change]) => ({
    name: `${group}/${name}`,
    ...more,
    apply: (victim) => {
      // Bytes that are no UTF-8 would become characters, and the log legal again.
      if (!isUtf8(victim.log)) return undefined;
      const text = change(victim.log.toString("utf8"), victim);
      return text === undefined ? undefined : Buffer.from(text);
    },
  }));
}

/** A range of a text or buffer of this length, as a start and an end. */
export function range({ dice }: Victim, length: number, longest = length): readonly [number, number] {
  const start = dice.below(length + 1);
  return [start, Math.min(length, start + dice.below(Math.max(1, longest)))];
}

/** Where a line begins: not behind a carriage return alone, as the expression `^` has it. */
export const lineStart = /(?<![^\n])(?=[\s\S])/g;

/** The lines of a text, each with its end. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
