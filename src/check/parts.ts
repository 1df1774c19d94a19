import { dirname, normalize } from "node:path";
import { groupRuns } from "../log/runs.ts";
import { stemOf } from "../log/sidecar-replies.ts";
import { groupBy } from "../reading/group-by.ts";
import { smallest } from "../reading/lists.ts";
import type { CheckedPart, PartFile } from "./part.ts";
import { numberedFrom, type RunReport } from "./run-report.ts";

/** A file of a check, with its size on disk. */
export interface SizedInput {
  readonly path: string;
  readonly size: number;
}

/** Files to check together. */
export interface Part {
  readonly inputs: readonly SizedInput[];
  /** The runs among them, as the paths of their files in order; absent if they are to be found. */
  readonly runs?: readonly (readonly string[])[];
}

/** What checks files part by part. */
export interface PartChecker {
  /** How many parts it checks at a time. */
  readonly width: number;
  /** Each file is a run. */
  readonly separate: boolean;
  /** The least weight of a part, in bytes; by default as much as costs more than asking for it. */
  readonly leastWeight?: number;
  check(part: Part): Promise<CheckedPart>;
}

/**
 * Checks files part by part; returns the reports of all runs in report order, as a check of all files at
 * once makes them. Which files belong together is known only when all are read. So each part is checked as
 * if there were no other; then files that belong to files of other parts are checked again with these.
 */
export async function checkInParts(
  inputs: readonly SizedInput[],
  checker: PartChecker,
): Promise<readonly RunReport[]> {
  const done = new PartResults(inputs);
  const check = async (parts: readonly Part[]): Promise<void> => {
    const heaviestFirst = [...parts].sort((a, b) => weightOf(b.inputs) - weightOf(a.inputs));
    await Promise.all(heaviestFirst.map(async (part) => done.add(part, await checker.check(part))));
  };
  await check(done.inOrder(partsOf(inputs, checker)));
  if (!checker.separate) await check(done.inOrder(done.splitLogs()));
  const runs = done.runs(checker.separate);
  await check(runs.filter((run) => !done.reportOf(run)).map((run) => done.partOf(run)));
  let number = 1;
  return runs.flatMap((run) => {
    const report = done.reportOf(run);
    if (!report) return [];
    const numbered = numberedFrom(number, report);
    number += report.findings.length;
    return numbered;
  });
}

/** What opening a file costs, in bytes read. */
const openingCost = 16 << 10;

function weightOf(inputs: readonly SizedInput[]): number {
  return inputs.reduce((sum, { size }) => sum + size + openingCost, 0);
}

/** By default, parts of this weight or more: smaller ones cost more than they balance. */
const usualLeastWeight = 512 << 10;
/** Parts of at most this weight, so that a check never holds much more than its largest files. */
const mostWeight = 16 << 20;
/** Parts for each thread, so that all end at about the same time. */
const partsEach = 6;

/**
 * Splits the files, in order, into parts of about one weight. Files of one directory often belong together,
 * so a directory is split only where it is heavier than two parts.
 */
function partsOf(
  inputs: readonly SizedInput[],
  { width, leastWeight = usualLeastWeight }: PartChecker,
): SizedInput[][] {
  const even = weightOf(inputs) / (width * partsEach);
  const weight = Math.max(leastWeight, Math.min(mostWeight, even));
  const parts: SizedInput[][] = [];
  let part: SizedInput[] = [];
  const close = (): void => {
    if (part.length > 0) parts.push(part);
    part = [];
  };
  for (const folder of groupBy(inputs, ({ path }) => dirname(path)).values()) {
    const isWhole = weightOf(folder) <= 2 * weight;
    if (isWhole && weightOf(part) + weightOf(folder) > 2 * weight) close();
    let sum = weightOf(part);
    for (const input of folder) {
      part.push(input);
      sum += input.size + openingCost;
      if (isWhole || sum < weight) continue;
      close();
      sum = 0;
    }
    if (sum >= weight) close();
  }
  close();
  return parts;
}

/** A run, as its files in order. */
type RunFiles = readonly PartFile[];

