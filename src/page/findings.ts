import type { CheckResult } from "../check/check.ts";
import { type Placed, placedItems, replyItems, type Step } from "../conversation/conversation.ts";
import type { Finding, Locus } from "../findings/finding.ts";
import type { FindingReport } from "../findings/report.ts";
import { placeInFile } from "../reporters/numbers.ts";
import type { PageConversations } from "./conversations.ts";
import type { PageDiagnosis, PageFinding } from "./data.ts";
import { type ItemTable, shownLine } from "./items.ts";
import { shownText } from "./texts.ts";

/** The findings of a report, each at its step. */
export function findingsOf(
  { report, runs }: Pick<CheckResult, "report" | "runs">,
  { places }: PageConversations,
  items: ItemTable,
): PageFinding[] {
  const found = new Map<string, Finding>();
  for (const run of runs) for (const [finding, id] of run.findings) found.set(id, finding);
  const steps = stepsByExchange(places);
  const indexes = new Map(report.findings.map(({ id }, index) => [id, index]));
  return report.findings.map((own) => {
    const { id, rule, severity, message, location, cause, alsoIn, data, fix } = own;
    const finding = found.get(id);
    const step = finding && stepOf(finding.locus, steps);
    const place = step && places.get(step);
    const item = finding && step && itemAt(finding.locus, step, items);
    const root = cause === null ? -1 : (indexes.get(cause) ?? -1);
    return {
      id,
      rule,
      severity,
      message: shownText(message),
      at: shownLine(placeInFile(location)),
      conversation: place?.conversation ?? -1,
      step: place?.step ?? -1,
      ...(item !== undefined && { item }),
      cause: root,
      alsoIn,
      ...(typeof data["tool"] === "string" && { tool: shownLine(data["tool"]) }),
      ...(fix && { fix: { safety: fix.safety, title: shownLine(fix.title) } }),
    };
  });
}

type StepsByExchange = ReadonlyMap<Locus["exchange"], readonly Step[]>;

function stepsByExchange(places: PageConversations["places"]): StepsByExchange {
  const steps = new Map<Locus["exchange"], Step[]>();
  for (const step of places.keys()) {
    const known = steps.get(step.exchange);
    if (known) known.push(step);
    else steps.set(step.exchange, [step]);
  }
  return steps;
}

/** A session's exchange may belong to several conversations. */
function stepOf({ exchange, conversation }: Locus, steps: StepsByExchange): Step | undefined {
  const all = steps.get(exchange) ?? [];
  return all.find((step) => step.conversation.name === conversation) ?? all[0];
}

/** The item that a pointer leads to, or into. */
function itemAt({ part, pointer }: Locus, step: Step, items: ItemTable): number | undefined {
  const candidates = part === "response" ? replyItems(step) : elementAt(step, pointer);
  const base = part === "response" ? "" : elementPointer(step, pointer);
  const below = pointer.slice(base.length);
  const fitting = candidates.filter(
    ({ item }) => below === item.pointer || below.startsWith(`${item.pointer}/`),
  );
  const best = fitting.sort((a, b) => b.item.pointer.length - a.item.pointer.length)[0];
  const chosen = best ?? (candidates.length === 1 ? candidates[0] : undefined);
  return chosen && items.numberOf(chosen);
}

/** `/messages/3` of `/messages/3/content/0`; `""` for a pointer outside of the history. */
function elementPointer({ request }: Step, pointer: string): string {
  const base = request?.historyPointer ?? "";
  const [own = ""] = pointer.startsWith(`${base}/`) ? (/^\/\d+/.exec(pointer.slice(base.length)) ?? []) : [];
  return own === "" ? "" : `${base}${own}`;
}

function elementAt(step: Step, pointer: string): Placed[] {
  const own = elementPointer(step, pointer);
  if (own === "") return [];
  const element = Number(own.slice((step.request?.historyPointer.length ?? 0) + 1));
  const history = step.request?.history;
  return history && element < history.length ? [...placedItems(step, history, element, element + 1)] : [];
}

/** What the client does wrong, with the indexes of the findings that show it. */
export function diagnosesOf({
  diagnoses,
  findings,
}: Pick<CheckResult["report"], "diagnoses" | "findings">): PageDiagnosis[] {
  const indexes = new Map(findings.map(({ id }: FindingReport, index) => [id, index]));
  return diagnoses.map(({ title, consequence, change, findings: ids }) => ({
    title: shownText(title),
    consequence: shownText(consequence),
    change: shownText(change),
    findings: ids.flatMap((id) => indexes.get(id) ?? []),
  }));
}
