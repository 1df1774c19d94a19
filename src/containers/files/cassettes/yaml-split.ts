/** A part of a text that is a YAML document of its own. */
export interface YamlSlice {
  readonly start: number;
  readonly text: string;
  /** Its value is a list of interactions. */
  readonly isList: boolean;
}

/** Bytes of short interactions that are read together, because starting a document is slow in the library. */
const batch = 64 << 10;

/** Only comments and members with short values, such as `version: 1`, may surround the list. */
const before =
  /^(?:---[^\n]*\n|#[^\n]*\n|\w[\w-]*:[^\n]*\n|[ \t\r]*\n)*?(?:http_)?interactions:[ \t\r]*\n(?: *\n)*(?=( *)- )/;
const after = /\n(?:[\w-]+:[^\n]{0,200}(?:\n|$)|[ \t\r]*\n)*$/;

/** A longer text behind a list belongs to its last interaction. */
const maxAfter = 4096;

/** How long the comments and members behind a list are, from its last interaction on. */
export function lengthAfter(text: string): number {
  const tail = after.exec(text.slice(-maxAfter));
  return tail ? tail[0].length - 1 : 0;
}

/** An alias may refer to another interaction. */
const alias = /(?:^|[:,[-] ?)\*[\w-]+[ \t]*[\r\n\],]/m;

/**
 * The interactions of a cassette, a few at a time, if their line starts are unambiguous; else the whole text.
 * So a long cassette needs no more memory than its longest interaction.
 */
export function* splitCassette(text: string): Generator<YamlSlice> {
  const list = listOf(text);
  if (!list) {
    yield { start: 0, text, isList: false };
    return;
  }
  const item = `\n${" ".repeat(list.indent)}- `;
  let { start } = list;
  while (start < list.end) {
    const next = text.indexOf(item, start + batch) + 1;
    const end = next === 0 || next > list.end ? list.end : next;
    yield { start, text: text.slice(start, end), isList: true };
    start = end;
  }
}

function listOf(text: string): { start: number; end: number; indent: number } | undefined {
  const head = before.exec(text.slice(0, 4096));
  if (!head || alias.test(text)) return undefined;
  const start = head[0].length;
  const indent = head[1]?.length ?? 0;
  const tail = after.exec(text.slice(Math.max(start, text.length - maxAfter)));
  const end = tail ? text.length - tail[0].length + 1 : text.length;
  const dedented = new RegExp(
    `\\n {0,${indent}}(?:[^\\s-]|-[^ ])${indent > 0 ? `|\\n {0,${indent - 1}}-` : ""}`,
  );
  return dedented.test(text.slice(start, end)) ? undefined : { start, end, indent };
}
