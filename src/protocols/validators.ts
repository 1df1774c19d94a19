import type { ValidateFunction } from "ajv";

/** The precompiled validators of a protocol's request schema. Their errors carry the schema and the value at their place. */
export interface Validators {
  /** Of a whole body. */
  readonly body: ValidateFunction;
  /** Of one element of its history. */
  readonly element: ValidateFunction;
}
