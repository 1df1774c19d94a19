import { groupBy } from "../../reading/group-by.ts";
import { wrapped } from "../terminal/wrap.ts";
import type { Command, Option } from "./command.ts";
import { commands } from "./commands.ts";

/** The help of the program, or of one command. */
export function* help(command: Command | undefined, width: number): Generator<string> {
  if (command) yield* commandHelp(command, width);
  else yield* programHelp(width);
}

function* programHelp(width: number): Generator<string> {
  yield* wrapped(
    "toollint — a debugger and linter for tool-calling conversations with language models",
    width,
  );
  yield "";
  yield "Usage: toollint <command> [options]";
  yield "";
  yield* columns(
    commands.map(({ name, positional, usage = positional, summary }) => [`${name} ${usage}`.trim(), summary]),
    width,
  );
  yield "";
  yield* columns(
    [
      ["-h, --help", "help; `toollint <command> --help` for a command's options"],
      ["-V, --version", "the version"],
    ],
    width,
  );
  yield "";
  yield "Start with:  toollint check run.log";
}

function* commandHelp(
  { name, positional, usage = positional, summary, options, examples, exits }: Command,
  width: number,
): Generator<string> {
  yield `Usage: toollint ${name} ${usage}`.trimEnd();
  yield "";
  yield* wrapped(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`, width);
  yield "";
  for (const [heading, listed] of grouped(options)) {
    yield `${heading}:`;
    yield* columns(
      listed.map((option) => [left(option), option.help]),
      width,
      columnWidth(options.map(left), width),
    );
    yield "";
  }
  yield "Examples:";
  yield* columns(examples, width);
  yield "";
  yield "Exit codes:";
  for (const line of exits) yield* wrapped(line, width, "  ", "    ");
}

/** From this many options on, a list without headings is a wall. */
const manyOptions = 12;

/** The options below their headings, the command's own first. */
function grouped(options: readonly Option[]): Iterable<readonly [string, readonly Option[]]> {
  if (options.length < manyOptions) return [["Options", options]];
  const order: readonly string[] = ["Options", "Output", "Findings", "Reading the log", "Running", "General"];
  const groups = [...groupBy(options, ({ group = "Options" }) => group)];
  return groups.sort(([one], [other]) => order.indexOf(one) - order.indexOf(other));
}

function left({ name, short, value, bare }: Option): string {
  const shown = value === undefined ? "" : bare === undefined ? ` ${value}` : `[=${value}]`;
  return `${short ? `-${short}, ` : "    "}--${name}${shown}`;
}

/** Two columns; long text wraps within its column. */
function* columns(
  rows: readonly (readonly [string, string])[],
  width: number,
  indent = columnWidth(
    rows.map(([name]) => name),
    width,
  ),
): Generator<string> {
  for (const [name, text] of rows) {
    const head = `  ${name}`;
    const isTooLong = head.length + 2 > indent;
    if (isTooLong) yield head;
    const lines = [
      ...wrapped(text, width, isTooLong ? " ".repeat(indent) : head.padEnd(indent), " ".repeat(indent)),
    ];
    yield* lines.length > 0 ? lines : isTooLong ? [] : [head];
  }
}

function columnWidth(names: readonly string[], width: number): number {
  return Math.min(Math.max(...names.map((name) => name.length)), Math.floor(width / 2)) + 4;
}
