import type { ByteSource } from "../../../reading/source.ts";
import { originIn } from "../../../reading/view.ts";
import type { Skipped } from "../../../traffic/container.ts";
import { holdsWordsOf } from "../../payloads/user-words.ts";
import type { TextValue } from "./value-reader.ts";

/** Records whose words are looked for in the rest of the log: each costs a pass over it. */
const maxSamples = 32;

/** Places of the same words that are looked at. */
const maxPlaces = 64;

/**
 * What was said, up to the first character that other places of the log may escape. A model that only calls
 * is known by an id; a server may give all its replies one.
 */
const wordsIn = {
  user: [/\b(?:content|text)\\{0,7}["']?\s*:\s*\\{0,7}["']([^"'\\]{16,80})/],
  model: [
    /\b(?:content|text)\\{0,7}["']?\s*:\s*\\{0,7}["']([^"'\\]{10,80})/,
    /\b(?:content|text|parts)\\{0,7}["']?\s*:\s*\[[^"'{\\]{0,40}\\{0,7}["']([^"'\\]{10,80})/,
    /\bid\\{0,7}["']?\s*:\s*\\{0,7}["']([^"'\\]{10,80})/,
  ],
} as const;

/** A value of a log, or what of it could be read. */
interface Words extends Pick<TextValue, "at" | "fileEnd"> {
  readonly node: { readonly start: number; readonly end: number };
}

/** The records of a text log that hold words of a user, or of a model, and gave no traffic. */
export class Unheard {
  private readonly speaker: keyof typeof wordsIn;
  private readonly source: ByteSource;
  private readonly bytes: Buffer;
  private first: Skipped["origin"] | undefined;
  private count = 0;
  private readonly samples: { readonly start: number; readonly end: number; readonly words: string }[] = [];

  constructor(speaker: keyof typeof wordsIn, source: ByteSource, bytes: Buffer) {
    this.speaker = speaker;
    this.source = source;
    this.bytes = bytes;
  }

  add(start: number, { at, node, fileEnd }: Words): void {
    this.addWords(start, fileEnd, at.bytes, node);
  }

  private addWords(start: number, end: number, bytes: Buffer, node: Words["node"]): void {
    if (!holdsWordsOf(this.speaker, bytes, node)) return;
    this.first ??= originIn(this.source, start, end);
    this.count++;
    if (this.samples.length >= maxSamples) return;
    const text = bytes.toString("utf8", node.start, Math.min(node.end, node.start + 4096));
    for (const form of wordsIn[this.speaker]) {
      const words = form.exec(text)?.[1];
      if (words === undefined) continue;
      this.samples.push({ start, end, words });
      return;
    }
  }

  /** The same for a line in which no value could be read. */
  addLine(start: number, end: number): void {
    this.addWords(start, end, this.bytes, { start, end });
  }

  /**
   * What to say of them. In a log without requests, any words of a user are missing from it. Otherwise only
   * words that stand nowhere else count: programs also print what they send or receive.
   */
  told(hasRequests: boolean, hasReplies: boolean): Skipped | undefined {
    if (!this.first || (!hasRequests && !hasReplies)) return undefined;
    const isOfUser = this.speaker === "user";
    const areKnown = !this.samples.some(({ words }) => this.isOnlyHere(words));
    if (areKnown && (hasRequests || !isOfUser)) return undefined;
    return {
      origin: this.first,
      count: this.count,
      reason: isOfUser
        ? "a user's text that no known request contains"
        : "a model's text that no known reply contains",
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
