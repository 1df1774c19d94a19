const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for an element or for an attribute in quotes: no character of it is markup. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => references[character] ?? character);
}
