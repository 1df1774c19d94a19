import { protocols } from "./index.ts";
import { profiles } from "./profiles/index.ts";
import { supported } from "./protocol.ts";
import type { RefusalText } from "./refusals.ts";

/** A provider's refusal, found in an error message. */
export interface KnownRefusal {
  /** The rules that its text words, the likeliest first. */
  readonly rules: readonly string[];
  /** What stands in the place of the braces, by name. */
  readonly values: Readonly<Record<string, string>>;
}

/** A text as its words, in lower case, and what stands between them. */
interface Template {
  readonly words: readonly string[];
  /** The name of what follows the word of the same index. */
  readonly names: readonly string[];
  readonly rules: readonly string[];
}

/** Shorter texts say too little: nearly all of them stands in braces. */
const minLetters = 14;

/** The longest value in a message, in characters. */
const maxValue = 400;

let templates: readonly Template[] | undefined;

/**
 * Finds the text of a provider in an error message, as a model server writes it: the other way round.
 * @param message on one line, with single spaces
 */
export function knownRefusal(message: string): KnownRefusal | undefined {
  templates ??= templatesOf(allTexts());
  const lower = message.toLowerCase();
  for (const template of templates) {
    const values = valuesIn(message, lower, template);
    if (values) return { rules: template.rules, values };
  }
  return undefined;
}

/** The values at the first place where all words follow each other. Looks for words only, so it is linear. */
function valuesIn(
  message: string,
  lower: string,
  { words, names }: Template,
): Readonly<Record<string, string>> | undefined {
  const [first = "", ...rest] = words;
  const start = lower.indexOf(first);
  if (start < 0) return undefined;
  const values: Record<string, string> = {};
  let end = start + first.length;
  for (const [index, word] of rest.entries()) {
    // At the end of the text the value is all that follows.
    const at = word === "" ? Math.min(lower.length, end + maxValue) : lower.indexOf(word, end + 1);
    if (at < 0 || at - end > maxValue) return undefined;
    const name = names[index] ?? "";
    values[name] ??= message.slice(end, at);
    end = at + word.length;
  }
  return values;
}

function templatesOf(texts: readonly RefusalText[]): readonly Template[] {
  const rulesByText = new Map<string, Set<string>>();
  for (const { text, rule } of texts) {
    const letters = text.replace(/\{\w+\}/g, "").replace(/[^a-z]/gi, "");
    if (letters.length < minLetters) continue;
    rulesByText.set(text, (rulesByText.get(text) ?? new Set()).add(rule));
  }
  return [...rulesByText].map(([text, rules]) => {
    const parts = text
      .replace(/\s+/g, " ")
      .trim()
      .split(/\{(\w+)\}/);
    return {
      words: parts.filter((_, at) => at % 2 === 0).map((word) => word.toLowerCase()),
      names: parts.filter((_, at) => at % 2 === 1),
      // What the schema refuses is likelier than the rarer reasons that share its words.
      rules: [...rules].sort((a, b) => Number(b === "invalid-request") - Number(a === "invalid-request")),
    };
  });
}

/** The texts of all protocols and profiles, those of the protocols' own providers first. */
export function allTexts(): readonly RefusalText[] {
  return [
    ...protocols.flatMap(({ refusals }) => supported(refusals)?.texts ?? []),
    ...profiles.flatMap(({ refusals = {} }) => Object.values(refusals).flatMap(({ texts = [] }) => texts)),
  ];
}
