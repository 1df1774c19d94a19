import { dirname } from "node:path";
import { type ByteSource, joinedSource } from "../reading/source.ts";
import type { Container, LazyContainer } from "../traffic/container.ts";

/** A file to be read. */
interface Named {
  readonly path: string;
  readonly source: ByteSource;
}

/** Files that are read as one, because they are pieces of one thing. */
export interface Gathered<T extends Named> {
  readonly container: Container | LazyContainer;
  /** In the order of their paths. */
  readonly pieces: readonly T[];
  readonly source: ByteSource;
}

const headSize = 64 << 10;

/** Gathers the pieces of things that are kept in many files; all other files are handed back as they are. Nothing changes its place. */
export function gathered<T extends Named>(
  inputs: readonly T[],
  containers: readonly (Container | LazyContainer)[],
): (T | Gathered<T>)[] {
  if (inputs.length < 2) return [...inputs];
  const keepers = containers.filter(({ pieceOf }) => pieceOf);
  const groups = new Map<string, { container: Container | LazyContainer; pieces: T[] }>();
  const keys = inputs.map((input) => {
    const head = input.source.read(0, Math.min(input.source.size, headSize));
    for (const container of keepers) {
      const scope = container.pieceOf?.(head);
      if (!scope) continue;
      const key = `${container.name} ${scope === "folder" ? dirname(input.path) : ""}`;
      const group = groups.get(key) ?? { container, pieces: [] };
      groups.set(key, group);
      group.pieces.push(input);
      return key;
    }
    return undefined;
  });
  const begun = new Set<string>();
  return inputs.flatMap((input, index): (T | Gathered<T>)[] => {
    const key = keys[index];
    const group = key === undefined ? undefined : groups.get(key);
    if (!group || group.pieces.length === 1) return [input];
    if (begun.has(key as string)) return [];
    begun.add(key as string);
    const pieces = [...group.pieces].sort((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }));
    const sources = pieces.map(({ source }) => source);
    return [{ container: group.container, pieces, source: joinedSource(pieces[0]?.path ?? "", sources) }];
  });
}
