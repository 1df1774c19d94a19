import { gzipSync } from "node:zlib";
import type { PageTexts } from "./data.ts";

/** Size of a block before compression, in UTF-16 code units, unless one text alone is longer. */
const blockSize = 256 * 1024;

/** Compressed texts as {@link PageTexts} describes them. */
export interface Blocks {
  readonly texts: PageTexts;
  /** The blocks in base64, in order. */
  readonly blocks: readonly string[];
}

/** Joins texts to blocks, in their order, and compresses them. */
export function blocksOf(texts: Iterable<string>): Blocks {
  const sizes: number[] = [];
  const numbers: number[] = [];
  const blocks: string[] = [];
  let open: string[] = [];
  let size = 0;
  const close = (): void => {
    if (open.length > 0) blocks.push(packed(open.join("")));
    open = [];
    size = 0;
  };
  for (const text of texts) {
    if (size > 0 && size + text.length > blockSize) close();
    sizes.push(text.length);
    numbers.push(blocks.length);
    open.push(text);
    size += text.length;
  }
  close();
  return { texts: { sizes, blocks: numbers, leftOut: { count: 0, bytes: 0 } }, blocks };
}

/** The gzip of a text's UTF-8 in base64: the same for the same text, whatever the time and the system. */
function packed(text: string): string {
  const bytes = gzipSync(text);
  // The header names the operating system.
  bytes[9] = 255;
  return bytes.toString("base64");
}
