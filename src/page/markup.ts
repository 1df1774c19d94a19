/** HTML that is safe to write as it is. */
export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

/** What a template may hold: text, which is escaped, markup, and lists of both. */
type Part = string | number | Markup | undefined | null | false | readonly Part[];

/**
 * A template of HTML. Everything put into it is escaped for elements and quoted attributes, except markup.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, index) => text + written(parts[index])).join(""));
}

function written(part: Part): string {
  if (part === undefined || part === null || part === false) return "";
  if (part instanceof Markup) return part.html;
  if (typeof part === "object") return part.map(written).join("");
  return escaped(`${part}`);
}

/** Text for an element or for an attribute in quotes: no character of it is markup. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => references[character] ?? character);
}

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A sentence with code in backticks. */
export function prose(text: string): Markup[] {
  return text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.length > 2 && part.startsWith("`") && part.endsWith("`")
        ? html`<code>${part.slice(1, -1)}</code>`
        : html`${part}`,
    );
}
