import { gapInShort } from "../findings/gaps.ts";
import { exchangesOf } from "../findings/occurrences.ts";
import type { CheckReport, DiagnosisReport, FindingReport, Location } from "../findings/report.ts";
import { recordsIn, skippedRecords } from "../findings/skipped-records.ts";
import { groupBy } from "../reading/group-by.ts";
import { repairCommand } from "../reporters/closing.ts";
import { isSamePlace } from "../reporters/frame.ts";
import { counted, exchanges, placeInFile, placeInRun } from "../reporters/numbers.ts";
import { type Root, rootsOf, summedUp } from "../reporters/roots.ts";
import { beginsAt, changeTitle, consequencesIn, partsOf, sentences } from "../reporters/sentences.ts";
import { mostSevereFirst, repairWords, uncheckedOf } from "../reporters/summing.ts";
import type { CheckVerdict } from "../reporters/verdict.ts";
import { cut } from "../reporters/width.ts";
import { frameOf, noteFrame, type Sources } from "./frame.ts";
import { shownLine } from "./items.ts";
import { html, type Markup, prose } from "./markup.ts";
import { type ShownRepair, sumsInWords } from "./repairs.ts";

/** What the static part of a check shows. */
export interface ReportPart {
  readonly report: CheckReport;
  readonly verdict: CheckVerdict;
  readonly sources: Sources;
  /** Why the repairs are not in the page, if they are not. */
  readonly unrepaired?: string;
  /** The fragment of the page's address that leads to the step of a finding. */
  linkOf(finding: FindingReport): string | undefined;
  /** The repair of a finding. */
  repairOf(finding: FindingReport): ShownRepair | undefined;
}

/** Findings shown with their lines, and shown at all; the rest is counted. */
const shownFrames = 200;
const shownFindings = 2000;

/** As many findings of one rule are a list with a heading. */
const smallestGroup = 4;

/** Notes of a finding shown with their lines, and shown at all. */
const framedNotes = 3;
const shownNotes = 4;

/** Diagnoses that the headline names. */
const headlines = 2;

/** Consequences listed under their cause. */
const shownConsequences = 50;

/** Lines of a diff, and their columns. */
const shownDiffLines = 60;
const shownColumns = 180;

/**
 * What a check found, for readers without scripts and for search engines of mail and CI: all of it is text.
 */
export function* reportPart(part: ReportPart): Generator<string> {
  const { report } = part;
  const roots = mostSevereFirst(
    rootsOf(report).map((root) => ({ ...root, severity: root.finding.severity })),
  );
  yield verdictSection(part, roots).html;
  yield `<section id="findings" aria-labelledby="findings-title">\n<h2 id="findings-title">Findings</h2>\n`;
  if (roots.length === 0) yield `<p class="none">None.</p>\n`;
  const shown = roots.slice(0, shownFindings);
  const framed = new Set(shown.slice(0, shownFrames));
  const groups = groupBy(shown, ({ finding }) => `${finding.severity} ${finding.rule}`);
  for (const group of groups.values()) {
    const isGroup = group.length >= smallestGroup;
    if (isGroup) yield groupHead(group).html;
    for (const root of group) yield article(root, part, framed.has(root)).html;
    if (isGroup) yield "</section>\n";
  }
  if (roots.length > shownFindings)
    yield `<p class="more">${counted(roots.length - shownFindings, "more finding")}: see <code>toollint check --format json</code>.</p>\n`;
  if (part.unrepaired !== undefined) yield html`<p class="more">${prose(part.unrepaired)}</p>\n`.html;
  yield "</section>\n";
  yield uncheckedSection(report).html;
}

/** What the findings of one rule have in common; a list of them follows. */
function groupHead(group: readonly Root[]): Markup {
  const [first] = group;
  const { severity = "info", rule = "", location } = first?.finding ?? {};
  const numbers = group.flatMap(({ finding }) => exchangesOf(finding));
  const where = numbers.length > 0 && ` · ${exchanges(numbers, location?.part ?? "request")}`;
  return html`<section class="alike" data-severity="${severity}">
<h3 class="alike-head"><span class="severity">${severity}</span> <code class="rule">${rule}</code> <span class="tally">${counted(group.length, "finding")}${where}</span></h3>
`;
}

