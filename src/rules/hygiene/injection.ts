/** Something in a text from outside that is meant for the model, not for the user. */
export interface Injection {
  readonly kind: "instructions" | "hidden" | "turn";
  /** The words, or for hidden characters what they are. */
  readonly words: string;
}

/** Longer results are searched at their beginning: what is meant to be read stands where it is read. */
const maxText = 2_000_000;

/**
 * Orders that only make sense to a model: to drop what it was told before, to keep something from its user. After the payloads that
 * are published for tool poisoning and indirect prompt injection; plain imperatives are left alone, because documentation is full of them.
 * `hints`: of which a text must hold one to be worth the search; nearly none does.
 */
const orders: readonly { readonly hints: readonly string[]; readonly patterns: readonly RegExp[] }[] = [
  {
    hints: ["instruction", "NSTRUCTION"],
    patterns: [
      /\b(?:ignore|disregard|forget|override)\s{1,4}(?:(?:all|any|of|the|your|my|these|those)\s{1,4}){0,4}(?:previous|prior|above|earlier|preceding|existing)\s{1,4}(?:\w{1,20}\s{1,4}){0,2}instructions?\b/i,
      /(?:^|\n|>)\s{0,8}(?:new|updated|override) (?:system )?instructions? (?:for|to) (?:the )?(?:ai|assistant|agent|model|llm)\b/i,
    ],
  },
  {
    hints: ["user", "human"],
    patterns: [
      /\b(?:do not|don'?t|never)\s{1,4}(?:tell|inform|mention|reveal|disclose)\s{1,4}(?:(?:this|that|it|anything|about|to|of|the|these|instructions?)\s{1,4}){0,6}(?:the|your)\s{1,4}(?:user|human)\b/i,
    ],
  },
];

/** A turn of another speaker, opened in the words of a chat template; each of them holds one of the marks. */
const turnMarks = ["<|", "<start_of_turn>", "[INST]"];
const turns =
  /<\|im_start\|>\s{0,2}(?:system|user|assistant)|<\|start_header_id\|>\s{0,2}(?:system|user|assistant)|<\|start\|>(?:system|developer|user)|<start_of_turn>\s{0,2}(?:user|model)|<\|(?:system|user|assistant)\|>\s{0,2}\n|\[INST\]\s{0,4}<<SYS>>/;

/** Tag characters spell ASCII that is not shown. Flags of regions use a few of them, behind a black flag. */
const tagged =
  /(?<![\u{1f3f4}\u{e0020}-\u{e007e}])[\u{e0020}-\u{e007e}]{4,}|\u{1f3f4}[\u{e0020}-\u{e007e}]{8,}/u;
/** Zero-width characters in numbers that no script and no emoji need. */
const invisible = /[\u200b-\u200d\ufeff]{8}/;

/** What of a tool's result is addressed to the model; `undefined` for nearly all. Takes time in proportion to the text. */
export function injectionIn(whole: string): Injection | undefined {
  const text = whole.slice(0, maxText);
  if (text.includes("\udb40") && tagged.test(text)) return { kind: "hidden", words: "Unicode tags" };
  if (invisible.test(text)) return { kind: "hidden", words: "a run of zero-width characters" };
  for (const { hints, patterns } of orders) {
    if (!hints.some((hint) => text.includes(hint))) continue;
    for (const pattern of patterns) {
      const [words] = pattern.exec(text) ?? [];
      if (words !== undefined) return { kind: "instructions", words: words.trim() };
    }
  }
  const [token] = (turnMarks.some((mark) => text.includes(mark)) && turns.exec(text)) || [];
  return token === undefined ? undefined : { kind: "turn", words: token.trim() };
}