/** What was found part by part. What is checked again replaces what was found before. */
class PartResults {
  readonly #places: ReadonlyMap<string, number>;
  readonly #inputs: readonly SizedInput[];
  /** The part that an input was last checked in. */
  readonly #homes = new Map<string, Part>();
  readonly #files = new Map<string, PartFile>();
  readonly #reports = new Map<string, { readonly part: Part; readonly report: RunReport }>();

  constructor(inputs: readonly SizedInput[]) {
    this.#inputs = inputs;
    this.#places = new Map(inputs.map(({ path }, index) => [path, index]));
  }

  add(part: Part, { files, runs }: CheckedPart): void {
    for (const { path } of part.inputs) {
      this.#homes.set(path, part);
      this.#files.delete(path);
    }
    for (const file of files) this.#files.set(file.ends.path, file);
    for (const { files: paths, report } of runs) this.#reports.set(keyOf(paths), { part, report });
  }

  /** Parts of these inputs, in the given order. */
  inOrder(sets: readonly (readonly SizedInput[])[]): Part[] {
    return sets.map((set) => ({ inputs: this.#at(set.map(({ path }) => this.#places.get(path) ?? 0)) }));
  }

  /** Sets of inputs that have to be read together, but are in several parts: parts of logs, and replies. */
  splitLogs(): SizedInput[][] {
    const links = new Links();
    const byPath = new Map(this.#inputs.map(({ path }) => [normalize(path), path]));
    const byStem = groupBy(
      this.#inputs.map(({ path }) => path),
      stemOf,
    );
    for (const { inputs, sidecars, key, replies } of this.#files.values()) {
      const [first = ""] = inputs;
      for (const other of [...inputs, ...sidecars]) links.join(first, other);
      if (key !== undefined) links.join(first, `part ${key}`);
      for (const path of replies.paths) {
        const given = byPath.get(path);
        if (given !== undefined) links.join(first, given);
      }
      for (const stem of replies.stems) for (const given of byStem.get(stem) ?? []) links.join(first, given);
    }
    const sets = groupBy(this.#inputs, ({ path }) => links.rootOf(path));
    return [...sets.values()].filter((set) => new Set(set.map(({ path }) => this.#homes.get(path))).size > 1);
  }

  /** All runs, in report order. */
  runs(separate: boolean): RunFiles[] {
    const files = [...this.#files.values()].sort((a, b) => this.#placeOf(a) - this.#placeOf(b));
    return separate ? files.map((file) => [file]) : groupRuns(files, ({ ends }) => ends);
  }

  /** The report of a run, if exactly these files were checked as one run. */
  reportOf(run: RunFiles): RunReport | undefined {
    const found = this.#reports.get(keyOf(pathsOf(run)));
    const isNewest = run.every(({ inputs }) => inputs.every((path) => this.#homes.get(path) === found?.part));
    return isNewest ? found?.report : undefined;
  }

  /** The part that checks a run on its own. */
  partOf(run: RunFiles): Part {
    const places = run.flatMap(({ inputs, sidecars }) =>
      [...inputs, ...sidecars].map((path) => this.#places.get(path) ?? 0),
    );
    return { inputs: this.#at(places), runs: [pathsOf(run)] };
  }

  /** The inputs at these places, in the given order. */
  #at(places: readonly number[]): SizedInput[] {
    return [...places].sort((a, b) => a - b).flatMap((place) => this.#inputs[place] ?? []);
  }

  #placeOf({ inputs }: PartFile): number {
    return smallest(inputs.map((path) => this.#places.get(path) ?? 0));
  }
}

function pathsOf(run: RunFiles): string[] {
  return run.map(({ ends }) => ends.path);
}

function keyOf(paths: readonly string[]): string {
  return JSON.stringify(paths);
}

/** Sets of names that grow together. */
class Links {
  readonly #parents = new Map<string, string>();

  rootOf(name: string): string {
    let root = name;
    for (let next = this.#parents.get(root); next !== undefined; next = this.#parents.get(root)) root = next;
    if (root !== name) this.#parents.set(name, root);
    return root;
  }

  join(a: string, b: string): void {
    const [left, right] = [this.rootOf(a), this.rootOf(b)];
    if (left !== right) this.#parents.set(left, right);
  }
}
