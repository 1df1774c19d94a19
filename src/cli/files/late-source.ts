import { closeSync, openSync } from "node:fs";
import { type ByteSource, fileSource } from "../../reading/source.ts";

/** How many files are open at a time: a report shows lines of one file after the other. */
const mostOpen = 16;

/**
 * Files that are opened when something is read of them, and closed when many others were: of thousands, a
 * report shows the lines of a few. Throws the file system's error at once if a file cannot be opened.
 */
export function lateSources(): (full: string, shown: string) => ByteSource {
  const open: LateSource[] = [];
  const opened = (source: LateSource): void => {
    open.push(source);
    if (open.length > mostOpen) open.shift()?.close();
  };
  return (full, shown) => {
    closeSync(openSync(full, "r"));
    return new LateSource(full, shown, opened);
  };
}

class LateSource implements ByteSource {
  readonly name: string;
  readonly #full: string;
  readonly #opened: (source: LateSource) => void;
  #inner: ByteSource | undefined;

  constructor(full: string, name: string, opened: (source: LateSource) => void) {
    this.#full = full;
    this.name = name;
    this.#opened = opened;
  }

  get size(): number {
    return this.#source().size;
  }

  read(start: number, end: number): Buffer {
    return this.#source().read(start, end);
  }

  copy(target: Buffer, at: number, start: number): number {
    return this.#source().copy(target, at, start);
  }

  close(): void {
    this.#inner?.close();
    this.#inner = undefined;
  }

  #source(): ByteSource {
    if (!this.#inner) {
      this.#inner = fileSource(this.#full, this.name);
      this.#opened(this);
    }
    return this.#inner;
  }
}
