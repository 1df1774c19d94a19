import { apiPaths } from "../protocols/positions.ts";
import { isBlob, type Noise } from "./blobs.ts";
import { placesOfCredentials } from "./credentials.ts";
import {
  joinedPatches,
  lacks,
  patchedText,
  spelledPatches,
  type TextPatch,
  withoutEscapes,
} from "./spelling.ts";
import type { Tally } from "./tally.ts";
import type { Pseudonyms } from "./words.ts";

/** What stays in texts besides the words that rules read. */
export interface KeptNames {
  /** Names of tools, as they are written. */
  readonly tools: ReadonlySet<string>;
  /** Hosts of known providers, and what follows the name of a customer in them. */
  readonly hosts: ReadonlySet<string>;
  /** Words of the paths of these hosts. */
  isInPath(word: string): boolean;
}

/** More words that stay in one position. */
export type AlsoKept = (word: string) => boolean;

/** What a run of base64 holds, redacted and packed again. */
export interface PackedText {
  /** As long as it needs to be. */
  whole(): string;
  /** As long as the run; `undefined` if it needs more. */
  fitted(): string | undefined;
}

/** Whether what replaces a text has to be as long: everything but bodies, which may be packed as a whole. */
export type Room = "as-long" | "any";

const day = String.raw`\d{4}[-/.]\d\d[-/.]\d\d`;
const clock = String.raw`\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?`;
const months = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";

/** What a text is made of. The first alternative that fits counts. */
const tokens = new RegExp(
  [
    String.raw`(?<url>(?<=\bhttps?:(?:\\?/){2})[\w-]+(?:\.[\w-]+){1,6}(?::\d{1,5})?(?:\\?/[\w.:-]+)+)`,
    // When something happened, and in logs of Kubernetes the stream that it was printed to.
    String.raw`(?<moment>(?<![\d.])${day}[T _,]{1,2}${clock}(?:\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?(?: std(?:out|err) [PF](?=[ :]))?(?!\d)|(?<![A-Za-z])(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:\d{1,2}[ /-]${months}|${months} {1,2}\d{1,2})[ /-](?:\d{4}[ :,]{1,2})?${clock}(?: (?:GMT|UTC|[+-]\d{4}))?(?!\d)|(?<!\d)20\d{6}T\d{6}Z)`,
    String.raw`(?<date>(?<![\d.])(?:${day}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?![\d.]))`,
    String.raw`(?<uuid>(?<![\da-fA-F])[\da-fA-F]{8}-[\da-fA-F]{4}-[\da-fA-F]{4}-[\da-fA-F]{4}-[\da-fA-F]{12}(?![\da-fA-F]))`,
    String.raw`(?<ip>(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d.]))`,
    String.raw`(?<phone>(?<![\p{L}\p{N}.,:-])(?:\+\d{1,3}[ ./-]?)?(?:\(\d{1,5}\)[ ./-]?)?\d{2,5}(?:[ /-]\d{2,8}){1,5}(?![\p{L}\p{N}.,:-]))`,
    String.raw`(?<float>(?<![\p{L}\p{N}])\d+(?:\.\d+)?[eE][+-]?\d{1,3}(?![\p{L}\p{N}]))`,
    String.raw`(?<address>(?<![\p{L}\p{N}])0x[\da-fA-F]{3,}(?![\p{L}\p{N}]))`,
    String.raw`(?<escape>\\+(?:u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|[abefnrtv0"'])?|%[\da-fA-F]{2}|&(?:[a-z]{2,6}|#\d{1,6}|#x[\da-fA-F]{1,5});|\p{Cc}\[[\d;]*[A-Za-z])`,
    String.raw`(?<blob>(?<![\w+/])[A-Za-z0-9+/_-]{40,}={0,2})`,
    String.raw`(?<dotted>(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+)`,
    String.raw`(?<name>[\p{L}\p{N}]+(?:[_-]+[\p{L}\p{N}]+)*)`,
  ].join("|"),
  "gu",
);

const runs = /[\p{L}\p{N}]+/gu;

