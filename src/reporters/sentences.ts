import type { DiagnosisReport } from "../findings/report.ts";
import { oneLine, paragraph } from "./layout.ts";
import type { Style } from "./style.ts";
import { widthOf } from "./width.ts";

const shownCauses = 3;
const shownConsequences = 2;
const subject = "The client ";

/** The diagnoses of one file in one breath, most important first: what the client does, and what the model therefore saw. */
export function lead(diagnoses: readonly DiagnosisReport[], style: Style): string[] {
  const chosen = diagnoses.slice(0, shownCauses);
  if (chosen.length === 0) return [];
  const more = diagnoses.length - chosen.length;
  const titles = sentences(chosen.map(({ title }) => style.safe(title)));
  if (more > 0) titles.push(more === 1 ? "One more cause is below." : `${more} more causes are below.`);
  const consequences = distinct(chosen.map(({ consequence }) => style.safe(consequence)))
    .slice(0, shownConsequences)
    .map((text, index) => sentence(index > 0 ? text.replace(/^So /, "And ") : text));
  return [
    ...paragraph([[titles.join(" "), style.bold]], style.width),
    ...(consequences.length > 0 ? paragraph([consequences.join(" ")], style.width) : []),
  ];
}

/** What to change, each thing once; a line of code at its end stands apart. */
export function changes(diagnoses: readonly DiagnosisReport[], style: Style): string[] {
  const title = "Change in the client:";
  return distinct(diagnoses.map(({ change }) => style.safe(change))).flatMap((change) => {
    const [, words = change, code] = /^([^`]*(?:`[^`]*`[^`]*)*:) `([^`]+)`$/.exec(change) ?? [];
    if (code === undefined) return paragraph([[title, style.bold], ` ${words}`], style.width, "  ");
    const line = `${title} ${words}   ${code}`;
    if (widthOf(line) <= style.width)
      return [oneLine([[title, style.bold], ` ${words}   `, [code, style.note]], style.width)];
    return [
      ...paragraph([[title, style.bold], ` ${words}`], style.width, "  "),
      ...paragraph(["    ", [code, style.note]], style.width, "      "),
    ];
  });
}

/** Sentences; those about the client become one: `The client does this, and does that.` */
function sentences(titles: readonly string[]): string[] {
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
