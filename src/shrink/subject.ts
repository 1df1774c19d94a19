import type { CheckResult } from "../check/check.ts";
import type { CheckReport, FindingReport } from "../findings/report.ts";
import { isOfLimit, unlistedBy } from "../findings/unlisted.ts";
import { Unshrinkable } from "./unshrinkable.ts";

/** Which finding a log is shrunk for; without any of these, the first root finding of the worst severity. */
export interface Choice {
  /** Its name in the report (`f3`), or its fingerprint. */
  readonly finding?: string;
  /** The first one of any of these rules. */
  readonly rules?: readonly string[];
}

const ranks = { error: 0, warning: 1, info: 2 } as const;

/**
 * The chosen finding; `undefined` if the log has no such finding.
 *
 * @throws {Unshrinkable} if it only says how large the log is
 */
export function chosenFinding(result: CheckResult, choice: Choice): FindingReport | undefined {
  const chosen = firstOf(result, choice);
  if (!chosen || !isOfLimit(chosen)) return chosen;
  throw new Unshrinkable(
    unlistedBy(chosen) > 0
      ? "the finding stands for others that are not listed: name one that is (`--finding f1`)"
      : "the finding says that the log has more requests and replies than toollint reads, which no smaller log has: unpack it if it is packed, split it (`split -l 2000 LOG part-`), and check the parts",
  );
}

function firstOf(
  { report: { findings } }: CheckResult,
  { finding, rules }: Choice,
): FindingReport | undefined {
  if (finding !== undefined)
    return findings.find(({ id, fingerprint }) => id === finding || fingerprint === finding);
  const own = rules ? findings.filter(({ rule }) => rules.includes(rule)) : findings;
  const roots = own.filter(({ cause }) => cause === null);
  // A finding that only follows from another is chosen where there is nothing else.
  const rank = (each: FindingReport): number => (isOfLimit(each) ? 3 : ranks[each.severity]);
  return [...(roots.length > 0 ? roots : own)].sort((a, b) => rank(a) - rank(b))[0];
}

/** What a finding is about, apart from places, counts and texts, which change with every cut. */
export function identityOf(finding: FindingReport): string {
  return JSON.stringify([sortOf(finding), namesIn(finding, "tool"), namesIn(finding, "callId")]);
}

function sortOf({ rule, kind, severity }: FindingReport): string {
  return `${rule} ${kind} ${severity}`;
}

/** The tools, or the ids of the calls, that a finding names: one, or a list. */
function namesIn({ data }: FindingReport, what: "tool" | "callId"): readonly unknown[] {
  return [data[what] ?? data[`${what}s`] ?? []].flat();
}

/** The ids of the calls that a finding is about. */
export function callIdsNamed(finding: FindingReport): readonly unknown[] {
  return namesIn(finding, "callId");
}

/** What a finding is about, to compare it with others: names as sets, as one finding may name thousands. */
interface Subject {
  readonly identity: string;
  readonly tools: ReadonlySet<unknown>;
  readonly callIds: ReadonlySet<unknown>;
}

function subjectOf(finding: FindingReport): Subject {
  return {
    identity: identityOf(finding),
    tools: new Set(namesIn(finding, "tool")),
    callIds: new Set(namesIn(finding, "callId")),
  };
}

/** Findings of a log, to look up those of a smaller one. A log may have thousands of one kind. */
export class KnownFindings {
  /** By the sort of the finding, and one tool and one call that it names. */
  readonly #known = new Map<string, Subject[]>();
  readonly #identities = new Set<string>();

  constructor(findings: readonly FindingReport[]) {
    for (const finding of findings) {
      const subject = subjectOf(finding);
      if (this.#identities.has(subject.identity)) continue;
      this.#identities.add(subject.identity);
      const sort = sortOf(finding);
      for (const tool of someOf(subject.tools))
        for (const id of someOf(subject.callIds)) {
          const key = keyOf(sort, tool, id);
          const subjects = this.#known.get(key);
          if (subjects) subjects.push(subject);
          else this.#known.set(key, [subject]);
        }
    }
  }

  /** What the findings are about, as texts. */
  get identities(): Iterable<string> {
    return this.#identities;
  }

  /**
   * Whether a finding of a smaller log is one of these: of the same rule and kind, about the same tool and
   * the same call. Of several calls that one finding is about, some may have gone.
   */
  has(finding: FindingReport): boolean {
    if (this.#identities.has(identityOf(finding))) return true;
    const { tools, callIds } = subjectOf(finding);
    const [tool] = someOf(tools);
    const [id] = someOf(callIds);
    const candidates = this.#known.get(keyOf(sortOf(finding), tool, id)) ?? [];
    return candidates.some((each) => isWithin(tools, each.tools) && isWithin(callIds, each.callIds));
  }
}

function someOf(names: ReadonlySet<unknown>): readonly unknown[] {
  return names.size > 0 ? [...names] : [undefined];
}

function keyOf(sort: string, tool: unknown, id: unknown): string {
  return JSON.stringify([sort, tool, id]);
}

function isWithin(names: ReadonlySet<unknown>, all: ReadonlySet<unknown>): boolean {
  for (const name of names) if (!all.has(name)) return false;
  return true;
}

/** The finding in another check; a root stays a root. */
export function sameFinding(
  { findings }: Pick<CheckReport, "findings">,
  subject: FindingReport,
): FindingReport | undefined {
  const known = new KnownFindings([subject]);
  const same = findings.filter((finding) => known.has(finding));
  return same.find(({ cause }) => cause === null) ?? (subject.cause === null ? undefined : same[0]);
}
