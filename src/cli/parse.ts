import yargs from "yargs";
import { arranged, tooMany, typed, unknownCommand, unknownOption } from "./arguments.ts";
import { type Command, commandNamed, commands } from "./commands.ts";
import { Trouble } from "./trouble.ts";

/** What the user asked for. */
export interface Invocation {
  readonly command: Command;
  /** Positional arguments as typed: paths, a rule's name. */
  readonly words: readonly string[];
  /** The value of an option; of several the last. */
  one(name: string): string | undefined;
  /** All values of an option. */
  all(name: string): readonly string[];
  /** A switch is on. */
  has(name: string): boolean;
  /** What is said of a switch; `undefined` when it is not named. */
  flag(name: string): boolean | undefined;
}

/** Help or version instead of work. */
export interface Request {
  readonly wants: "help" | "version";
  readonly command?: Command | undefined;
}

/** Reads the arguments; throws {@link Trouble} when they make no sense. */
export async function parse(args: readonly string[]): Promise<Invocation | Request> {
  const words = arranged(args);
  const [first, second] = words;
  if (first === "help")
    return { wants: "help", command: second === undefined ? undefined : knownCommand(second) };
  if (words.includes("--version")) return { wants: "version" };
  if (first === undefined || first === "--help") return { wants: "help" };
  const command = knownCommand(first);
  if (words.includes("--help")) return { wants: "help", command };
  return parseCommand(words, command);
}

const missingCommand = `which command? There are ${commands.map(({ name }) => name).join(", ")}`;

function knownCommand(word: string): Command {
  const command = commandNamed(word);
  if (!command) throw word.startsWith("--") ? new Trouble(missingCommand) : unknownCommand(typed(word));
  return command;
}

async function parseCommand(words: readonly string[], command: Command): Promise<Invocation> {
  const program = yargs()
    .scriptName("toollint")
    .exitProcess(false)
    // The texts of other languages are not in the bundle.
    .locale("en")
    .help(false)
    .version(false)
    .strict()
    .parserConfiguration({
      "boolean-negation": false,
      "camel-case-expansion": false,
      "dot-notation": false,
      "greedy-arrays": false,
      "parse-numbers": false,
      "parse-positional-numbers": false,
    })
    .fail((message, error) => {
      throw error ?? usageTrouble(message, command);
    });
  const { positional, options } = command;
  // The command is known: as the default command it spares yargs to lay out a help that nobody will see.
  program.command(`$0 ${positional}`.trim(), false, (builder) => {
    const word = /\w+/.exec(positional)?.[0];
    if (word) builder.positional(word, { type: "string", array: positional.includes("..") });
    for (const { name, value } of options) {
      builder.option(name, { type: value === undefined ? "boolean" : "string" });
    }
    return builder;
  });
  return invocation(command, await program.parseAsync(words.slice(1)));
}

function invocation(command: Command, argv: Readonly<Record<string, unknown>>): Invocation {
  const all = (name: string) => strings(argv[name]);
  const word = /\w+/.exec(command.positional)?.[0];
  return {
    command,
    words: word === undefined ? [] : all(word).map(typed),
    all,
    one: (name) => all(name).at(-1),
    has: (name) => argv[name] === true,
    flag: (name) => {
      const value = argv[name];
      return typeof value === "boolean" ? value : undefined;
    },
  };
}

function strings(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string");
}

/** What yargs says in its words, in ours. */
function usageTrouble(message: string, command: Command): Trouble {
  const unknown = /^Unknown arguments?: (.*?)(?:, |$)/s.exec(message)?.[1];
  if (unknown !== undefined) {
    const isOption = commands.some(({ options }) => options.some(({ name }) => name === unknown));
    return isOption ? unknownOption(`--${unknown}`, command.name) : tooMany(typed(unknown), command);
  }
  if (message.startsWith("Not enough non-option arguments")) {
    return new Trouble(`\`toollint ${command.name}\` needs a log: \`toollint ${command.name} run.log\``);
  }
  return new Trouble(message);
}