function verdictSection({ report, verdict }: ReportPart, roots: readonly Root[]): Markup {
  const errors = new Set(
    roots.filter(({ finding }) => finding.severity === "error").map(({ finding }) => finding.id),
  );
  const isGrave = ({ findings }: DiagnosisReport): boolean => findings.some((id) => errors.has(id));
  const diagnoses = [
    ...report.diagnoses.filter(isGrave),
    ...report.diagnoses.filter((diagnosis) => !isGrave(diagnosis)),
  ];
  // A sentence about two files would say of both what holds for one.
  const named = diagnoses.slice(0, headlines).filter(({ file }) => file === diagnoses[0]?.file);
  const titles = named.map(({ title }) => shownLine(title));
  const headline =
    titles.length > 0 ? sentences(titles).join(" ") : shownLine(roots[0]?.finding.message ?? "No findings");
  const consequences = consequencesIn(named.map(({ consequence }) => shownLine(consequence)));
  const repair = repairCommand(roots, "toollint fix");
  return html`<section id="verdict" data-outcome="${verdict.isPassed ? "passes" : "fails"}">
<h1>${prose(headline)}</h1>
${beginning(named, roots)}${
  consequences.length > 0 &&
  html`<p class="consequence">${prose(consequences.join(" "))}</p>
`
}${named.map((diagnosis, index) => changeOf(diagnosis, named.slice(0, index)))}${
  repair !== undefined &&
  html`<p class="command">Repair the log: <code data-copy>${shownLine(repair)}</code></p>
`
}${shownBy(named)}<div class="outcome"><p class="counts">${countsText(verdict, headline)}</p>
<p class="about">${shownLine(about(report))}</p></div>
${diagnoses.slice(named.length).map(
  (diagnosis, index) => html`<section class="diagnosis" data-diagnosis>
<h2>${prose(shownLine(diagnosis.title))}</h2>
${beginning([diagnosis], roots)}${diagnosed(diagnosis, diagnoses.slice(0, named.length + index))}</section>
`,
)}</section>
`;
}

/** What counts, unless the headline says so, and what the check comes to. */
function countsText({ counts, outcome }: ReportPart["verdict"], headline: string): Markup {
  return counts === headline.toLowerCase()
    ? html`<strong>${prose(shownLine(outcome))}</strong>`
    : html`<strong>${shownLine(counts)}</strong> · ${prose(shownLine(outcome))}`;
}

function sentence(text: string): string {
  return /[.!?:…]$/.test(text) ? text : `${text}.`;
}

/** Where the first of the diagnoses begins. */
function beginning(diagnoses: readonly DiagnosisReport[], roots: readonly Root[]): Markup {
  const begin = beginsAt(
    diagnoses,
    roots.map(({ finding }) => finding),
  );
  return html`${
    begin !== undefined &&
    html`<p class="beginning">${shownLine(begin)}</p>
`
  }`;
}

/** What follows from a diagnosis, and what to change, unless one before it says the same. */
function diagnosed(diagnosis: DiagnosisReport, before: readonly DiagnosisReport[]): Markup {
  const { consequence } = diagnosis;
  const isNew = consequence !== "" && !before.some((other) => other.consequence === consequence);
  return html`${
    isNew &&
    html`<p class="consequence">${prose(shownLine(sentence(consequence)))}</p>
`
  }${changeOf(diagnosis, before)}${shownBy([diagnosis])}`;
}

/** What to change, unless a diagnosis before it says the same. */
function changeOf(diagnosis: DiagnosisReport, before: readonly DiagnosisReport[]): Markup {
  const { change } = diagnosis;
  const isNew = change !== "" && !before.some((other) => other.change === change);
  const { words, code } = partsOf(shownLine(change));
  return html`${
    isNew &&
    html`<div class="change"><p><strong>${changeTitle(diagnosis)}:</strong> ${prose(words)}</p>${
      code !== undefined && html`<pre data-copy>${code}</pre>`
    }</div>
`
  }`;
}

/** The findings behind diagnoses, for readers without scripts. */
function shownBy(diagnoses: readonly DiagnosisReport[]): Markup {
  const findings = diagnoses.flatMap((diagnosis) => diagnosis.findings);
  return html`${
    findings.length > 0 &&
    html`<p class="shown-by">Seen in ${findings.slice(0, 8).map((id, index) => html`${index > 0 && ", "}<a href="#finding=${id}">${id}</a>`)}${findings.length > 8 && ` and ${findings.length - 8} more`}</p>
`
  }`;
}

function about({ files }: CheckReport): string {
  const sum = (key: "exchanges" | "calls" | "conversations"): number =>
    files.reduce((total, file) => total + file[key], 0);
  const protocols = [...new Set(files.flatMap((file) => file.protocols))];
  return [
    ...(files.length === 1 ? [] : [counted(files.length, "file")]),
    ...(sum("exchanges") > 0 ? [counted(sum("exchanges"), "exchange")] : []),
    counted(sum("conversations"), "conversation"),
    counted(sum("calls"), "call"),
    ...protocols,
  ].join(" · ");
}

