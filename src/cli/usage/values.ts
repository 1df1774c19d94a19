import type { Severity } from "../../findings/finding.ts";
import { isOriginPattern } from "../../http/strangers.ts";
import { profiles } from "../../protocols/profiles/index.ts";
import type { NamedProfile } from "../../protocols/profiles/judge.ts";
import { namedProfile } from "../../protocols/profiles/named.ts";
import { optionFault, type RuleInfo } from "../../rules/rule.ts";
import { Trouble } from "../trouble.ts";
import { didYouMean } from "./nearest.ts";
import type { Invocation } from "./parse.ts";

/** The value of an option that takes one of these words; `undefined` if it is not given. */
export function choice<const T extends string>(
  invocation: Invocation,
  name: string,
  choices: readonly T[],
): T | undefined {
  const value = invocation.one(name);
  if (value === undefined) return undefined;
  return oneOf(name, value, choices);
}

export function oneOf<const T extends string>(name: string, value: string, choices: readonly T[]): T {
  const found = choices.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw new Trouble(
    `\`--${name}\` cannot be \`${value}\`${didYouMean(value, choices) || `; choose from ${choices.join(", ")}`}`,
  );
}

/** The item that an option names; the error lists all names. */
export function named<T extends { readonly name: string }>(
  invocation: Invocation,
  option: string,
  all: readonly T[],
): T | undefined {
  const value = invocation.one(option);
  if (value === undefined) return undefined;
  const found = all.find(({ name }) => name === value);
  if (found) return found;
  const names = all.map(({ name }) => name);
  throw new Trouble(
    `there is no ${option} \`${value}\`${didYouMean(value, names)}\nThere are ${names.join(", ")}: see \`toollint formats\`.`,
  );
}

/** `--profile NAME[/MODEL]` or `--target NAME[/MODEL]`; throws {@link Trouble} for an unknown profile. */
export function judgeOf(invocation: Invocation): NamedProfile | undefined {
  const [profile, target] = [invocation.one("profile"), invocation.one("target")];
  if (profile !== undefined && target !== undefined)
    throw new Trouble(
      "`--profile` says where the requests went, `--target` where they will go: use one of them",
    );
  const as = target === undefined ? "profile" : "target";
  const text = target ?? profile;
  if (text === undefined) return undefined;
  const found = namedProfile(text, as);
  if (found) return found;
  const names = profiles.map(({ name }) => name);
  throw new Trouble(
    `there is no profile \`${text}\`${didYouMean(text.replace(/\/.*/s, ""), names)}\nThere are ${names.join(", ")}: see \`toollint formats\`.`,
  );
}

/** A whole number from 0; `undefined` if the option is not given. */
export function wholeNumber(invocation: Invocation, name: string, least = 0): number | undefined {
  const value = invocation.one(name);
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(value) || Number(value) < least)
    throw new Trouble(`\`--${name}\` needs a whole number of at least ${least}, not \`${value}\``);
  return Number(value);
}

/** `--port`; 0, for any free port, if it is not given. */
export function portOf(invocation: Invocation): number {
  const port = wholeNumber(invocation, "port") ?? 0;
  if (port > 65535) throw new Trouble(`\`--port\` must be at most 65535, not ${port}`);
  return port;
}

/** `--allow-origin`: the web pages that may ask a server of this machine. */
export function allowedOriginsOf(invocation: Invocation): readonly string[] {
  const origins = invocation.all("allow-origin").map((value) => value.replace(/\/$/, ""));
  const wrong = origins.find((origin) => !isOriginPattern(origin));
  if (wrong === undefined) return origins;
  throw new Trouble(
    `\`--allow-origin\` needs the origin of a web page, such as \`https://app.example\` or \`vscode-webview://*\`, not \`${wrong}\``,
  );
}

/** A range of exchanges, both ends included. */
export interface ExchangeRange {
  readonly from: number;
  readonly to: number;
}

