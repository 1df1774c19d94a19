import { nearest } from "../../rules/requests/nearest.ts";

export { nearest };

/** "; did you mean `x`?" when a candidate is near, else nothing. */
export function didYouMean(word: string, candidates: Iterable<string>, prefix = ""): string {
  const found = nearest(word, candidates);
  return found === undefined ? "" : `; did you mean \`${prefix}${found}\`?`;
}
