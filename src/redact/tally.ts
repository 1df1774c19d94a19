/** Kinds of what stays in a redacted log. */
export type KeptKind =
  | "words that rules look for"
  | "words of formats and APIs"
  | "names of tools"
  | "models"
  | "hosts of providers"
  | "times"
  | "small numbers"
  | "texts of chosen roles";

/** Counts what stays: how often, and how many different ones. */
export class Tally {
  readonly #seen = new Map<KeptKind, Map<string, number>>();
  readonly #wordsOfTexts: KeptKind;
  isOn = true;

  /** @param wordsOfTexts what the words are that stay in texts */
  constructor(wordsOfTexts: KeptKind) {
    this.#wordsOfTexts = wordsOfTexts;
  }

  /** Notes a text that stays, and returns it. */
  keep(kind: KeptKind, text: string): string {
    if (!this.isOn) return text;
    let texts = this.#seen.get(kind);
    if (!texts) {
      texts = new Map();
      this.#seen.set(kind, texts);
    }
    texts.set(text, (texts.get(text) ?? 0) + 1);
    return text;
  }

  /** Notes a word or a number that stays in texts. */
  keepRun(run: string): void {
    if (run.length > 1 || /\d/.test(run))
      this.keep(/^\d/.test(run) ? "small numbers" : this.#wordsOfTexts, run);
  }

  /** The kinds with what stayed of them, the most frequent first. */
  get kept(): {
    readonly kind: KeptKind;
    readonly count: number;
    readonly different: number;
    readonly most: readonly string[];
  }[] {
    return [...this.#seen]
      .map(([kind, texts]) => ({
        kind,
        count: [...texts.values()].reduce((sum, each) => sum + each, 0),
        different: texts.size,
        most: [...texts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([text]) => text),
      }))
      .sort((a, b) => b.count - a.count);
  }
}