function article({ finding, consequences }: Root, part: ReportPart, isFramed: boolean): Markup {
  const { id, rule, severity, message, location, alsoIn, related, data, fix } = finding;
  const tool = typeof data["tool"] === "string" && html` data-tool="${shownLine(data["tool"])}"`;
  const labels = related.filter((note) => isSamePlace(note.location, location));
  const others = related.filter((note) => !labels.includes(note));
  const lost = others.filter(isLost);
  const notes = others.filter((note) => !isLost(note));
  return html`<article data-finding="${id}" data-severity="${severity}" data-rule="${rule}"${tool} tabindex="-1">
<h3><span class="severity">${severity}</span> <code class="rule">${rule}</code> ${inShort(location)}<span class="message">${prose(shownLine(message))}</span></h3>
<p class="where">${placeLink(finding, part)}${whereInRun(location)}</p>
${evidence(finding, lost, part, isFramed)}
${labels.map(
  (note) => html`<p class="label">${prose(shownLine(note.message))}</p>
`,
)}${notes.length > 0 && relatedList(finding, notes, part, isFramed)}${
  alsoIn.length > 0 &&
  html`<p class="also">Also in ${exchanges(alsoIn, location.part)}.</p>
`
}${
  fix &&
  html`<div class="repair"><p><strong>toollint fix</strong> (${repairWords(fix).kind}): ${prose(shownLine(repairWords(fix).does))}</p>${isFramed && repairOf(finding, part)}</div>
`
}${
  consequences.length > 0 &&
  html`<details class="consequences">
<summary>Because of it: ${shownLine(summedUp(consequences, finding))}</summary>
${consequences.slice(0, shownConsequences).map(
  (
    one,
  ) => html`<article data-finding="${one.id}" data-severity="${one.severity}" data-rule="${one.rule}" tabindex="-1">
<h4><span class="severity">${one.severity}</span> <code class="rule">${one.rule}</code> <span class="message">${prose(shownLine(one.message))}</span></h4>
<p class="where">${placeLink(one, part)}${whereInRun(one.location)}</p>
</article>
`,
)}${
  consequences.length > shownConsequences &&
  html`<p class="more">${counted(consequences.length - shownConsequences, "more finding")}</p>
`
}</details>
`
}</article>
`;
}

/** A note on a lost item: the step beside the findings lists them all. */
function isLost({ message }: Note): boolean {
  return message.startsWith("gone: ");
}

type Note = FindingReport["related"][number];

/** The lines of the log, and what they lack. Scripts close it: the step in view shows the same. */
function evidence(
  finding: FindingReport,
  lost: readonly Note[],
  part: ReportPart,
  isFramed: boolean,
): Markup | undefined {
  const frame = isFramed ? frameOf(finding, part.sources) : undefined;
  const lists = itemLists(finding);
  if (!frame && lost.length + lists.length === 0) return undefined;
  return html`<details class="evidence" open><summary>The lines of the log</summary>${frame}${lost.length > 0 && relatedList(finding, lost, part, isFramed)}${lists}</details>`;
}

function relatedList(
  finding: FindingReport,
  notes: readonly Note[],
  { sources }: ReportPart,
  isFramed: boolean,
): Markup {
  return html`<ul class="related">
${notes.slice(0, shownNotes).map(
  (
    note,
    index,
  ) => html`<li><p>${prose(shownLine(note.message))} <a class="at" data-copy="${shownLine(placeInFile(note.location))}">${shownLine(placeInFile(note.location))}</a>${whereInRun(note.location)}</p>${isFramed && index < framedNotes && noteFrame(finding, note, sources)}</li>
`,
)}${
  notes.length > shownNotes &&
  html`<li>${counted(notes.length - shownNotes, "more place")}</li>
`
}</ul>
`;
}

/** `152`: where a finding stands, for a list of findings of one kind. */
function inShort({ exchange, line }: Location): Markup {
  return html`<span class="short" aria-hidden="true">${exchange ?? line}</span> `;
}

/** `run.jsonl:412:9`, which leads to its step. */
function placeLink(finding: FindingReport, { linkOf }: ReportPart): Markup {
  const at = shownLine(placeInFile(finding.location));
  const link = linkOf(finding);
  return html`<a class="at"${link !== undefined && html` href="${link}"`} data-copy="${at}">${at}</a>`;
}

