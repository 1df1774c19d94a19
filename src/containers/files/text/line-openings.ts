/** How JSON, or an object that a program prints, goes on behind a bracket. A time of day is no number. */
const beginsValue =
  /^(?:[{[]\s*(?:["'{[\]}]|$|-?\d[\d.eE+-]*\s*(?:[,\]]|$)|[A-Za-z_$]\w*\s*:)|\{\s*\d+\s*:(?!\d))/;

/** A member, or an element, of JSON over several lines. */
const beginsMember = /^\s*["']/;

/** What stands before a quote that begins a text, also Python's marks; in a word, it is an apostrophe. */
const beforeQuote = /(?:^|[\s=:,([{])[bru]?$/i;

/** Enough of a line or a value to see how it begins. */
const headLength = 48;

/** What stands open on a line at an offset. */
export interface Openings {
  /** Where the quote is that begins the text in which the offset stands. */
  readonly quote: number | undefined;
  /** The offset stands in brackets that begin a value. */
  readonly isInValue: boolean;
  /** The line begins as a member of a value over several lines. */
  readonly isInMember: boolean;
}

/** What stands open on the lines of a text. Offsets that are asked for in order cost each line once. */
export class LineOpenings {
  readonly #text: string;
  #line = 0;
  #end = -1;
  #at = 0;
  #quote: number | undefined;
  /** Of each bracket, whether it begins a value. */
  #brackets: boolean[] = [];
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the line of the last offset ends. */
  get end(): number {
    return this.#end;
  }

  at(offset: number): Openings {
    if (offset > this.#end || offset < this.#at) {
      this.#line = this.#text.lastIndexOf("\n", offset - 1) + 1;
      const feed = this.#text.indexOf("\n", offset);
      this.#end = feed < 0 ? this.#text.length : feed;
      this.#at = this.#line;
      this.#quote = undefined;
      this.#brackets = [];
      this.#values = 0;
    }
    for (; this.#at < offset; this.#at++) this.#pass();
    const head = this.#text.slice(this.#line, Math.min(offset, this.#line + headLength));
    const isInMember = beginsMember.test(head);
    return { quote: this.#quote, isInValue: this.#values > 0, isInMember };
  }

  #pass(): void {
    const at = this.#at;
    const mark = this.#text[at] ?? "";
    if (mark === "\\") this.#at++;
    else if (mark === '"' || mark === "'") {
      if (this.#quote === undefined) {
        const before = this.#text.slice(Math.max(this.#line, at - 2), at);
        if (mark === '"' || beforeQuote.test(before)) this.#quote = at;
      } else if (this.#text[this.#quote] === mark) this.#quote = undefined;
    } else if (this.#quote !== undefined) return;
    else if (mark === "{" || mark === "[") {
      const isValue = beginsValue.test(this.#text.slice(at, at + headLength).split("\n", 1)[0] ?? "");
      this.#brackets.push(isValue);
      if (isValue) this.#values++;
    } else if ((mark === "}" || mark === "]") && this.#brackets.pop()) this.#values--;
  }
}
