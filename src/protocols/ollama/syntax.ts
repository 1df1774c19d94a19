/**
 * What Go's parser of JSON says where JavaScript's says something else.
 * @see https://github.com/golang/go/blob/master/src/encoding/json/scanner.go
 */
const contexts: readonly (readonly [RegExp, string])[] = [
  [/property name/i, "looking for beginning of object key string"],
  [/after property value/i, "after object key:value pair"],
  [/after array element/i, "after array element"],
  [/expected ':'/i, "after object key"],
  [/after json/i, "after top-level value"],
  [/bad escaped/i, "in string escape code"],
  [/bad control/i, "in string literal"],
];

/** The words of Ollama for a body that is not a request, and JavaScript's message about it. */
export function syntaxError(message: string, text: string): string {
  if (text.trim() === "") return "missing request body";
  if (/unexpected end|unterminated/i.test(message)) return "unexpected EOF";
  const at = /at position (\d+)/.exec(message)?.[1];
  const letter = at === undefined ? /unexpected token '(.)'/i.exec(message)?.[1] : text[Number(at)];
  if (letter === undefined)
    return `json: cannot unmarshal ${kindOf(text)} into Go value of type api.ChatRequest`;
  const context =
    contexts.find(([pattern]) => pattern.test(message))?.[1] ?? "looking for beginning of value";
  return `invalid character '${letter === "'" ? "\\'" : letter}' ${context}`;
}

/** The kind of a JSON text that is not an object, by its first letter. */
function kindOf(text: string): string {
  const first = text.trimStart()[0] ?? "";
  return first === "[" ? "array" : first === '"' ? "string" : /[tf]/.test(first) ? "bool" : "number";
}
