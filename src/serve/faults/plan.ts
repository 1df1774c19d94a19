import { count } from "../../rules/words.ts";
import type { GivenAnswer } from "../http-answers.ts";
import type { Fault, PlannedFault } from "./fault.ts";
import { FaultError, parseKinds } from "./parse.ts";

/** The request header that asks for a fault, in place of the planned one; `none` asks for no fault. */
export const faultHeader = "x-toollint-fault";

/** A fault that was applied to an answer. */
export interface AppliedFault {
  /** The number of the request, from 1, in order of arrival. */
  readonly request: number;
  /** The number of the turn, from 1. */
  readonly turn: number;
  readonly fault: string;
  /** The parts of it that could change nothing, with the reason; phrases. */
  readonly idle: readonly string[];
}

/** Which fault comes when, and what came of it. */
export class FaultPlan {
  readonly applied: AppliedFault[] = [];
  private readonly planned: readonly PlannedFault[];
  private readonly turnsOf = new Map<PlannedFault, number[]>();

  constructor(planned: readonly PlannedFault[] = []) {
    this.planned = planned;
  }

  /**
   * The fault of a turn: the request's header has it, else the plan, else the answer. Of planned ones the one
   * for the fewest turns wins. An error if the header, or the answer, has something else.
   */
  take(turn: number, answer: GivenAnswer, header: string | undefined): Fault | FaultError | undefined {
    if (header !== undefined) return header.trim() === "none" ? undefined : readKinds(header);
    const planned = this.planned
      .filter(({ first, last }) => first <= turn && turn <= last)
      .sort((a, b) => a.last - a.first - (b.last - b.first) || 0)[0];
    if (planned) {
      this.turnsOf.set(planned, [...(this.turnsOf.get(planned) ?? []), turn]);
      return planned.fault;
    }
    return answer.kind === "reply" && answer.fault !== undefined ? readKinds(answer.fault) : undefined;
  }

  /** What the user should know at the end; sentences without full stop. */
  notes(turns: number): readonly string[] {
    return [
      ...this.planned.flatMap((planned) => this.missed(planned, turns)),
      ...this.applied.flatMap(({ turn, fault, idle }) =>
        idle.map((why) => `the fault \`${fault}\` changed nothing in turn ${turn}: ${why}`),
      ),
    ];
  }

  private missed(planned: PlannedFault, turns: number): readonly string[] {
    const { text, first, last } = planned;
    const taken = this.turnsOf.get(planned) ?? [];
    const wanted = last === Number.POSITIVE_INFINITY ? 1 : last - first + 1;
    if (taken.length >= wanted) return [];
    const came =
      taken.length === 0 ? "was never applied" : `was applied to only ${taken.length} of ${wanted} turns`;
    return [`the fault \`${text}\` ${came}: there ${turns === 1 ? "was" : "were"} ${count(turns, "turn")}`];
  }
}

function readKinds(text: string): Fault | FaultError {
  try {
    return parseKinds(text);
  } catch (error) {
    if (error instanceof FaultError) return error;
    throw error;
  }
}
