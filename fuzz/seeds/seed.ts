/** A whole log that mutants are made of. */
export interface SeedLog {
  /** Tells of what and how it is kept: `made/anthropic/har/refund`. */
  readonly name: string;
  /** The file's name, without a folder. */
  readonly file: string;
  readonly bytes: Buffer;
}
