import { type CheckedRun, checkFiles } from "../check/check.ts";
import type { Finding } from "../findings/finding.ts";
import type { LogSource } from "../log/read.ts";
import { groupBy } from "../reading/group-by.ts";
import { bytesSource } from "../reading/source.ts";
import type { FixedRequest, FixedRun, Left } from "./fixed-logs.ts";
import { protocolsByName, requestsOf, type State } from "./fixed-request.ts";
import { comesAlong } from "./known-fixes.ts";
import { localRules } from "./local/index.ts";
import { isOffered, leftOf } from "./offers.ts";
import { sessionTargets } from "./sessions.ts";
import type { FixSettings } from "./settings.ts";
import { elementPool } from "./target.ts";
import { writtenLog } from "./written.ts";

/** How often fixes are withdrawn because of the findings they cause. */
const maxTries = 4;

/**
 * Fixes a session file, which contains each mistake once. The result is read again as the agent will read it;
 * a fix that had no effect, or that caused a new finding, is dropped.
 */
export async function repairSession(
  run: CheckedRun,
  inputs: readonly LogSource[],
  options: FixSettings,
): Promise<FixedRun> {
  const findings = [...run.findings.keys()];
  const withdrawn: Left[] = [];
  for (let attempt = 0; ; attempt++) {
    const refused = new Set(withdrawn.map(({ finding }) => finding));
    const offered = findings.filter((finding) => isOffered(finding, options) && !refused.has(finding));
    const along =
      offered.length > 0 ? findings.filter((other) => comesAlong(other) && !refused.has(other)) : [];
    const requests = sessionRequests(run, [...offered, ...along], options);
    const made = new Set(requests.flatMap(({ whys }) => whys.map(({ finding }) => finding)));
    const guilty = await unfitRepairs(run, requests, made, inputs);
    if (guilty.length === 0) {
      const rest = findings.filter((finding) => !made.has(finding));
      return { run, requests, left: leftOf(rest, withdrawn, options) };
    }
    const [first] = guilty;
    withdrawn.push(
      ...(attempt < maxTries || !first ? guilty : [...made].map((finding) => ({ finding, why: first.why }))),
    );
  }
}

function sessionRequests(
  run: CheckedRun,
  offered: readonly Finding[],
  options: FixSettings,
): readonly FixedRequest[] {
  const elements = elementPool();
  const states = new Map<number, State>();
  for (const conversation of run.conversations) {
    for (const { step, protocol, entries, removals } of sessionTargets(
      conversation,
      offered,
      protocolsByName,
      elements,
    ))
      states.set(step.exchange.position, { entries, removals, members: [], step, protocol });
  }
  return requestsOf(run, states, options);
}

/** Fixes that had no effect or caused new findings, once the session was written and read again. */
async function unfitRepairs(
  run: CheckedRun,
  requests: readonly FixedRequest[],
  made: ReadonlySet<Finding>,
  inputs: readonly LogSource[],
): Promise<Left[]> {
  if (requests.length === 0) return [];
  const written: LogSource[] = [];
  for (const { path } of run.files) {
    const input = inputs.find((other) => other.path === path);
    if (!input) continue;
    const { bytes, refused } = writtenLog({ runs: [{ run, requests }] }, path, input.source);
    const [refusal] = refused;
    if (refusal) {
      const own = requests.find(({ exchange }) => exchange.request?.place === refusal.change.place);
      return [...new Set(own?.whys.map(({ finding }) => finding))].map((finding) => ({
        finding,
        why: refusal.why,
      }));
    }
    written.push({ ...input, source: bytesSource(path, bytes) });
  }
  const again = await checkFiles(written, run.options);
  const before = serious(run.findings.keys());
  const after = serious(again.runs.flatMap(({ findings }) => [...findings.keys()]));
  const stayed = [...made].filter((finding) => {
    const name = nameOf(finding);
    return finding.severity !== "info" && (after.get(name)?.length ?? 0) >= (before.get(name)?.length ?? 1);
  });
  const news = [...after].filter(([name, found]) => found.length > (before.get(name)?.length ?? 0));
  const [reason] = news.flatMap(([, found]) => found);
  return [
    ...stayed.map((finding) => ({ finding, why: "it was tried, and the mistake was still there" })),
    ...(reason ? guiltyOf(reason, made) : []).map((finding) => ({
      finding,
      why: `it would lead to: ${reason?.message}`,
    })),
  ];
}

/** Findings that a local fix answers, grouped by text. Others may only become visible through a fix. */
function serious(findings: Iterable<Finding>): Map<string, Finding[]> {
  const own = [...findings].filter(
    ({ severity, cause, rule }) => severity !== "info" && !cause && localRules.has(rule),
  );
  return groupBy(own, nameOf);
}

function nameOf({ rule, kind, data }: Finding): string {
  return `${rule} ${kind} ${JSON.stringify(data)}`;
}

/** The fixes that may have caused a new finding: those of the same call, otherwise all. */
function guiltyOf({ data: { callId } }: Finding, made: ReadonlySet<Finding>): Finding[] {
  const same = [...made].filter(({ data }) => callId !== undefined && data["callId"] === callId);
  return same.length > 0 ? same : [...made];
}
