import { endOfQuote, endOfValue, memberAt } from "./jsonish.ts";
import type { TextPatch } from "./spelling.ts";

interface SchemaWords {
  isKnown(name: string): boolean;
  text(slice: string): readonly TextPatch[];
}

/** Keywords whose members are named by whoever wrote the schema. */
const named = /^(?:properties|patternProperties|\$defs|definitions|dependentSchemas|dependentRequired)$/;
/** Keywords whose value is what a schema says of values: it is theirs. */
const values = /^(?:enum|const|default|examples?|required|description|title|\$comment|propertyOrdering)$/;
/** Keywords whose value is a schema, a list of them, or a setting. */
const keywords =
  /^(?:type|format|items|prefixItems|additionalProperties|anyOf|oneOf|allOf|not|if|then|else|\$ref|\$id|\$schema|\$anchor|pattern|nullable|strict|minimum|maximum|exclusiveMinimum|exclusiveMaximum|multipleOf|minLength|maxLength|minItems|maxItems|uniqueItems|minProperties|maxProperties|contains|propertyNames|unevaluatedProperties|json|schema|name|readOnly|deprecated)$/;

/** What stands without quotes in a schema. */
const setting = /^\s*(?:-?[\d.]+(?:[eE][+-]?\d+)?|true|false|null|True|False|None)\s*$/;
const dialect = /^https?:\/\/json-schema\.org\/[\w/.-]{1,40}#?$/;

/** What replaces what is private in a JSON Schema: names of properties, values and descriptions. */
export function schemaPatches(text: string, words: SchemaWords): TextPatch[] {
  const found: TextPatch[] = [];
  const asText = (from: number, to: number): number => {
    for (const patch of words.text(text.slice(from, to)))
      found.push({ start: patch.start + from, end: patch.end + from, text: patch.text });
    return to;
  };

  const scalar = (at: number, key: string): number => {
    const end = endOfValue(text, at);
    const value = text.slice(at, end).replace(/^["']|["']\s*$/g, "");
    const isQuoted = /["']/.test(text.charAt(at));
    // Limits and constants stay; what else stands without quotes is no part of a schema.
    if (!isQuoted) return setting.test(value) && !/^(?:default|const)$/.test(key) ? end : asText(at, end);
    if (/^(?:type|format)$/.test(key) && words.isKnown(value)) return end;
    if (key === "$schema" && dialect.test(value)) return end;
    if (key === "$ref") {
      for (const { 0: name, index } of text.slice(at, end).matchAll(/[^/]+/g))
        if (!/^(?:["']?#["']?|\$?defs|definitions|components|schemas)$/.test(name))
          asText(at + index, at + index + name.length);
      return end;
    }
    if (key === "pattern") {
      // Classes and escapes of a pattern say what characters are, not which words.
      for (const { 0: word, index } of text
        .slice(at, end)
        .matchAll(/\[[^\][]{0,60}\]|\\{1,16}[A-Za-z]|\{[\d,]{0,20}\}|[\p{L}\p{N}]{3,}/gu))
        if (/^[\p{L}\p{N}]/u.test(word) || /[\p{L}\p{N}]{4,}/u.test(word))
          asText(at + index, at + index + word.length);
      return end;
    }
    return asText(at, end);
  };

  const members = (start: number, areNamed: boolean, depth: number): number => {
    let at = start + 1;
    while (at < text.length) {
      const character = text.charAt(at);
      if (character === "}" || character === "]" || character === ")") return at + 1;
      if (/[\s,]/.test(character)) {
        at++;
        continue;
      }
      const member = memberAt(text, at);
      if (!member) {
        at = Math.max(at + 1, schema(at, "", depth));
        continue;
      }
      const { key } = member;
      const isKeyword = !areNamed && (keywords.test(key) || named.test(key) || values.test(key));
      if (!isKeyword) asText(member.keyStart, member.keyEnd);
      if (!areNamed && values.test(key)) at = asText(member.start, endOfValue(text, member.start));
      else at = schema(member.start, areNamed || isKeyword ? key : "", depth, !areNamed && named.test(key));
      at = Math.max(at, member.start);
    }
    return text.length;
  };

  const schema = (at: number, key: string, depth: number, areNamed = false): number => {
    const character = text.charAt(at);
    if (depth > 100) return asText(at, endOfValue(text, at));
    if (character === "{" || character === "[" || character === "(") return members(at, areNamed, depth + 1);
    if (character !== '"' && character !== "'") return scalar(at, key);
    const end = Math.min(text.length, endOfQuote(text, at + 1, character) + 1);
    return areNamed ? asText(at, end) : Math.max(scalar(at, key), end);
  };

  schema(0, "", 0);
  return found;
}