/** Escapes, whose letters belong to no run, and runs. */
const escapesAndRuns = /\\+(?:u[\da-fA-F]{4}|[abefnrtv0"'])?|[\p{L}\p{N}]+/gu;

/** Ends of names of files, which say what a file is and not whose. */
const endings =
  /^(?:c|cc|cpp|cs|css|csv|cfg|conf|doc|docx|env|gif|go|gz|h|har|hpp|html?|ini|ipynb|java|jpe?g|jsx?|json[cl]?|kt|lock|log|mdx?|mjs|mp[34]|pdf|php|png|pptx?|pyi?|rb|rs|s?css|sh|sql|sqlite|svg|swift|tar|toml|tsx?|txt|wav|webp|xlsx?|xml|ya?ml|zip)$/i;

const mostLabels = 5;

/** The days and months that a date may begin with. */
const calendar = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)$/;

/** Longer words may be base64. */
const longestWord = 32;

/** Marks of ASCII that begin no token and, behind a word, leave it the only token that it can be. */
const marks = new Set(Array.from(" !\"#$'),:;<>?@[]^`{|}~", (mark) => mark.charCodeAt(0)));

const FEED = 10;
const BACKSLASH = 92;
const BRACKET = 91;

/** The place from `from` on where a token may begin. */
function behindMarks(text: string, from: number): number {
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at);
    // A control character before a bracket is an escape of a terminal.
    if (!marks.has(code) && (code !== FEED || text.charCodeAt(at + 1) === BRACKET)) return at;
  }
}

/**
 * The end of a word of ASCII letters with a mark behind it, which is by far the most frequent token and needs
 * no pattern; `from` for anything else.
 */
function endOfPlainWord(text: string, from: number): number {
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at);
    if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) continue;
    const isAlone = marks.has(code) || code === FEED || code === BACKSLASH || at === text.length;
    if (!isAlone || at - from > longestWord) return from;
    return at - from === 3 && calendar.test(text.slice(from, at)) ? from : at;
  }
}

/** Letters that are written as escapes. */
const escapedLetters =
  /(?<!\\)\\+u[\da-fA-F]{4}|(?:%[C-Ec-e][\da-fA-F](?:%[89ABab][\da-fA-F]){1,3})|%(?:3\d|[46][1-9A-Fa-f]|[57][\dAa])/g;

/** Replaces the words of texts that people, models and tools wrote. */
export class TextRedactor {
  readonly #pseudonyms: Pseudonyms;
  readonly #noise: Noise;
  readonly #kept: KeptNames;
  readonly #tally: Tally;
  readonly #unpack: (run: string) => PackedText | undefined;

  /** @param unpack redacts what a run of base64 holds, if that can be read */
  constructor(
    pseudonyms: Pseudonyms,
    noise: Noise,
    kept: KeptNames,
    tally: Tally,
    unpack: (run: string) => PackedText | undefined,
  ) {
    this.#pseudonyms = pseudonyms;
    this.#noise = noise;
    this.#kept = kept;
    this.#tally = tally;
    this.#unpack = unpack;
  }

  /** Figures of a list of numbers in which a text is written: bytes, tokens, a vector. */
  numbers(list: string): string {
    return this.#noise.ofFigures(list);
  }

