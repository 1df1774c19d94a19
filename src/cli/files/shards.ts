import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import path from "node:path";
import { kinOf } from "../../log/kin.ts";
import { groupBy } from "../../reading/group-by.ts";
import { pushAll } from "../../reading/lists.ts";
import { slashed } from "../../reporters/artifact.ts";
import { Trouble } from "../trouble.ts";
import type { Found } from "./inputs.ts";

/** One of several parts that the files of a check are shared out in. */
export interface Shard {
  /** From 1. */
  readonly number: number;
  readonly count: number;
}

/** The list of files that a check was asked for, of which a shard holds some. */
export interface FileList {
  /** SHA-256 over the paths as typed and the sizes, in order: equal for all shards of one check. */
  readonly hash: string;
  readonly files: number;
  readonly bytes: number;
  /** The place in the list of each path, also of those that could not be found. */
  readonly places: ReadonlyMap<string, number>;
}

/** The part of a list that one shard checks. */
export interface Share {
  readonly list: FileList;
  /** What to open, in the order of the list. What could not be found is in every share. */
  readonly found: readonly Found[];
  /** How many of the files the shard has. */
  readonly files: number;
  /** How many shards have any files. */
  readonly filled: number;
}

/** A file to share out. */
interface Listed {
  readonly shown: string;
  readonly full: string;
  readonly bytes: number;
}

/**
 * Shares out files by their names and sizes alone. Files that may be of one run stay together: the files of a
 * folder and its kin, or each file for itself where files are read separately. Throws {@link Trouble} for
 * standard input, of which every shard would read another.
 */
export function shareOf(
  all: readonly Found[],
  { number, count }: Shard,
  cwd: string,
  separate: boolean,
): Share {
  const listed = new Map<string, Listed>();
  const places = new Map<string, number>();
  for (const found of all) {
    const shown = pathOf(found);
    if (!places.has(shown)) places.set(shown, places.size);
    if (!("path" in found)) continue;
    if (shown === "-" && count > 1)
      throw new Trouble("`--shard` divides files among jobs: save standard input to a file first");
    const full = path.resolve(cwd, shown);
    if (!listed.has(full)) listed.set(full, { shown, full, bytes: sizeOf(full) });
  }
  const files = [...listed.values()];
  const loads = packed(unitsOf(files, separate), count);
  const own = new Set(loads[number - 1]?.files.map(({ full }) => full));
  const hash = createHash("sha256");
  for (const { shown, bytes } of files) hash.update(`${slashed(shown)}\0${bytes}\n`);
  return {
    list: { hash: hash.digest("hex"), files: files.length, bytes: sum(files), places },
    found: all.filter((found) => !("path" in found) || own.has(path.resolve(cwd, found.path))),
    files: own.size,
    filled: loads.filter((load) => load.files.length > 0).length,
  };
}

/** The path of what was found, as typed. */
function pathOf(found: Found): string {
  return "path" in found ? found.path : "searched" in found ? found.searched : found.trouble.path;
}

/** Files that have to stay together. */
interface Unit {
  readonly name: string;
  readonly bytes: number;
  readonly files: readonly Listed[];
}

function unitsOf(files: readonly Listed[], separate: boolean): Unit[] {
  const kin = separate ? files.map(({ full }) => full) : kinOf(files.map(({ full }) => slashed(full)));
  const groups = groupBy(files.keys(), (index) => kin[index]);
  return [...groups.values()].map((indexes) => {
    const own = indexes.flatMap((index) => files[index] ?? []);
    const [name = ""] = own.map(({ shown }) => slashed(shown)).sort();
    return { name, bytes: sum(own), files: own };
  });
}

/** The files of one shard so far. */
interface Load {
  bytes: number;
  readonly files: Listed[];
}

/**
 * The largest unit first, each to the shard with the fewest bytes, then files: at most a third more than the
 * best possible (LPT). Ties go by name and by the shard's number.
 *
 * @see https://epubs.siam.org/doi/10.1137/0117039
 */
function packed(units: readonly Unit[], count: number): Load[] {
  const loads = Array.from({ length: count }, (): Load => ({ bytes: 0, files: [] }));
  const ordered = [...units].sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
  for (const { bytes, files } of ordered) {
    const least = loads.reduce((best, load) =>
      load.bytes < best.bytes || (load.bytes === best.bytes && load.files.length < best.files.length)
        ? load
        : best,
    );
    least.bytes += bytes;
    pushAll(least.files, files);
  }
  return loads;
}

function sum(files: readonly Listed[]): number {
  return files.reduce((total, { bytes }) => total + bytes, 0);
}

/** A file that cannot be looked at weighs nothing; that it cannot be read is said when it is opened. */
function sizeOf(full: string): number {
  try {
    return statSync(full).size;
  } catch {
    return 0;
  }
}
