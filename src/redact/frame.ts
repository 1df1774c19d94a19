import {
  addresses,
  callData,
  callDataBelow,
  deltas,
  errorTexts,
  modelWords,
  publicNames,
  schemas,
  speakers,
  speech,
  streamIndexes,
  streamStarts,
} from "../protocols/positions.ts";
import { isJson } from "../reading/parse.ts";
import { anySpeakerOf } from "../traffic/roles.ts";
import type { FragmentedTexts } from "./fragments.ts";
import { endOfQuote, endOfValue, type LooseMember, memberAt, scalarsOf } from "./jsonish.ts";
import { linePatches } from "./lines.ts";
import { bytesOfLog, textOfLog } from "./log-text.ts";
import { schemaPatches } from "./schema.ts";
import {
  doubledEnd,
  isCallAt,
  isDoubledIn,
  isOpenReply,
  isPayload,
  isRefusal,
  isReplyId,
  isSchema,
  isTraffic,
  mayHoldTraffic,
  type Position,
} from "./shapes.ts";
import {
  joinedPatches,
  patchedText,
  spelledPatches,
  type TextPatch,
  undoubled,
  unquoted,
  type WrittenText,
} from "./spelling.ts";
import type { Tally } from "./tally.ts";
import type { AlsoKept, TextRedactor } from "./text.ts";

/** What stays by its position. */
export interface PublicWords {
  /** Names that protocols and containers know, as they are written. */
  readonly names: ReadonlySet<string>;
  /** The words of these names, in lower case. */
  readonly nameWords: ReadonlySet<string>;
  /** Words of providers' refusals, in lower case. */
  readonly errorWords: ReadonlySet<string>;
  /** Roles whose texts stay. */
  readonly keptRoles: ReadonlySet<string>;
}

const top: Position = {
  key: "",
  keys: [],
  role: undefined,
  isError: false,
  stream: undefined,
  isOfCall: () => false,
};

/** Base64 in lines. */
const blocks =
  /(?:(?<=^|\n)[ \t]*)(?:[A-Za-z0-9+/]{50,2000}\r?\n[ \t]*){1,100000}[A-Za-z0-9+/]{1,200}={0,2}(?=\s|$)/g;

/** Lists of nothing but numbers, and a buffer as Node prints it. */
const numberLists = /\[\s{0,80}-?\d[\d.eE+-]{0,40}(?:\s{0,80},\s{0,80}-?\d[\d.eE+-]{0,40}){2,}\s{0,80}\]/y;
const buffers =
  /\{\s{0,80}"type"\s{0,8}:\s{0,8}"Buffer"\s{0,80},\s{0,80}"data"\s{0,8}:\s{0,8}\[(?<list>[\d,\s]+)\]\s{0,80}\}/y;

/** Deeper values are texts. */
const deepest = 150;

/** Replaces what is private in text that holds traffic: lines, headers, and payloads as JSON at any depth. */
export class FrameRedactor {
  readonly #texts: TextRedactor;
  readonly #fragments: FragmentedTexts;
  readonly #words: PublicWords;
  readonly #tally: Tally;
  readonly #isNameWord: AlsoKept;
  readonly #isErrorWord: AlsoKept;
  readonly #knownNames = new Map<string, boolean>();

  constructor(texts: TextRedactor, fragments: FragmentedTexts, words: PublicWords, tally: Tally) {
    this.#texts = texts;
    this.#fragments = fragments;
    this.#words = words;
    this.#tally = tally;
    this.#isNameWord = (word) => words.nameWords.has(word.toLowerCase());
    this.#isErrorWord = (word) => words.errorWords.has(word.toLowerCase());
  }

