import { diffArrays } from "diff";
import { longestIncreasingSubsequence } from "../conversation/stitch/longest-increasing-subsequence.ts";

/** Two equal elements of two sequences, by index. */
export interface Match {
  readonly left: number;
  readonly right: number;
}

export interface SequenceAlignment {
  /** In ascending order on both sides. */
  readonly matches: readonly Match[];
  /** Some range was too different for its best alignment; its elements were matched in order. */
  readonly isBounded: boolean;
}

/** The maximum number of edits in the alignment of a range; the cost is edits × length. */
const maxEdits = 400;

interface Region {
  readonly left: number;
  readonly leftEnd: number;
  readonly right: number;
  readonly rightEnd: number;
}

/**
 * Aligns two sequences. It first matches the common beginning and end, then elements that occur once on each
 * side, then the ranges between them by their shortest edit, as long as it has at most {@link maxEdits}
 * edits.
 */
export function alignSequences(left: readonly string[], right: readonly string[]): SequenceAlignment {
  const matches: Match[] = [];
  const open: Region[] = [{ left: 0, leftEnd: left.length, right: 0, rightEnd: right.length }];
  let isBounded = false;
  for (let region = open.pop(); region; region = open.pop()) {
    const inner = withoutEnds(left, right, region, matches);
    if (inner.left === inner.leftEnd || inner.right === inner.rightEnd) continue;
    const anchors = anchorsIn(left, right, inner);
    if (anchors.length > 0) {
      for (const anchor of anchors) matches.push(anchor);
      for (const rest of between(inner, anchors)) open.push(rest);
    } else if (!shortestEdit(left, right, inner, matches)) {
      isBounded = true;
      inOrder(left, right, inner, matches);
    }
  }
  return { matches: matches.sort((a, b) => a.left - b.left), isBounded };
}

function withoutEnds(a: readonly string[], b: readonly string[], region: Region, matches: Match[]): Region {
  let { left, leftEnd, right, rightEnd } = region;
  while (left < leftEnd && right < rightEnd && a[left] === b[right])
    matches.push({ left: left++, right: right++ });
  while (left < leftEnd && right < rightEnd && a[leftEnd - 1] === b[rightEnd - 1])
    matches.push({ left: --leftEnd, right: --rightEnd });
  return { left, leftEnd, right, rightEnd };
}

/** Elements that occur once on each side: the longest series in the same order on both. */
function anchorsIn(a: readonly string[], b: readonly string[], region: Region): Match[] {
  const seen = new Map<string, { count: number; left: number; right: number }>();
  for (let at = region.left; at < region.leftEnd; at++) {
    const known = seen.get(a[at] ?? "");
    if (known) known.count = Number.NaN;
    else seen.set(a[at] ?? "", { count: 1, left: at, right: -1 });
  }
  for (let at = region.right; at < region.rightEnd; at++) {
    const known = seen.get(b[at] ?? "");
    if (!known) continue;
    known.count++;
    known.right = at;
  }
  const unique = [...seen.values()].filter(({ count }) => count === 2);
  return longestIncreasingSubsequence(unique.map(({ right }) => right)).flatMap((index) => {
    const found = unique[index];
    return found ? [{ left: found.left, right: found.right }] : [];
  });
}

function between(region: Region, anchors: readonly Match[]): Region[] {
  const regions: Region[] = [];
  let { left, right } = region;
  for (const anchor of [...anchors, { left: region.leftEnd, right: region.rightEnd }]) {
    if (anchor.left > left && anchor.right > right)
      regions.push({ left, leftEnd: anchor.left, right, rightEnd: anchor.right });
    left = anchor.left + 1;
    right = anchor.right + 1;
  }
  return regions;
}

/** Matches a range by its shortest edit; `false` if that has too many edits. */
function shortestEdit(a: readonly string[], b: readonly string[], region: Region, matches: Match[]): boolean {
  const left = a.slice(region.left, region.leftEnd);
  const right = b.slice(region.right, region.rightEnd);
  const known = new Set(left);
  if (!right.some((element) => known.has(element))) return true;
  const changes = diffArrays(left, right, { maxEditLength: maxEdits });
  if (!changes) return false;
  let { left: i, right: j } = region;
  for (const { added, removed, count } of changes) {
    if (removed) i += count;
    else if (added) j += count;
    else for (let each = 0; each < count; each++) matches.push({ left: i++, right: j++ });
  }
  return true;
}

/** Matches each element with the next equal one. Linear, but not always the best alignment. */
function inOrder(a: readonly string[], b: readonly string[], region: Region, matches: Match[]): void {
  const places = new Map<string, number[]>();
  for (let at = region.rightEnd - 1; at >= region.right; at--) {
    const list = places.get(b[at] ?? "");
    if (list) list.push(at);
    else places.set(b[at] ?? "", [at]);
  }
  // How far one match may skip ahead: a distant match would leave nothing for later elements.
  const reach = Math.max(16, (region.rightEnd - region.right) >> 6);
  let next = region.right;
  for (let at = region.left; at < region.leftEnd; at++) {
    const list = places.get(a[at] ?? "");
    while (list && (list.at(-1) ?? next) < next) list.pop();
    const found = list?.at(-1);
    if (found === undefined || found > next + reach) continue;
    matches.push({ left: at, right: found });
    next = found + 1;
  }
}
