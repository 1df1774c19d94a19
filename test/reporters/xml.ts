export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

/** Characters of XML 1.0, and nothing else. */
const characters = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;
const tokens = /<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>|([^<]+)/y;
const references: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Parses the XML that the JUnit report is written in, and refuses all else: a declaration, elements, attributes, text; nothing that is not well formed. */
export function parseXml(document: string): Element {
  if (!characters.test(document)) throw new Error("a character that XML 1.0 forbids");
  const start = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (!document.startsWith(start)) throw new Error("no declaration");
  const top: Open = { name: "", attributes: {}, children: [], text: "" };
  const open = [top];
  tokens.lastIndex = start.length;
  while (tokens.lastIndex < document.length) {
    const from = tokens.lastIndex;
    const match = tokens.exec(document);
    const parent = open.at(-1) ?? top;
    if (!match) throw new Error(`not well formed: ${document.slice(from, from + 80)}`);
    const [, closing, name = "", attributes = "", empty, text] = match;
    if (text !== undefined) parent.text += unescaped(text);
    else if (closing) {
      if (attributes || empty || parent.name !== name) throw new Error(`</${name}> closes ${parent.name}`);
      open.pop();
    } else {
      const element: Open = { name, attributes: attributesOf(attributes), children: [], text: "" };
      parent.children.push(element);
      if (!empty) open.push(element);
    }
  }
  const [root, ...others] = top.children;
  if (open.length !== 1 || !root || others.length > 0 || top.text.trim() !== "")
    throw new Error("not one root");
  return root;
}

interface Open extends Element {
  readonly children: Element[];
  text: string;
}

function attributesOf(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(/ ([a-z]+)="([^"]*)"/g)) {
    if (name in attributes) throw new Error(`${name} twice`);
    // A reader makes spaces of line ends in attributes.
    if (/[\t\n\r]/.test(value)) throw new Error(`white space in ${name}`);
    attributes[name] = unescaped(value);
  }
  return attributes;
}

function unescaped(text: string): string {
  if (text.includes("]]>")) throw new Error("]]> in text");
  return text.replace(/&([^;]*;?)/g, (whole, name: string) => {
    const character = references[name.replace(/;$/, "")];
    if (character === undefined || !name.endsWith(";")) throw new Error(`${whole} is no reference`);
    return character;
  });
}
