import type { Origin } from "./origin.ts";
import { type ByteSource, memorySource } from "./source.ts";
import type { View } from "./view.ts";

/** The unpacked files of archives: positions in them mean their own lines, not the packed bytes. */

const entries = new WeakMap<ByteSource, Map<string, ByteSource>>();
const names = new WeakMap<ByteSource, string>();
const columns = new WeakMap<ByteSource, (offset: number) => string | undefined>();

/**
 * Remembers a file of an archive, and returns a read-only view of its text.
 * @param columnAt for the rows of a table, the name of the column that an offset stands in
 */
export function entryView(
  archive: ByteSource,
  name: string,
  bytes: Buffer,
  columnAt?: (offset: number) => string | undefined,
): View {
  const source = memorySource(archive.name, bytes);
  const known = entries.get(archive) ?? new Map<string, ByteSource>();
  entries.set(archive, known.set(name, source));
  names.set(source, name);
  if (columnAt) columns.set(source, columnAt);
  return {
    source,
    size: bytes.length,
    read: (start, end) => bytes.subarray(start, end),
    origin: (start, end): Origin => ({ source, start, end }),
  };
}

/** The name of the archive's file that a source holds; `undefined` for any other source. */
export function entryName(source: ByteSource): string | undefined {
  return names.get(source);
}

/** The column of a table that an offset stands in; `undefined` for any other source. */
export function tableColumn(source: ByteSource, offset: number): string | undefined {
  return columns.get(source)?.(offset);
}

/** Whether a source holds the rows of a table. */
export function isTable(source: ByteSource): boolean {
  return columns.has(source);
}

/** The file of an archive by its name, or the source itself without one. */
export function entryIn(source: ByteSource | undefined, name: string | undefined): ByteSource | undefined {
  return (name === undefined || source === undefined ? undefined : entries.get(source)?.get(name)) ?? source;
}
