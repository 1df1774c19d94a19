import { type Io, print, terminalWidth } from "./terminal/io.ts";
import { type Invocation, parse } from "./usage/parse.ts";

/** Runs the command that the arguments name; throws {@link Trouble} for errors that the user must know. */
export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  if (args.length === 0) {
    const { help } = await import("./usage/help.ts");
    await print(io.stderr, help(undefined, terminalWidth(io)));
    return 2;
  }
  const asked = await parse(args);
  if (!("wants" in asked)) return runCommand(asked, io);
  if (asked.wants === "version") await print(io.stdout, [__VERSION__]);
  else {
    const { help } = await import("./usage/help.ts");
    await print(io.stdout, help(asked.command, terminalWidth(io)));
  }
  return 0;
}

async function runCommand(invocation: Invocation, io: Io): Promise<number> {
  switch (invocation.command.name) {
    case "check":
      return (await import("./commands/check.ts")).checkCommand(invocation, io);
    case "show":
      return (await import("./commands/show.ts")).showCommand(invocation, io);
    case "diff":
      return (await import("./commands/diff.ts")).diffCommand(invocation, io);
    case "fix":
      return (await import("./commands/fix.ts")).fixCommand(invocation, io);
    case "shrink":
      return (await import("./commands/shrink.ts")).shrinkCommand(invocation, io);
    case "merge":
      return (await import("./commands/merge.ts")).mergeCommand(invocation, io);
    case "redact":
      return (await import("./commands/redact.ts")).redactCommand(invocation, io);
    case "report-bug":
      return (await import("./commands/report-bug.ts")).reportBugCommand(invocation, io);
    case "replay":
      return (await import("./commands/replay.ts")).replayCommand(invocation, io);
    case "record":
      return (await import("./commands/record.ts")).recordCommand(invocation, io);
    case "serve":
      return (await import("./commands/serve.ts")).serveCommand(invocation, io);
    case "explain":
      return (await import("./commands/explain.ts")).explainCommand(invocation, io);
    case "formats":
      return (await import("./commands/formats.ts")).formatsCommand(invocation, io);
    case "init":
      return (await import("./commands/init.ts")).initCommand(invocation, io);
    case "completion":
      return (await import("./commands/completion.ts")).completionCommand(invocation, io);
  }
}