function whereInRun(location: Location): Markup {
  const where = placeInRun(location);
  const pointer = location.pointer ?? "";
  return html`${where !== undefined && ` · ${where}`}${pointer !== "" && html` · <code class="pointer">${shownLine(pointer)}</code>`}`;
}

/** The items that a rule lists as gone or kept. */
function itemLists({ data, related }: FindingReport): Markup[] {
  const reported = new Set(related.map(({ message }) => message));
  return ["gone", "kept"].flatMap((key) => {
    const items = Array.isArray(data[key]) ? data[key].filter((item) => typeof item === "string") : [];
    const rest = items.filter((item) => !reported.has(`${key}: ${item}`));
    if (rest.length === 0) return [];
    const all = key === "gone" && typeof data["items"] === "number" ? data["items"] : items.length;
    const more = Math.max(0, all - items.length);
    const head = rest.length < items.length ? `also ${key}` : key;
    return [
      html`<p class="items"><strong>${head}:</strong> ${shownLine(rest.join(" · "))}${more > 0 && ` · ${more} more`}</p>
`,
    ];
  });
}

/** What a repair puts in and takes out; its diff on demand. */
function repairOf(finding: FindingReport, part: ReportPart): Markup | undefined {
  const repair = part.repairOf(finding);
  if (!repair) return undefined;
  const { diff, items, sums } = repair;
  const rest = sums.reduce((sum, { count }) => sum + count, 0) - items.length;
  return html`${
    sums.length > 0 &&
    html`<p class="sums">${sumsInWords(sums)}</p>
<ul class="repaired">${items.map(
      ({ sign, kind, role, tool, preview }) =>
        html`<li><span class="sign">${signs[sign]}</span> ${kind === "message" ? role : kind} ${tool !== undefined && html`<b>${tool}</b> `}<code>${preview}</code></li>
`,
    )}${
      rest > 0 &&
      html`<li class="more">${counted(rest, "more item")}</li>
`
    }</ul>`
  }${diff !== "" && diffIn(diff)}`;
}

const signs = { added: "+", removed: "−", changed: "~" } as const;

function diffIn(diff: string): Markup {
  const lines = diff.replace(/\n$/, "").split("\n");
  const more = lines.length - shownDiffLines;
  return html`<details><summary>The diff of the request</summary><pre class="fix">${lines.slice(0, shownDiffLines).map(diffLine)}${more > 0 && html`<span class="more">… ${more} more lines</span>\n`}</pre></details>`;
}

function diffLine(whole: string): Markup {
  const line = cut(whole, shownColumns);
  const sign = line[0];
  if (sign === "-") return html`<del>${line}</del>\n`;
  if (sign === "+") return html`<ins>${line}</ins>\n`;
  return sign === "@" ? html`<span class="hunk">${line}</span>\n` : html`${line}\n`;
}

function uncheckedSection(report: CheckReport): Markup {
  const unchecked = uncheckedOf(report);
  const skipped = report.files.flatMap((file) =>
    skippedRecords(file).map((record) => ({ path: file.path, ...record })),
  );
  const copies = report.files.flatMap(({ path, skipped: own }) =>
    own.filter(({ copy }) => copy).map(({ reason }) => ({ path, reason })),
  );
  return html`<section id="unchecked">
<h2>Not checked</h2>
${
  unchecked.length === 0 &&
  html`<p>Nothing: every rule that applies was checked.</p>
`
}${
  unchecked.length > 0 &&
  html`<ul>
${unchecked.slice(0, 50).map(({ file, why, rules }) => {
  const list = rules.map((rule, index) => html`${index > 0 && ", "}<code>${rule}</code>`);
  const short = gapInShort(why);
  if (short === undefined)
    return html`<li>${list} in ${shownLine(file)}: ${prose(shownLine(why))}</li>
`;
  return html`<li><details><summary>${prose(short)}${report.files.length > 1 && html`, in ${shownLine(file)}`}</summary>${counted(rules.length, "rule")}: ${list}</details></li>
`;
})}${
  unchecked.length > 50 &&
  html`<li>${counted(unchecked.length - 50, "more file")}</li>
`
}</ul>
`
}${
  skipped.length > 0 &&
  html`<p>${counted(recordsIn(skipped), "record")} skipped, such as ${shownLine(`${skipped[0]?.path}:${skipped[0]?.line}`)}: ${prose(shownLine(skipped[0]?.reason ?? ""))}</p>
`
}${copies.slice(0, 50).map(
  ({ path, reason }) => html`<p>${shownLine(path)} was read as it was before: ${prose(shownLine(reason))}</p>
`,
)}</section>
`;
}
