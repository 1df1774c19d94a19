/** How many bytes several bodies may keep together: many long replies at once have to fit into memory. */
export class KeptBytes {
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  /** Takes up to so many bytes and returns how many. */
  take(wanted: number): number {
    const taken = Math.min(wanted, this.#left);
    this.#left -= taken;
    return taken;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}

/** Stores the bytes of a body that pass, up to a limit. */
export class Tap {
  /** Bytes recorded per body; the rest of a longer body is forwarded only. */
  static readonly limit = 64 << 20;

  readonly #kept: KeptBytes;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #omitted = 0;

  constructor(kept: KeptBytes) {
    this.#kept = kept;
  }

  add(chunk: Buffer): void {
    // What comes after an omitted chunk is omitted, too: a recorded body has no hole.
    const room = this.#omitted > 0 ? 0 : this.#kept.take(Math.min(chunk.length, Tap.limit - this.#size));
    if (room > 0) this.#chunks.push(chunk.subarray(0, room));
    this.#size += room;
    this.#omitted += chunk.length - room;
  }

  /** The body so far. Its bytes no longer count as kept, and what is added later is omitted. */
  take(): { readonly body: Buffer; readonly omitted?: number } {
    const body = Buffer.concat(this.#chunks.splice(0));
    const omitted = this.#omitted;
    this.#kept.giveBack(this.#size);
    this.#size = Tap.limit;
    return { body, ...(omitted > 0 && { omitted }) };
  }
}
