import { extname } from "node:path";
import type { CheckResult } from "../../check/check.ts";
import { readPasted } from "../../explain/pasted.ts";
import { type ErrorPlace, findErrorPlace } from "../../explain/place.ts";
import { placeInSession } from "../../explain/session.ts";
import type { FindingReport } from "../../findings/report.ts";
import { shellWord } from "../../reporters/shell.ts";
import { ruleTable } from "../../rules/index.ts";
import type { Choice } from "../../shrink/subject.ts";
import type { Inputs } from "../files/inputs.ts";
import { refuseUnread } from "../files/logs.ts";
import { Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { unknownRule } from "../usage/values.ts";

/** Which finding a log is shrunk for; some are known only when the log was checked. */
export type Chooser = Choice | ((result: CheckResult) => Choice);

/** The finding that the options name; throws {@link Trouble} if they name several. */
export function choiceOf(invocation: Invocation): Chooser {
  const finding = invocation.one("finding");
  const rules = chosenRules(invocation);
  const error = invocation.one("error");
  const given = [finding, rules[0], error].filter((each) => each !== undefined);
  if (given.length > 1)
    throw new Trouble("`--finding`, `--rule` and `--error` each name a finding: give one of them");
  if (error !== undefined) return (result) => ofErrorText(error, result);
  return { ...(finding !== undefined && { finding }), ...(rules.length > 0 && { rules }) };
}

/** `--rule ID` names a finding here; `--rule ID:LEVEL` sets a level, as everywhere. */
function chosenRules(invocation: Invocation): string[] {
  const names = ruleTable.map(({ name }) => name);
  const chosen = invocation.all("rule").filter((value) => !/[:=]/.test(value));
  for (const name of chosen) if (!names.includes(name)) throw unknownRule(name, names);
  return chosen;
}

/** The settings of a check: without the rules that name a finding. */
export function withoutChosenRules(invocation: Invocation): Invocation {
  return {
    ...invocation,
    all: (name) => {
      const values = invocation.all(name);
      return name === "rule" ? values.filter((value) => /[:=]/.test(value)) : values;
    },
  };
}

/** The finding that a provider's text is about: the one in its place, else one of the rule that it means. */
function ofErrorText(text: string, { report, runs }: CheckResult): Choice {
  const error = readPasted(text);
  const conversations = runs.flatMap((run) => run.conversations);
  const isSession = report.files.every(({ kind }) => kind === "transcript");
  const found = isSession
    ? placeInSession(error, conversations, report.findings)?.finding
    : causeOf(findErrorPlace(error, conversations, report.findings));
  if (found) return { finding: found.id };
  // No finding is of a rule that has no name.
  return { rules: [error.match?.rule ?? ""] };
}

function causeOf(place: ErrorPlace | undefined): FindingReport | undefined {
  return place?.cause ?? place?.finding;
}

/** Why a log has no such finding, and what it has. */
export async function withoutFinding(
  path: string,
  { report, runs }: CheckResult,
  inputs: Inputs,
  invocation: Invocation,
  settingsOf: Parameters<typeof refuseUnread>[2],
): Promise<Trouble> {
  if (report.files.length === 0) {
    if (inputs.files.length === 1)
      await refuseUnread(
        invocation.command.name === "report-bug" ? "report-bug" : "shrink",
        runs,
        settingsOf,
      );
    return new Trouble(`no conversation was understood in ${path}: see \`toollint formats\``);
  }
  const [first] = report.findings;
  if (!first)
    return new Trouble(
      invocation.command.name === "report-bug"
        ? `${path} has no findings to report; to show a mistake that toollint missed, redact the log: \`toollint redact ${shellWord(path)} -o shown${extname(path)}\``
        : `${path} has no findings, and shrink needs one to keep`,
    );
  const asked = ["finding", "rule", "error"].find((name) => invocation.one(name) !== undefined);
  if (asked === "rule") {
    const rules = [...new Set(report.findings.map(({ rule }) => `\`${rule}\``))];
    return new Trouble(
      `${path} has no finding of \`${invocation.one("rule")}\`; it has findings of ${rules.join(", ")}`,
    );
  }
  const value = asked === "error" ? "that this error text is about" : `\`${invocation.one(asked ?? "")}\``;
  const names = `f1 to f${report.findings.length}`;
  return new Trouble(
    `${path} has no finding ${value}: there ${report.findings.length === 1 ? "is f1" : `are ${names}`}, which \`toollint check --format json\` lists`,
  );
}
