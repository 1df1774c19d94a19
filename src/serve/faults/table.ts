import { oddities } from "../../protocols/oddities.ts";
import { type FaultStage, faultKinds } from "./kinds.ts";

/** A row of the table of faults, for help and docs. */
export interface FaultRow {
  readonly name: string;
  /** How it is written. */
  readonly examples: readonly string[];
  readonly stage: FaultStage | "habits of real servers";
  readonly summary: string;
  /** The protocols that it is for; empty: all. */
  readonly protocols: readonly string[];
  /** For a habit: the servers that were seen to have it. */
  readonly seen?: string;
}

/** All faults: the kinds first, then the habits of real servers in the order of the protocols. */
export function faultTable(): readonly FaultRow[] {
  const kinds = faultKinds.map(
    ({ name, examples, stage, summary }): FaultRow => ({ name, examples, stage, summary, protocols: [] }),
  );
  const habits = new Map<string, FaultRow>();
  for (const [protocol, own] of Object.entries(oddities))
    for (const [name, { summary, seen }] of Object.entries(own)) {
      const row = habits.get(name);
      habits.set(name, {
        name,
        examples: [name],
        stage: "habits of real servers",
        summary: row?.summary ?? summary,
        protocols: [...(row?.protocols ?? []), protocol],
        seen: row?.seen ?? seen,
      });
    }
  return [...kinds, ...habits.values()];
}
