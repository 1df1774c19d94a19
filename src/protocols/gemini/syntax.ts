/**
 * What Google's parser of JSON says where JavaScript's says something else.
 * @see https://github.com/protocolbuffers/protobuf/tree/v21.12/src/google/protobuf/util/internal
 */
const words: readonly (readonly [RegExp, string])[] = [
  [/unexpected end/i, "Unexpected end of string. Expected a value."],
  [/property name/i, "Expected an object key or }."],
  [/after property value/i, "Expected , or } after key:value pair."],
  [/after array element/i, "Expected , or ] after array value."],
  [/expected ':'/i, "Expected : between key:value pair."],
  [/unterminated string/i, "Closing quote expected in string."],
  [/after json/i, "Parsing terminated before end of input."],
];

/** How many characters of the text stand on each side of the mark. */
const around = 20;

/** The words of Google's parser for a message of JavaScript's, with the place under a mark if it is known. */
export function syntaxError(message: string, text: string): string {
  const said = words.find(([pattern]) => pattern.test(message))?.[1] ?? "Unexpected token.";
  const at = Number(/at position (\d+)/.exec(message)?.[1] ?? Number.NaN);
  if (Number.isNaN(at)) return said;
  const begin = Math.max(0, at - around);
  return `${said}\n${text.slice(begin, at + around)}\n${" ".repeat(at - begin)}^`;
}
