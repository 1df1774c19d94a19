import type { Segment } from "./view.ts";

/** The language whose printed form a literal uses; `json` where nothing in it but dots and comments tells. */
export type Dialect =
  | "json"
  | "python"
  | "javascript"
  | "ruby"
  | "java"
  | "go"
  | "elixir"
  | "rust"
  | "php"
  | "php-objects"
  | MapDialect;

/** Languages that print maps with the names that the wire has. */
export type MapDialect =
  | "clojure"
  | "dart"
  | "go-map"
  | "go-source"
  | "groovy"
  | "java-map"
  | "lua"
  | "objective-c"
  | "rust-values"
  | "scala"
  | "swift";

/** Whether a dialect prints the names that a program has for its objects, and not those of the wire. */
export function printsOwnNames(dialect: Dialect): boolean {
  return dialect === "java" || dialect === "rust" || dialect === "php-objects";
}

/** A printed value converted to JSON, with segments that map the JSON to the bytes it was read from. */
export interface PrintedLiteral {
  /** JSON; cut JSON where the literal is cut. */
  readonly bytes: Buffer;
  readonly segments: readonly Segment[];
  /** The offset behind the literal's last byte. */
  readonly end: number;
  /** The bytes ended inside it. */
  readonly isCut: boolean;
  readonly dialect: Dialect;
  /** Where dots or a comment replace parts, in the order of the text. */
  readonly gaps: readonly Gap[];
}

/** A place where a part of a literal was left out. */
export interface Gap {
  /** The offset in the JSON where the part would stand. */
  readonly at: number;
  /** Where dots or the comment stand, in the bytes that were read. */
  readonly from: number;
  /** The member whose value was left out; absent where members or items were. */
  readonly key?: string;
  /** Node wrote `[Object]` or the like there. */
  readonly isStub?: true;
  /** The text of a value that only its program can read stands there. */
  readonly isForeign?: true;
}
