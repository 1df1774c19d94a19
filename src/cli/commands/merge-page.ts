import { type CheckResult, checkFiles } from "../../check/check.ts";
import type { CheckReport } from "../../findings/report.ts";
import type { BlobHead } from "../../fleet/blob.ts";
import { checkPage } from "../../page/page.ts";
import { shellWord } from "../../reporters/shell.ts";
import type { CheckVerdict } from "../../reporters/verdict.ts";
import { configOf } from "../config/find.ts";
import { type Found, foundBy, openFound } from "../files/inputs.ts";
import { withOpened } from "../files/logs.ts";
import { shareOf } from "../files/shards.ts";
import type { Io } from "../terminal/io.ts";
import { Trouble } from "../trouble.ts";
import { parse } from "../usage/parse.ts";
import { askedFor } from "./check-blob.ts";
import { checkSettingsOf } from "./check-settings.ts";

/** What a page is made of besides the logs. */
export interface PageOf {
  readonly head: BlobHead;
  /** All that the shards found, also what is suppressed. */
  readonly found: CheckReport;
  /** What the page says of it. */
  readonly shown: CheckReport;
  readonly verdict: CheckVerdict;
}

/**
 * The page of all shards, in chunks. A page shows the conversations, which no blob holds: the logs are read
 * again, and have to be here under the same paths. Throws {@link Trouble} if they are not, or have changed.
 */
export async function mergedPage({ head, found, shown, verdict }: PageOf, io: Io): Promise<string[]> {
  const invocation = await parse(["check", ...head.options]);
  if ("wants" in invocation) throw new Error("a blob asks for help");
  const config = await configOf(invocation, io);
  if (askedFor(invocation, config).settings !== head.settings)
    throw new Trouble(`${reason}, and here is another config file${otherwise(head)}`);
  const all: Found[] = [];
  for await (const each of foundBy(head.paths, io.cwd)) all.push(each);
  const whole = { number: 1, count: 1 };
  const isPiped = head.paths.includes("-");
  if (isPiped || shareOf(all, whole, io.cwd, head.separate).list.hash !== head.list.hash)
    throw new Trouble(`${reason}, and ${elsewhere(head)}${otherwise(head)}`);
  const settings = await checkSettingsOf(invocation, config, io);
  return withOpened(openFound(all, io), async ({ files }) => {
    const result = await checkFiles(files, settings);
    if (!isSame(result, found))
      throw new Trouble(`${reason}, and these have changed since the shards were checked${otherwise(head)}`);
    return [...(await checkPage({ ...result, report: shown }, files, verdict))];
  });
}

const reason = "a page shows the conversations of the logs";

function elsewhere({ list, paths }: BlobHead): string {
  const what = list.files === 1 ? "the file" : `the ${list.files} files`;
  return `${what} that the shards checked (${paths.map(shellWord).join(" ")}) are not here with the same names and sizes`;
}

function otherwise({ paths, options }: BlobHead): string {
  const typed = ["toollint check", ...[...paths, ...options].map(shellWord)].join(" ");
  return `: run \`merge\` where the logs are, or \`${typed} --format html -o report.html\`; with \`--trends\`, a page needs no logs`;
}

/** Whether a check of the logs finds what the shards found. */
function isSame({ report }: CheckResult, found: CheckReport): boolean {
  const facts = ({ files, findings }: CheckReport): string =>
    JSON.stringify([
      files.map(({ path, exchanges }) => [path, exchanges]),
      findings.map(({ id, fingerprint, location: { line, column } }) => [id, fingerprint, line, column]),
    ]);
  return facts(report) === facts(found);
}
