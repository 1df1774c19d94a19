/** A stretch of a text that is a YAML document of its own. */
export interface YamlStretch {
  readonly start: number;
  readonly text: string;
}

/** Nothing but comments and members with short values, such as `version: 1`, may stand around the list. */
const before = /^(?:---[^\n]*\n|#[^\n]*\n|[\w-]+:[^\n]*\n|[ \t\r]*\n)*?(?:http_)?interactions:[ \t\r]*\n(?: *\n)*(?=( *)- )/;
const after = /\n(?:[\w-]+:[^\n]{0,200}(?:\n|$)|[ \t\r]*\n)*$/;

/** An alias may stand for something in another interaction. */
const alias = /(?:^|[:,[-] ?)\*[\w-]+[ \t]*[\r\n\],]/m;

/**
 * The interactions of a cassette, each by itself, where their lines say beyond doubt where they begin; else the
 * whole text. So a long cassette needs no more time and memory than its longest interaction asks for.
 */
export function* splitCassette(text: string): Generator<YamlStretch> {
  const list = listOf(text);
  if (!list) {
    yield { start: 0, text };
    return;
  }
  let { start } = list;
  for (const { index } of text.matchAll(new RegExp(`\\n(?= {${list.indent}}- )`, "g"))) {
    if (index < list.start) continue;
    if (index + 1 > list.start) yield { start, text: text.slice(start, index + 1) };
    start = index + 1;
  }
  yield { start, text: text.slice(start, list.end) };
}

function listOf(text: string): { start: number; end: number; indent: number } | undefined {
  const head = before.exec(text);
  if (!head || alias.test(text)) return undefined;
  const start = head[0].length;
  const indent = head[1]?.length ?? 0;
  const tail = after.exec(text.slice(Math.max(start, text.length - 4096)));
  const end = tail ? text.length - tail[0].length + 1 : text.length;
  const stray = new RegExp(`\\n {0,${indent}}(?:[^\\s-]|-[^ ])${indent > 0 ? `|\\n {0,${indent - 1}}-` : ""}`);
  return stray.test(text.slice(start, end)) ? undefined : { start, end, indent };
}
