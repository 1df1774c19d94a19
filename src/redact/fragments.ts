interface FragmentedText {
  readonly parts: string[];
  /** Of a role whose texts stay. */
  readonly stays: boolean;
  next: number;
  whole?: readonly string[];
}

/**
 * Texts that come in fragments. A first walk over a log collects them, so that the words of the whole can be
 * replaced; a second walk in the same order deals the new text out again.
 */
export class FragmentedTexts {
  readonly #texts = new Map<string, FragmentedText>();
  #isCollecting = true;
  #generation = 0;
  /** The name of the reply that the next fragments belong to, where a protocol gives one. */
  reply = "";

  /** Ends the first walk. `redact` gives the new text of a whole, as long as the old one. */
  finish(redact: (whole: string, stays: boolean) => string): void {
    this.#isCollecting = false;
    this.#generation = 0;
    for (const text of this.#texts.values()) {
      const whole = redact(text.parts.join(""), text.stays);
      let at = 0;
      text.whole = text.parts.map((part) => {
        const start = at;
        at += part.length;
        return whole.slice(start, at);
      });
    }
  }

  /** From here on, fragments belong to other texts. */
  begin(): void {
    this.#generation++;
  }

  /** A fragment of the text with this name: its new text, or itself in the first walk. */
  take(name: string, fragment: string, stays: boolean): string {
    const id = `${this.#generation} ${this.reply} ${name} ${stays}`;
    let text = this.#texts.get(id);
    if (!text) {
      text = { parts: [], stays, next: 0 };
      this.#texts.set(id, text);
    }
    if (this.#isCollecting) {
      text.parts.push(fragment);
      return fragment;
    }
    return text.whole?.[text.next++] ?? fragment;
  }
}
