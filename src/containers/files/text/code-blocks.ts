import type { Range } from "../../../reading/lists.ts";

/** A line that begins or ends a block of code in Markdown, perhaps in a quote or a list. */
const fence = /^[ \t>]{0,12}(`{3,}|~{3,}(?!~))([^`\n]*)$/gm;

/** The contents of the blocks of code in a Markdown text; the last one may lack its end. */
export function fencedBlocks(text: string): Range[] {
  const blocks: Range[] = [];
  let open: { readonly mark: string; readonly start: number } | undefined;
  for (const { 0: line, 1: mark = "", 2: label = "", index } of text.matchAll(fence)) {
    if (!open) open = { mark, start: index + line.length };
    else if (mark.startsWith(open.mark) && label.trim() === "") {
      blocks.push({ start: open.start, end: index });
      open = undefined;
    }
  }
  if (open) blocks.push({ start: open.start, end: text.length });
  return blocks;
}

/** Whether a value that code hands over names variables, whose values are not in the code. */
export function holdsVariables(text: string, { start, end }: Range): boolean {
  if (!/\w\(\s*$/.test(text.slice(Math.max(0, start - 80), start))) return false;
  const unquoted = text.slice(start, end).replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  return /:\s*(?!(?:None|True|False|null|true|false)\b)[A-Za-z_]/.test(unquoted);
}
