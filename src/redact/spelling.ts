/** A replacement in a text; as long as what it replaces, unless that is packed. */
export interface TextPatch {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with patches applied, which are in order and apart. */
export function patchedText(text: string, patches: readonly TextPatch[]): string {
  if (patches.length === 0) return text;
  const parts: string[] = [];
  let copied = 0;
  for (const patch of patches) {
    parts.push(text.slice(copied, patch.start), patch.text);
    copied = patch.end;
  }
  parts.push(text.slice(copied));
  return parts.join("");
}

/** The number of patches that are joined at once. */
const mostApart = 1000;

/**
 * Joins the patches of a text from an index on if they are many: one for each word of a long log takes more
 * memory than the log. Returns the index from which on patches stand for themselves.
 */
export function joinedPatches(text: string, patches: TextPatch[], from: number): number {
  const [first, last] = [patches[from], patches.at(-1)];
  if (patches.length - from < mostApart || !first || !last) return from;
  // The spelling of a text that gets longer is not that of the old one.
  for (let at = from; at < patches.length; at++) {
    const { start, end, text: other } = patches[at] as TextPatch;
    if (other.length !== end - start) return patches.length;
  }
  const parts: string[] = [];
  let copied = first.start;
  for (const patch of patches.splice(from)) {
    parts.push(text.slice(copied, patch.start), patch.text);
    copied = patch.end;
  }
  patches.push({ start: first.start, end: last.end, text: parts.join("") });
  return patches.length;
}

/** A text without its escapes, with the place of each character in the text as it is written. */
export interface WrittenText {
  readonly text: string;
  /** Where each character begins in the written text, and the end of that. */
  readonly places: Uint32Array;
}

/** Undoes the escapes that a pattern matches; `characterOf` gives the character of each, if any. */
export function withoutEscapes(
  written: string,
  escapes: RegExp,
  characterOf: (found: string) => string | undefined,
): WrittenText {
  const parts: string[] = [];
  // No escape is shorter than what it stands for.
  const places = new Uint32Array(written.length + 1);
  let length = 0;
  let copied = 0;
  const copy = (end: number): void => {
    parts.push(written.slice(copied, end));
    for (let at = copied; at < end; at++) places[length++] = at;
    copied = end;
  };
  for (const { 0: found, index } of written.matchAll(escapes)) {
    const character = characterOf(found);
    if (character === undefined) continue;
    copy(index);
    parts.push(character);
    for (let unit = 0; unit < character.length; unit++)
      places[length++] = index + (unit === 0 ? 0 : Math.min(found.length, unit * 6));
    copied = index + found.length;
  }
  copy(written.length);
  places[length++] = written.length;
  return { text: parts.join(""), places: places.subarray(0, length) };
}

/** Patches of a text without escapes as patches of the written text, in its spelling. */
export function spelledPatches(
  written: string,
  { text, places }: WrittenText,
  patches: readonly TextPatch[],
): TextPatch[] {
  return patches.map((patch) => {
    const start = places[patch.start] ?? 0;
    const end = places[patch.end] ?? written.length;
    const isPlain = end - start === patch.end - patch.start;
    if (isPlain || patch.text.length !== patch.end - patch.start) return { start, end, text: patch.text };
    const spelled: string[] = [];
    for (let at = patch.start; at < patch.end; at++) {
      const old = written.slice(places[at], places[at + 1]);
      const character = patch.text.charAt(at - patch.start);
      spelled.push(character === text.charAt(at) ? old : respelled(character, old));
    }
    return { start, end, text: spelled.join("") };
  });
}

/** A character, in the way that another one was written. */
function respelled(character: string, old: string): string {
  if (old.length === 1) return character;
  const [, lead = "", digits = ""] = /^(\\+[uxU])([\da-fA-F]+)$/.exec(old) ?? [];
  if (digits !== "") return lead + inCase(hexOf(character, digits.length), digits);
  if (old.startsWith("%"))
    return [...new TextEncoder().encode(character)]
      .map((byte) => `%${inCase(byte.toString(16).padStart(2, "0"), old)}`)
      .join("");
  // A fold of the line follows it.
  return old.startsWith("\\") ? old.slice(0, -1) + character : character + old.slice(1);
}

function hexOf(character: string, length: number): string {
  return character.charCodeAt(0).toString(16).padStart(length, "0");
}

function inCase(hex: string, like: string): string {
  return /[A-F]/.test(like) && !/[a-f]/.test(like) ? hex.toUpperCase() : hex;
}

const shortEscapes: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  '"': '"',
  "'": "'",
  "\\": "\\",
  "/": "/",
  " ": " ",
};

/** A quoted text without its escapes: those of JSON, of YAML and of programs. */
export function unquoted(written: string): WrittenText {
  return withoutEscapes(
    written,
    /\\(?:u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|\r?\n[ \t]*(?:\\ )?|[^\r\n])/g,
    (found) => {
      const letter = found.charAt(1);
      if (letter === "U" && found.length > 2) return undefined;
      if (found.length > 2 && (letter === "u" || letter === "x"))
        return String.fromCharCode(Number.parseInt(found.slice(2), 16));
      // Where a line is folded, nothing or a space stands.
      if (letter === "\n" || letter === "\r") return found.endsWith("\\ ") ? " " : "";
      return shortEscapes[letter];
    },
  );
}

/** A text in which each quote is written twice: a cell of CSV, a scalar of YAML. */
export function undoubled(written: string, quote: string): WrittenText {
  return withoutEscapes(written, quote === '"' ? /""/g : /''/g, () => quote);
}

/** Whether a text has no character of a class. On megabytes, a search by one match exhausts the stack. */
export function lacks(text: string, character: RegExp): boolean {
  for (let at = 0; at < text.length; at += 1 << 16)
    if (character.test(text.slice(at, at + (1 << 16)))) return false;
  return true;
}
