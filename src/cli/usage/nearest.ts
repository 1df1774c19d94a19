import { nearest } from "../../rules/requests/nearest.ts";

export { nearest };

/** "; did you mean `x`?" if a candidate is close, otherwise "". */
export function didYouMean(word: string, candidates: Iterable<string>, prefix = ""): string {
  const found = nearest(word, candidates);
  return found === undefined ? "" : `; did you mean \`${prefix}${found}\`?`;
}
