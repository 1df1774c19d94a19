import { type Copy, copiesOf, longestCopy } from "../reading/copies/index.ts";
import type { ByteSource } from "../reading/source.ts";
import { wholeView } from "../reading/view.ts";
import type { Skipped } from "../traffic/container.ts";
import { headSize } from "./log-file.ts";

/** What was read of a log. */
interface Content {
  readonly source: ByteSource;
  readonly restored?: ByteSource;
  readonly exchanges: readonly unknown[];
  readonly skipped: readonly Skipped[];
}

type Reader<T> = (source: ByteSource) => Promise<T>;

/** A log with some changes undone that a copy may have made, and what is said of each. */
interface Restored {
  readonly source: ByteSource;
  readonly signs: readonly Skipped[];
}

/** How much of a log is read with changes undone although no exchange comes out, in bytes. */
const mostInVain = 1 << 20;

/** A log that was copied out of a viewer, read as it was before; otherwise as it stands. */
export async function readCopied<T extends Content>(source: ByteSource, read: Reader<T>): Promise<T> {
  if (source.size > longestCopy || source.segments) return read(source);
  const copies = await copiesOf(source.read(0, Math.min(source.size, headSize)));
  let inVain = 0;
  let plain: T | undefined;
  for (const { source: before, signs } of restorations({ source, signs: [] }, copies)) {
    const isPlain = signs.length === 0;
    // A log may show each sign of a copy and be none: to read it in all ways takes many times as long.
    if (!isPlain && inVain > 0 && inVain + source.size > mostInVain) continue;
    const file = await read(before);
    if (isPlain) plain = file;
    else inVain += source.size;
    if (file.exchanges.length > 0)
      return isPlain
        ? file
        : { ...file, source, restored: file.restored ?? before, skipped: [...signs, ...file.skipped] };
  }
  return plain ?? read(source);
}

/**
 * The ways to read a log, the likeliest first; `log` itself is one of them. Each change is undone once: a
 * sign of it may stand where nothing can be undone.
 */
function* restorations(log: Restored, copies: readonly Copy[]): Generator<Restored> {
  const whole = withoutCertain(log, copies);
  if (whole !== log) {
    yield whole;
    yield* withoutEach(whole, copies, false);
    if (whole.signs.length > 1) yield* withoutEach(log, copies, true);
  }
  yield log;
  yield* withoutEach(log, copies, false);
}

/** A log without the changes that no log has otherwise; one of them may hide the sign of another. */
function withoutCertain(log: Restored, copies: readonly Copy[]): Restored {
  let restored = log;
  const left = new Set(copies.filter(({ isCertain }) => isCertain));
  for (let count = 0; count !== left.size; ) {
    count = left.size;
    for (const copy of left) {
      const next = undone(restored, copy);
      if (next) left.delete(copy);
      restored = next ?? restored;
    }
  }
  return restored;
}

/** A log with one change undone, for each that it shows. */
function* withoutEach(log: Restored, copies: readonly Copy[], isCertain: boolean): Generator<Restored> {
  for (const copy of copies) {
    const restored = copy.isCertain === isCertain ? undone(log, copy) : undefined;
    if (restored) yield restored;
  }
}

function undone({ source, signs }: Restored, { reason, restore }: Copy): Restored | undefined {
  const before = restore(source);
  if (!before) return undefined;
  const origin = wholeView(before).origin(0, 1);
  return {
    source: before,
    signs: [...signs, { origin, reason: `copied from a viewer: ${reason}`, isCopy: true }],
  };
}
