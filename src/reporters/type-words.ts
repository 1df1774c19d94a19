/** JSON Schema's types as users say them, after "must be". */
export const typeWords: Readonly<Record<string, string>> = {
  string: "a text",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};