  /** What replaces the words of a text, in order; the text may be escaped to any depth. */
  patches(text: string, also: AlsoKept = () => false, room: Room = "as-long"): TextPatch[] {
    if (/\\u|%/.test(text)) {
      const spelling = withoutEscapes(text, escapedLetters, letterOf);
      if (spelling.text.length !== text.length)
        return spelledPatches(text, spelling, this.#plainPatches(spelling.text, also, room));
    }
    return this.#plainPatches(text, also, room);
  }

  /** What replaces the credentials in a text that stays otherwise, in order; it may be escaped. */
  credentials(text: string): TextPatch[] {
    const places = [...placesOfCredentials(text)];
    // What was a credential in one place is one in all.
    for (const { 0: word, index } of text.matchAll(escapesAndRuns))
      if (this.#pseudonyms.hidesDrawn(word)) places.push({ start: index, end: index + word.length });
    const patches: TextPatch[] = [];
    let done = 0;
    for (const { start, end } of places.sort((a, b) => a.start - b.start)) {
      const from = Math.max(start, done);
      if (from >= end) continue;
      done = end;
      for (const patch of this.patches(text.slice(from, end)))
        patches.push({ start: patch.start + from, end: patch.end + from, text: patch.text });
    }
    return patches;
  }

  /** Base64 in lines, in lines of the same width. */
  block(lines: string): string {
    const breaks = /\r?\n[ \t]*/.exec(lines)?.[0] ?? "\n";
    const lead = /^[ \t]*/.exec(lines)?.[0] ?? "";
    const width = lines.trimStart().search(/\s/);
    const run = lines.replace(/\s+/g, "");
    const unpacked = this.#unpack(run)?.whole() ?? this.#noise.of(run);
    const parts = unpacked.match(new RegExp(`.{1,${width}}`, "g")) ?? [];
    return lead + parts.join(breaks);
  }

  #plainPatches(text: string, also: AlsoKept, room: Room): TextPatch[] {
    const patches: TextPatch[] = [];
    let apart = 0;
    const replace = (start: number, end: number, replaced: string): void => {
      if (replaced === text.slice(start, end)) return;
      patches.push({ start, end, text: replaced });
      apart = joinedPatches(text, patches, apart);
    };
    for (const { start, end } of slicesOf(text)) {
      const slice = end - start === text.length ? text : text.slice(start, end);
      if (slice.length > longestRun && isBase64(slice)) replace(start, end, this.#blob(slice, also, room));
      else
        for (let at = behindMarks(slice, 0); at < slice.length; at = behindMarks(slice, at)) {
          const stop = endOfPlainWord(slice, at);
          if (stop > at) {
            replace(start + at, start + stop, this.#word(slice.slice(at, stop), also));
            at = stop;
            continue;
          }
          tokens.lastIndex = at;
          const match = tokens.exec(slice);
          if (!match) break;
          const { 0: token, index, groups = {} } = match;
          at = index + token.length;
          // An address holds tokens of its own.
          const replaced = this.#replaced(token, groups, also, room);
          replace(start + index, start + at, replaced);
        }
    }
    return patches;
  }

  /** A name that is one run. */
  #word(word: string, also: AlsoKept): string {
    return this.#kept.tools.has(word) ? this.#tally.keep("names of tools", word) : this.#run(word, also);
  }

  #replaced(token: string, kind: Record<string, string | undefined>, also: AlsoKept, room: Room): string {
    if (kind["name"] !== undefined) return this.#name(token, also);
    if (kind["dotted"] !== undefined) return this.#dotted(token, also);
    if (kind["url"] !== undefined) return this.#url(token, also, room);
    if (kind["escape"] !== undefined) return token;
    if (kind["moment"] !== undefined) return this.#tally.keep("times", token);
    if (kind["date"] !== undefined) return token.replace(/\d{4}/, (year) => this.#pseudonyms.of(year));
    if (kind["uuid"] !== undefined)
      return this.#pseudonyms
        .ofHex(token.replaceAll("-", ""))
        .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    if (kind["ip"] !== undefined) return isLocal(token) ? token : this.#figures(token);
    if (kind["phone"] !== undefined) return isPhone(token) ? this.#figures(token) : this.#runs(token, also);
    if (kind["float"] !== undefined)
      return token.replace(/\d{3,}/g, (figures) => this.#pseudonyms.of(figures));
    if (kind["address"] !== undefined) return `0x${this.#pseudonyms.ofHex(token.slice(2))}`;
    return this.#blob(token, also, room);
  }

  /** A name of words; that of a tool stays. */
  #name(name: string, also: AlsoKept): string {
    if (this.#kept.tools.has(name)) return this.#tally.keep("names of tools", name);
    return this.#runs(name, also);
  }

  #runs(text: string, also: AlsoKept): string {
    return text.replace(runs, (run) => this.#run(run, also));
  }

  #run(run: string, also: AlsoKept): string {
    if (also(run)) return this.#tally.keep("words of formats and APIs", run);
    const pseudonym = this.#pseudonyms.of(run);
    if (pseudonym === run) this.#tally.keepRun(run);
    return pseudonym;
  }

  /** An address: the path of a provider's server, or of one that speaks its protocol, is public. */
  #url(token: string, also: AlsoKept, room: Room): string {
    const path = token.indexOf("/");
    const host = token.slice(0, path).split(/[:\\]/, 1)[0] ?? "";
    const isPublic = this.#isPublicHost(host) || apiPaths.test(token);
    const known = isPublic ? this.#kept.isInPath : () => false;
    const isKept: AlsoKept = (word) => also(word) || known(word);
    return patchedText(token, this.#plainPatches(token, isKept, room));
  }

  #isPublicHost(host: string): boolean {
    const labels = host.toLowerCase().split(".").slice(-mostLabels);
    return labels.some((_, from) => this.#kept.hosts.has(labels.slice(from).join(".")));
  }

  /** A host, a file, or a number with a point. */
  #dotted(token: string, also: AlsoKept): string {
    const labels = token.split(".");
    // Hosts of providers have a few labels; longer names are none.
    const host = labels.findIndex(
      (_, from) =>
        from >= labels.length - mostLabels &&
        this.#kept.hosts.has(labels.slice(from).join(".").toLowerCase()),
    );
    const last = labels.length - 1;
    return labels
      .map((label, at) => {
        if (host >= 0 && at >= host)
          return at === host ? this.#tally.keep("hosts of providers", label) : label;
        if (at === last && endings.test(label) && /\D$/.test(labels[at - 1] ?? "")) return label;
        return this.#parts(label, also);
      })
      .join(".");
  }

  #parts(label: string, also: AlsoKept): string {
    return label.replace(/[\p{L}\p{N}]+(?:[_-]+[\p{L}\p{N}]+)*/gu, (name) => this.#name(name, also));
  }

  #figures(token: string): string {
    return token.replace(/\d+/g, (figures) => this.#pseudonyms.ofFigures(figures));
  }

  #blob(run: string, also: AlsoKept, room: Room): string {
    const unpacked = this.#unpack(run);
    if (unpacked) return room === "any" ? unpacked.whole() : (unpacked.fitted() ?? this.#noise.of(run));
    if (isBlob(run)) return this.#noise.of(run);
    if (run.length <= longestRun) return this.#parts(run, also);
    const slices = Array.from({ length: Math.ceil(run.length / longestRun) }, (_, index) =>
      run.slice(index * longestRun, (index + 1) * longestRun),
    );
    return slices.map((slice) => this.#parts(slice, also)).join("");
  }
}

/** The longest run without a break that {@link tokens} is tried on: of longer ones, it exhausts the stack. */
const longestRun = 1 << 20;

/**
 * The parts of a text, in order: the runs of base64 that are longer than {@link longestRun}, and what stands
 * between them, in slices without a longer run.
 */
function* slicesOf(text: string): Generator<{ readonly start: number; readonly end: number }> {
  let start = 0;
  if (text.length > longestRun)
    for (let at = 0; at < text.length; ) {
      const end = endOfRun(text, at);
      if (end - at > longestRun) {
        if (at > start) yield { start, end: at };
        const isPacked = isBase64(text.slice(at, end));
        for (let from = at; from < end; from += isPacked ? end - at : longestRun)
          yield { start: from, end: isPacked ? end : Math.min(end, from + longestRun) };
        start = end;
      }
      at = end + 1;
    }
  if (start < text.length || text === "") yield { start, end: text.length };
}

/** The offset of the next character behind which a token may begin: white space, a quote, a backslash. */
function endOfRun(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= 32 || code === 34 || code === 39 || code === 44 || code === 92) return at;
  }
  return text.length;
}

function isBase64(text: string): boolean {
  return lacks(text, /[^\w+/=-]/);
}

/** The letter or figure that an escape stands for; other characters stay escaped. */
function letterOf(written: string): string | undefined {
  const character = written.startsWith("%")
    ? decoded(written)
    : String.fromCharCode(Number.parseInt(written.slice(-4), 16));
  return character !== undefined && /^[\p{L}\p{N}]$/u.test(character) ? character : undefined;
}

function decoded(written: string): string | undefined {
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}

function isLocal(address: string): boolean {
  return /^(?:127\.|0\.0\.0\.0$)/.test(address);
}

/** Groups of figures that somebody may be reached at: seven and more in all, and no row of small numbers. */
function isPhone(token: string): boolean {
  return token.replace(/\D/g, "").length >= 7 && (/^[+(]/.test(token) || /\d{3}/.test(token));
}
