import { dirname, join } from "node:path";
import type { Exchange } from "../conversation/exchange.ts";
import type { LogFile } from "./read.ts";

/** Where recorders keep a body that is named in another file, seen from that file's folder. */
const besides = ["../__files", "__files", "."];

/** The words for a request and its reply in names of files. */
const sides = [
  ["request", "response"],
  ["request", "reply"],
  ["req", "res"],
  ["req", "resp"],
  ["prompt", "completion"],
  ["prompt", "response"],
  ["input", "output"],
  ["sent", "received"],
] as const;

/** The files in which replies to this file's requests may stand: by their number, in the order in which to look for them. */
export function replyPaths(path: string, { repliesIn }: LogFile): Map<number, string[]> {
  const named = [...(repliesIn ?? [])].filter(([, name]) => staysBeside(name));
  const places = named.map(([number, name]): [number, string[]] => [
    number,
    besides.map((folder) => join(dirname(path), folder, name)),
  ]);
  return new Map(places);
}

/** Logs are not trusted: a name leads to no other folder. */
function staysBeside(name: string): boolean {
  return !/^[\\/]|^[A-Za-z]:|(?:^|[\\/])\.\.(?:[\\/]|$)|\0/.test(name);
}

/**
 * The paths, without extensions, under which somebody would look for the reply to the one request of this file: the same with the word
 * for a request changed for that for a reply (`001_request.json`, `requests/001.json`). None where the file holds anything else.
 */
export function namesakes(path: string, { exchanges }: LogFile): string[] {
  const [only] = exchanges;
  if (exchanges.length !== 1 || !only?.request || only.reply) return [];
  return sides.flatMap(([asked, answered]) => {
    const words = [...path.matchAll(wordOf(asked))];
    const last = words.at(-1);
    if (!last) return [];
    const [word] = last;
    const other = word === word.toUpperCase() ? answered.toUpperCase() : answered;
    const cased = /^[A-Z][a-z]/.test(word) ? `${other.charAt(0).toUpperCase()}${other.slice(1)}` : other;
    const plural = word.length > asked.length ? word.slice(asked.length) : "";
    return [
      withoutExtension(path.slice(0, last.index) + cased + plural + path.slice(last.index + word.length)),
    ];
  });
}

/** A word by itself, as in `001_request.json` or `requests/001.json`, or as a part of `chatRequest.json`. */
function wordOf(word: string): RegExp {
  const capital = `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  return new RegExp(`(?:(?<![A-Za-z])(?:${word}|${word.toUpperCase()})|${capital})s?(?![a-z])`, "g");
}

/** How paths of namesakes are compared: a stream may have another extension than the request that it answers. */
export function withoutExtension(path: string): string {
  return path.replace(/\.[A-Za-z0-9]{1,6}$/, "");
}

/** The exchange with the reply that stands in a file of its own; `undefined` where that file holds something else. */
export function answeredFrom(asked: Exchange, { exchanges }: LogFile): Exchange | undefined {
  const [answered, ...others] = exchanges;
  if (!answered?.reply || answered.request || others.length > 0) return undefined;
  if (answered.protocol !== asked.protocol) return undefined;
  const status = asked.status ?? answered.status;
  return {
    ...asked,
    reply: answered.reply,
    ...(status !== undefined && { status }),
    isCut: asked.isCut || answered.isCut,
  };
}
