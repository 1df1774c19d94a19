/** The candidate that was probably meant by `word`; `undefined` if none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const { length } = simple(word);
  // Longer words may contain more typos: one in three letters.
  return closest(word, candidates, Math.max(1, Math.floor(length / 3)), length >= 3);
}

/** The candidate that `word` misspells; `undefined` if it may be another word, as short ones often are. */
export function misspelt(word: string, candidates: Iterable<string>): string | undefined {
  return closest(word, candidates, Math.floor(simple(word).length / 6), false);
}

function closest(
  word: string,
  candidates: Iterable<string>,
  limit: number,
  takesParts: boolean,
): string | undefined {
  const typed = simple(word);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const name = simple(candidate);
    const isPart = takesParts && (name.startsWith(typed) || name.endsWith(typed));
    // toolCallId and tool_call_id are the same name in different styles.
    if (joined(typed) === joined(name)) return candidate;
    const distance = isPart ? Math.min(limit, name.length - typed.length) : editDistance(typed, name, limit);
    if (distance <= limit && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { candidate, distance };
  }
  return best?.candidate;
}

const longest = 256;

function simple(word: string): string {
  return word.slice(0, longest).toLowerCase().replaceAll("_", "-");
}

function joined(name: string): string {
  return name.replaceAll("-", "");
}

/** The number of insertions, deletions, replacements and swaps of letters; infinity above `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
