import { Trouble } from "../trouble.ts";
import { type Given, reorderedArguments, typed, unknownCommand, wordName } from "./arguments.ts";
import type { Command } from "./command.ts";
import { commandNamed, commands } from "./commands.ts";

/** The parsed command line. */
export interface Invocation {
  readonly command: Command;
  /** The arguments as typed, with the command's name. */
  readonly args: readonly string[];
  /** Positional arguments as typed: paths, a rule's name. */
  readonly words: readonly string[];
  /** Those of them that stand after `--`: a command, where one may be given. */
  readonly afterDashes: readonly string[];
  /** The value of an option; the last one if repeated. */
  one(name: string): string | undefined;
  /** All values of an option. */
  all(name: string): readonly string[];
  /** Whether a switch is on. */
  has(name: string): boolean;
  /** The value of a switch; `undefined` if it is not given. */
  flag(name: string): boolean | undefined;
}

/** A request for help or the version. */
export interface HelpRequest {
  readonly wants: "help" | "version";
  readonly command?: Command | undefined;
}

/** Parses the arguments; throws {@link Trouble} if they are invalid. */
export async function parse(args: readonly string[]): Promise<Invocation | HelpRequest> {
  const words = reorderedArguments(args);
  const [first, second] = words;
  if (first === "help")
    return { wants: "help", command: second === undefined ? undefined : knownCommand(second) };
  if (words.includes("--version")) return { wants: "version" };
  if (first === undefined || first === "--help") return { wants: "help" };
  const command = knownCommand(first);
  if (words.includes("--help")) return { wants: "help", command };
  const end = args.indexOf("--");
  return { ...(await parseCommand(words, command, end < 0 ? 0 : args.length - end - 1)), args };
}

const missingCommand = `no command given; choose from ${commands.map(({ name }) => name).join(", ")}`;

function knownCommand(word: string): Command {
  const command = commandNamed(word);
  if (!command) throw word.startsWith("--") ? new Trouble(missingCommand) : unknownCommand(typed(word));
  return command;
}

/** Parses simple arguments without yargs, whose loading takes a fifth of a small check. */
async function parseCommand(
  words: readonly string[],
  command: Command,
  afterDashes: number,
): Promise<Omit<Invocation, "args">> {
  const rest = words.slice(1);
  const given = plainly(rest, command) ?? (await (await import("./strict.ts")).strictly(rest, command));
  const wordsName = wordName(command);
  // One command's name for its positional arguments may be another command's option.
  const all = (name: string) => (name === wordsName ? [] : strings(given.get(name)));
  const positional = strings(given.get(wordsName ?? "")).map(typed);
  return {
    command,
    words: positional,
    afterDashes: positional.slice(positional.length - afterDashes),
    all,
    one: (name) => all(name).at(-1),
    has: (name) => given.get(name) === true,
    flag: (name) => {
      const value = given.get(name);
      return typeof value === "boolean" ? value : undefined;
    },
  };
}

/** The arguments if all are plain options and words of the command; otherwise `undefined`. */
function plainly(rest: readonly string[], command: Command): Given | undefined {
  const given = new Map<string, string[] | boolean>();
  const words: string[] = [];
  for (const word of rest) {
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) words.push(word);
    else {
      const option = command.options.find((each) => each.name === name);
      if (!option) return undefined;
      const before = given.get(name);
      if (option.value === undefined) given.set(name, value !== "false");
      else given.set(name, [...(Array.isArray(before) ? before : []), value ?? ""]);
    }
  }
  const shape = /^(?:(?<open>[<[])\w+(?<many>\.\.)?[>\]])?$/.exec(command.positional)?.groups;
  if (!shape) return undefined;
  const least = shape["open"] === "<" ? 1 : 0;
  const most = shape["many"] ? Number.POSITIVE_INFINITY : shape["open"] ? 1 : 0;
  if (words.length < least || words.length > most) return undefined;
  return given.set(wordName(command) ?? "", words);
}

function strings(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string");
}
