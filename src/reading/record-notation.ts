import { javaClass } from "./literal-classes.ts";
import { isQuote, QuotedReader } from "./literal-strings.ts";
import { closers, maxText, PrintReader } from "./print-reader.ts";
import type { Dialect, PrintedLiteral } from "./printed-literal.ts";
import { endOfString, scanJson } from "./scan.ts";
import { snakeCase } from "./snake-case.ts";

/**
 * What Java, Kotlin, C# and Go print for an object: the names of its members and their values, most texts
 * without quotes. `AssistantMessage [toolCalls=[ToolCall[id=c1, name=add]], textContent=I add.]`,
 * `ChatMessage { Role = user, Content = Add. }`, `{Role:user Content:Add. ToolCalls:[]}`. What follows says
 * where a text ends: the next name, or the bracket of its object.
 * @see https://docs.oracle.com/en/java/javase/21/docs/api/java.base/java/lang/Record.html#toString()
 * @see https://pkg.go.dev/fmt#hdr-Printing
 */
export function recordNotation(
  bytes: Buffer,
  start: number,
  end: number,
  failed?: (at: number) => void,
): PrintedLiteral | undefined {
  const reader = new NotationReader(bytes, start, end);
  if (reader.value(0, "")) return reader.literal;
  failed?.(reader.at);
  return undefined;
}

