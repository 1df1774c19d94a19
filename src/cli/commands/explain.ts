import { largest } from "../../reading/lists.ts";
import { counted } from "../../reporters/numbers.ts";
import { ruleGroups, ruleTable } from "../../rules/index.ts";
import { type Io, print, printChunks, terminalWidth } from "../terminal/io.ts";
import { type Palette, paintFor } from "../terminal/paint.ts";
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
    else await print(io.stdout, await groupedRules(terminalWidth(io), paint));
    return 0;
  }
  const { pages } = await import("../../rules/pages.ts");
  const rule = list.find((candidate) => candidate.name === name);
  const page = Object.hasOwn(pages, name) ? pages[name] : rule && `# ${rule.name}\n\n${rule.summary}.`;
  if (page === undefined) throw unknownRule(name, [...list.map((one) => one.name), ...Object.keys(pages)]);
  if (isJson) {
    await printChunks(io.stdout, [`${JSON.stringify({ name, ...rule, page }, null, 2)}\n`]);
  } else {
    const { rendered, shortened } = await import("../terminal/page.ts");
    const style = { paint, width: Math.min(terminalWidth(io), 100) };
    const { text, more } = invocation.has("examples") ? { text: page, more: 0 } : shortened(page);
    await print(io.stdout, [
      ...rendered(text, style),
      ...(more > 0 ? ["", `${counted(more, "more example")}: \`toollint explain ${name} --examples\``] : []),
    ]);
  }
  return 0;
}

/** All rules with their levels, by what they are about. */
async function groupedRules(width: number, paint: Palette): Promise<string[]> {
  const { table } = await import("../terminal/tables.ts");
  const colors = { error: paint.red, warning: paint.yellow, info: paint.blue };
  const longest = largest(ruleTable.map(({ name }) => name.length));
  const lines = ruleGroups.flatMap(({ title, rules }) => [
    paint.bold(title),
    ...table(
      rules.map(({ name, severity, summary }) => [
        `  ${paint.cyan(name)}${" ".repeat(longest - name.length)}`,
        `${colors[severity](severity)}${" ".repeat("warning".length - severity.length)}`,
        summary,
      ]),
      width,
    ),
    "",
  ]);
  return [
    ...lines,
    "Levels are defaults: `toollint explain RULE` says when a rule reports more or less. Change them with `--rule ID:LEVEL`.",
  ];
}
