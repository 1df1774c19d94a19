/** Text in a tool result that addresses the model rather than the user. */
export interface Injection {
  readonly kind: "instructions" | "hidden" | "turn";
  /** The text itself, or a name for hidden characters. */
  readonly words: string;
}

/** Only the beginning of longer results is searched: an injection must be read to work. */
const maxText = 2_000_000;

/**
 * Instructions that only make sense to a model: to ignore earlier ones, or to hide something from the user.
 * They follow published payloads for tool poisoning and indirect prompt injection; plain imperatives are too
 * common in documentation. `hints`: a text that holds all words of none of these is skipped, as nearly all
 * are. A first word begins with a rare letter, because a search stops wherever its first letter stands.
 */
const orders: readonly {
  readonly hints: readonly (readonly string[])[];
  readonly patterns: readonly RegExp[];
}[] = [
  {
    hints: [["uction", "nstruction"], ["NSTRUCTION"]],
    patterns: [
      /\b(?:ignore|disregard|forget|override)\s{1,4}(?:(?:all|any|of|the|your|my|these|those)\s{1,4}){0,4}(?:previous|prior|above|earlier|preceding|existing)\s{1,4}(?:\w{1,20}\s{1,4}){0,2}instructions?\b/i,
      /(?:^|\n|>)\s{0,8}(?:new|updated|override) (?:system )?instructions? (?:for|to) (?:the )?(?:ai|assistant|agent|model|llm)\b/i,
    ],
  },
  {
    hints: [["user"], ["uman"]],
    patterns: [
      /\b(?:do not|don'?t|never)\s{1,4}(?:tell|inform|mention|reveal|disclose)\s{1,4}(?:(?:this|that|it|anything|about|to|of|the|these|instructions?)\s{1,4}){0,6}(?:the|your)\s{1,4}(?:user|human)\b/i,
    ],
  },
];

/** A turn of another speaker in the syntax of a chat template; each contains one of the marks. */
const turnMarks = ["<|", "<start_of_turn>", "[INST]"];
const turns =
  /<\|im_start\|>\s{0,2}(?:system|user|assistant)|<\|start_header_id\|>\s{0,2}(?:system|user|assistant)|<\|start\|>(?:system|developer|user)|<start_of_turn>\s{0,2}(?:user|model)|<\|(?:system|user|assistant)\|>\s{0,2}\n|\[INST\]\s{0,4}<<SYS>>/;

/** Tag characters spell invisible ASCII. Regional flags use a few of them after a black flag. */
const tagged =
  /(?<![\u{1f3f4}\u{e0020}-\u{e007e}])[\u{e0020}-\u{e007e}]{4,}|\u{1f3f4}[\u{e0020}-\u{e007e}]{8,}/u;
/** More zero-width characters in a row than any script or emoji needs; two of them are looked for faster. */
const invisible = /[\u200b-\u200d\ufeff]{8}/;
const twoInvisible = /[\u200b-\u200d\ufeff]{2}/;

/** The part of a result that addresses the model, if any. Linear in the text. */
export function injectionIn(whole: string): Injection | undefined {
  const text = whole.slice(0, maxText);
  if (text.includes("\udb40") && tagged.test(text)) return { kind: "hidden", words: "Unicode tags" };
  if (twoInvisible.test(text) && invisible.test(text))
    return { kind: "hidden", words: "a run of zero-width characters" };
  for (const { hints, patterns } of orders) {
    if (!hints.some((hint) => hint.every((part) => text.includes(part)))) continue;
    for (const pattern of patterns) {
      const [words] = pattern.exec(text) ?? [];
      if (words !== undefined) return { kind: "instructions", words: words.trim() };
    }
  }
  const [token] = (turnMarks.some((mark) => text.includes(mark)) && turns.exec(text)) || [];
  return token === undefined ? undefined : { kind: "turn", words: token.trim() };
}
