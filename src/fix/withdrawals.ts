import type { Finding } from "../findings/finding.ts";

/** A repair: what is done about a finding in the exchange at a position. */
export interface Repair {
  readonly finding: Finding;
  readonly position: number;
}

/** What is wrong with a set of repairs. */
export interface RepairFault {
  /** The reason for the report. */
  readonly why: string;
  /** The repairs that may be to blame: the likeliest first, then wider and wider. */
  readonly suspects: readonly (readonly Repair[])[];
}

/** Repairs that were tried and are not made, with the reasons. They outlive the findings of one check. */
export class Withdrawals {
  readonly #whys: Map<string, string>;

  constructor(others?: Withdrawals) {
    this.#whys = new Map(others ? others.#whys : []);
  }

  has(finding: Finding, position: number): boolean {
    return this.#whys.has(mistakeKey(finding, position));
  }

  /** Why a finding was left in some of its exchanges. */
  whyOf(finding: Finding): string | undefined {
    for (const position of placesOf(finding)) {
      const why = this.#whys.get(mistakeKey(finding, position));
      if (why !== undefined) return why;
    }
    return undefined;
  }

  /** Withdraws the likeliest suspects that are not withdrawn yet; `false` if there are none. */
  blame({ why, suspects }: RepairFault): boolean {
    const repairs = suspects.find((list) =>
      list.some((repair) => !this.has(repair.finding, repair.position)),
    );
    for (const { finding, position } of repairs ?? []) {
      const key = mistakeKey(finding, position);
      if (!this.#whys.has(key)) this.#whys.set(key, why);
    }
    return repairs !== undefined;
  }
}

/** The positions of the exchanges that contain a finding. */
export function placesOf({ locus, alsoIn }: Finding): number[] {
  return [locus.exchange, ...alsoIn].map(({ position }) => position);
}

/** Names a mistake: fixes change places and messages, but not which call a finding is about. */
export function mistakeKey({ rule, kind, data }: Finding, position: number): string {
  return JSON.stringify([rule, kind, data["callId"], position]);
}
