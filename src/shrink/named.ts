import type { Step } from "../conversation/conversation.ts";
import type { Exchange } from "../conversation/exchange.ts";
import type { Locus } from "../findings/finding.ts";
import type { FailingLog } from "./oracle.ts";

/** The places that a finding names: its own first, then those that explain it. */
export function namedLoci({ finding }: FailingLog): readonly Locus[] {
  return finding ? [finding.locus, ...finding.notes.map(({ locus }) => locus)] : [];
}

/** The exchanges that a finding names, each once. */
export function namedExchanges(log: FailingLog): ReadonlySet<Exchange> {
  return new Set(namedLoci(log).map(({ exchange }) => exchange));
}

/** The steps of a log by their exchange. */
export function stepsOf({ run }: FailingLog): ReadonlyMap<Exchange, Step> {
  return new Map(run.conversations.flatMap(({ steps }) => steps.map((step) => [step.exchange, step])));
}

/** The line that a finding is reported at, as a range of the file's lines; counts from 1. */
export function namedLines({ subject: { location } }: FailingLog): {
  readonly from: number;
  readonly to: number;
} {
  return { from: location.line, to: Math.max(location.line, location.endLine) };
}
