import { modelWords } from "../protocols/positions.ts";
import { Noise } from "./blobs.ts";
import { wordsOfCredentials } from "./credentials.ts";
import { FragmentedTexts } from "./fragments.ts";
import { FrameRedactor } from "./frame.ts";
import { unpackedRun } from "./packed.ts";
import type { PackedRoom } from "./packed-room.ts";
import { Permutation } from "./permutation.ts";
import { patchedText } from "./spelling.ts";
import { Tally } from "./tally.ts";
import { type PackedText, TextRedactor } from "./text.ts";
import {
  markWords,
  publicHosts,
  publicNames,
  publicNameWords,
  readWords,
  refusalWords,
} from "./vocabulary.ts";
import { Pseudonyms } from "./words.ts";

export interface EngineSettings {
  /** Equal keys give equal pseudonyms. */
  readonly key: Uint8Array;
  /** Names of tools, which stay. */
  readonly tools: ReadonlySet<string>;
  /** Roles whose texts stay. */
  readonly keptRoles: ReadonlySet<string>;
  /** Leaves the words that rules look for in texts. */
  readonly keepsReadWords: boolean;
}

/** Words of addresses of providers: those of their protocols and of the names of models, and versions. */
function isInPath(word: string): boolean {
  const lower = word.toLowerCase();
  return (
    publicNameWords.has(lower) ||
    // `generateContent`: one word with a capital in it.
    publicNames.has(word) ||
    modelWords.has(lower) ||
    /^(?:v?\d{1,2}\w?|20[12]\d[01]\d[0-3]\d)$/.test(word)
  );
}

/** Runs of base64 within what a run of base64 held are followed so far. */
const maxDepth = 4;

/** Replaces what is private in the text of a log. */
export class Engine {
  readonly tally: Tally;
  readonly #pseudonyms: Pseudonyms;
  readonly #settings: EngineSettings;
  readonly #noise: Noise;

  constructor(settings: EngineSettings) {
    this.#settings = settings;
    this.tally = this.#newTally();
    const tools = new Set([...settings.tools].map((name) => name.toLowerCase()));
    const kept = settings.keepsReadWords ? readWords : markWords;
    this.#pseudonyms = new Pseudonyms(new Permutation(settings.key), {
      has: (word) => kept.has(word) || tools.has(word),
    });
    this.#noise = new Noise(settings.key);
  }

  /** Words with their pseudonyms, as far as any were replaced. */
  get replaced(): ReadonlyMap<string, string> {
    return this.#pseudonyms.replaced;
  }

  /** A text that is no traffic, such as a pointer into it, with the words that the log has now. */
  words(text: string): string {
    const texts = this.#plainTexts();
    return patchedText(text, texts.patches(text));
  }

  /** A name, such as that of a file, with the words that containers know. */
  names(text: string): string {
    return patchedText(
      text,
      this.#plainTexts().patches(text, (word) => publicNameWords.has(word.toLowerCase())),
    );
  }

  #newTally(): Tally {
    return new Tally(
      this.#settings.keepsReadWords ? "words that rules look for" : "words of formats and APIs",
    );
  }

  #hideCredentials(text: string): void {
    for (const word of wordsOfCredentials(text)) this.#pseudonyms.hide(word);
  }

  #plainTexts(): TextRedactor {
    return new TextRedactor(
      this.#pseudonyms,
      this.#noise,
      { tools: this.#settings.tools, hosts: publicHosts, isInPath },
      this.#newTally(),
      () => undefined,
    );
  }

  /**
   * The text without what is private; `undefined` if what is packed in it goes beyond the room.
   *
   * @param room for what is packed in the text; absent for any
   */
  redacted(text: string, room?: PackedRoom): string | undefined {
    let isBeyond = false;
    this.#hideCredentials(text);
    const fragments = new FragmentedTexts();
    let depth = 0;
    let left = Math.max(mostUnpacked.short, mostUnpacked.perLetter * text.length);
    let isFirstWalk = holdsFragments.test(text);
    const walksTwice = isFirstWalk;
    const unpack = (run: string): PackedText | undefined => {
      if (depth >= maxDepth || left <= 0) return undefined;
      const unpacked = unpackedRun(run);
      if (!unpacked) return undefined;
      left -= unpacked.text.length;
      // Two walks see the same bodies, so one of them counts.
      if (isFirstWalk === walksTwice && room?.take(Buffer.from(unpacked.text)) === false) isBeyond = true;
      if (isBeyond) return sameRun(run);
      this.#hideCredentials(unpacked.text);
      if (isFirstWalk && !holdsFragments.test(unpacked.text)) return sameRun(run);
      depth++;
      const patches = frame.patches(unpacked.text);
      depth--;
      if (isFirstWalk) return sameRun(run);
      const next = patchedText(unpacked.text, patches);
      return { whole: () => unpacked.packed(next), fitted: () => unpacked.fitted(next) };
    };
    const kept = { tools: this.#settings.tools, hosts: publicHosts, isInPath };
    const texts = new TextRedactor(this.#pseudonyms, this.#noise, kept, this.tally, unpack);
    const frame = new FrameRedactor(
      texts,
      fragments,
      {
        names: publicNames,
        nameWords: publicNameWords,
        errorWords: refusalWords,
        keptRoles: this.#settings.keptRoles,
      },
      this.tally,
    );
    // The first walk collects texts that come in fragments.
    this.tally.isOn = false;
    const most = left;
    if (walksTwice) frame.patches(text);
    if (isBeyond) return undefined;
    isFirstWalk = false;
    left = most;
    this.tally.isOn = true;
    fragments.finish((whole, stays) =>
      patchedText(whole, stays ? texts.credentials(whole) : texts.patches(whole)),
    );
    const patches = frame.patches(text);
    return isBeyond ? undefined : patchedText(text, patches);
  }
}

/** What the first walk, whose texts nobody keeps, makes of a run: packing takes long. */
const sameRun = (run: string): PackedText => ({ whole: () => run, fitted: () => run });

/**
 * How much what is packed in a text may hold, in letters: of a short text, and for each letter of a long one.
 * What comes after is replaced as it is written: a megabyte of bombs would unpack to a gigabyte.
 */
const mostUnpacked = { short: 16 << 20, perLetter: 16 } as const;

/** Signs of streams, also where they are escaped; what is packed may hold some, too. */
const holdsFragments = /delta|partial|candidates|"done|choices|[A-Za-z0-9+/]{60}/i;
