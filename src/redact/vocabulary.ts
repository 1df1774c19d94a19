import marks from "vocabulary:marks";
import names from "vocabulary:names";
import refusals from "vocabulary:refusals";
import texts from "vocabulary:texts";
import { furtherNames } from "../protocols/positions.ts";
import type { KeptWords } from "./words.ts";

const words = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** Names that containers and protocols know, as they are written: keys, types, statuses, events, hosts. */
export const publicNames: ReadonlySet<string> = new Set([...words(names), ...furtherNames]);

/** The words of these names, in lower case. */
export const publicNameWords: ReadonlySet<string> = new Set(
  [names, ...furtherNames]
    .join(" ")
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && /\p{L}/u.test(word)),
);

/** Hosts that programs of this kind talk to. */
export const publicHosts: ReadonlySet<string> = new Set(
  names
    .toLowerCase()
    .split(" ")
    .filter(
      (name) => /^[a-z\d-]+(?:\.[a-z\d-]+)+$/.test(name) && /\.(?:com|ai|io|org|net|dev|cn|us)$/.test(name),
    ),
);

/** Words of the texts with which providers refuse requests, in lower case. */
export const refusalWords = words(refusals);

const plain = "true false null none nan infinity http https www localhost base64";

/** Words that say nothing of anybody, and those with which models write calls into their texts. */
export const markWords: KeptWords = words(`${marks} ${plain}`);

const textWords = words(`${texts} ${marks} ${plain}`);

/** Words that rules look for in texts; also with the endings of English. */
export const readWords: KeptWords = {
  has(word) {
    if (textWords.has(word)) return true;
    const stem = /^(.{3,}?)(?:s|es|d|ed|ing|ling|led|ting|ted)$/.exec(word)?.[1];
    return stem !== undefined && stem.length >= 5 && (textWords.has(stem) || textWords.has(`${stem}e`));
  },
};
