import { counted } from "../reporters/numbers.ts";
import { printable } from "../reporters/visible.ts";
import { cut } from "../reporters/width.ts";
import type { NearMiss } from "./results.ts";
import type { Outcome, ReplayCall, ReplayRound, ReplayRun } from "./rounds.ts";

export interface PrintStyle {
  readonly width: number;
  readonly showValues: boolean;
}

/** A finished round: its figures, what the model says and each call, a line each. */
export function* roundLines(round: ReplayRound, number: number, style: PrintStyle): Generator<string> {
  const { status, durationMs, calls, text, stopReason, error, tokens } = round;
  const used = tokens ? `${tokens.input ?? "?"} + ${tokens.output ?? "?"} tokens` : "";
  const head = [
    `round ${number}`,
    `${status}`,
    `${(durationMs / 1000).toFixed(1)} s`,
    used,
    stopReason ?? "",
  ];
  yield line(`  ${head.filter(Boolean).join(" · ")}`, style);
  if (error !== undefined) yield line(`    rejected: ${oneLine(error)}`, style);
  if (text.trim() !== "") yield line(`    says    ${oneLine(text)}`, style);
  for (const call of calls) {
    yield line(`    ▸ call  ${call.name} ${JSON.stringify(call.arguments)}`, style);
    for (const remark of remarksOn(call)) yield line(`            ${remark}`, style);
  }
}

function* remarksOn({ isAnswered, isRepeated, nearest }: ReplayCall): Generator<string> {
  if (isAnswered) yield "answered with the log's own result";
  else if (isRepeated) yield "the same call again";
  else {
    yield "the log has no result for this call, and toollint does not make one up";
    if (nearest) yield* nearMiss(nearest);
  }
}

function* nearMiss({ differences, considered }: NearMiss): Generator<string> {
  const shown = differences
    .slice(0, 3)
    .map(
      ({ pointer, recorded, asked }) =>
        `${pointer || "the arguments"} was ${valueText(recorded)}, is ${valueText(asked)}`,
    );
  yield `nearest of ${counted(considered, "recorded call")}: ${shown.join("; ")}`;
}

function valueText(value: unknown): string {
  return value === undefined ? "missing" : cut(JSON.stringify(value), 40);
}

/** How a run ended, in words. */
export const outcomeWords: Readonly<Record<Outcome, string>> = {
  answered: "answered",
  "repeated-call": "repeated a call",
  "new-call": "made a new call",
  rejected: "was rejected",
  unfinished: "did not finish",
};

/** How a run ended, in one line. */
export function outcomeLine({ outcome }: Pick<ReplayRun, "outcome">): string {
  return `  → ${outcomeWords[outcome]}`;
}

/** A table of all runs: a row per history and outcome, most frequent outcome first. */
export function outcomeRows(runs: readonly ReplayRun[]): string[][] {
  const rows: string[][] = [["history", "outcome", "runs", "tokens", "seconds"]];
  for (const history of ["broken", "repaired"] as const) {
    const own = runs.filter((run) => run.history === history);
    for (const outcome of outcomesOf(own)) {
      const same = own.filter((run) => run.outcome === outcome);
      rows.push([
        history,
        outcomeWords[outcome],
        `${same.length} of ${own.length}`,
        `${median(same.map(tokensOf))}`,
        (median(same.map(durationOf)) / 1000).toFixed(1),
      ]);
    }
  }
  return rows;
}

/** `broken: 5 of 5 repeated read_file_chunk; repaired: 5 of 5 answered`. */
export function outcomeSentence(runs: readonly ReplayRun[]): string {
  return (["broken", "repaired"] as const)
    .flatMap((history) => {
      const own = runs.filter((run) => run.history === history);
      if (own.length === 0) return [];
      const parts = outcomesOf(own).map((outcome) => {
        const same = own.filter((run) => run.outcome === outcome);
        return `${same.length} of ${own.length} ${sayOutcome(outcome, same)}`;
      });
      return [`${history}: ${parts.join(", ")}`];
    })
    .join("; ");
}

function sayOutcome(outcome: Outcome, runs: readonly ReplayRun[]): string {
  if (outcome !== "repeated-call") return outcomeWords[outcome].replace(/^was /, "");
  const names = new Set(
    runs.flatMap(({ rounds }) =>
      rounds.flatMap(({ calls }) => calls.filter(({ isRepeated }) => isRepeated).map(({ name }) => name)),
    ),
  );
  return `repeated ${[...names].join(", ")}`;
}

function outcomesOf(runs: readonly ReplayRun[]): Outcome[] {
  const count = (outcome: Outcome) => runs.filter((run) => run.outcome === outcome).length;
  return [...new Set(runs.map(({ outcome }) => outcome))].sort(
    (a, b) => count(b) - count(a) || a.localeCompare(b),
  );
}

function tokensOf({ rounds }: ReplayRun): number {
  return rounds.reduce((sum, { tokens }) => sum + (tokens?.input ?? 0) + (tokens?.output ?? 0), 0);
}

function durationOf({ rounds }: ReplayRun): number {
  return rounds.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function line(text: string, { width, showValues }: PrintStyle): string {
  return cut(printable(text, showValues), width);
}
