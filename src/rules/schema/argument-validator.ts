import type { ArgumentFault } from "./argument-fault.ts";
import { SchemaEvaluation } from "./evaluation.ts";
import { sizeOf } from "./json.ts";
import { baseOf } from "./references.ts";
import { argumentFaultsOf, type Violation } from "./violations.ts";
import { Spent, Work } from "./work.ts";

/** What is known of arguments that were held against the schema of their tool. */
export interface Judgement {
  /** In the order of the schema. */
  readonly faults: readonly ArgumentFault[];
  /** Why a part of the schema was not followed, in words that continue "the schema of `tool` …". */
  readonly unfollowed?: string;
}

export interface ArgumentValidator {
  /** Holds arguments that are an object against a schema. */
  judge(value: object, schema: Readonly<Record<string, unknown>>): Judgement;
  /** Allows the work for another log. */
  refill(): void;
}

export function createValidator(work = new Work()): ArgumentValidator {
  return {
    refill: () => work.refill(),
    judge(value, schema) {
      work.begin(sizeOf(value));
      const evaluation = new SchemaEvaluation(work);
      const violations: Violation[] = [];
      let isSpent = false;
      try {
        evaluation.evaluate(schema, value, undefined, baseOf(schema), violations);
      } catch (error) {
        if (!(error instanceof Spent)) throw error;
        isSpent = true;
      }
      const unfollowed = isSpent ? "is too large or too entangled to follow" : evaluation.unfollowed;
      return { faults: argumentFaultsOf(violations), ...(unfollowed !== undefined && { unfollowed }) };
    },
  };
}
