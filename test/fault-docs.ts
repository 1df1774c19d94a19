import { type FaultRow, faultTable } from "../src/serve/faults/table.ts";

const introductions: readonly (readonly [stage: FaultRow["stage"], title: string, text: string])[] = [
  ["before content", "Before content", "The client has received nothing yet, so it may try again."],
  ["in the stream", "In the stream", "The client has already received part of the reply."],
  ["in the reply", "In the reply", "The answer is whole, and says too little."],
  [
    "habits of real servers",
    "Habits of real servers",
    "What servers of an API were seen to do, and clients were seen to break on.",
  ],
];

/** What docs/faults.md has to hold. */
export function faultDocs(): string {
  const rows = faultTable();
  const sections = introductions.map(([stage, title, text]) => {
    const own = rows.filter((row) => row.stage === stage);
    return `## ${title}

${text}

| fault | what happens | for |
|---|---|---|
${own.map(rowOf).join("")}`;
  });
  return `# Faults

[toollint](../README.md) · [serve](serve.md) · [testing](testing.md) · [refusals](refusals.md)

What \`toollint serve --fault N:KIND\` breaks in turn \`N\`: \`--fault 3:429,retry-after=2\`, \`--fault 2-4:529\` for several turns,
\`--fault '*:slow=50ms'\` for all. A request's own header (\`x-toollint-fault: cut@5\`, or \`none\`) overrides the plan, and replies of a script can have
faults. Faults strike by number, never by chance.

${sections.join("\n")}`;
}

function rowOf({ examples, summary, protocols, seen }: FaultRow): string {
  const names = examples.map((example) => `\`${example}\``).join(", ");
  const what = `${summary}${seen === undefined ? "" : ` (${seen})`}`.replaceAll("|", "\\|");
  return `| ${names} | ${what} | ${protocols.length === 0 ? "all" : protocols.join(", ")} |\n`;
}
