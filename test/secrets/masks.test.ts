import { describe, expect, test } from "vitest";
import { maskSecrets } from "../../src/secrets/masks.ts";
import { leaks, shownPart } from "./kinds.ts";

/** Places that a text with a credential stands in. */
const places: Readonly<Record<string, (text: string) => string>> = {
  "by itself": (text) => text,
  "in prose": (text) => `I found this in the settings: ${text} and went on.`,
  "after a line break": (text) => `first line\n${text}\nlast line`,
  "in JSON": (text) => JSON.stringify({ output: `ran\n${text}\ndone` }),
  "in JSON in JSON": (text) => JSON.stringify({ body: JSON.stringify({ output: `ran\n${text}\n` }) }),
  "in JSON three deep": (text) => JSON.stringify([JSON.stringify([JSON.stringify([`a\n${text}\n`])])]),
  "in escapes of JSON": (text) =>
    `{"output":"${[...text].map((it, at) => (at % 3 === 0 && /[ -~]/.test(it) ? `\\u00${it.charCodeAt(0).toString(16)}` : JSON.stringify(it).slice(1, -1))).join("")}"}`,
  "in a URL": (text) => `https://host.example/search?q=${encodeURIComponent(text)}&page=2`,
  "in base64": (text) => `content: ${btoa(`the file says\n${text}\n`)}`,
  "in base64 of JSON": (text) => JSON.stringify({ data: btoa(JSON.stringify({ output: text })) }),
  "in lines of base64": (text) =>
    (btoa(`the file says\n${text}\nand no more`).match(/.{1,76}/g) ?? []).join("\n"),
  "in HTML": (text) =>
    `<pre>${text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")}</pre>`,
};

describe.each(Object.entries(places))("%s", (name, place) => {
  test.each(leaks.map((leak) => [leak.kind, leak] as const))("%s is masked", (_, { text, secret }) => {
    const masked = maskSecrets(place(text));
    expect(shownPart(masked, secret)).toBeUndefined();
    expect(shownPart(decodedAll(masked), secret)).toBeUndefined();
    if (!name.includes("base64")) expect(maskSecrets(masked)).toBe(masked);
  });
});

/** The text with what is encoded in it decoded. */
function decodedAll(text: string): string {
  const plain = text
    .replace(/\\+u00([0-9a-f]{2})|%([0-9A-F]{2})/g, (_, json, url) =>
      String.fromCharCode(Number.parseInt(json ?? url, 16)),
    )
    .replaceAll("&quot;", '"');
  const texts = [...text.replaceAll("\n", "").matchAll(/[A-Za-z0-9+/]{16,}={0,2}/g)].map(([run]) => {
    try {
      return atob(run.slice(0, run.length - (run.length % 4)));
    } catch {
      return "";
    }
  });
  return [plain, ...texts].join("\n");
}
