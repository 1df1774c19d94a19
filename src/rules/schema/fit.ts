import type { Fields } from "../../reading/values.ts";
import type { Base } from "./references.ts";
import type { Place, Violation } from "./violations.ts";
import type { Work } from "./work.ts";

/**
 * What a schema says of a value. `unknown`: it rejects nothing, but a part of it was not followed, or the
 * value is something that clients accept: `null` in place of a value, a missing member that has a default.
 */
export type Fit = "fits" | "unknown" | "fails";

/** A schema and a value that is held against it. */
export interface Meeting {
  readonly schema: Fields;
  readonly value: unknown;
  readonly place: Place;
  /** What references begin at. */
  readonly base: Base;
  /** Collects violations; absent where only the verdict counts. */
  readonly into: Violation[] | undefined;
}

/** What a keyword may ask of the evaluation that it is part of. */
export interface Evaluation {
  readonly work: Work;
  /** Notes that a part of the schema is not followed, in words that continue "the schema of `tool` …". */
  note(words: string): "unknown";
  /** Holds a value against a schema. */
  evaluate(schema: unknown, value: unknown, place: Place, base: Base, into?: Violation[]): Fit;
  /** Holds the same value against another schema. */
  same(meeting: Meeting, schema: unknown, into?: Violation[]): Fit;
  /** Holds a member of the value against a schema. */
  member(meeting: Meeting, key: string | number, schema: unknown): Fit;
  /** The keys of an object; each is a step of work. */
  keysOf(object: Fields): readonly string[];
  /** Whether a text matches a pattern; `undefined` for a pattern that is not run. */
  isMatch(pattern: unknown, text: string): boolean | undefined;
  /** Adds a violation, where they are collected. */
  reject(into: Violation[] | undefined, violation: Violation): "fails";
}

/** Follows one keyword of a schema. */
export type Keyword = (evaluation: Evaluation, meeting: Meeting) => Fit;

/** Further violations are not collected: nobody reads them. */
export const maxViolations = 60;

/** No further violation is wanted: only the verdict was asked for, or enough are known. */
export function isOver(verdict: Fit, { into }: Meeting): boolean {
  return verdict === "fails" && (!into || into.length >= maxViolations);
}

/** The verdict of two schemas that both apply. */
export function worse(a: Fit, b: Fit): Fit {
  if (a === "fails" || b === "fails") return "fails";
  return a === "unknown" || b === "unknown" ? "unknown" : "fits";
}
