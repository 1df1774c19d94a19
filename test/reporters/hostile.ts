import fc from "fast-check";
import type { FindingReport } from "../../src/findings/report.ts";
import { at, finding } from "./reports.ts";

/** A credential that no report may show. */
export const key = "sk-proj-abcdefghijklmnop1234";

/** What a log may hold to get out of the format that quotes it. */
export const hostile: readonly string[] = [
  "]]></failure></testcase><testcase name='ok'/><!--",
  "&lt;&#0;&amp; <script>alert(1)</script>",
  "\r\n::error file=/etc/passwd::owned\n##[add-mask]a",
  "::set-output name=x::y",
  "100%0A%25,a:b",
  "` `` ``` ````",
  "`@octocat` #1 GH-2 <img src=x onerror=alert(1)> [a](https://evil.example) ![b](//evil)",
  "a | b \\| c \\\\| d",
  "\n\n# heading\n- list\n1. list\n> quote\n---\n",
  "www.evil.example and :tada: and me@evil.example",
  "</details></summary></td></table>",
  "\u0000\u0001\b\u000b\u001b[2J\u007f\u0085\ufffe\uffff",
  "\ud800 lone \udc00 \u{1f600}",
  "\u202e\u200b\u2028\u2029\u{e0041}",
  "__proto__ constructor",
  `Bearer abcdefghijklmnopqrstuvwxyz ${key}`,
  "",
];

/** One string of the list, or several, or anything. */
export const anything: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...hostile), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary" }),
);

/** A finding that has the text wherever a log's text can be. */
export function findingWith(text: string, more: Partial<FindingReport> = {}): FindingReport {
  return finding("orphaned-tool-result", at(41, 18, { file: `logs/${text}.log`, pointer: `/${text}` }), {
    id: "f1",
    message: `tool result \`${text}\` answers no call`,
    related: [{ message: `call \`${text}\``, location: at(12, 9, { file: `logs/${text}.log` }) }],
    data: { text, [text]: [text, { text }] },
    fix: { safety: "safe", title: `restores \`${text}\`` },
    alsoIn: [4],
    ...more,
  });
}
