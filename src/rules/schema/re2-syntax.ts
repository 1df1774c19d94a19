import { pushAll } from "../../reading/lists.ts";
/** A pattern of ECMA-262 in the syntax of RE2. */
export interface Re2Pattern {
  readonly source: string;
  /** An upper estimate of the number of instructions. */
  readonly size: number;
  /** Only texts with this number of characters match: repetitions that RE2 counts no further than 1000. */
  readonly length?: { readonly least: number; readonly most: number };
}

/** Longer or larger patterns are not run: they take memory before the first character. */
const maxLength = 10_000;
const maxSize = 4_000;
const maxNesting = 100;
/** RE2 counts no further. */
const maxCount = 1_000;

const anyCharacter = "[\\x{0}-\\x{10ffff}]";
/** `\s` and `.` know Unicode in ECMA-262, and only ASCII in RE2. */
const spaces =
  "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const otherThanSpaces =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
const otherThanLineEnds = "[^\\x{a}\\x{d}\\x{2028}\\x{2029}]";
const sets: Readonly<Record<string, string>> = {
  d: "\\d",
  D: "\\D",
  w: "\\w",
  W: "\\W",
  s: spaces,
  S: otherThanSpaces,
};
const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };
/** The general categories that both syntaxes have with the same members. */
const category =
  /^\{(?:(?:gc|General_Category)=)?(L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Cc|Cf)\}/;
