import { textOfLength } from "../utf8.ts";
import { type Copy, inSameLines, type Substitute, substituted } from "./copy.ts";

/** Fewer lines may begin with a plus of their own. */
const leastLines = 3;

/** What stands before the lines of a file in a patch, and behind its last one. */
const frame =
  /^(?:diff --git |index [0-9a-f]{7}|(?:new|old|deleted) (?:file )?mode |similarity index |rename (?:from|to) |--- |\+\+\+ |\\ No newline)/;

/** What begins a part of a patch: how many lines it has before and afterwards, 1 where none are stated. */
const hunk = /^@@ -\d{1,7}(?:,(\d{1,7}))? \+\d{1,7}(?:,(\d{1,7}))? @@/;

/**
 * A log that a patch adds, or changes: its lines as they are afterwards.
 *
 * @see https://www.gnu.org/software/diffutils/manual/html_node/Detailed-Unified.html
 */
export const patchSigns: Copy = {
  reason: "the signs of a patch",
  isCertain: true,
  restore(source) {
    const head = source.read(0, Math.min(source.size, 4096)).toString("latin1");
    if (!/^(?:\+|@@ -\d)/m.test(head)) return undefined;
    const signs: Substitute[] = [];
    const left = { before: 0, after: 0 };
    let isPatch = false;
    let added = 0;
    let at = 0;
    for (const line of textOfLength(source.read(0, source.size)).split("\n")) {
      const end = at + Buffer.byteLength(line);
      const inHunk = left.before > 0 || left.after > 0;
      const start = inHunk ? null : hunk.exec(line);
      if (start) {
        isPatch = true;
        left.before = Number(start[1] ?? 1);
        left.after = Number(start[2] ?? 1);
      }
      const sign = line[0];
      const isLine = sign === "+" || (inHunk && (sign === "-" || sign === " "));
      if (start || (!inHunk && frame.test(line))) signs.push({ start: at, end, text: "" });
      else if (isLine) {
        signs.push({ start: at, end: sign === "-" ? end : at + 1, text: "" });
        if (sign !== "+") left.before--;
        if (sign !== "-") left.after--;
        if (sign === "+") added++;
      } else if (line.trim() !== "") return undefined;
      at = end + 1;
    }
    const isCopy = added >= leastLines || (isPatch && added > 0);
    return isCopy ? substituted(source, signs, inSameLines) : undefined;
  },
};