  /** What replaces what is private in a text, in order. */
  patches(text: string, depth = 0): TextPatch[] {
    const found: TextPatch[] = [];
    const starts = /[{[(]|"|'(?=[{[])/g;
    let done = 0;
    let apart = 0;
    for (let start = starts.exec(text); start; start = starts.exec(text)) {
      const { index } = start;
      if (index < done) continue;
      const end = this.#structureEnd(text, index, depth);
      if (end === undefined) continue;
      const from = found.length;
      this.#between(text, done, index, found);
      const isQuote = /["']/.test(start[0]);
      if (isQuote) this.#quoted(text, index, end, found, depth);
      else this.#root(text, index, found, depth);
      done = Math.max(end, index + 1);
      if (found.length > from) done = Math.max(done, found.at(-1)?.end ?? 0);
      apart = joinedPatches(text, found, apart);
      starts.lastIndex = done;
    }
    this.#between(text, done, text.length, found);
    return found;
  }

  /** The end of a value that is to be read as such; `undefined` where text goes on. */
  #structureEnd(text: string, at: number, depth: number): number | undefined {
    if (depth > deepest) return undefined;
    const character = text.charAt(at);
    if (character === '"' || character === "'") {
      const end = endOfQuote(text, at + 1, character);
      if (character === "'" && text.charAt(end + 1) === "'") return doubledEnd(text, at + 1, "'");
      const inside = text.slice(at + 1, Math.min(end, at + 400));
      if (isDoubledIn(text, at + 1)) return doubledEnd(text, at + 1, '"');
      return end < text.length && /\\|^[[{]/.test(inside) && isTraffic(text.slice(at + 1, end))
        ? end + 1
        : undefined;
    }
    if (
      !/^(?:[{[(]\s*(?:\\*["'{[}\]]|[A-Za-z_$][\w$]{0,60}\s*[:=(]|\d|true|false|null))/.test(
        text.slice(at, at + 200),
      )
    )
      return undefined;
    return endOfValue(text, at);
  }

  /** Text between values: lines of a log, of YAML or of HTTP. */
  #between(text: string, from: number, to: number, found: TextPatch[]): void {
    if (to - from > 120) {
      let done = from;
      for (const { 0: block, index } of text.slice(from, to).matchAll(blocks)) {
        const other = this.#texts.block(block);
        this.#lines(text, done, from + index, found);
        done = from + index + block.length;
        found.push({ start: from + index, end: done, text: other });
      }
      this.#lines(text, done, to, found);
    } else this.#lines(text, from, to, found);
  }

  #lines(text: string, from: number, to: number, found: TextPatch[]): void {
    if (to <= from) return;
    if (text.slice(from, to).includes("[DONE]")) this.#fragments.begin();
    const isWord = (word: string): boolean => this.#isNameWord(word);
    for (const patch of linePatches(text.slice(from, to), {
      isKey: (key) => this.#isKnown(key),
      plain: (slice) => this.#texts.patches(slice),
      public: (slice) => this.#texts.patches(slice, isWord),
      value: (key, slice) =>
        /^-?\d+(?:\.\d+)?$/.test(slice) && !speech.has(key)
          ? []
          : this.#textPatches(slice, { ...top, key, keys: [key] }, 0),
    }))
      found.push({ start: patch.start + from, end: patch.end + from, text: patch.text });
  }

  /** A quoted text that holds traffic. */
  #quoted(text: string, start: number, end: number, found: TextPatch[], depth: number): void {
    const inside = text.slice(start + 1, end - 1);
    const quote = text.charAt(start);
    const isDoubled = quote === "'" ? inside.includes("''") : isDoubledIn(inside, 0);
    // In YAML, a scalar in single quotes has no escapes; what a program prints has.
    const isPlain = quote === "'" && !isDoubled && isJson(inside);
    const spelling = isDoubled || isPlain ? undoubled(inside, quote) : unquoted(inside);
    this.#inside(inside, spelling, start + 1, found, depth);
  }

  #inside(written: string, spelling: WrittenText, offset: number, found: TextPatch[], depth: number): void {
    const patches = this.patches(spelling.text, depth + 1);
    for (const patch of spelledPatches(written, spelling, patches))
      found.push({ start: patch.start + offset, end: patch.end + offset, text: patch.text });
  }

  /** One payload or record. */
  #root(text: string, start: number, found: TextPatch[], depth: number): void {
    const end = endOfValue(text, start);
    const slice = text.slice(start, Math.min(end, start + 2000));
    const type = /"type"\s*:\s*"([\w.-]{1,40})"/.exec(slice)?.[1];
    const chunk = /"(?:choices|candidates)"\s*:/.test(slice) ? scalarsOf(text, start, isReplyId) : undefined;
    this.#fragments.reply = [...(chunk?.values() ?? [])].join(" ");
    if (type !== undefined && streamStarts.has(type)) this.#fragments.begin();
    else if (/"(?:messages|contents|message_start|messageStart)"\s*:/.test(slice)) this.#fragments.begin();
    this.#value(text, start, top, found, depth);
    const tail = text.slice(Math.max(start, end - 3000), end);
    if (/"finishReason"\s*:\s*"|"done"\s*:\s*true/.test(tail)) this.#fragments.begin();
  }

  /** Reads the value at a place and returns its end. */
  #value(text: string, at: number, position: Position, found: TextPatch[], depth: number): number {
    const character = text.charAt(at);
    if (depth > deepest) return this.#asText(text, at, endOfValue(text, at), found);
    if (character === "{" || character === "[" || character === "(")
      return this.#structure(text, at, position, found, depth);
    const prefix = /[bfru]{1,2}(?=["'])/y;
    prefix.lastIndex = at;
    const open = prefix.test(text) ? prefix.lastIndex : at;
    const quote = text.charAt(open);
    if (quote === '"' || quote === "'") {
      const end = endOfQuote(text, open + 1, quote);
      const written = text.slice(open + 1, end);
      for (const patch of this.#textPatches(written, position, depth))
        found.push({ start: patch.start + open + 1, end: patch.end + open + 1, text: patch.text });
      return Math.min(text.length, end + 1);
    }
    return this.#bare(text, at, position, found, depth);
  }

  /** A number, a constant, or the call of a class in printed objects. */
  #bare(text: string, at: number, position: Position, found: TextPatch[], depth: number): number {
    const name = /[A-Za-z_$][\w$.]{0,100}(?=[({[])/y;
    name.lastIndex = at;
    if (name.test(text)) {
      const end = name.lastIndex;
      if (!this.#isKnown(text.slice(at, end))) this.#asText(text, at, end, found);
      return this.#value(text, end, position, found, depth + 1);
    }
    const end = endOfValue(text, at);
    const value = text.slice(at, end).trim();
    const isCount = /^-?[\d.]+(?:[eE][+-]?\d+)?$/.test(value) && this.#isKnown(position.key);
    if (isCount && !speech.has(position.key)) {
      this.#tally.keepRun(value);
      return end;
    }
    return this.#asText(text, at, end, found, position.isError ? this.#isErrorWord : undefined);
  }

  #structure(text: string, start: number, position: Position, found: TextPatch[], depth: number): number {
    const { key } = position;
    const isObject = text.charAt(start) !== "[";
    const listed = isObject ? this.#buffer(text, start, found, depth) : this.#numbers(text, start, found);
    if (listed !== undefined) return listed;
    if (isObject && schemas.has(key) && isSchema(text, start)) {
      const end = endOfValue(text, start);
      const patches = schemaPatches(text.slice(start, end), {
        isKnown: (name) => this.#isKnown(name),
        text: (slice) => this.#texts.patches(slice),
      });
      for (const patch of patches)
        found.push({ start: patch.start + start, end: patch.end + start, text: patch.text });
      return end;
    }
    const isData = callData.has(key) || callDataBelow[key]?.has(position.keys.at(-2) ?? "");
    if (isObject && isData && !position.isElement && !isPayload(text, start))
      return this.#asText(text, start, endOfValue(text, start), found);
    const role = this.#roleOf(text, start, position, isObject);
    let at = start + 1;
    while (at < text.length) {
      const character = text.charAt(at);
      if (character === "}" || character === "]" || character === ")") return at + 1;
      if (/[\s,;]/.test(character)) {
        at++;
        continue;
      }
      const member = memberAt(text, at);
      if (!member) {
        const end = this.#value(text, at, { ...position, role, isElement: true }, found, depth + 1);
        at = Math.max(end, at + 1);
        continue;
      }
      const name = member.key;
      if (!this.#isKnown(name)) this.#asText(text, member.keyStart, member.keyEnd, found);
      const stream = this.#streamOf(text, start, member, position);
      const inner: Position = {
        key: name,
        keys: [...position.keys, name],
        role: speakers[name] ?? role,
        isError: position.isError || /^errors?$|Error$/.test(name),
        stream,
        isOfCall: () => isCallAt(text, start),
      };
      at = Math.max(this.#value(text, member.start, inner, found, depth + 1), member.start);
    }
    return text.length;
  }

  /** Bytes as a list of numbers, as Node prints a buffer: they may be a body. */
  #buffer(text: string, start: number, found: TextPatch[], depth: number): number | undefined {
    buffers.lastIndex = start;
    const list = buffers.exec(text)?.groups?.["list"];
    if (list === undefined) return undefined;
    const end = buffers.lastIndex;
    const from = text.indexOf("[", start) + 1;
    const bytes = Buffer.from(list.split(",").map(Number));
    const held = textOfLog(bytes);
    const other = bytesOfLog(patchedText(held, this.patches(held, depth + 1)));
    const separator = /,\s*/.exec(list)?.[0] ?? ",";
    found.push({ start: from, end: from + list.length, text: [...other].join(separator) });
    return end;
  }

  /** Texts may be written as numbers: their bytes, the tokens of a model, the vector of an embedding. */
  #numbers(text: string, start: number, found: TextPatch[]): number | undefined {
    numberLists.lastIndex = start;
    if (!numberLists.test(text)) return undefined;
    const end = numberLists.lastIndex;
    found.push({ start, end, text: this.#texts.numbers(text.slice(start, end)) });
    return end;
  }

  /** Who speaks in an object: only asked where some role may be kept. */
  #roleOf(text: string, start: number, { role }: Position, isObject: boolean): string | undefined {
    if (this.#words.keptRoles.size === 0 || !isObject) return role;
    const own = scalarsOf(text, start, (key) => key === "role" || key === "type");
    return anySpeakerOf(own.get("role")) ?? anySpeakerOf(own.get("type")) ?? role;
  }

  /** The text whose fragments stand below a member, by the events that it comes in. */
  #streamOf(text: string, start: number, member: LooseMember, position: Position): string | undefined {
    const { key } = member;
    const isPart = deltas.has(key) || position.stream !== undefined;
    const isChunk =
      (key === "text" && position.keys[0] === "candidates") ||
      (key === "text" && position.keys[0] === "choices") ||
      ((position.keys.length === 0 || position.keys.join() === "message") &&
        text.charAt(member.start) === '"' &&
        /^(?:content|response|thinking)$/.test(key) &&
        isOpenReply(text, start, position));
    if (!isPart && !isChunk) return undefined;
    const own = scalarsOf(text, start, (name) => streamIndexes.has(name));
    const indexes = [...own].map(([name, value]) => `${name}=${value}`).join(" ");
    return `${position.stream ?? position.keys.join("/")}/${key} ${indexes}`;
  }

  /** What replaces a text at a position, with its escapes. */
  #textPatches(written: string, position: Position, depth: number): TextPatch[] {
    const { key, role } = position;
    if (written === "") return [];
    const stays = role !== undefined && this.#words.keptRoles.has(role) && speech.has(key);
    if (stays) this.#tally.keep("texts of chosen roles", role);
    if (position.stream !== undefined && speech.has(key)) {
      const text = this.#fragments.take(position.stream, written, stays);
      return text === written ? [] : [{ start: 0, end: written.length, text }];
    }
    if (stays) return this.#texts.credentials(written);
    const isBody = mayHoldTraffic(key, position);
    if (isBody && isTraffic(written)) {
      const found: TextPatch[] = [];
      this.#inside(written, unquoted(written), 0, found, depth);
      return found;
    }
    // A body may be packed as a whole, and need more room afterwards.
    const room = isBody ? "any" : "as-long";
    const patches = (also?: AlsoKept): TextPatch[] => this.#texts.patches(written, also, room);
    if ((position.isError && errorTexts.has(key)) || isRefusal(written)) return patches(this.#isErrorWord);
    if (publicNames.has(key)) return this.#modelPatches(written, /model/i.test(key));
    if (addresses.has(key.toLowerCase()) || addresses.has(key)) return patches(this.#isNameWord);
    if (!speech.has(key) && !/(?:^|_)ids?$|I[dD]s?$/.test(key) && this.#isKnown(written)) {
      this.#tally.keep("words of formats and APIs", written);
      return [];
    }
    return patches();
  }

  /** Words of known families of models stay, and numbers beside them; what customers call theirs goes. */
  #modelPatches(written: string, isModel: boolean): TextPatch[] {
    const isOwn = /^(?:ft:|arn:|accounts\/|projects\/)|:ft-|@|\s/.test(written);
    if (isOwn || !/^[\w.:/-]{1,100}$/.test(written) || !isModel)
      return this.#texts.patches(written, this.#isNameWord);
    const isPublic = (word: string): boolean =>
      /^[A-Za-z]?\d\w{0,11}$/.test(word) || modelWords.has(word.toLowerCase()) || this.#isNameWord(word);
    const runs = written.match(/[A-Za-z]+|[A-Za-z]?\d\w*/g) ?? [];
    // Without any known word, its numbers tell nothing of a family.
    const isKnown = runs.some((run) => /^[A-Za-z]{2}/.test(run) && isPublic(run));
    if (isKnown && runs.every(isPublic)) {
      this.#tally.keep("models", written);
      return [];
    }
    return this.#texts.patches(written, isKnown ? isPublic : this.#isNameWord);
  }

  #asText(text: string, from: number, to: number, found: TextPatch[], also?: AlsoKept): number {
    for (const patch of this.#texts.patches(text.slice(from, to), also))
      found.push({ start: patch.start + from, end: patch.end + from, text: patch.text });
    return to;
  }

  /** A name that protocols know, or one that is made of their words. */
  #isKnown(name: string): boolean {
    const { names, nameWords } = this.#words;
    if (names.has(name)) return true;
    const known = this.#knownNames.get(name);
    if (known !== undefined) return known;
    const words =
      name
        .replace(/([a-z\d])([A-Z])/g, "$1 $2")
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [];
    const isMade =
      words.length > 0 &&
      /^[\w.$:/-]{1,80}$/.test(name) &&
      words.every(
        (word) => nameWords.has(word) || /^(?:v?\d{1,2}|20[12]\d(?:[01]\d[0-3]\d)?|[a-z])$/.test(word),
      );
    this.#knownNames.set(name, isMade);
    return isMade;
  }
}