const escapedPoint =
  /^(?:u([Dd][89ABab][\dA-Fa-f]{2})\\u([Dd][C-Fc-f][\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|u\{([\dA-Fa-f]{1,6})\}|x([\dA-Fa-f]{2})|c([A-Za-z]))/;
const quantifier = /^(?:[*+?]|\{(\d{1,9})(?:(,)(\d{0,9}))?\})\??/;

/**
 * Translates a pattern as `new RegExp(pattern, "u")` reads it; `undefined` for what RE2 lacks (lookarounds,
 * references), for what is not a pattern, and for patterns that are too large. Escapes that only patterns
 * without the flag `u` may have (`\-`, `\_`) stand for themselves, since most schemas were written for those.
 */
export function re2Syntax(pattern: string): Re2Pattern | undefined {
  if (pattern.length > maxLength) return undefined;
  return countedRun(pattern) ?? new Translation(pattern).whole();
}

/** `^.{0,4000}$`: one character with a count that RE2 cannot count to. */
function countedRun(pattern: string): Re2Pattern | undefined {
  const [, atom, from = "", comma, to = ""] =
    /^\^(.{1,200})\{(\d{1,9})(?:(,)(\d{0,9}))?\}\$$/su.exec(pattern) ?? [];
  if (atom === undefined) return undefined;
  const least = Number(from);
  const most = comma === undefined ? least : to === "" ? Number.POSITIVE_INFINITY : Number(to);
  if (Math.max(least, most === Number.POSITIVE_INFINITY ? 0 : most) <= maxCount || most < least)
    return undefined;
  const one = new Translation(atom).onlyAtom();
  return one === undefined ? undefined : { source: `^(?:${one})*$`, size: 4, length: { least, most } };
}

interface Group {
  size: number;
  /** Where its source begins in the output. */
  readonly start: number;
}

class Translation {
  private at = 0;
  private readonly out: string[] = [];
  private readonly groups: Group[] = [{ size: 1, start: 0 }];
  private readonly pattern: string;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  whole(): Re2Pattern | undefined {
    while (this.at < this.pattern.length) if (!this.term()) return undefined;
    const [group, ...open] = this.groups;
    if (!group || open.length > 0 || group.size > maxSize) return undefined;
    return { source: this.out.join(""), size: group.size };
  }

  /** The source of a pattern that is one character or one set of characters. */
  onlyAtom(): string | undefined {
    const first = this.pattern[0] ?? "";
    if ("(^$|*+?{)".includes(first) || /^\\[bB]/.test(this.pattern)) return undefined;
    return this.term() && this.at === this.pattern.length ? this.out.join("") : undefined;
  }

  /** Reads one term with its quantifier. Returns whether it has a meaning. */
  private term(): boolean {
    const character = this.pattern[this.at] ?? "";
    switch (character) {
      case "(":
        return this.open();
      case ")":
        return this.close();
      case "|":
        return this.emit("|");
      case "^":
      case "$":
        return this.emit(character);
      case ".":
        this.at++;
        return this.atom(otherThanLineEnds, 1);
      case "[":
        return this.set();
      case "\\":
        return this.escape();
      case "*":
      case "+":
      case "?":
      case "{":
      case "}":
      case "]":
        return false;
      default: {
        const point = this.pattern.codePointAt(this.at) ?? 0;
        this.at += point > 0xffff ? 2 : 1;
        return isHalf(point) ? false : this.atom(literal(point), 1);
      }
    }
  }

  /** Adds what stands for itself and cannot be repeated. */
  private emit(source: string): boolean {
    this.at += source.length;
    return this.add(source, 1);
  }

  private add(source: string, size: number): boolean {
    const group = this.groups.at(-1);
    if (!group) return false;
    this.out.push(source);
    group.size += size;
    return group.size <= maxSize && !/[*+?]/.test(this.pattern[this.at] ?? "");
  }

  /** Adds what a quantifier may follow, and the quantifier. */
  private atom(source: string, size: number): boolean {
    const found = quantifier.exec(this.pattern.slice(this.at, this.at + 30));
    if (!found) return this.add(source, size);
    const [written, from, comma, to = ""] = found;
    this.at += written.length;
    if (from === undefined) return this.add(`${source}${written[0]}`, size + 1);
    const least = Number(from);
    const isEndless = comma !== undefined && to === "";
    const most = comma === undefined ? least : isEndless ? least + 1 : Number(to);
    if (most < least || most > maxCount) return false;
    const counts = comma === undefined ? `{${least}}` : `{${least},${isEndless ? "" : most}}`;
    return this.add(`${source}${counts}`, (size + 1) * Math.max(1, most));
  }

  private open(): boolean {
    const opening = /^\((?:\?:|\?<[\p{L}_$][\p{L}\p{N}_$]{0,100}>)?/u.exec(
      this.pattern.slice(this.at, this.at + 110),
    );
    if (!opening || this.groups.length > maxNesting) return false;
    if (opening[0] === "(" && this.pattern[this.at + 1] === "?") return false;
    this.at += opening[0].length;
    this.groups.push({ size: 1, start: this.out.length });
    return true;
  }

  private close(): boolean {
    const group = this.groups.pop();
    if (!group || this.groups.length === 0) return false;
    this.at++;
    const inner = this.out.splice(group.start).join("");
    return this.atom(`(?:${inner})`, group.size);
  }

  private escape(): boolean {
    const next = this.pattern[this.at + 1] ?? "";
    if (next === "b" || next === "B") return this.emit(`\\${next}`);
    const set = sets[next];
    if (set !== undefined) {
      this.at += 2;
      return this.atom(`[${set}]`, 1);
    }
    const property = this.property();
    if (property !== undefined) return this.atom(property, 4);
    const point = this.point(false);
    return point === undefined ? false : this.atom(literal(point), 1);
  }

  /** `\p{L}` and its like. */
  private property(): string | undefined {
    const letter = this.pattern[this.at + 1];
    if (letter !== "p" && letter !== "P") return undefined;
    const [written, name] = category.exec(this.pattern.slice(this.at + 2, this.at + 32)) ?? [];
    if (written === undefined) return undefined;
    this.at += 2 + written.length;
    return `\\${letter}{${name}}`;
  }

  /** The code point that an escape stands for. */
  private point(isInSet: boolean): number | undefined {
    const rest = this.pattern.slice(this.at + 1, this.at + 16);
    const [written, pairHigh, pairLow, four, long, two, control] = escapedPoint.exec(rest) ?? [];
    if (written !== undefined) {
      this.at += 1 + written.length;
      if (control !== undefined) return control.charCodeAt(0) % 32;
      const point =
        pairHigh !== undefined && pairLow !== undefined
          ? (Number.parseInt(pairHigh, 16) - 0xd800) * 1024 + Number.parseInt(pairLow, 16) - 0xdc00 + 0x10000
          : Number.parseInt(four ?? long ?? two ?? "", 16);
      return point > 0x10ffff || isHalf(point) ? undefined : point;
    }
    const next = rest[0] ?? "";
    this.at += 2;
    if (next === "0") return /^0\d/.test(rest) ? undefined : 0;
    if (next === "b" && isInSet) return 8;
    if (controls[next] !== undefined) return controls[next];
    return /^[!-/:-@[-`{-~ ]$/.test(next) ? next.charCodeAt(0) : undefined;
  }

  /** `[…]`. */
  private set(): boolean {
    this.at++;
    const isNegated = this.pattern[this.at] === "^";
    if (isNegated) this.at++;
    const members: string[] = [];
    while (this.pattern[this.at] !== "]") {
      const from = this.member();
      if (from === undefined) return false;
      if (this.pattern[this.at] !== "-" || (this.pattern[this.at + 1] ?? "]") === "]") {
        members.push(typeof from === "string" ? from : literal(from));
        continue;
      }
      this.at++;
      const to = this.member();
      if (to === undefined) return false;
      if (typeof from === "number" && typeof to === "number") {
        if (to < from) return false;
        members.push(`${literal(from)}-${literal(to)}`);
      } else
        pushAll(
          members,
          [from, 0x2d, to].map((one) => (typeof one === "string" ? one : literal(one))),
        );
    }
    this.at++;
    if (members.length === 0) return this.atom(isNegated ? anyCharacter : `[^${anyCharacter.slice(1)}`, 1);
    return this.atom(`[${isNegated ? "^" : ""}${members.join("")}]`, 1 + (members.length >> 3));
  }

  /** One member of a set: a code point, or the source of several. */
  private member(): number | string | undefined {
    if (this.at >= this.pattern.length) return undefined;
    if (this.pattern[this.at] !== "\\") {
      const point = this.pattern.codePointAt(this.at) ?? 0;
      this.at += point > 0xffff ? 2 : 1;
      return isHalf(point) ? undefined : point;
    }
    const set = sets[this.pattern[this.at + 1] ?? ""];
    if (set === undefined) return this.property() ?? this.point(true);
    this.at += 2;
    return set;
  }
}

/** Half a character cannot be written in RE2. */
function isHalf(point: number): boolean {
  return point >= 0xd800 && point <= 0xdfff;
}

function literal(point: number): string {
  const character = String.fromCodePoint(point);
  return /^[\dA-Za-z_]$/.test(character) ? character : `\\x{${point.toString(16)}}`;
}
