import type { Conversation, Relation, Step } from "../conversation/conversation.ts";
import type { CheckReport, FindingReport } from "../findings/report.ts";
import type { Run } from "../log/open.ts";
import { type LogReport, logReport } from "../log/report.ts";
import { describe } from "../show/describe.ts";
import type { ShownRequest } from "../show/shown.ts";
import { findingsByExchange } from "./findings-by-exchange.ts";

/** The result of `toollint diff --steps` (`schemas/diff-steps.schema.json`). */
export interface StepsReport {
  readonly schemaVersion: "1.0";
  readonly tool: { readonly name: "toollint"; readonly version: string };
  readonly file: LogReport;
  /** Every request contains its predecessor and the reply, in the same order and form. */
  readonly same: boolean;
  /** The first defect and how many there are, or why the log cannot show any; one sentence each. */
  readonly verdict: readonly string[];
  readonly conversations: readonly {
    readonly name: string;
    readonly steps: readonly StepsReportStep[];
  }[];
}

/** A request compared with its predecessor. */
export interface StepsReportStep
  extends Pick<
    ShownRequest,
    "line" | "length" | "system" | "tools" | "added" | "gone" | "loss" | "changed" | "moved"
  > {
  readonly step: number;
  readonly exchange: number;
  /** The number of the exchange that this request continues. */
  readonly after: number;
  readonly relation: Relation;
  /** The number of unchanged elements at its beginning, which a prompt cache can reuse. */
  readonly kept: number;
  /** The number of elements in the previous request. */
  readonly of: number;
  /** Nothing is lost, changed or moved. */
  readonly isWhole: boolean;
  /** Rules of `check` with findings in this request. */
  readonly reasons: readonly string[];
}

/** Compares each request of a log with its predecessor. */
export function stepsReport(
  run: Run,
  { findings }: Pick<CheckReport, "findings">,
  conversation?: string,
): StepsReport {
  const chosen = run.conversations.filter(({ name }) => conversation === undefined || name === conversation);
  const conversations = chosen.map((one) => ({ name: one.name, steps: stepsOf(one, findings) }));
  const steps = conversations.flatMap((one) => one.steps);
  return {
    schemaVersion: "1.0",
    tool: { name: "toollint", version: __VERSION__ },
    file: logReport(run),
    same: steps.every(({ isWhole }) => isWhole),
    verdict:
      chosen.length > 0 && chosen.every(({ kind }) => kind === "transcript")
        ? [
            "This is a transcript: each item appears once, so it does not show what each request contained.",
            "Below is what each step added. `toollint record` records the requests themselves.",
          ]
        : verdictOf(steps),
    conversations,
  };
}

function stepsOf(conversation: Conversation, findings: CheckReport["findings"]): StepsReportStep[] {
  const [shown] = describe([conversation]);
  const byNumber = new Map(conversation.steps.map((step) => [step.number, step]));
  const found = findingsByExchange({ findings });
  return (shown?.steps ?? []).flatMap(({ step: number, exchange, relation, request }) => {
    const step = byNumber.get(number);
    const before = step?.parent;
    if (!step || !before || !request) return [];
    const { line, length, system, tools, added, gone, loss, changed, moved } = request;
    return {
      step: number,
      exchange,
      after: before.exchange.number,
      relation,
      line,
      length,
      kept: relation === "retry" || relation === "repeat" ? length : step.kept,
      of: before.request?.history.length ?? 0,
      isWhole: isWhole(step, request),
      ...(system !== undefined && { system }),
      ...(tools !== undefined && { tools }),
      added,
      gone,
      loss,
      changed,
      moved,
      reasons: rulesOf(found.get(exchange) ?? []),
    };
  });
}

/** Lost reasoning does not count: clients usually leave it out, and often must. */
function isWhole({ relation }: Step, { system, tools, gone, changed, moved }: ShownRequest): boolean {
  if (relation === "compaction") return false;
  return (
    gone.every(({ kind }) => kind === "reasoning") &&
    changed.length + moved.length === 0 &&
    system !== null &&
    tools !== null
  );
}

/** The rules of the findings in a request. */
function rulesOf(findings: readonly FindingReport[]): string[] {
  const own = findings.filter(({ location }) => location.part === "request");
  return [...new Set(own.map(({ rule }) => rule))];
}

function verdictOf(steps: readonly StepsReportStep[]): string[] {
  const broken = steps.filter((step) => !step.isWhole);
  const [first] = broken;
  if (steps.length === 0) return ["No request continues another one: there is nothing to compare."];
  if (!first) return [`Every request contains everything from the previous request and its reply.`];
  const { exchange, after, reasons } = first;
  const rules = reasons.length > 0 ? ` (${reasons.slice(0, 3).join(", ")})` : "";
  const compacted = first.relation === "compaction" ? "a summary replaced its history" : lossText(first);
  return [
    `Request ${exchange} is the first that lacks something from request ${after} or its reply${rules}.`,
    `${broken.length} of ${steps.length} requests lose or rewrite something; of these, ${compacted}.`,
  ];
}

function lossText({ gone, changed, moved, system, tools }: StepsReportStep): string {
  const parts = [
    ...(gone.length > 0 ? [`${gone.length} ${gone.length === 1 ? "item is" : "items are"} gone`] : []),
    ...(changed.length > 0 ? [`${changed.length} changed`] : []),
    ...(moved.length > 0 ? [`${moved.length} moved`] : []),
    ...(system === null ? ["the system prompt is gone"] : []),
    ...(tools === null ? ["the tools are gone"] : []),
  ];
  return parts.join(", ");
}
