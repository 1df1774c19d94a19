import { type Io, print, widthOf } from "./terminal/io.ts";
import { type Invocation, parse } from "./usage/parse.ts";

/** Reads the arguments and runs the command that they name; throws {@link Trouble} for what the user has to know. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  if (args.length === 0) {
    const { help } = await import("./usage/help.ts");
    await print(io.stderr, help(undefined, widthOf(io)));
    return 2;
  }
  const asked = await parse(args);
  if (!("wants" in asked)) return runCommand(asked, io);
  if (asked.wants === "version") await print(io.stdout, [__VERSION__]);
  else {
    const { help } = await import("./usage/help.ts");
    await print(io.stdout, help(asked.command, widthOf(io)));
  }
  return 0;
}

async function runCommand(invocation: Invocation, io: Io): Promise<number> {
  switch (invocation.command.name) {
    case "check":
      return (await import("./commands/check.ts")).check(invocation, io);
    case "show":
      return (await import("./commands/show.ts")).show(invocation, io);
    case "diff":
      return (await import("./commands/diff.ts")).diff(invocation, io);
    case "fix":
      return (await import("./commands/fix.ts")).fix(invocation, io);
    case "replay":
      return (await import("./commands/replay.ts")).replay(invocation, io);
    case "record":
      return (await import("./commands/record.ts")).record(invocation, io);
    case "explain":
      return (await import("./commands/explain.ts")).explain(invocation, io);
    case "formats":
      return (await import("./commands/formats.ts")).formats(invocation, io);
    case "init":
      return (await import("./commands/init.ts")).init(io);
  }
}