/** Whether a text begins with such an object, or with a list of them. */
export function beginsAsRecord(text: string): boolean {
  const inside = text.replace(/^\[\s*/, "");
  const object = named.exec(inside);
  if (!object) return beginsInGo(text);
  // Python prints arguments in parentheses, too, but it knows neither of these.
  return object[2] !== "(" || /[(,] ?\w+=null\b|[(,] ?[a-z]+[A-Z]\w*=(?!['"[({])/.test(inside);
}

function beginsInGo(text: string): boolean {
  return inGo.test(text.replace(/^\[(?=&?\{)|^\[\](?=[\w.]+\{)[\w.]+\{/, ""));
}

/** Deeper nesting than any message has. */
const maxDepth = 64;

/** What is looked at of what follows. */
const headLength = 160;

/** `ToolCall[id=`, `AiMessage { text = `, `Prompt{messages=`: the first member behind the class. */
const named = /^(?:[a-z_][\w.]*\.)?([A-Z]\w*)(?:\$\w+)? ?([[{(])(?=\s*[A-Za-z_]\w* ?=(?![=>]) ?)/;

/** `&{Role:user`, `sdk.ChatMessage{Role:"`: an exported member, no space behind its colon. */
const inGo =
  /^&?(?:[a-z]\w*\.[A-Z]\w*\{(?=[A-Z]\w*:)|\{(?=[A-Z]\w*:(?:[^\s"'`\d[{(]|\[\{[A-Z]|\d* [A-Z]\w*:)))/;

/** An object within one that Go printed. */
const withinGo = /^&?(?:\*?[\w.]+)?\{(?=[A-Z]\w*:|\})/;

/** A member of JSON, as a stream's fragment of arguments begins: `"city": "Os`. */
const fragmentOfJson = /^"[^"\n]{0,80}" ?:/;

/** The end of an object, and the next one: `], ToolCall[id=`. */
const nextObject = /[\]})], ?[A-Z]\w* ?[[{(][A-Za-z_]\w* ?=/;

/** The same in Go: `}] ToolCallID:`, `} {Role:`. */
const nextObjectInGo = /[\]}] &?\{?[A-Z]\w*:/;

/** More brackets, and the next object of the same list. */
const furtherClosers = /^[\]})]{1,20}, ?([A-Z]\w*) ?[[{(][A-Za-z_]\w* ?=/;

/** How much of a quoted text is searched for it. */
const maxInText = 4096;

/** A member whose value is a text, even if it is empty JSON. */
const writtenAsText = /^(?:arguments|input|args)$/i;

/** The name of a member and what stands before its value. */
const nameInJava = /^([A-Za-z_][\w.-]*) ?= ?(?![=>])/;
const nameInGo = /^([A-Z]\w*|"[\w-]+"):/;

/** A member of a Go map: any name without spaces. */
const keyInGo = /^([^\s:[\]{}]+):/;

/** What Go prints for a member without a value. */
const isNothing = /^(?:|\[\]|map\[\]|<nil>|""|[\w.()*[\]]*\(?nil\)?)$/;

/** A member without a value. */
const absentValue = /^\w+ ?= ?null(?=[\s,\]})])/;

/** Reads one object and writes the equivalent JSON as it goes. */
class NotationReader extends PrintReader {
  private isGo = false;
  /** What closes the lists and objects around the value that is read, the outermost first. */
  private readonly around: string[] = [];
  /** The class of the object that is read. */
  private className = "";
  /** The class is one of an SDK that writes the wire's names in its language's way: `toolCallId`. */
  private isOfWire = false;
  private dialect: Dialect = "java";
  get literal(): PrintedLiteral {
    return this.literalOf(this.dialect);
  }

  /** Reads a value up to the bracket that closes its object; false where there is none. */
  value(depth: number, closer: string): boolean {
    if (depth > maxDepth) return false;
    if (this.at >= this.end) return this.cut();
    const head = this.ahead(this.at);
    if (depth === 0 && beginsInGo(head)) {
      this.isGo = true;
      this.dialect = "go";
    }
    if (this.isGo) return this.goValue(depth, closer, head);
    const object = named.exec(head);
    if (object) {
      if (object[1] === "Optional") return this.wrapped(depth, object[0].length);
      this.isOfWire ||= depth === 0 && /^ChatCompletion/.test(object[1] ?? "");
      return this.object(depth, object[0].length, object[1] ?? "");
    }
    const inside = /^Optional\[/.exec(head);
    if (inside) return this.wrapped(depth, inside[0].length);
    if (depth === 0 && head[0] !== "[") return false;
    if (/^\{(?=\s*(?:\}|[A-Za-z_][\w.-]* ?=))/.test(head)) return this.object(depth, 1, "");
    // A class without members.
    const empty = /^[A-Z]\w* ?(\[\]|\{\s?\}|\(\))/.exec(head);
    if (empty) return this.write("{}", empty[0].length);
    if (head[0] === "[" && this.beginsList(head)) return this.list(depth);
    if (depth === 0) return false;
    return this.plain(closer, head);
  }

  private beginsList(head: string): boolean {
    const item = head.replace(/^\[\s*/, "");
    return item[0] === "]" || named.test(item) || /^(?:\{[A-Za-z_]\w* ?=|\[)/.test(item);
  }

  private list(depth: number): boolean {
    this.write("[", 1);
    this.around.push("]");
    for (let count = 0; ; count++) {
      this.space();
      if (this.at >= this.end) return this.cut();
      if (this.byte() === "]") {
        this.around.pop();
        return this.write("]", 1);
      }
      if (count > 0 && this.byte() === ",") this.write(",", 1);
      else if (count > 0 && this.isGo) this.write(",", 0);
      else if (count > 0) return false;
      this.space();
      if (this.at >= this.end) return this.cut();
      if (!this.value(depth + 1, "]")) return false;
      if (this.isCut) return true;
    }
  }

  /** The members of an object whose head has `size` bytes, bracket included. */
  private object(depth: number, size: number, name: string): boolean {
    const close = closers[this.character(this.at + size - 1)] ?? "}";
    const known = javaClass(name);
    const names = new Set<string>();
    this.write("{", size);
    this.around.push(close);
    const outer = this.className;
    for (let count = 0; ; count++) {
      this.space();
      if (this.at >= this.end) return this.cut();
      if (this.byte() === close) break;
      if (count > 0 && this.byte() === ",") {
        this.at++;
        this.space();
      }
      if (this.at >= this.end) return this.cut();
      const member = nameInJava.exec(this.ahead(this.at));
      if (!member) return false;
      const key = this.wireName(member[1] ?? "");
      // Such a class writes no members without a value into its JSON.
      const absent = this.isOfWire && key !== "content" ? absentValue.exec(this.ahead(this.at)) : undefined;
      if (absent) {
        this.at += absent[0].length;
        continue;
      }
      this.write(`${names.size > 0 ? "," : ""}${JSON.stringify(key)}:`, member[0].length);
      names.add(key);
      const head = this.ahead(this.at);
      const constant = key === "role" ? /^[A-Z]+(?=[\s,\]})])/.exec(head)?.[0] : undefined;
      if (constant !== undefined) {
        this.write(JSON.stringify(constant.toLowerCase()), constant.length);
        continue;
      }
      this.className = name;
      const isRead =
        writtenAsText.test(key) && head[0] === "{" ? this.plain(close, head) : this.value(depth + 1, close);
      if (!isRead) return false;
      if (this.isCut) return true;
    }
    this.around.pop();
    this.className = outer;
    const [key, value] = known?.kind ?? [];
    const isNamed = key === undefined || names.has(key) || names.has("role") || names.has("messageType");
    if (!isNamed)
      this.write(`${names.size > 0 ? "," : ""}${JSON.stringify(key)}:${JSON.stringify(value)}`, 0);
    return this.write("}", 1);
  }

  /** `Optional[value]` is its value. */
  private wrapped(depth: number, size: number): boolean {
    this.at += size;
    if (!this.value(depth + 1, "]") || this.isCut) return this.isCut;
    if (this.byte() !== "]") return false;
    this.at++;
    return true;
  }

  private wireName(name: string): string {
    // Spring AI's name for content that may be a text or parts.
    if (this.isOfWire && name === "rawContent") return "content";
    return this.isOfWire || /^[A-Z]/.test(name) ? snakeCase(name) : name;
  }

  /** A text, a word or a number. */
  private plain(closer: string, head: string): boolean {
    if (/^Optional\.empty/.test(head)) return this.write("null", "Optional.empty".length);
    const word = /^(?:null|true|false|-?\d{1,15}(?:\.\d+)?)(?=\s*[,\]})]|\s+[A-Za-z_]\w* = |\s*$)/.exec(head);
    if (word) return this.write(word[0], word[0].length);
    if (head[0] === "'" || (head[0] === '"' && !fragmentOfJson.test(head))) {
      const close = this.endOfQuoted(head[0], closer);
      if (close !== undefined) {
        this.text(this.at + 1, close, 1);
        this.at++;
        return true;
      }
    }
    const end = Math.min(this.endOfText(closer), this.end);
    this.text(this.at, this.at + this.bytes.toString("latin1", this.at, end).trimEnd().length);
    this.space();
    return this.at < this.end || this.cut();
  }

  /** Where a text in quotes ends that has no escapes: before a quote that an end follows. */
  private endOfQuoted(quote: string, closer: string): number | undefined {
    const { bytes } = this;
    const start = this.at + 1;
    const limit = Math.min(this.end, start + maxText);
    const first = this.character(start);
    if (first === "{" || first === "[") {
      const node = scanJson(bytes, start, limit);
      if (node?.state === "complete" && this.character(node.end) === quote) return node.end;
    }
    for (let at = bytes.indexOf(quote, start); at >= 0 && at < limit; at = bytes.indexOf(quote, at + 1)) {
      const next = this.ahead(at + 1)
        .trimStart()
        .replace(closer, ",");
      if (/^(?:,|$|[A-Za-z_]\w* = )/.test(next))
        return nextObject.test(this.ahead(start, Math.min(at - start, maxInText))) ? undefined : at;
    }
    return undefined;
  }

  /** Where a text without quotes ends. Brackets within it are paired, unless one of them stands alone. */
  private endOfText(closer: string): number {
    return this.endByBrackets(closer) ?? this.endByWords(closer);
  }

  private endByBrackets(closer: string): number | undefined {
    const { brackets } = this;
    brackets.beginText();
    const limit = Math.min(this.end, this.at + maxText);
    const isJson = /[[{]/.test(this.character(this.at));
    for (let at = this.at; at < limit; at++) {
      const character = this.character(at);
      if (brackets.areClosed && character === closer && this.hasFurtherCloser(at)) return undefined;
      if (brackets.areClosed && (character === closer || this.beginsMember(at))) return at;
      if (!brackets.take(character, at)) return undefined;
      if (character !== '"' || brackets.areClosed) continue;
      const close = endOfString(this.bytes, at + 1, limit, 0);
      // Only a text that is cut off holds the beginning of the next object, or ends in one of its strings.
      const next = this.isGo ? nextObjectInGo : nextObject;
      if (close > 0 ? next.test(this.ahead(at, Math.min(close - at, maxInText))) : isJson) break;
      if (close > 0) at = close - 1;
    }
    // A bracket that is near the limit may be closed behind it.
    brackets.giveUp(limit < this.end ? limit - maxText / 2 : limit);
    return undefined;
  }

  /** The first bracket that may close the object, or the first name, whatever brackets stand before it. */
  private endByWords(closer: string): number {
    const limit = Math.min(this.end, this.at + maxText);
    for (let at = this.at; at < limit; at++) {
      if (this.beginsMember(at)) return at;
      if (this.character(at) !== closer) continue;
      const next = this.ahead(at + 1);
      if (this.hasFurtherCloser(at)) continue;
      if (this.isGo ? /^(?:$|[\s\]}])/.test(next) : /^\s*(?:$|[\]})]|,\s|\n)/.test(next)) return at;
    }
    return limit;
  }

  /** Of several brackets before the next object of the same class, the last one ends this object. */
  private hasFurtherCloser(at: number): boolean {
    if (this.isGo) return false;
    const next = this.ahead(at + 1);
    return furtherClosers.exec(next)?.[1] === this.className || !this.closesAround(next);
  }

  /** Whether the brackets at the beginning of a text can close what is around the object that ends before. */
  private closesAround(text: string): boolean {
    for (let level = this.around.length - 2, at = 0; level >= 0; level--, at++) {
      const bracket = text[at] ?? "";
      if (!/[\]})]/.test(bracket)) return true;
      if (bracket !== this.around[level]) return false;
    }
    return true;
  }

  /** Whether the separator before the next member stands at an offset. */
  private beginsMember(at: number): boolean {
    const character = this.character(at);
    if (this.isGo)
      return character === " " && /^ [A-Z]\w*:(?=\S| [A-Z]\w*:|\s?[\]}]|$)/.test(this.ahead(at, 60));
    return character === "," && /^,\s*[A-Za-z_][\w.-]* ?=(?![=>])/.test(this.ahead(at, 60));
  }

  /** Go prints all members; those without a value are left out on the wire, too. */
  private goMembers(depth: number, size: number, close: string, name: RegExp): boolean {
    let count = 0;
    this.write("{", size);
    for (;;) {
      while (this.byte() === " " || this.byte() === ",") this.at++;
      if (this.at >= this.end) return this.cut();
      if (this.byte() === close) return this.write("}", 1);
      const member = name.exec(this.ahead(this.at));
      if (!member) return false;
      const mark = this.json.mark();
      const key = wireKey((member[1] ?? "").replaceAll('"', ""));
      this.write(`${count > 0 ? "," : ""}${JSON.stringify(key)}:`, member[0].length);
      const from = this.at;
      if (!this.value(depth + 1, close)) return false;
      if (this.isCut) return true;
      if (key !== "content" && isNothing.test(this.said(from))) this.json.goBack(mark);
      else count++;
    }
  }

  private said(from: number): string {
    return this.bytes.toString("latin1", from, Math.min(this.at, from + 40)).trim();
  }

  private goValue(depth: number, closer: string, head: string): boolean {
    const object = withinGo.exec(head);
    if (object) return this.goMembers(depth, object[0].length, "}", nameInGo);
    const nil =
      /^(?:<nil>|nil\b|(?:\[\])?[\w.]+\(nil\)|\(\*?[\w.]+\)\((?:nil|0x[0-9a-f]+)\)|0x[0-9a-f]{6,})/.exec(
        head,
      );
    if (nil) return this.write("null", nil[0].length);
    const map = /^map\[(?!\w+\])/.exec(head) ?? /^map\[\w+\][\w.]*(?: \{\})?\{/.exec(head);
    if (map) return this.goMembers(depth, map[0].length, map[0].endsWith("{") ? "}" : "]", keyInGo);
    const slice = /^\[\][\w.]+\{/.exec(head);
    if (slice) return this.goSlice(depth, slice[0].length);
    if (/^\[(?=\s*(?:&?\{[A-Z]|\]|\[))/.test(head)) return this.list(depth);
    if (isQuote(head[0] ?? "")) {
      const reader = new QuotedReader(this.bytes, this.at, this.end, this.json);
      const end = reader.read();
      this.at = reader.at;
      return end === "cut" ? this.cut() : end === "closed";
    }
    const word = /^(?:true|false|-?\d{1,15})(?=[ ,\]}])/.exec(head);
    if (word) return this.write(word[0], word[0].length);
    const end = this.endOfText(closer);
    this.text(this.at, Math.min(end, this.end));
    return this.at < this.end || this.cut();
  }

  /** `[]sdk.ToolCall{…, …}` is a list. */
  private goSlice(depth: number, size: number): boolean {
    this.write("[", size);
    for (let count = 0; ; count++) {
      while (this.byte() === " " || this.byte() === ",") this.at++;
      if (this.at >= this.end) return this.cut();
      if (this.byte() === "}") return this.write("]", 1);
      if (count > 0) this.write(",", 0);
      if (!this.value(depth + 1, "}")) return false;
      if (this.isCut) return true;
    }
  }

  /** Writes a range as a JSON string and steps behind it; `quote` bytes before it belong to it. */
  private text(from: number, to: number, quote = 0): void {
    const said = JSON.stringify(this.bytes.toString("utf8", from, to));
    this.json.write('"', from - quote, from);
    if (said.length === to - from + 2) this.json.copy(from, to);
    else this.json.write(said.slice(1, -1), from, to);
    this.json.write('"', to, to);
    this.at = to;
  }

  private character(at: number): string {
    return String.fromCharCode(this.bytes[at] ?? 0);
  }

  protected override ahead(from: number, length = headLength): string {
    return super.ahead(from, length);
  }
}

/** The wire's name of a member that Go prints. Parts stand beside the text that they replace. */
function wireKey(name: string): string {
  return name === "MultiContent" ? "content" : snakeCase(name);
}
