import { exampleLines } from "../commands/example.ts";
import type { Palette } from "./paint.ts";
import { wrapped } from "./wrap.ts";

/** How a page is printed. */
export interface PageStyle {
  readonly paint: Palette;
  readonly width: number;
}

/** What a finding says of itself in an example, the gravest first. */
const levels = [": error: ", ": warning: ", ": info: "];

/** A page with one example only, the shortest of the gravest; `more` is the number of the others. */
export function shortened(page: string): { readonly text: string; readonly more: number } {
  const section = /^## Examples\n[\s\S]*?(?=^## )/m.exec(page)?.[0] ?? "";
  // An example is the words above it, the log, and what is said of it.
  const parts = section.replace(/^## Examples\n/, "").split(/(?<=^```\n)(?!```text\n)/m);
  const examples = parts.map((text) => ({ text: text.trim(), verdict: /^```jsonl (\w+)/m.exec(text)?.[1] }));
  const gravity = (text: string): number => levels.findIndex((level) => text.includes(level));
  const [shown] = examples
    .filter(({ verdict }) => verdict === "reported")
    .sort((a, b) => gravity(a.text) - gravity(b.text) || a.text.length - b.text.length);
  if (!shown) return { text: page, more: 0 };
  const all = section.match(/^```jsonl /gm)?.length ?? 1;
  return { text: page.replace(section, () => `## Example\n\n${shown.text}\n\n`), more: all - 1 };
}

/** Renders a rule's page: bold headings, indented examples below their labels, wrapped paragraphs. */
export function* rendered(page: string, style: PageStyle): Generator<string> {
  let isFirst = true;
  for (const block of blocksOf(page)) {
    if (!isFirst) yield "";
    isFirst = false;
    yield* lines(block, style);
  }
}

type Block =
  | { readonly kind: "heading"; readonly depth: number; readonly text: string }
  | { readonly kind: "code"; readonly label: string; readonly lines: readonly string[] }
  | { readonly kind: "table"; readonly lines: readonly string[] }
  | { readonly kind: "list"; readonly entries: readonly { readonly mark: string; readonly text: string }[] }
  | { readonly kind: "paragraph"; readonly text: string };

/** The blocks of a page's Markdown. */
function blocksOf(page: string): Block[] {
  const rows = page.replaceAll("\r\n", "\n").split("\n");
  const blocks: Block[] = [];
  let at = 0;
  /** Takes the following rows that match. */
  const take = (is: (row: string) => boolean): string[] => {
    const from = at;
    while (at < rows.length && is(rows[at] ?? "")) at++;
    return rows.slice(from, at);
  };
  while (at < rows.length) {
    const row = rows[at] ?? "";
    const heading = /^(#{1,6}) +(.*)$/.exec(row);
    const fence = /^(```+)(.*)$/.exec(row);
    if (row.trim() === "") at++;
    else if (heading) {
      at++;
      blocks.push({ kind: "heading", depth: heading[1]?.length ?? 1, text: heading[2] ?? "" });
    } else if (fence) {
      at++;
      const code = take((next) => !next.startsWith(fence[1] ?? "```"));
      at++;
      // "jsonl reported": only the word after the language says what the example shows.
      const label = (fence[2] ?? "").trim().split(/\s+/).slice(1).join(" ");
      blocks.push({ kind: "code", label, lines: code });
    } else if (row.startsWith("|"))
      blocks.push({ kind: "table", lines: take((next) => next.startsWith("|")) });
    else if (listMark.test(row))
      blocks.push({ kind: "list", entries: entriesOf(take((next) => next.trim() !== "" && !isOther(next))) });
    else
      blocks.push({
        kind: "paragraph",
        text: take((next) => next.trim() !== "" && !isOther(next) && !listMark.test(next)).join(" "),
      });
  }
  return blocks;
}

const listMark = /^\s*(?:[-*]|\d+[.)]) +/;

function isOther(row: string): boolean {
  return /^(?:#{1,6} |```|\|)/.test(row);
}

function entriesOf(rows: readonly string[]): { mark: string; text: string }[] {
  const entries: { mark: string; text: string }[] = [];
  for (const row of rows) {
    const mark = listMark.exec(row)?.[0];
    const last = entries.at(-1);
    if (mark !== undefined) entries.push({ mark: mark.replace("*", "-"), text: row.slice(mark.length) });
    else if (last) last.text += ` ${row.trim()}`;
  }
  return entries;
}

function* lines(block: Block, { paint, width }: PageStyle): Generator<string> {
  const prose = (text: string, first = "", rest = first) =>
    painted(wrapped(plain(text), width, first, rest), paint);
  switch (block.kind) {
    case "heading":
      for (const line of wrapped(plain(block.text), width))
        yield block.depth === 1 ? paint.bold(paint.underline(line)) : paint.bold(line);
      return;
    case "code":
      if (block.label) yield `  ${paint.dim(`${block.label}:`)}`;
      for (const line of block.lines.flatMap((one) => exampleLines(one, width - 4)))
        yield `    ${line}`.trimEnd();
      return;
    case "table":
      for (const line of block.lines)
        if (!/^[|\s:-]+$/.test(line)) yield plain(line.replace(/^\||\|$/g, "")).trimEnd();
      return;
    case "list":
      for (const { mark, text } of block.entries) yield* prose(text, mark, " ".repeat(mark.length));
      return;
    case "paragraph":
      yield* prose(block.text);
  }
}

/** Removes emphasis and writes out links; code keeps its backticks until {@link painted}. */
function plain(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith("`")
        ? part
        : part
            .replace(/\[([^\]]*)\]\(([^)]*)\)/g, "$1 ($2)")
            .replace(/\*\*([^*]+)\*\*/g, "$1")
            .replace(/(?<![\w*])[*_]([^*_]+)[*_](?![\w*])/g, "$1")
            .replace(/<(https?:[^>]+)>/g, "$1"),
    )
    .join("");
}

/** Colours code and drops its backticks, which stay if there are no colours. Code may span lines. */
function painted(rows: readonly string[], paint: Palette): string[] {
  if (!paint.isColorSupported) return [...rows];
  let isCode = false;
  return rows.map((row) =>
    row
      .split("`")
      .map((part, index) => {
        if (index > 0) isCode = !isCode;
        return isCode ? paint.cyan(part) : part;
      })
      .join(""),
  );
}
