import type { DiagnosisReport, FindingReport } from "../findings/report.ts";
import { oneLine, paragraph, type StyledText, unstyled } from "./layout.ts";
import { placeInFile, placeInRun } from "./numbers.ts";
import type { Style } from "./style.ts";
import { widthOf } from "./width.ts";

const shownCauses = 3;
const shownConsequences = 2;
const subject = "The client ";

/**
 * A summary of one file's diagnoses, most important first: what the client does, where it begins, and its
 * consequences.
 */
export function lead(
  diagnoses: readonly DiagnosisReport[],
  findings: readonly FindingReport[],
  style: Style,
): string[] {
  const chosen = diagnoses.slice(0, shownCauses);
  if (chosen.length === 0) return [];
  const more = diagnoses.length - chosen.length;
  const titles = sentences(chosen.map(({ title }) => style.safe(title)));
  if (more > 0) titles.push(more === 1 ? "One more cause is below." : `${more} more causes are below.`);
  const consequences = consequencesIn(chosen.map(({ consequence }) => style.safe(consequence)));
  const begin = chosen.length + findings.length > 2 ? beginsAt(chosen, findings) : undefined;
  return [
    ...paragraph([[titles.join(" "), style.bold]], style.proseWidth),
    ...(begin === undefined ? [] : paragraph([style.safe(begin)], style.proseWidth)),
    ...(consequences.length > 0 ? paragraph([consequences.join(" ")], style.proseWidth) : []),
  ];
}

/**
 * Where the first diagnosis begins: `It begins at request 182, run.jsonl:182:411.`; `undefined` if it has no
 * place in the run.
 */
export function beginsAt(
  diagnoses: readonly DiagnosisReport[],
  findings: readonly FindingReport[],
): string | undefined {
  // Where a lesser mistake comes earlier, it is not what broke the run.
  const [gravest] = diagnoses;
  const ids = new Set(gravest?.findings);
  const [first] = findings
    .filter(({ id, location }) => ids.has(id) && orderOf(location) !== undefined)
    .sort((a, b) => (orderOf(a.location) ?? 0) - (orderOf(b.location) ?? 0));
  const place = first && placeInRun(first.location);
  if (!first || place === undefined) return undefined;
  const isOnce = new Set(gravest?.exchanges).size <= 1;
  return `It ${isOnce ? "happens" : "begins"} at ${place}, ${placeInFile(first.location)}.`;
}

/** The exchange, or the step of a session, which has no exchanges. */
function orderOf({ exchange, step }: FindingReport["location"]): number | undefined {
  return exchange ?? step;
}

/** What several diagnoses lead to, as sentences, each once; the first ones of many. */
export function consequencesIn(texts: readonly string[]): string[] {
  return distinct(texts)
    .slice(0, shownConsequences)
    .map((text, index, all) => sentence(index > 0 ? continued(text, all[0] ?? "") : text));
}

/** The second of two consequences: a sentence of its own, without what the first already says. */
function continued(text: string, first: string): string {
  const known = /, and [^,;]+(?=;|$)/.exec(first)?.[0];
  const rest = known !== undefined && text.endsWith(known) ? text.slice(0, -known.length) : text;
  const clause = rest.replace(/^So /, "");
  return clause.charAt(0).toUpperCase() + clause.slice(1);
}

/** The heading of what to change, by where: "Change in the client". */
export function changeTitle({ changeIn }: Pick<DiagnosisReport, "changeIn">): string {
  return `Change in the ${changeIn ?? "client"}`;
}

/** What to change, each item once; a line of code follows separately, after the last item ending in it. */
export function changes(diagnoses: readonly DiagnosisReport[], style: Style): string[] {
  const titles = new Map(
    diagnoses.map((diagnosis) => [style.safe(diagnosis.change), changeTitle(diagnosis)]),
  );
  titles.delete("");
  const isOnePlace = new Set(titles.values()).size === 1;
  const all = [...titles].map(([change, place]) => partsOf(isOnePlace ? change : `${place}: ${change}`));
  const orders = all.map(({ words, code }, index) => {
    const isLast = code !== undefined && all.findLastIndex((other) => other.code === code) === index;
    return isLast ? { words, code } : { words: words.replace(/:$/, "") };
  });
  const title = isOnePlace ? `${[...titles.values()][0] ?? ""}:` : "What to change:";
  const [first, ...others] = orders;
  if (!first) return [];
  if (others.length === 0) return order([[title, style.bold], " "], first, "  ", style);
  return [
    ...paragraph([[title, style.bold]], style.proseWidth),
    ...orders.flatMap((each, index) => order([`  ${index + 1}. `], each, "     ", style)),
  ];
}

interface Order {
  readonly words: string;
  readonly code?: string;
}

/** Splits a change into its text and the line of code at its end. */
export function partsOf(change: string): Order {
  const [, words, code] = /^([^`]*(?:`[^`]*`[^`]*)*:) `([^`]+)`$/.exec(change) ?? [];
  return words === undefined || code === undefined ? { words: change } : { words, code };
}

function order(head: readonly StyledText[], { words, code }: Order, indent: string, style: Style): string[] {
  if (code === undefined) return paragraph([...head, words], style.proseWidth, indent);
  const line: StyledText[] = [...head, `${words}   `, [code, style.note]];
  if (widthOf(line.map(unstyled).join("")) <= style.proseWidth) return [oneLine(line, style.proseWidth)];
  const codeIndent = widthOf(code) + indent.length + 2 > style.proseWidth ? "    " : `${indent}  `;
  return [
    ...paragraph([...head, words], style.proseWidth, indent),
    ...paragraph([codeIndent, [code, style.note]], style.proseWidth, "      "),
  ];
}

/** Sentences, each once; those about the client are joined: `The client does this, and does that.` */
export function sentences(all: readonly string[]): string[] {
  const titles = distinct(all);
  const deeds = titles
    .filter((title) => title.startsWith(subject))
    .map((title) => title.slice(subject.length));
  const others = titles.filter((title) => !title.startsWith(subject));
  const [first = "", ...rest] = deeds;
  const last = rest.pop();
  const joined = last === undefined ? first : `${[first, ...rest].join(", ")}, and ${last}`;
  const client = deeds.length > 0 ? [`${subject}${joined}`] : [];
  const isFirst = titles[0]?.startsWith(subject);
  return (isFirst ? [...client, ...others] : [...others, ...client]).map(sentence);
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== "");
}
