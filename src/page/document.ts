import { createHash } from "node:crypto";
import { script, style } from "page:app";
import type { PageData } from "./data.ts";
import { escaped } from "./markup.ts";
import { packed, type TextTable } from "./texts.ts";
import { pack } from "./wire.ts";

/** What a page consists of. */
export interface Page {
  readonly data: Omit<PageData, "texts">;
  readonly texts: ReturnType<TextTable["close"]>;
  /** The part that needs no scripts, as HTML. */
  readonly body: Iterable<string>;
}

/**
 * The page as one HTML file, in chunks: what can be read without scripts, then the data, then the app.
 * Nothing in it is loaded from anywhere: its policy allows this one script and this one style sheet, by
 * their hashes.
 */
export function* documentChunks({ data, texts, body }: Page): Iterable<string> {
  yield `<!doctype html>
<html lang="en" data-kind="${data.kind}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(`${data.title} · toollint`)}</title>
<style>${style}</style>
</head>
<body>
<main id="report">
`;
  yield* body;
  yield `</main>
<div id="app"></div>
`;
  yield indexElement(JSON.stringify(pack({ ...data, texts: texts.texts })));
  for (const [number, block] of texts.blocks.entries())
    if (block !== undefined) yield `<script type="text/plain" id="block-${number}">${block}</script>\n`;
  yield `<script>${script}</script>
</body>
</html>
`;
}

const policy = [
  "default-src 'none'",
  `script-src '${hashOf(script)}'`,
  `style-src '${hashOf(style)}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** A larger index is compressed. */
const plainIndex = 256 * 1024;

/** JSON that cannot end its `<script>`, and has no line ends of Unicode; or the same in gzip and base64. */
function indexElement(json: string): string {
  if (json.length > plainIndex)
    return `<script type="text/plain" id="index">${packed(json).toString("base64")}</script>\n`;
  const safe = json.replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `<script type="application/json" id="index">${safe}</script>\n`;
}
