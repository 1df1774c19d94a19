import type { SharedRun } from "./shared-run.ts";

/**
 * The structure of a JSON value in bytes: its offsets and its parts. `readValue` reads the value
 * itself; most values of a log are never read.
 */
export interface JsonNode {
  readonly kind: "object" | "array" | "string" | "number" | "literal";
  /** Offsets in the scanned bytes, brackets and quotes included. */
  readonly start: number;
  readonly end: number;
  /** `open`: the bytes ended first. */
  readonly state: "complete" | "open";
  readonly members?: readonly Member[];
  readonly items?: readonly JsonNode[];
  /** A comma stands before its closing bracket. */
  readonly hasTrailingComma?: true;
  /** One of its keys is no valid JSON string. */
  readonly hasLaxKey?: true;
  /** The array has too many entries for its size: `readValue` reads only the first of them. */
  readonly isCrowd?: true;
  /** A string that contains JSON, at the next level. */
  readonly inner?: JsonNode;
  /** The array is a history, and its elements are shared. */
  readonly run?: SharedRun;
  /** The bytes are equal to a value that was read before. */
  readonly known?: { readonly value: unknown; readonly isLax: boolean };
}

export interface Member {
  readonly key: string;
  readonly node: JsonNode;
}
