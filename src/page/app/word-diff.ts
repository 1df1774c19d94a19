/** A slice of two texts laid over each other. */
export interface DiffSlice {
  readonly text: string;
  readonly is: "same" | "gone" | "new";
}

/** Words above which a text is taken as replaced in the middle: the table below would have their square. */
const maxWords = 600;

/** What changed from one text to the other, word by word. */
export function wordDiff(before: string, after: string): DiffSlice[] {
  const [a, b] = [before, after].map((text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []);
  if (!a || !b) return [];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const slices: DiffSlice[] = [];
  const add = (text: string, is: DiffSlice["is"]): void => {
    const last = slices.at(-1);
    if (text === "") return;
    if (last?.is === is) slices[slices.length - 1] = { text: last.text + text, is };
    else slices.push({ text, is });
  };
  add(a.slice(0, head).join(""), "same");
  const [x, y] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  if (x.length > maxWords || y.length > maxWords) {
    add(x.join(""), "gone");
    add(y.join(""), "new");
  } else {
    for (const slice of middleDiff(x, y)) add(slice.text, slice.is);
  }
  add(a.slice(a.length - tail).join(""), "same");
  return slices;
}

/** By the longest common subsequence. */
function middleDiff(x: readonly string[], y: readonly string[]): DiffSlice[] {
  const width = y.length + 1;
  const common = new Uint16Array((x.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = x.length - 1; i >= 0; i--)
    for (let j = y.length - 1; j >= 0; j--)
      common[i * width + j] = x[i] === y[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const slices: DiffSlice[] = [];
  let [i, j] = [0, 0];
  while (i < x.length || j < y.length) {
    if (i < x.length && x[i] === y[j]) {
      slices.push({ text: x[i] ?? "", is: "same" });
      i++;
      j++;
    } else if (j >= y.length || (i < x.length && at(i + 1, j) >= at(i, j + 1))) {
      slices.push({ text: x[i++] ?? "", is: "gone" });
    } else slices.push({ text: y[j++] ?? "", is: "new" });
  }
  return slices;
}
