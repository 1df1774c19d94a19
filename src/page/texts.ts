import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { masked, visibleText } from "../reporters/visible.ts";
import { sizeText } from "../show/words.ts";
import type { PageTexts, TextNumber } from "./data.ts";

/** Size of a block before compression, in UTF-16 code units, unless one text alone is longer. */
const blockSize = 256 * 1024;

/** Raw events are the first to be left out, and parts of the index never are: each has blocks of its own. */
type Kind = "text" | "events" | "index";

/** The texts of a page, each once. They are compressed as they come, so a page needs little memory. */
export class TextTable {
  readonly #numbers = new Map<string, TextNumber>();
  readonly #sizes: number[] = [];
  readonly #bytes: number[] = [];
  readonly #places: number[] = [];
  readonly #blocks: (Block | undefined)[] = [];
  readonly #open = new Map<Kind, { readonly block: number; readonly texts: string[]; size: number }>();

  /** The number of a text that is ready to be shown: see {@link shownText}. */
  add(text: string, kind: Kind = "text"): TextNumber {
    const key = text.length <= 64 ? text : createHash("sha256").update(text).digest("base64");
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#sizes.length;
    this.#numbers.set(key, number);
    this.#note(text.length, Buffer.byteLength(text), this.#append(text, kind));
    return number;
  }

  /** A number for a text of this size that is left out from the start. */
  leaveOut(bytes: number): TextNumber {
    this.#note(0, bytes, -1);
    return this.#sizes.length - 1;
  }

  /** Bytes of all closed blocks as they will stand in the page. */
  get written(): number {
    return this.#blocks.reduce((sum, block) => sum + (block ? writtenSize(block.packed.length) : 0), 0);
  }

  /** About as many bytes as the open blocks will take: texts compress to a third or less. */
  get pending(): number {
    return [...this.#open.values()].reduce((sum, { size }) => sum + Math.ceil(size / 3), 0);
  }

  /**
   * Closes all blocks, and leaves out the largest texts, raw events first, until the rest takes `room`
   * bytes.
   */
  close(room: number): { readonly texts: PageTexts; readonly blocks: readonly (string | undefined)[] } {
    for (const kind of this.#open.keys()) this.#close(kind);
    for (let excess = this.written - room; excess > 0; excess = this.written - room)
      if (!this.#shrink(excess)) break;
    const out = this.#places.flatMap((block, number) => (block < 0 ? (this.#bytes[number] ?? 0) : []));
    return {
      texts: {
        sizes: this.#sizes,
        blocks: this.#places,
        leftOut: { count: out.length, bytes: out.reduce((sum, bytes) => sum + bytes, 0) },
      },
      blocks: this.#blocks.map((block) => block?.packed.toString("base64")),
    };
  }

  #note(size: number, bytes: number, block: number): void {
    this.#sizes.push(size);
    this.#bytes.push(bytes);
    this.#places.push(block);
  }

  /** Adds a text to the open block of its kind; returns the block's number. */
  #append(text: string, kind: Kind): number {
    const before = this.#open.get(kind);
    if (before && before.size > 0 && before.size + text.length > blockSize) this.#close(kind);
    const open = this.#open.get(kind) ?? { block: this.#blocks.push(undefined) - 1, texts: [], size: 0 };
    this.#open.set(kind, open);
    open.texts.push(text);
    open.size += text.length;
    return open.block;
  }

  #close(kind: Kind): void {
    const open = this.#open.get(kind);
    this.#open.delete(kind);
    if (open) this.#blocks[open.block] = { kind, size: open.size, packed: packed(open.texts.join("")) };
  }

  /** Leaves out texts of about this size; `false` if there are none. */
  #shrink(excess: number): boolean {
    const candidates = this.#places
      .flatMap((place, number) => {
        const block = this.#blocks[place];
        const size = this.#sizes[number] ?? 0;
        return block && block.kind !== "index" && size > 0 ? [{ number, place, size, block }] : [];
      })
      .sort(
        (a, b) =>
          Number(b.block.kind === "events") - Number(a.block.kind === "events") ||
          b.size - a.size ||
          a.number - b.number,
      );
    const gone = new Map<number, Set<TextNumber>>();
    let saved = 0;
    for (const { number, place, size, block } of candidates) {
      if (saved > excess) break;
      saved += (size / block.size) * writtenSize(block.packed.length);
      gone.set(place, (gone.get(place) ?? new Set()).add(number));
    }
    for (const [place, numbers] of gone) this.#remove(place, numbers);
    return gone.size > 0;
  }

  /** Packs a block again without some of its texts. */
  #remove(place: number, gone: ReadonlySet<TextNumber>): void {
    const block = this.#blocks[place];
    if (!block) return;
    const whole = gunzipSync(block.packed).toString();
    const kept: string[] = [];
    let at = 0;
    for (const [number, own] of this.#places.entries()) {
      if (own !== place) continue;
      const end = at + (this.#sizes[number] ?? 0);
      if (gone.has(number)) this.#places[number] = -1;
      else kept.push(whole.slice(at, end));
      at = end;
    }
    for (const number of gone) this.#sizes[number] = 0;
    const rest = kept.join("");
    this.#blocks[place] = rest === "" ? undefined : { ...block, size: rest.length, packed: packed(rest) };
  }
}

interface Block {
  readonly kind: Kind;
  /** Before compression, in UTF-16 code units. */
  readonly size: number;
  readonly packed: Buffer;
}

/** The gzip of a text's UTF-8: the same for the same text, whatever the time and the system. */
export function packed(text: string): Buffer {
  const bytes = gzipSync(text);
  // The header names the operating system.
  bytes[9] = 255;
  return bytes;
}

/** In base64, with its element. */
function writtenSize(bytes: number): number {
  return Math.ceil(bytes / 3) * 4 + 48;
}

/** A run of base64 that no person reads. */
const longBase64 = /[A-Za-z0-9+/_-]{2048,}={0,2}/g;

/** A text of the log as a page shows it: credentials masked, invisible characters visible, no base64. */
export function shownText(text: string): string {
  return visibleText(masked(withoutBase64(text)));
}

/** Images and documents by their size. */
function withoutBase64(text: string): string {
  if (text.length < 2048) return text;
  return text.replace(longBase64, (run) => (isBase64(run) ? `(base64, ${sizeText(run)})` : run));
}

/** Words and figures in one case, or few characters again and again, are text. */
function isBase64(run: string): boolean {
  return /[A-Z]/.test(run) && /[a-z]/.test(run) && /\d/.test(run) && new Set(run).size > 24;
}
