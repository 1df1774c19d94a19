import { textOfLength } from "../utf8.ts";
import { type Copy, inSameLines, type Substitute, substituted } from "./copy.ts";

/** Fewer lines may have a bar at both ends by chance. */
const leastLines = 3;

const side = /^[ \t]{0,16}([│┃║] ?)/;

/**
 * Lines in a frame, as libraries for terminals draw it around a text (`rich.panel.Panel` of Python, boxen of
 * Node): a bar before each line and, behind the blanks that fill it, another one.
 *
 * @see https://rich.readthedocs.io/en/stable/panel.html
 */
export const frames: Copy = {
  reason: "a frame around lines",
  isCertain: true,
  restore(source) {
    const head = source.read(0, Math.min(source.size, 1 << 16)).toString("utf8");
    if (!/[│┃║][ \t]*\r?$/m.test(head)) return undefined;
    const bars: Substitute[] = [];
    let lines = 0;
    let at = 0;
    for (const line of textOfLength(source.read(0, source.size)).split("\n")) {
      const shown = line.trimEnd();
      const before = /[│┃║]$/.test(shown) ? side.exec(shown)?.[0] : undefined;
      if (before !== undefined && before.length < shown.length) {
        const text = shown.slice(0, -1).trimEnd();
        const start = at + Buffer.byteLength(text.length < before.length ? before : text);
        bars.push({ start: at, end: at + Buffer.byteLength(before), text: "" });
        bars.push({ start, end: at + Buffer.byteLength(line), text: "" });
        lines++;
      }
      at += Buffer.byteLength(line) + 1;
    }
    return lines < leastLines ? undefined : substituted(source, bars, inSameLines);
  },
};
