import { protocols } from "./index.ts";
import { profiles } from "./profiles/index.ts";
import { supported } from "./protocol.ts";
import { patternOf, type RefusalText } from "./refusals.ts";

/** A text of a provider, to be found in an error message. */
export interface KnownRefusal {
  /** What stands in braces in the text is a group of that name. */
  readonly pattern: RegExp;
  /** The rules that the text words, the likeliest first. */
  readonly rules: readonly string[];
}

/** Shorter texts say too little: nearly all of them stands in braces. */
const minLetters = 14;

let known: readonly KnownRefusal[] | undefined;

/** All texts in which providers refuse requests, as a model server writes them: the other way round. */
export function knownRefusals(): readonly KnownRefusal[] {
  known ??= [...rulesByText(allTexts())].map(([text, rules]) => ({
    pattern: patternOf(text),
    // What the schema refuses is likelier than the rarer reasons that share its words.
    rules: [...rules].sort((a, b) => Number(b === "invalid-request") - Number(a === "invalid-request")),
  }));
  return known;
}

function rulesByText(texts: readonly RefusalText[]): ReadonlyMap<string, ReadonlySet<string>> {
  const rules = new Map<string, Set<string>>();
  for (const { text, rule } of texts) {
    const letters = text.replace(/\{\w+\}/g, "").replace(/[^a-z]/gi, "");
    if (letters.length < minLetters) continue;
    rules.set(text, (rules.get(text) ?? new Set()).add(rule));
  }
  return rules;
}

/** The texts of all protocols and profiles, those of the protocols' own providers first. */
export function allTexts(): readonly RefusalText[] {
  return [
    ...protocols.flatMap(({ refusals }) => supported(refusals)?.texts ?? []),
    ...profiles.flatMap(({ refusals = {} }) => Object.values(refusals).flatMap(({ texts = [] }) => texts)),
  ];
}
