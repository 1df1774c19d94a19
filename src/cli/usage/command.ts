/** A heading under which a long help lists options; those without one come first, as the command's own. */
export type OptionGroup = "Output" | "Findings" | "Reading the log" | "Running" | "General";

/** One option of a command, as data for parsing, suggestions and help. */
export interface Option {
  readonly name: string;
  readonly short?: string;
  /** The name of its value in the help (`FILE`, `text|json`); an option without it is a switch. */
  readonly value?: string;
  /** The default if the value is omitted; a value must then be joined with `=`. */
  readonly bare?: string;
  readonly help: string;
  readonly group?: OptionGroup;
}

/** One command, as data. */
export interface Command {
  readonly name:
    | "check"
    | "show"
    | "diff"
    | "fix"
    | "shrink"
    | "redact"
    | "report-bug"
    | "merge"
    | "replay"
    | "record"
    | "serve"
    | "explain"
    | "formats"
    | "init"
    | "completion";
  /** Its positional arguments in yargs notation. */
  readonly positional: string;
  /** What the help shows instead, if that is more. */
  readonly usage?: string;
  readonly summary: string;
  readonly options: readonly Option[];
  readonly examples: readonly (readonly [command: string, meaning: string])[];
  /** The meanings of its exit codes, one line each. */
  readonly exits: readonly string[];
}
