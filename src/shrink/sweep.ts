import type { Cut, FailingLog, Objection, Strictness } from "./oracle.ts";

/** Something that can go, as a whole. */
export interface Unit {
  /** What it is, for people: `round of call_8a (read_file)`. */
  readonly name: string;
}

/** Decides which cuts count. */
export interface Judge {
  /** Nothing more can be tried. */
  readonly isExhausted: boolean;
  /** The cut as a log that still fails, or why it does not. What could not be written was work, too. */
  judge(before: FailingLog, cut: Cut, strictness: Strictness): Promise<FailingLog | Objection>;
}

/** A unit that stays, and why. */
export interface Stayed {
  readonly name: string;
  readonly why: Objection;
}

/** One way of making a log smaller. */
export interface Pass<U extends Unit = Unit> {
  readonly strictness: Strictness;
  /** What may go, in the order of the log. */
  unitsOf(log: FailingLog): readonly U[];
  without(log: FailingLog, units: readonly U[]): Cut;
  /** The units to begin with, the smallest selection first; absent where all go or stay by themselves. */
  selections?(log: FailingLog, units: readonly U[]): Iterable<ReadonlySet<U>>;
}

/** Tries a cut; the log without the units, or why they stay. */
async function tried<U extends Unit>(
  pass: Pass<U>,
  log: FailingLog,
  units: readonly U[],
  oracle: Judge,
): Promise<FailingLog | Objection> {
  const cut = await oracle.judge(log, pass.without(log, units), pass.strictness);
  // Every cut makes the log smaller, so there is an end to them.
  const isSmaller = "is" in cut || cut.file.source.size < log.file.source.size;
  return isSmaller ? cut : { is: "unwritable", why: "the log would be no smaller" };
}

const untried: Objection = { is: "budget" };

/** Keeps the smallest selection that shows the finding, if one does. */
export async function selectedUnits<U extends Unit>(
  pass: Pass<U>,
  log: FailingLog,
  oracle: Judge,
): Promise<FailingLog> {
  const units = pass.unitsOf(log);
  for (const kept of pass.selections?.(log, units) ?? []) {
    const others = units.filter((unit) => !kept.has(unit));
    if (others.length === 0) return log;
    const cut = await tried(pass, log, others, oracle);
    if (!("is" in cut)) return cut;
  }
  return log;
}

/**
 * The units that a finding names, and these with their neighbours and the last one: what a finding says of a
 * call is often true only as long as something follows it. `named`: by the index of the unit.
 */
export function* namedAndNear<U extends Unit>(
  units: readonly U[],
  named: readonly boolean[],
): Generator<ReadonlySet<U>> {
  yield new Set(units.filter((_, index) => named[index]));
  yield new Set(
    units.filter(
      (_, index) => index === units.length - 1 || named[index - 1] || named[index] || named[index + 1],
    ),
  );
}

/** Where there are fewer units, no pass takes long. */
const manyUnits = 100;

/**
 * Takes away halves, then quarters, while there are many units. A finding may name thousands of them, so that
 * no selection is smaller; each later pass would check all that is left again and again.
 */
export async function halved<U extends Unit>(
  pass: Pass<U>,
  start: FailingLog,
  oracle: Judge,
): Promise<FailingLog> {
  let log = start;
  for (let parts = 2; parts <= 4 && !oracle.isExhausted; ) {
    const units = pass.unitsOf(log);
    if (units.length < manyUnits) break;
    const cut = await withoutPart(pass, log, units, Math.ceil(units.length / parts), oracle);
    if (cut) log = cut;
    else parts *= 2;
  }
  return log;
}

/** The log without one run of so many units: the last that can go. */
async function withoutPart<U extends Unit>(
  pass: Pass<U>,
  log: FailingLog,
  units: readonly U[],
  size: number,
  oracle: Judge,
): Promise<FailingLog | undefined> {
  for (let end = units.length; end > 0 && !oracle.isExhausted; end -= size) {
    const cut = await tried(pass, log, units.slice(Math.max(0, end - size), end), oracle);
    if (!("is" in cut)) return cut;
  }
  return undefined;
}

/**
 * Takes away what can go: all units at once, then ever smaller runs of them, down to single units, until none
 * can go alone.
 *
 * @param stays called for each unit that stays, with the reason, when the last sweep is done
 */
export async function swept<U extends Unit>(
  pass: Pass<U>,
  start: FailingLog,
  oracle: Judge,
  stays: (unit: U, why: Objection) => void = () => {},
): Promise<FailingLog> {
  let log = start;
  let units = pass.unitsOf(log);
  let size = units.length;
  while (size > 0) {
    if (oracle.isExhausted) size = 1;
    let hasCut = false;
    const objections: (readonly [U, Objection])[] = [];
    // From the end: what comes last follows from what came before, and goes more easily.
    for (let end = units.length; end > 0; ) {
      const from = Math.max(0, end - size);
      const chunk = units.slice(from, end);
      // To write thousands of cuts that nobody judges takes long, too.
      const cut = oracle.isExhausted ? untried : await tried(pass, log, chunk, oracle);
      if ("is" in cut) {
        if (chunk[0] && chunk.length === 1) objections.push([chunk[0], cut]);
      } else {
        log = cut;
        units = pass.unitsOf(log);
        hasCut = true;
      }
      end = Math.min(from, units.length);
    }
    if (size === 1 && !hasCut) for (const [unit, why] of objections.reverse()) stays(unit, why);
    if (size === 1 && (!hasCut || oracle.isExhausted)) break;
    size = size === 1 ? 1 : Math.min(Math.ceil(size / 2), Math.max(1, units.length));
  }
  return log;
}
