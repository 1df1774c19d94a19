import { dirname } from "node:path";
import { type ByteSource, joinedSource } from "../reading/source.ts";
import type { AnyContainer } from "../traffic/container.ts";
import type { LogSource } from "./read.ts";

/** Files that are read as one source: the pieces of one log, or a file by itself. */
export interface FileGroup {
  /** In the order of their paths. */
  readonly inputs: readonly LogSource[];
  readonly source: ByteSource;
  /** The container that keeps one log in these files; absent for a file by itself. */
  readonly container?: AnyContainer;
}

const headSize = 64 << 10;

/**
 * Groups the pieces of logs that are kept in many files; each other file is a group of its own. A group
 * stands where its first file was. `containersFor` says as which containers a file may be read: one that the
 * user named is the only one.
 */
export function groupPieces(
  inputs: readonly LogSource[],
  containersFor: (input: LogSource) => readonly AnyContainer[],
): FileGroup[] {
  const groups = new Map<string, { container?: AnyContainer; inputs: LogSource[] }>();
  for (const [index, input] of inputs.entries()) {
    const piece = inputs.length > 1 ? pieceOf(input, containersFor(input)) : undefined;
    const key = piece?.key ?? String(index);
    const group = groups.get(key) ?? { ...(piece && { container: piece.container }), inputs: [] };
    group.inputs.push(input);
    groups.set(key, group);
  }
  return [...groups.values()].map((group): FileGroup => {
    const [first, ...others] = group.inputs;
    if (first && others.length === 0) return { inputs: [first], source: first.source };
    const sorted = group.inputs.sort((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }));
    const sources = sorted.map(({ source }) => source);
    return { ...group, inputs: sorted, source: joinedSource(sorted[0]?.path ?? "", sources) };
  });
}

/** The container of which a file is a piece, and a key that all pieces of the same log have. */
function pieceOf(
  { path, source }: LogSource,
  containers: readonly AnyContainer[],
): { readonly key: string; readonly container: AnyContainer } | undefined {
  const head = source.read(0, Math.min(source.size, headSize));
  for (const container of containers) {
    const scope = container.partOf?.(head);
    if (scope) return { key: `${container.name} ${scope === "folder" ? dirname(path) : ""}`, container };
  }
  return undefined;
}