/** `--exchange 7`, `40-60`, `40-` (to the end) or `-60`. */
export function exchangeRange(invocation: Invocation): ExchangeRange | undefined {
  const value = invocation.one("exchange");
  if (value === undefined) return undefined;
  const [, first, dash, last] = /^(\d{1,9})?(-)?(\d{1,9})?$/.exec(value) ?? [];
  const from = Number(first ?? 1);
  const to = dash ? Number(last ?? Number.MAX_SAFE_INTEGER) : from;
  const isRange = (first !== undefined || last !== undefined) && (dash !== undefined || last === undefined);
  if (!isRange || from < 1 || to < from) {
    throw new Trouble(`\`--exchange\` needs a number from 1 or a range such as \`40-60\`, not \`${value}\``);
  }
  return { from, to };
}

/** `--conversation c2`: the name in reports and `show`. */
export function conversationName(invocation: Invocation): string | undefined {
  const value = invocation.one("conversation");
  if (value === undefined) return undefined;
  const number = /^c?(\d{1,9})$/i.exec(value)?.[1];
  if (number === undefined || Number(number) < 1) {
    throw new Trouble(
      `\`--conversation\` needs a name such as \`c2\`, not \`${value}\`: \`toollint show\` lists them`,
    );
  }
  return `c${Number(number)}`;
}

export type Level = "off" | Severity;

const knownLevels: readonly Level[] = ["off", "info", "warning", "error"];

/** Settings of rules: levels and option values, by rule. */
export interface RuleSettings {
  readonly levels: Readonly<Record<string, Level>>;
  readonly ruleOptions: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Parses `--rule`: `ID:LEVEL`, `ID:{"maxRounds":80}` or `ID:LEVEL:{"maxRounds":80}`. The last one wins. */
export function ruleSettings(invocation: Invocation, rules: readonly RuleInfo[]): RuleSettings {
  const names = rules.map(({ name }) => name);
  const levels = new Map<string, Level>();
  const ruleOptions = new Map<string, Record<string, number>>();
  for (const value of invocation.all("rule")) {
    const [, id = "", word, options] = /^([^:=]*)(?:[:=]([^:={]*))?(?:[:=]?(\{.*\}))?$/s.exec(value) ?? [];
    const rule = rules.find(({ name }) => name === id);
    if (!rule) throw unknownRule(id, names);
    const level = knownLevels.find((candidate) => candidate === word);
    if (level !== undefined) levels.set(id, level);
    else if (options === undefined || word) throw badLevel(id, word);
    if (options !== undefined) ruleOptions.set(id, { ...ruleOptions.get(id), ...valuesOf(rule, options) });
  }
  return { levels: Object.fromEntries(levels), ruleOptions: Object.fromEntries(ruleOptions) };
}

function valuesOf(rule: RuleInfo, text: string): Record<string, number> {
  let values: Record<string, number>;
  try {
    values = JSON.parse(text);
  } catch {
    throw new Trouble(
      `\`--rule\` needs options as JSON, such as \`${rule.name}:{"name":80}\`, not \`${text}\``,
    );
  }
  const fault = optionFault(rule, values);
  if (fault !== undefined) throw new Trouble(`${fault}; see \`toollint explain ${rule.name}\``);
  return values;
}

function badLevel(id: string, word: string | undefined): Trouble {
  if (!word)
    return new Trouble(`\`--rule\` also needs a level: \`--rule ${id}:off\` (${knownLevels.join(", ")})`);
  return new Trouble(
    `there is no level \`${word}\`${didYouMean(word, knownLevels) || `; choose from ${knownLevels.join(", ")}`}`,
  );
}

/** The error for an unknown rule, with a suggestion. */
export function unknownRule(id: string, names: readonly string[]): Trouble {
  return new Trouble(
    `there is no rule \`${id}\`${didYouMean(id, names) || "; `toollint explain` lists them"}`,
  );
}

/** The report formats; only `text` is for a person at a terminal. */
export const reportFormats = [
  "text",
  "lines",
  "json",
  "jsonl",
  "sarif",
  "junit",
  "github",
  "gitlab",
  "markdown",
  "html",
  "blob",
] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** Finds a report format by name. */
export function formatNamed(name: string): ReportFormat {
  return oneOf("format", name, reportFormats);
}
