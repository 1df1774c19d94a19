import { type Io, printChunks } from "../terminal/io.ts";
import type { TerminalStyle } from "../terminal/paint.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { oneOf } from "../usage/values.ts";
import { refuseInput, refusePageOnTerminal } from "./output.ts";
import { writeReport } from "./written-report.ts";

/** Where the one report of a command goes. */
export interface OneOutput<T extends string> {
  readonly format: T;
  /** Absent for standard output. */
  readonly file?: string;
  /** The written page is opened in the browser. */
  readonly isOpened: boolean;
}

/**
 * `--format NAME -o FILE`, `--format NAME=FILE` and `--open`; `formats` begins with the default. `typed` is
 * the command as typed, for what to type instead.
 */
export function oneOutput<const T extends string>(
  invocation: Invocation,
  formats: readonly [T, ...T[]],
  typed: string,
  io: Io,
): OneOutput<T> {
  const [name = "", joined] = (invocation.one("format") ?? formats[0]).split(/=(.*)/s);
  const format = oneOf("format", name, formats);
  if (joined === "") throw new Trouble(`\`--format ${name}=\` needs a file behind the \`=\``);
  const output = joined ?? invocation.one("output");
  const file = output === "-" ? undefined : output;
  const isPage = format === "html";
  if (isPage && file === undefined) refusePageOnTerminal(typed, io);
  const isOpened = invocation.has("open");
  if (isOpened && (!isPage || file === undefined))
    throw new Trouble("`--open` opens the page that is written: `--format html -o report.html --open`");
  return { format, ...(file !== undefined && { file }), isOpened };
}

/** How text is written: into a file without colours, and as wide as without a terminal. */
export function outputStyle<S extends TerminalStyle>({ file }: OneOutput<string>, style: S): S {
  return file === undefined ? style : { ...style, color: false, width: 100 };
}

/** Refuses to overwrite one of the logs. */
export function refuseOutput(
  { file }: OneOutput<string>,
  inputs: readonly { readonly path: string }[],
  io: Io,
): void {
  if (file !== undefined) refuseInput(file, io.cwd, inputs);
}

/** Writes a report to where it goes. */
export async function writeOutput(
  { file, isOpened }: OneOutput<string>,
  chunks: Iterable<string>,
  io: Io,
): Promise<void> {
  if (file === undefined) return printChunks(io.stdout, chunks);
  await writeReport(file, chunks, io);
  if (isOpened) await (await import("../terminal/browser.ts")).openInBrowser(file, io);
}
