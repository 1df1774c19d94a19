import { level } from "../../../traffic/certainty.ts";
import { wholeFile } from "../../../traffic/container.ts";

/** What the cassette container states without loading the YAML library. */
export const cassette = {
  name: "vcr",
  summary: "YAML cassettes of vcr.py, VCR for Ruby and R, go-vcr, httpmock",
  signs: "interactions or http_interactions at the beginning of a line, in YAML",
  maxSize: wholeFile,
  recognize(head: Buffer): number {
    // Markdown may quote YAML in its blocks of code; no line of YAML begins like their fences.
    const [text = ""] = head.toString("utf8").split(/^(?:`{3}|~{3})/m, 1);
    if (/^\uFEFF?\s*[{[]/.test(text)) return 0;
    if (/^(?:http_)?interactions:/m.test(text)) return level.strong;
    if (/^when:/m.test(text) && /^ +(?:path|method|uri|url):/m.test(text)) return level.strong;
    if (/^(?:requests|responses):\s*$/m.test(text) && /^ *- body:/m.test(text)) return level.strong;
    if (/^- (?:request|when):\s*$/m.test(text)) return level.likely;
    return /^(?:messages|contents|input):[^\S\n]*\n\s*- (?:role|type|parts|content):/m.test(text)
      ? level.possible
      : 0;
  },
};

/** Any YAML in which a conversation may stand: what tests and evaluations keep as data. */
export const yamlData = {
  name: "yaml",
  summary: "YAML with messages or exchanges at any depth: fixtures of tests, stubs of WireMock, evaluations",
  signs: "role: user, assistant or similar, or a request with its response, in YAML",
  maxSize: wholeFile,
  recognize(head: Buffer): number {
    const text = head.toString("utf8").replace(/^\uFEFF/, "");
    if (/^\s*[{[]/.test(text) || !looksYaml(text)) return 0;
    // Descriptions of an API have examples, which nobody sent.
    if (/^["']?(?:openapi|swagger|asyncapi|\$schema)["']?:/m.test(text)) return 0;
    const hasMessages = /^[ -]*["']?role["']?: *["']?(?:user|assistant|model|tool)["']? *$/m.test(text);
    const hasExchange =
      /^[ -]*["']?request["']?: *$/m.test(text) && /^[ -]*["']?response["']?: *$/m.test(text);
    const speaks = /^[ -]*["']?(?:contents?|parts|text|blocks)["']?:/m.test(text);
    return hasMessages && speaks ? level.even : hasExchange ? level.vague : 0;
  },
};

/** Whether every line without an indent is a key, an element, a comment or the mark of a document. */
function looksYaml(text: string): boolean {
  const lines = text.split("\n").slice(0, -1);
  const outer = (lines.length > 0 ? lines : [text]).filter((line) => /^[^\s#]/.test(line));
  return (
    outer.length > 0 &&
    outer.every((line) =>
      /^(?:---\s*(?:#.*)?$|\.\.\.\s*$|%YAML|%TAG|-(?:\s|$)|(?:"[^"]{1,80}"|'[^']{1,80}'|[\w./$ -]{1,80}):(?:\s|$))/.test(
        line,
      ),
    )
  );
}
