import { createReadStream, type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { LogSource } from "../../log/log-file.ts";
import { TooLarge } from "../../reading/limit.ts";
import { type ByteSource, bytesSource, fileSource } from "../../reading/source.ts";
import { type Io, readAll } from "../terminal/io.ts";
import { codeOf, reasonOf } from "../trouble.ts";
import { didYouMean } from "../usage/nearest.ts";
import { firstBytes, looksBinary } from "./binary.ts";
import { type FileState, fileState } from "./file-state.ts";
import { growHeapSlowly } from "./heap-growth.ts";
import { statsOf } from "./output.ts";

/** A file to read. Its path is as typed, or below the typed directory; `-` for standard input. */
interface InputFile extends LogSource {
  /** Named on the command line; otherwise found in a directory or by a glob. */
  readonly isNamed: boolean;
  /** How many of {@link Inputs.troubles} come before it in the order of the paths. */
  readonly troublesBefore: number;
  /** The file's state before it was read; `undefined` for pipes and standard input. */
  readonly state?: FileState;
}

/** A path that could not be read or found. */
export interface InputTrouble {
  /** As typed, or below the typed directory. */
  readonly path: string;
  readonly reason: string;
  /** The whole sentence. */
  readonly message: string;
}

/** The files found for the paths on the command line. */
export interface Inputs {
  readonly files: readonly InputFile[];
  /** How many threads check the files, which are opened when they are read; absent if this one does. */
  readonly threads?: number;
  /** One for each path that could not be read or found. */
  readonly troubles: readonly InputTrouble[];
  /** Directories and globs that were searched, as typed. */
  readonly searched: readonly string[];
  /** Number of files skipped because they are binary. */
  readonly binaries: number;
}

/** Says how many threads are to check files of these sizes, 1 for none. */
export type Threading = (sizes: readonly number[]) => number | Promise<number>;

/** Opens what the paths name: files, directories (recursively), globs, `-`. In order, each file once. */
export function openInputs(paths: readonly string[], io: Io, threading?: Threading): Promise<Inputs> {
  return openFound(foundBy(paths, io.cwd), io, threading);
}

/** Opens what was found, in order, each file once. */
export async function openFound(
  found: AsyncIterable<Found> | Iterable<Found>,
  io: Io,
  threading: Threading = () => 1,
): Promise<Inputs> {
  const files: InputFile[] = [];
  const troubles: InputTrouble[] = [];
  const searched: string[] = [];
  const seen = new Map<string, number>();
  let binaries = 0;
  const all: Found[] = [];
  for await (const each of found) all.push(each);
  const sizes = all.flatMap((each) => ("path" in each ? sizeOf(each.path, io.cwd) : []));
  const plain = sizes.filter((size) => size !== undefined);
  const threads = plain.length === sizes.length && sizes.length > 1 ? await threading(plain) : 1;
  if (threads === 1) growHeapSlowly(plain.reduce((sum, size) => sum + size, 0));
  const open = threads > 1 ? (await import("./late-source.ts")).lateSources() : sourceOf;

  const add = async (shown: string, isNamed: boolean): Promise<void> => {
    const full = path.resolve(io.cwd, shown);
    const known = seen.get(full);
    if (known !== undefined) {
      const file = files[known];
      if (file && isNamed) files[known] = { ...file, isNamed };
      return;
    }
    try {
      if (!isNamed && !archives.test(full) && looksBinary(firstBytes(full))) {
        binaries++;
        return;
      }
      const state = fileState(full);
      const source = await open(full, shown);
      seen.set(full, files.length);
      const troublesBefore = troubles.length;
      files.push({ path: shown, source, isNamed, troublesBefore, state, beside: besideIn(io.cwd) });
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      troubles.push(unreadable(shown, reasonOf(error)));
    }
  };

  for (const each of all) {
    if ("trouble" in each) troubles.push(each.trouble);
    else if ("searched" in each) searched.push(each.searched);
    else if (each.path !== "-") await add(each.path, each.isNamed);
    else if (!seen.has("-")) {
      seen.set("-", files.length);
      try {
        const source = await pipeSource("-", io.stdin);
        files.push({ path: "-", source, isNamed: true, troublesBefore: troubles.length });
      } catch (error) {
        if (!(error instanceof TooLarge)) throw error;
        troubles.push(unreadable("-", error.message, "standard input"));
      }
    }
  }
  return { files, troubles, searched, binaries, ...(threads > 1 && { threads }) };
}

/** Opens files that another file's records name, by their paths as reports show them. */
export function besideIn(cwd: string): NonNullable<LogSource["beside"]> {
  return (shown) => {
    const full = path.resolve(cwd, shown);
    return isFile(full) ? { path: shown, source: bytesSource(shown, readFileSync(full)) } : undefined;
  };
}

/** The size of a file; `undefined` for standard input, pipes and devices, and what is not there any more. */
function sizeOf(shown: string, cwd: string): number | undefined {
  const stats = shown === "-" ? undefined : statsOf(path.resolve(cwd, shown));
  return stats?.isFile() ? stats.size : undefined;
}

/** What is said of a file that cannot be opened. */
export function unreadable(path: string, reason: string, shown = path): InputTrouble {
  return { path, reason, message: `cannot read ${shown}: ${reason}` };
}

/** What a path on the command line leads to. */
export type Found =
  | { readonly path: string; readonly isNamed: boolean }
  /** A directory or a glob that is searched, as typed; its files follow. */
  | { readonly searched: string }
  /** A path that cannot be read or found. */
  | { readonly trouble: InputTrouble };

/** The files that paths name or lead to, in order, perhaps several times; opens none of them. */
export async function* foundBy(paths: readonly string[], cwd: string): AsyncGenerator<Found> {
  for (const typed of paths) {
    if (typed === "-") {
      yield { path: "-", isNamed: true };
      continue;
    }
    if (typed === "") {
      yield { trouble: { path: "", reason: "it is empty", message: "the path is empty" } };
      continue;
    }
    const kind = kindOf(path.resolve(cwd, typed));
    if (kind === "directory") {
      yield { searched: typed };
      const troubles: InputTrouble[] = [];
      for (const file of filesBelow(typed, cwd, troubles)) yield { path: file, isNamed: false };
      for (const trouble of troubles) yield { trouble };
    } else if (kind === "missing" && /[*?[\]{}]/.test(typed)) {
      const { filesMatching } = await import("./globs.ts");
      const found = await filesMatching(typed, cwd);
      yield found.length === 0
        ? { trouble: { path: typed, reason: "no file matches it", message: `no file matches ${typed}` } }
        : { searched: typed };
      for (const file of found) yield { path: file, isNamed: false };
    } else if (kind === "missing") yield { trouble: unreadable(typed, missingFile(typed, cwd)) };
    else yield { path: typed, isNamed: true };
  }
}

/** Pipes (`<(command)`, /dev/stdin) and devices have no size and are read to their end. */
async function sourceOf(full: string, shown: string): Promise<ByteSource> {
  const stats = statSync(full);
  if (stats.isFile()) return fileSource(full, shown);
  const stream = createReadStream(full);
  // A device may have no end.
  return stats.isFIFO() ? pipeSource(shown, stream) : bytesSource(shown, await readAll(stream));
}

/** The most bytes of a pipe that are kept in memory; more go to a temporary file, which is read in parts. */
const maxPiped = 64 << 20;

/** What comes through a pipe. Throws {@link TooLarge} if it has no end, or {@link Trouble}. */
export async function pipeSource(
  name: string,
  stream: AsyncIterable<string | Buffer>,
  mostInMemory = maxPiped,
): Promise<ByteSource> {
  const parts: Buffer[] = [];
  let length = 0;
  const rest = bytesOf(stream);
  for (;;) {
    const { done, value } = await rest.next();
    if (done) return bytesSource(name, Buffer.concat(parts, length));
    parts.push(value);
    length += value.length;
    if (length <= mostInMemory) continue;
    // How much more comes is not known.
    growHeapSlowly(Number.POSITIVE_INFINITY);
    return (await import("./spool.ts")).spooled(name, parts, rest);
  }
}

async function* bytesOf(stream: AsyncIterable<string | Buffer>): AsyncGenerator<Buffer, undefined> {
  for await (const part of stream) yield typeof part === "string" ? Buffer.from(part) : part;
}

function kindOf(full: string): "file" | "directory" | "missing" {
  try {
    return statSync(full).isDirectory() ? "directory" : "file";
  } catch (error) {
    const code = codeOf(error);
    // Other errors are reported when the file is opened.
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "file";
  }
}

/** Programs quote conversations in literals but are not logs; they are read only if named. */
const programs =
  /\.(?:[cm]?[jt]sx?|pyi?|rb|go|rs|java|kts?|cs|fs|php|swift|scala|dart|lua|exs?|clj|c|h|cc|cpp|hpp|vue|svelte|s?css)$/i;

/** Archives whose names mark them as logs; others are read only if named. */
const archives = /\.(?:eval|saz|parquet)$/i;

/** Skips hidden files, `.git`, `node_modules`, programs, and linked directories, which may form cycles. */
function* filesBelow(shown: string, cwd: string, troubles: InputTrouble[]): Generator<string> {
  let entries: Dirent[];
  try {
    entries = readdirSync(path.resolve(cwd, shown), { withFileTypes: true });
  } catch (error) {
    troubles.push(unreadable(shown, reasonOf(error)));
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  for (const entry of entries) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const below = path.join(shown, entry.name);
    if (entry.isDirectory()) yield* filesBelow(below, cwd, troubles);
    else if (programs.test(entry.name)) continue;
    else if (entry.isFile() || (entry.isSymbolicLink() && isFile(path.resolve(cwd, below)))) yield below;
  }
}

function isFile(full: string): boolean {
  try {
    return statSync(full).isFile();
  } catch {
    return false;
  }
}

function missingFile(typed: string, cwd: string): string {
  const folder = path.dirname(typed);
  try {
    const names = readdirSync(path.resolve(cwd, folder)).filter((name) => !name.startsWith("."));
    const meant = didYouMean(
      path.basename(typed),
      names,
      folder === "." && !typed.startsWith(".") ? "" : `${folder}/`,
    );
    return `there is no such file${meant}`;
  } catch {
    return `there is no such file, and no directory ${folder}`;
  }
}
