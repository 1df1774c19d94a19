import path from "node:path";
import picomatch from "picomatch";
import type { FileSettings } from "../../check/check.ts";
import { containers } from "../../containers/index.ts";
import type { FindingReport, Suppression } from "../../findings/report.ts";
import { protocols } from "../../protocols/index.ts";
import { profiles } from "../../protocols/profiles/index.ts";
import { namedProfile } from "../../protocols/profiles/named.ts";
import type { RuleInfo } from "../../rules/rule.ts";
import { Trouble } from "../trouble.ts";
import { didYouMean } from "../usage/nearest.ts";
import type { RuleSettings } from "../usage/values.ts";
import type { ConfigFile, ConfiguredFiles, IgnoreEntry, RuleSetting } from "./file.ts";

/** Whether a glob of the config matches a path, as given on the command line. */
type Matcher = (shown: string) => boolean;

function matcher(globs: string | readonly string[], { folder }: ConfigFile, cwd: string): Matcher {
  const whole = [globs].flat().map((glob) => {
    const inside = glob.replace(/^\.\//, "").replace(/\/$/, "/**");
    // A bare name matches files of that name in any folder.
    return inside.includes("/") ? inside : `**/${inside}`;
  });
  const isMatch = picomatch(whole, { dot: true });
  return (shown) =>
    isMatch(
      shown === "-" ? shown : path.relative(folder, path.resolve(cwd, shown)).replaceAll(path.sep, "/"),
    );
}

/** Settings of a file, with the places of those from a config file: `toollint.config.json:4:3`. */
export interface PlacedSettings extends FileSettings {
  readonly places?: { readonly container?: string; readonly protocol?: string };
}

/** Settings by file; the last matching override wins. Throws {@link Trouble} for unknown names. */
export function settingsByFile(file: ConfigFile, cwd: string): (shown: string) => PlacedSettings {
  const { config } = file;
  const all = fileSettings(config, file, []);
  const overrides = (config.overrides ?? []).map((override, index) => ({
    matches: matcher(override.files, file, cwd),
    settings: fileSettings(override, file, ["overrides", index]),
  }));
  return (shown) =>
    overrides
      .filter(({ matches }) => matches(shown))
      .reduce((settings, override) => merged(settings, override.settings), all);
}

/** Merges settings; `over` wins. */
export function merged(settings: PlacedSettings, over: PlacedSettings): PlacedSettings {
  const container = (over.container ? over : settings).places?.container;
  const protocol = (over.protocol ? over : settings).places?.protocol;
  return {
    ...settings,
    ...over,
    places: { ...(container && { container }), ...(protocol && { protocol }) },
    levels: { ...settings.levels, ...over.levels },
    ruleOptions: mergedOptions(settings.ruleOptions ?? {}, over.ruleOptions ?? {}),
  };
}

type RuleOptions = NonNullable<FileSettings["ruleOptions"]>;

function mergedOptions(options: RuleOptions, over: RuleOptions): RuleOptions {
  const merged = { ...options };
  for (const [rule, values] of Object.entries(over)) merged[rule] = { ...merged[rule], ...values };
  return merged;
}

function fileSettings(
  { rules, complete, container, protocol, profile }: ConfiguredFiles,
  file: ConfigFile,
  at: readonly (string | number)[],
): PlacedSettings {
  const known = <T extends { readonly name: string }>(kind: string, name: string, list: readonly T[]): T => {
    const found = list.find((each) => each.name === name);
    if (found) return found;
    const names = list.map((each) => each.name);
    const meant = didYouMean(name, names) || "; `toollint formats` lists them";
    throw new Trouble(`${file.place([...at, kind])}: there is no ${kind} \`${name}\`${meant}`);
  };
  if (profile !== undefined) known("profile", profile.replace(/\/.*/s, "").toLowerCase(), profiles);
  const judge = profile === undefined ? undefined : namedProfile(profile, "profile");
  return {
    ...ruleSettingsOf(rules ?? {}),
    ...(complete !== undefined && { isComplete: complete }),
    ...(container !== undefined && { container: known("container", container, containers) }),
    ...(protocol !== undefined && { protocol: known("protocol", protocol, protocols) }),
    ...(judge && { judge }),
    places: {
      ...(container !== undefined && { container: file.place([...at, "container"]) }),
      ...(protocol !== undefined && { protocol: file.place([...at, "protocol"]) }),
    },
  };
}

function ruleSettingsOf(rules: Readonly<Record<string, RuleSetting>>): RuleSettings {
  const settings = Object.entries(rules).map(([rule, setting]) => ({
    rule,
    level: typeof setting === "string" ? setting : isPair(setting) ? setting[0] : undefined,
    options: typeof setting === "string" ? undefined : isPair(setting) ? setting[1] : setting,
  }));
  return {
    levels: Object.fromEntries(settings.flatMap(({ rule, level }) => (level ? [[rule, level]] : []))),
    ruleOptions: Object.fromEntries(
      settings.flatMap(({ rule, options }) => (options ? [[rule, options]] : [])),
    ),
  };
}

function isPair(setting: RuleSetting): setting is Extract<RuleSetting, readonly unknown[]> {
  return Array.isArray(setting);
}

/** The `ignore` entries of a config file. */
export interface Ignores {
  judge(finding: FindingReport): Suppression | undefined;
  /** Call after all findings: names expired entries, and those that matched nothing. */
  notes(checked: readonly string[]): string[];
}

/** `today` is a day such as 2027-01-31. Throws {@link Trouble} for unknown rules. */
export function ignoresOf(file: ConfigFile, rules: readonly RuleInfo[], cwd: string, today: string): Ignores {
  const names = rules.map(({ name }) => name);
  const entries = (file.config.ignore ?? []).map((entry, index) => {
    if (entry.rule !== undefined && !names.includes(entry.rule))
      throw new Trouble(
        `${file.place(["ignore", index, "rule"])}: there is no rule \`${entry.rule}\`${didYouMean(entry.rule, names) || "; `toollint explain` lists them"}`,
      );
    return {
      entry,
      index,
      inFile: entry.file === undefined ? () => true : matcher(entry.file, file, cwd),
      hasExpired: entry.expires !== undefined && entry.expires < today,
      hasMatched: false,
    };
  });
  return {
    judge(finding) {
      const means = entries.filter(
        ({ entry, inFile }) => isMeant(entry, finding) && inFile(finding.location.file),
      );
      for (const each of means) each.hasMatched = true;
      const [first] = means.filter(({ hasExpired }) => !hasExpired);
      return first && { by: "ignore", reason: first.entry.reason };
    },
    notes(checked) {
      const expired = entries.filter(({ hasExpired }) => hasExpired);
      const idle = entries.filter(
        ({ hasExpired, hasMatched, inFile }) => !hasExpired && !hasMatched && checked.some(inFile),
      );
      return [
        ...expired.map(
          ({ entry, index }) =>
            `${file.place(["ignore", index])}: ${nameOf(entry)} is no longer ignored: the entry expired on ${entry.expires} (${entry.reason})`,
        ),
        ...(idle.length > 0
          ? [
              `${file.shown}: ${idle.length === 1 ? "an entry" : `${idle.length} entries`} of \`ignore\` matched nothing: ${idle.map(({ entry, index }) => `${nameOf(entry)} (line ${lineOf(file.place(["ignore", index]))})`).join(", ")}`,
            ]
          : []),
      ];
    },
  };
}

function isMeant({ rule, tool, fingerprint }: IgnoreEntry, finding: FindingReport): boolean {
  const tools = [finding.data["tool"], finding.data["tools"]].flat();
  return (
    (rule === undefined || rule === finding.rule) &&
    (tool === undefined || tools.includes(tool)) &&
    (fingerprint === undefined || fingerprint === finding.fingerprint)
  );
}

function nameOf({ rule, tool, fingerprint, file }: IgnoreEntry): string {
  return [rule, tool, fingerprint, file].find((part) => part !== undefined) ?? "";
}

function lineOf(place: string): string {
  return place.split(":").at(-2) ?? "";
}
