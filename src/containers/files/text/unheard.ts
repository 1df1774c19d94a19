import type { ByteSource } from "../../../reading/source.ts";
import type { Skipped } from "../../../traffic/container.ts";
import { holdsWordsOfUser } from "../../payloads/user-words.ts";
import type { TextValue } from "./value-reader.ts";

/** Records whose words are looked for in the rest of the log: each costs a pass over it. */
const maxSamples = 32;

/** Places of the same words that are looked at. */
const maxPlaces = 64;

/** What was said, up to the first character that other places of the log may escape. */
const wordsIn = /["'](?:content|text)["']\s*:\s*["']([^"'\\]{16,80})/;

/** The records of a text log that hold words of a user and gave no traffic. */
export class Unheard {
  private readonly source: ByteSource;
  private readonly bytes: Buffer;
  private first: Skipped["origin"] | undefined;
  private count = 0;
  private readonly samples: { readonly start: number; readonly end: number; readonly words: string }[] = [];

  constructor(source: ByteSource, bytes: Buffer) {
    this.source = source;
    this.bytes = bytes;
  }

  add(start: number, { at, node, fileEnd }: TextValue): void {
    if (!holdsWordsOfUser(at.bytes, node)) return;
    this.first ??= { source: this.source, start, end: fileEnd };
    this.count++;
    if (this.samples.length >= maxSamples) return;
    const words = wordsIn.exec(at.bytes.toString("utf8", node.start, Math.min(node.end, node.start + 4096)));
    if (words?.[1] !== undefined) this.samples.push({ start, end: fileEnd, words: words[1] });
  }

  /**
   * What is said of them: in a log without requests, that there are some; else that some stand nowhere in the
   * requests, where programs print what a user said before they send it.
   */
  told(hasRequests: boolean, hasReplies: boolean): Skipped | undefined {
    if (!this.first || (!hasRequests && !hasReplies)) return undefined;
    if (hasRequests && !this.samples.some(({ words }) => this.isOnlyHere(words))) return undefined;
    return {
      origin: this.first,
      count: this.count,
      reason: "a user's text that no known request contains",
      isSpeech: true,
    };
  }

  private isOnlyHere(words: string): boolean {
    const wanted = Buffer.from(words);
    let at = this.bytes.indexOf(wanted);
    for (let places = 0; at >= 0 && places < maxPlaces; places++) {
      const place = at;
      if (!this.samples.some(({ start, end }) => start <= place && place < end)) return false;
      at = this.bytes.indexOf(wanted, place + wanted.length);
    }
    return true;
  }
}
