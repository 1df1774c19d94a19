import { parseJson } from "../reading/parse.ts";
import { isFields } from "../reading/values.ts";

/** What an error text means, without the log that it belongs to. */
export interface ErrorMeaning {
  /** What the text is about; a text about the history or the reply tells that a file is an error. */
  readonly about: string;
  /** The meaning, and what to change, without a full stop. */
  readonly says: string;
  /** The command that explains more; absent where no page does. */
  readonly learn?: string;
}

type MeaningOf = (text: string) => ErrorMeaning | undefined;

/** An error alone, of which no more is known. */
export const loneError = {
  what: "an error message, without the request that it is about",
  instead:
    "`toollint explain --error '<its text>'` explains it. If the log also has the request, `check` shows the place.",
};

/** An error without its request, and what it means: the rest of the way leads through the log of that run. */
export function loneErrorSentence(name: string, text: string, meaningOf: MeaningOf): string {
  const meaning = meaningOf(text);
  if (!meaning) return `${name} is ${loneError.what}\n${loneError.instead}`;
  return `${name} is ${loneError.what}\n${meaning.says}${steps([meaning], "line")}`;
}

/** Longer texts are logs, and may quote a refusal. */
const maxReport = 20_000;

/** More errors than these are a list of texts, and no report. */
const maxErrors = 4;

/**
 * The refusals in a file that has nothing else: an error that was pasted alone, or a report that quotes some.
 * `undefined` for other texts.
 */
export function refusalsAlone(name: string, text: string, meaningOf: MeaningOf): string | undefined {
  if (text.length > maxReport) return undefined;
  const all = textsIn(text).flatMap((each, at, all): (Refusal & { readonly isWorded: boolean })[] => {
    const meaning = meaningOf(each.text);
    return meaning && refuses(`${all[at - 1]?.text ?? ""}\n${each.text}`, meaning.about)
      ? [{ ...each, meaning, isWorded: marks.test(each.text) }]
      : [];
  });
  // What the provider says explains the status.
  const reasons = all.filter(({ meaning }) => meaning.about !== "status");
  const found = reasons.length > 0 ? reasons : all;
  const [first] = found;
  if (!first) return undefined;
  const distinct = found.filter(
    ({ meaning, isWorded }, at) =>
      isWorded && found.findIndex((other) => other.isWorded && other.meaning.says === meaning.says) === at,
  );
  if (distinct.length > 1 && distinct.length <= maxErrors) return severalAlone(name, distinct, meaningOf);
  // All of a short text tells more of a refusal than the lines that it is broken into.
  if (isAllOf(text, first.text)) return loneErrorSentence(name, text, meaningOf);
  const whole = meaningOf(text);
  const { meaning: own, ...quoted } = found.find(({ meaning }) => meaning.learn === whole?.learn) ?? first;
  const meaning = whole && whole.learn === own.learn ? whole : own;
  return `${name} has an error message in line ${lineOf({ ...quoted, meaning: own }, meaningOf)}, without the request that it is about
${meaning.says}${steps([meaning], "line")}`;
}

interface Refusal extends Quoted {
  readonly meaning: ErrorMeaning;
}

function severalAlone(name: string, refusals: readonly Refusal[], meaningOf: MeaningOf): string {
  const lines = refusals.map((each) => {
    const { says } = each.meaning;
    return `Line ${lineOf(each, meaningOf)}: ${says.charAt(0).toLowerCase()}${says.slice(1)}`;
  });
  const meanings = refusals.map(({ meaning }) => meaning);
  return `${name} has ${refusals.length} error messages, without the requests that they are about
${lines.join("\n")}${steps(meanings, "lines")}`;
}

/** What to do next: the log shows more, and pages explain. */
function steps(meanings: readonly ErrorMeaning[], lines: string): string {
  const isOfHistory = meanings.some(({ about }) => about === "history");
  const learn = [...new Set(meanings.flatMap((each) => (each.learn === undefined ? [] : [each.learn])))];
  const more = [
    ...(isOfHistory ? [`A log of that run, with its requests, shows the ${lines}.`] : []),
    ...(learn.length === 1 ? [`\`${learn[0]}\` explains it.`] : []),
    ...(learn.length > 1 ? [`${learn.map((each) => `\`${each}\``).join(", ")} explain more.`] : []),
  ];
  return more.length === 0 ? "" : `\n${more.join(" ")}`;
}

/** A text in a file, and the line that it begins in. */
interface Quoted {
  readonly text: string;
  readonly line: number;
}

/**
 * The texts in a file that can be a refusal: an error body, faults as pydantic lists them, a line, lines of
 * prose. In other documents, keys and values next to each other make no sentence.
 */
function textsIn(text: string): readonly Quoted[] {
  const value = parseJson(text);
  if (isFields(value)) return Object.keys(value).some((key) => ofError.test(key)) ? [{ text, line: 1 }] : [];
  if (/["']loc["']\s*:/.test(text) && /["']msg["']\s*:/.test(text)) return [{ text, line: 1 }];
  return blocksIn(text).flatMap((block) => {
    const lines = block.text.split("\n");
    return lines.some((line) => /^\s*(?:[{}[\]]|"[^"]*"\s*[:,]|'[^']*'\s*[:,])/.test(line))
      ? lines.map((each, at) => ({ text: each, line: block.line + at }))
      : [block];
  });
}

/** The paragraphs of a text. */
function blocksIn(text: string): readonly Quoted[] {
  const blocks: Quoted[] = [];
  let lines: string[] = [];
  for (const [at, line] of [...text.split("\n"), ""].entries()) {
    if (line.trim() !== "") lines.push(line);
    else if (lines.length > 0) {
      blocks.push({ text: lines.join("\n"), line: at + 1 - lines.length });
      lines = [];
    }
  }
  return blocks;
}

/** The line in which a refusal stands: the first that means something by itself. */
function lineOf({ text, line, meaning }: Refusal, meaningOf: MeaningOf): number {
  const at = text.split("\n").findIndex((each) => meaningOf(each)?.says === meaning.says);
  return line + Math.max(0, at);
}

/** Whether the other lines of a file are few, as below the paste of one error. */
function isAllOf(text: string, refusal: string): boolean {
  return text.trim().split("\n").length - refusal.split("\n").length < 3;
}

/**
 * Whether a text refuses a request, together with the words before it. Words about settings are common: they
 * need the marks of a refusal.
 */
function refuses(text: string, about: string): boolean {
  if (about === "request")
    return /\b(?:400|422|bad request)\b|\berror\b|\wException\b/i.test(text) || words.test(text);
  return about === "history" || about === "reply" || about === "status";
}

/** "Error" in the languages of those who report one. */
const words =
  /报错|错误|失败|エラー|失敗|오류|에러|ошибк|отказ|\bfehler|\b(?:erro|erreur|errore|fout|błąd|hata|lỗi)\b/i;

/** What stands beside an error, and not beside what people say of one. */
const marks = /\b(?:400|422|bad request)\b|error|exception|invalid|fail|refus|reject/i;

/** Members of an error: `error`, `errorMessage`, `error_description`. */
const ofError = /^(?:errors?|error[A-Z_]\w{1,30}|detail|message|msg)$/;
