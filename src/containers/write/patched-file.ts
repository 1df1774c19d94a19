import { type ByteSource, packedAgain } from "../../reading/source.ts";
import { isSqlite } from "../../reading/sqlite.ts";
import { type Patch, patched } from "../../reading/view.ts";

/** A file with patches applied; they must be ordered and disjoint. */
export interface PatchedFile {
  /** The whole file, created on first access; {@link chunks} takes less memory. */
  readonly bytes: Buffer;
  /** The same file in chunks. It can be iterated several times, while the source is open. */
  chunks(): Iterable<Buffer>;
  /** What the file holds, in chunks: the same bytes, unpacked if it is packed. */
  content(): Iterable<Buffer>;
}

/** Applies patches to a file; returns the reason if it cannot be written. */
export function patchedFile(
  source: ByteSource,
  patches: readonly Patch[],
): PatchedFile | { readonly why: string } {
  const { packed } = source;
  const content = (): Iterable<Buffer> => patchedChunks(source, patches);
  if (!packed) return fileOf(content, content);
  const file = patches.length > 0 ? repacked(source, packed, patches) : packed;
  if (file) return fileOf(() => [file], content);
  return { why: isSqlite(packed) ? "toollint cannot write databases" : "the file is not valid UTF-16" };
}

function fileOf(chunks: () => Iterable<Buffer>, content: () => Iterable<Buffer>): PatchedFile {
  let whole: Buffer | undefined;
  return {
    get bytes() {
      whole ??= Buffer.concat([...chunks()]);
      return whole;
    },
    chunks,
    content,
  };
}

function repacked(source: ByteSource, packed: Buffer, patches: readonly Patch[]): Buffer | undefined {
  const before = source.read(0, source.size);
  return packedAgain(packed, before, patched(before, patches));
}

const chunkSize = 1 << 20;

/** Chunks of about {@link chunkSize}, so that many small edits do not cause many small writes. */
function* patchedChunks(source: ByteSource, patches: readonly Patch[]): Generator<Buffer> {
  let gathered: Buffer[] = [];
  let size = 0;
  for (const part of patchedParts(source, patches)) {
    gathered.push(part);
    size += part.length;
    if (size < chunkSize) continue;
    yield Buffer.concat(gathered, size);
    gathered = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(gathered, size);
}

function* patchedParts(source: ByteSource, patches: readonly Patch[]): Generator<Buffer> {
  const read = windowOn(source);
  let at = 0;
  for (const { start, end, bytes } of patches) {
    yield* read(at, start);
    yield bytes;
    at = end;
  }
  yield* read(at, source.size);
}

/** Reads a source forward, at least {@link chunkSize} at a time. */
function windowOn(source: ByteSource): (start: number, end: number) => Generator<Buffer> {
  let window: { readonly start: number; readonly end: number; readonly bytes: Buffer } = {
    start: 0,
    end: 0,
    bytes: Buffer.alloc(0),
  };
  return function* (start, end) {
    for (let at = start; at < end; ) {
      if (at >= window.end) {
        const bytes = source.read(at, Math.min(source.size, at + chunkSize));
        if (bytes.length === 0) return;
        window = { start: at, end: at + bytes.length, bytes };
      }
      const until = Math.min(end, window.end);
      yield window.bytes.subarray(at - window.start, until - window.start);
      at = until;
    }
  };
}
