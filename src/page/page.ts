import type { CheckResult } from "../check/check.ts";
import type { Diffed } from "../diff/diff.ts";
import type { FindingReport } from "../findings/report.ts";
import type { LogSource } from "../log/log-file.ts";
import type { Run } from "../log/open.ts";
import type { LogReport } from "../log/report.ts";
import type { ReplayReport } from "../replay/replay.ts";
import type { CheckVerdict } from "../reporters/verdict.ts";
import type { Selection } from "../show/describe.ts";
import { conversationsOf, type PageConversations, type Tables } from "./conversations.ts";
import type { PageData, PageFinding } from "./data.ts";
import { comparedConversations, diffPart, pageDiff } from "./diff-part.ts";
import { documentChunks } from "./document.ts";
import { addEvents } from "./events.ts";
import { FileTable } from "./files.ts";
import { diagnosesOf, findingsOf } from "./findings.ts";
import { ItemTable, manyItems, shownLine } from "./items.ts";
import { isTooLargeToRepair, repairsOf, withRepairs } from "./repairs.ts";
import { pageReplay, replayPart } from "./replay-part.ts";
import { reportPart } from "./report-part.ts";
import { showPart } from "./show-part.ts";
import { TextTable } from "./texts.ts";
import { laterTexts, withoutLater } from "./wire.ts";

/** Bytes of a page, without what names the steps and the findings. Larger ones take long to open. */
const room = 18 << 20;

/** A page about checked logs: what is wrong, then the conversations to look at. */
export async function checkPage(
  result: CheckResult,
  inputs: readonly LogSource[],
  verdict: CheckVerdict,
): Promise<Iterable<string>> {
  const { report, runs } = result;
  const tables = tablesFor(new FileTable(report.files));
  const [first] = runs;
  const { conversation, exchanges } = first?.options ?? {};
  const selection = { ...(conversation !== undefined && { conversation }), ...(exchanges && { exchanges }) };
  const built = conversationsOf(runs, selection, tables);
  const findings = findingsOf(result, built, tables.items);
  const repairs = await repairsOf(result, inputs, built, tables.texts);
  const data = dataOf(
    {
      kind: "check",
      title: titleOf(report.files.map(({ path }) => path)),
      findings: withRepairs(findings, repairs.repairs),
      diagnoses: diagnosesOf(report),
      repairs: repairs.repairs,
    },
    built,
    tables,
  );
  addEvents(built, data.findings, tables.texts, room);
  const body = reportPart({
    report,
    verdict,
    sources: new Map(inputs.map(({ path, source }) => [path, source])),
    linkOf: linker(data.findings, built),
    repairOf: repairs.repairOf,
    ...(isTooLargeToRepair(inputs) && {
      unrepaired: "The log is too large to work out its repairs for a page: `toollint fix` shows them.",
    }),
  });
  return documentChunks({ data, texts: tables.texts.close(room), body });
}

/** A page to look at the conversations of a log. */
export function showPage(run: Run, log: LogReport, selection: Selection): Iterable<string> {
  const tables = tablesFor(new FileTable(fileReports([run])));
  const built = conversationsOf([run], selection, tables);
  const data = dataOf({ kind: "show", title: log.path, ...nothing }, built, tables);
  addEvents(built, [], tables.texts, room);
  const body = showPart({ ...data, items: tables.items.items });
  return documentChunks({ data, texts: tables.texts.close(room), body });
}

/** A page that shows two runs next to each other; `undefined` if one of them could not be read. */
export function diffPage(diffed: Diffed): Iterable<string> | undefined {
  const { report, diagnoses, left, right } = diffed;
  if (!report) return undefined;
  const tables = tablesFor(new FileTable(fileReports([left, right])));
  const compared = comparedConversations(diffed);
  const sides = [compared.left, compared.right].flatMap((one) => (one ? [{ conversations: [one] }] : []));
  const built = conversationsOf(sides, {}, tables);
  const isAlone = { left: compared.right === undefined, right: compared.left === undefined };
  const data = dataOf(
    {
      kind: "diff",
      title: `${report.left.path} ↔ ${report.right.path}`,
      ...nothing,
      diagnoses: diagnosesOf({ diagnoses, findings: [] }),
      diff: pageDiff(report, compared.pair, built, isAlone),
    },
    built,
    tables,
  );
  addEvents(built, [], tables.texts, room);
  return documentChunks({ data, texts: tables.texts.close(room), body: diffPart(diffed, report) });
}

/** A page about a replay: the history that was sent, and what the model did. */
export function replayPage(run: Run, report: ReplayReport): Iterable<string> {
  const tables = tablesFor(new FileTable(fileReports([run])));
  const sent = run.conversations.filter(({ steps }) =>
    steps.some(({ exchange }) => exchange.number === report.exchange),
  );
  const [conversation] = sent;
  const built = conversationsOf([{ conversations: conversation ? [conversation] : [] }], {}, tables);
  const replay = pageReplay(report, conversation?.steps ?? []);
  const title = run.files[0].path;
  const data = dataOf({ kind: "replay", title, ...nothing, replay }, built, tables);
  addEvents(built, [], tables.texts, room);
  return documentChunks({ data, texts: tables.texts.close(room), body: replayPart(replay, title) });
}

const nothing = { findings: [], diagnoses: [], repairs: [] };

function fileReports(runs: readonly Run[]): ConstructorParameters<typeof FileTable>[0] {
  return runs
    .flatMap(({ files, sidecars }) => [...files, ...sidecars])
    .map(({ path, container, exchanges }) => ({
      path,
      container,
      protocols: [...new Set(exchanges.map(({ protocol }) => protocol))].sort(),
      exchanges: exchanges.length,
    }));
}

function tablesFor(files: FileTable): Tables {
  const texts = new TextTable();
  const fileOf = tablesFileOf(files);
  return { files, texts, items: new ItemTable(texts, fileOf) };
}

/** The file of an item: that of its half, or that of its exchange. */
function tablesFileOf(files: FileTable): ConstructorParameters<typeof ItemTable>[1] {
  return ({ step, part }) => {
    const place = part === "request" ? step.request?.place : step.reply?.place;
    const own = place && files.known(place.origin.source.name);
    return own ?? files.indexOf(step.exchange.file);
  };
}

type Own = "kind" | "title" | "findings" | "diagnoses" | "repairs" | "diff" | "replay";

function dataOf(
  own: Pick<PageData, Own>,
  { conversations }: PageConversations,
  { files, items, texts }: Tables,
): Omit<PageData, "texts"> {
  const isLarge = items.items.length > manyItems;
  const later = laterTexts(items.items);
  return {
    ...own,
    title: shownLine(own.title),
    version: __VERSION__,
    files: files.files,
    conversations,
    items: isLarge ? withoutLater(items.items) : items.items,
    ...(isLarge && {
      later: { previews: texts.add(later.previews, "index"), callIds: texts.add(later.callIds, "index") },
    }),
  };
}

function titleOf(paths: readonly string[]): string {
  return paths.length === 1 ? (paths[0] ?? "") : `${paths.length} files`;
}

function linker(
  findings: readonly PageFinding[],
  { conversations }: PageConversations,
): (finding: FindingReport) => string | undefined {
  const byId = new Map(findings.map((finding) => [finding.id, finding]));
  return ({ id }) => {
    const own = byId.get(id);
    const conversation = own && conversations[own.conversation];
    const step = own && conversation?.steps[own.step];
    return step && `#conversation=${conversation?.id}&step=${step.number}`;
  };
}
