import { dirname } from "node:path";
import { type ByteSource, joinedSource } from "../reading/source.ts";
import type { AnyContainer } from "../traffic/container.ts";
import { headSize, type LogSource } from "./log-file.ts";

/** Files read as one source: the parts of one log, or a single file. */
export interface FileGroup {
  /** In path order. */
  readonly inputs: readonly LogSource[];
  readonly source: ByteSource;
  /** The container that spreads one log over these files; absent for a single file. */
  readonly container?: AnyContainer;
  /** What all parts of one log share; absent for files that are not parts. */
  readonly key?: string;
}

export interface PartOptions {
  /** The files are some of those of a check, so the only part among them has to be known as one, too. */
  readonly isSome?: boolean;
  /** The containers to try for a file: only one if the user named it. */
  containersFor(input: LogSource): readonly AnyContainer[];
}

/**
 * Groups the parts of multi-file logs; every other file forms its own group. A group takes the position of
 * its first file.
 */
export function groupParts(
  inputs: readonly LogSource[],
  { isSome = false, containersFor }: PartOptions,
): FileGroup[] {
  const groups = new Map<string, { container?: AnyContainer; key?: string; inputs: LogSource[] }>();
  for (const [index, input] of inputs.entries()) {
    const part = inputs.length > 1 || isSome ? partOf(input, containersFor(input)) : undefined;
    const key = part?.key ?? String(index);
    const group = groups.get(key) ?? { ...part, inputs: [] };
    group.inputs.push(input);
    groups.set(key, group);
  }
  return [...groups.values()].map((group): FileGroup => {
    const [first, ...others] = group.inputs;
    if (first && others.length === 0)
      return { inputs: [first], source: first.source, ...(group.key !== undefined && { key: group.key }) };
    const sorted = group.inputs.sort((a, b) => a.path.localeCompare(b.path, "en", { numeric: true }));
    const sources = sorted.map(({ source }) => source);
    return { ...group, inputs: sorted, source: joinedSource(sorted[0]?.path ?? "", sources) };
  });
}

/** The container whose log a file is part of, and a key that all parts of that log share. */
function partOf(
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
