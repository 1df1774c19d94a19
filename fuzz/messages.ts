import type { Failure } from "./oracles/oracle.ts";

/** What the runner asks of a worker. */
export type Task =
  | { readonly does: "try"; readonly from: number; readonly to: number }
  /** Is there still a failure of this kind when the log of a mutant is these bytes? */
  | { readonly does: "again"; readonly number: number; readonly kind: string; readonly bytes: Buffer };

/** The file in a worker's folder that has the number of the mutant at which it is. */
export const atFile = "at";

/** What a worker says. */
export type Message =
  | { readonly says: "ready" }
  | { readonly says: "failed"; readonly found: Found }
  /** It has done a task, in so many seconds of CPU time. */
  | { readonly says: "done"; readonly made: number; readonly cpu: number; readonly fails?: boolean };

/** A mutant and what is wrong with it. */
export interface Found extends Failure {
  readonly number: number;
  readonly seed: string;
  readonly operators: readonly string[];
  readonly file: string;
  readonly bytes: Buffer;
}

/** What all workers need to know, in a file. */
export interface Plan {
  readonly root: string;
  /** The modules that have the program and the library, which may be one. */
  readonly modules: readonly string[];
  readonly seed: number;
  readonly only: readonly string[];
  readonly isStrict: boolean;
  readonly logs: readonly { readonly name: string; readonly file: string; readonly bytes: Buffer }[];
}
