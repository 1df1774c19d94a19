import { Document, Pair, Scalar, type Tags, YAMLMap, YAMLSeq } from "yaml";
import type { Surroundings } from "../../../reading/surroundings.ts";
import type { JsonTree } from "../../write/json-layout.ts";
import { doubleQuoted } from "./yaml-rewriting.ts";

/** How a value is written: over several lines, on one line, or as the text of a literal block. */
export type YamlStyle = "lines" | "inline" | "literal";

/** JSON as YAML from the first column, for YAML 1.1 and 1.2 readers. Non-ASCII is spelled as in `around`. */
export function yamlText(tree: JsonTree, style: YamlStyle, around: Surroundings): string {
  const node = nodeOf(tree, style);
  if (!(node instanceof Scalar)) node.flow = style === "inline";
  // The library writes the text `<<` as a merge key, even in quotes.
  const customTags = (tags: Tags): Tags => tags.filter((tag) => !isMerge(tag));
  const written = new Document(node, { version: "1.1", customTags }).toString({
    lineWidth: 0,
    indentSeq: false,
    singleQuote: false,
    blockQuote: "literal",
    flowCollectionPadding: false,
  });
  // Only text in double quotes is non-ASCII.
  return written.trimEnd().replace(/[^\n -~]/gu, (character) => doubleQuoted(character, around).slice(1, -1));
}

function isMerge(tag: Tags[number]): boolean {
  return typeof tag === "object" && tag.tag.endsWith(":merge");
}

/** Whether a literal block can hold the text: no leading or trailing white space, only visible ASCII. */
export function fitsLiteral(text: string): boolean {
  return /^[!-~](?:[\n -~]*[!-~])?$/.test(text) && !/ \n/.test(text);
}

function nodeOf(tree: JsonTree, style: YamlStyle): YAMLMap | YAMLSeq | Scalar {
  if (tree.kind === "word") return scalarOf(tree.text, style);
  if (tree.kind === "array") {
    const list = new YAMLSeq();
    list.items = tree.items.map((item) => nodeOf(item, style));
    list.flow = style === "inline" || tree.items.every(({ kind }) => kind === "word");
    return list;
  }
  const map = new YAMLMap();
  map.items = tree.members.map(([key, value]) => new Pair(scalarOf(key, "inline"), nodeOf(value, style)));
  map.flow = style === "inline" || tree.members.length === 0;
  return map;
}

function scalarOf(word: string, style: YamlStyle): Scalar {
  // A number keeps its digits.
  if (/^-?\d+$/.test(word)) return new Scalar(BigInt(word));
  const value: unknown = JSON.parse(word);
  const scalar = new Scalar(value);
  if (typeof value !== "string") return scalar;
  const isLiteral = style === "literal" || (style === "lines" && value.includes("\n"));
  if (isLiteral && fitsLiteral(value)) scalar.type = Scalar.BLOCK_LITERAL;
  // YAML 1.1 gives some words of punctuation only a meaning that the library does not know.
  else if (/[^ -~]/.test(value) || !/\w/.test(value)) scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}
