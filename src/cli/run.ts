import { type Io, print, widthOf } from "./io.ts";
import { type Invocation, parse } from "./parse.ts";

/** Reads the arguments and runs the command that they name; throws {@link Trouble} for what the user has to know. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  if (args.length === 0) {
    const { help } = await import("./help.ts");
    await print(io.stderr, help(undefined, widthOf(io)));
    return 2;
  }
  const asked = await parse(args);
  if (!("wants" in asked)) return runCommand(asked, io);
  if (asked.wants === "version") await print(io.stdout, [__VERSION__]);
  else {
    const { help } = await import("./help.ts");
    await print(io.stdout, help(asked.command, widthOf(io)));
  }
  return 0;
}

async function runCommand(invocation: Invocation, io: Io): Promise<number> {
  switch (invocation.command.name) {
    case "check":
      return (await import("./check.ts")).check(invocation, io);
    case "show":
      return (await import("./show.ts")).show(invocation, io);
    case "diff":
      return (await import("./diff.ts")).diff(invocation, io);
    case "fix":
      return (await import("./fix.ts")).fix(invocation, io);
    case "replay":
      return (await import("./replay.ts")).replay(invocation, io);
    case "record":
      return (await import("./record.ts")).record(invocation, io);
    case "explain":
      return (await import("./explain.ts")).explain(invocation, io);
    case "formats":
      return (await import("./formats.ts")).formats(invocation, io);
    case "init":
      return (await import("./init.ts")).init(io);
  }
}
