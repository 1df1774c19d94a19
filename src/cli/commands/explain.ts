import { ruleTable } from "../../rules/index.ts";
import { type Io, print, printChunks, terminalWidth } from "../terminal/io.ts";
import { paintFor } from "../terminal/paint.ts";
import type { Invocation } from "../usage/parse.ts";
import { choice, unknownRule } from "../usage/values.ts";

/** Runs `toollint explain [rule]` or `toollint explain --error TEXT [log]` and returns its exit code. */
export async function explainCommand(invocation: Invocation, io: Io): Promise<number> {
  const error = invocation.one("error");
  if (error !== undefined) return (await import("./explain-error.ts")).explainError(error, invocation, io);
  const isJson = choice(invocation, "format", ["text", "json"]) === "json";
  const paint = paintFor(invocation, io);
  const [name] = invocation.words;
  const list = ruleTable.map(({ name, severity, summary, ground, needs, options }) => ({
    name,
    severity,
    summary,
    ground,
    needs,
    ...(options && { options }),
  }));
  if (name === undefined) {
    if (isJson) await printChunks(io.stdout, [`${JSON.stringify(list, null, 2)}\n`]);
    else {
      const { table } = await import("../terminal/tables.ts");
      const colors = { error: paint.red, warning: paint.yellow, info: paint.blue };
      const rows = list.map((rule) => [
        paint.cyan(rule.name),
        colors[rule.severity](rule.severity),
        rule.summary,
      ]);
      await print(io.stdout, [
        ...(rows.length > 0 ? table(rows, terminalWidth(io)) : []),
        "",
        "Levels are defaults; `toollint explain <rule>` tells when a rule says more or less. Change them with `--rule ID:LEVEL`.",
      ]);
    }
    return 0;
  }
  const { pages } = await import("../../rules/pages.ts");
  const rule = list.find((candidate) => candidate.name === name);
  const page = Object.hasOwn(pages, name) ? pages[name] : rule && `# ${rule.name}\n\n${rule.summary}.`;
  if (page === undefined) throw unknownRule(name, [...list.map((one) => one.name), ...Object.keys(pages)]);
  if (isJson) {
    await printChunks(io.stdout, [`${JSON.stringify({ name, ...rule, page }, null, 2)}\n`]);
  } else {
    const { rendered } = await import("../terminal/page.ts");
    await print(io.stdout, rendered(page, { paint, width: Math.min(terminalWidth(io), 100) }));
  }
  return 0;
}
