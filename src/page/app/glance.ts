/** The values of arguments at a glance: without names and quotes, and of paths only the end. */
export function atAGlance(json: string): string {
  return json
    .replace(/^\{\s*|(?<!\s)\s*\}$/g, "")
    .replace(/"[^"\\]*":\s*/g, "")
    .replace(/"((?:[^"\\]|\\.)*)"?/g, "$1")
    .replace(/(?<=^|,\s?)[^\s,]*\/[^\s,/]*\/(?=[^\s,/]+)/g, "…/");
}
