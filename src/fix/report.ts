import type { WrittenLog } from "../containers/write/write-back.ts";
import { type Placed, pointerOf } from "../conversation/conversation.ts";
import type { Finding, Locus, Safety } from "../findings/finding.ts";
import { locate } from "../findings/locate.ts";
import type { Location } from "../findings/report.ts";
import type { FixedLogs, FixedRequest, FixedRun } from "./fixed-logs.ts";

/** What `fix` changed and left, as data: the contract of `--format json` (`schemas/fix.schema.json`). */
export interface FixReport {
  readonly schemaVersion: "1.0";
  readonly tool: { readonly name: "toollint"; readonly version: string };
  readonly files: readonly FixedFile[];
  readonly edits: readonly EditReport[];
  readonly summary: {
    /** Edits that were made, or would be, and those that were left. */
    readonly applied: number;
    readonly left: number;
    /** Number of requests that change. */
    readonly requests: number;
    /** Number of session files that change. */
    readonly sessions: number;
  };
}

export interface FixedFile {
  readonly path: string;
  readonly container: string;
  /** A log of requests, or a session file, which contains each item once. */
  readonly kind: "requests" | "transcript";
  readonly isChanged: boolean;
  /** Numbers of the exchanges whose requests change; empty for a session file. */
  readonly requests: readonly number[];
  /** Where the fixed log was written; absent if it was not. */
  readonly output?: string;
  /** Path of the original log, if it was replaced. */
  readonly backup?: string;
  /** Different credentials in the bodies of the written log; absent if none was written, or masked. */
  readonly credentials?: number;
  /** What changed outside the requests: encodings, stated lengths. */
  readonly notes: readonly string[];
}

/** One edit of one request, applied or left. */
export interface EditReport {
  /** Id of the finding in `check --format json`; `null` for one that only another fix revealed. */
  readonly finding: string | null;
  readonly rule: string;
  readonly safety: Safety;
  readonly title: string;
  readonly location: Location;
  /** Where the log contains what was restored. */
  readonly evidence: readonly Location[];
  readonly applied: boolean;
  /** Why the edit was made, or left. */
  readonly why: string;
}

/** What was written for a file. */
export interface WrittenFile {
  readonly written: WrittenLog;
  readonly output?: string | undefined;
  readonly backup?: string | undefined;
  /** Different credentials in its bodies, if they were counted. */
  readonly credentials?: number | undefined;
}

/** The report on fixes; `written` is keyed by path. */
export function fixReport({ runs }: FixedLogs, written: ReadonlyMap<string, WrittenFile>): FixReport {
  const edits = runs.flatMap((run) => editsOf(run, written));
  const files = runs.flatMap(({ run, requests }) =>
    run.files
      .filter(({ exchanges }) => exchanges.length > 0)
      .map(({ path, container, kind }): FixedFile => {
        const file = written.get(path);
        const changed = requests.filter(({ exchange }) => exchange.file === path);
        return {
          path,
          container,
          kind,
          isChanged: changed.length > 0,
          requests: kind === "requests" ? changed.map(({ exchange }) => exchange.number) : [],
          ...(file?.output !== undefined && { output: file.output }),
          ...(file?.backup !== undefined && { backup: file.backup }),
          ...(file?.credentials !== undefined && { credentials: file.credentials }),
          notes: file?.written.notes ?? [],
        };
      }),
  );
  return {
    schemaVersion: "1.0",
    tool: { name: "toollint", version: __VERSION__ },
    files,
    edits,
    summary: {
      applied: edits.filter(({ applied }) => applied).length,
      left: edits.filter(({ applied }) => !applied).length,
      requests: files.reduce((sum, { requests }) => sum + requests.length, 0),
      sessions: files.filter(({ kind, isChanged }) => kind === "transcript" && isChanged).length,
    },
  };
}

/** Orders edits of a session by line; edits of requests keep their order. */
function inSession({ location: a }: EditReport, { location: b }: EditReport): number {
  return a.exchange === undefined && b.exchange === undefined && a.file === b.file ? a.line - b.line : 0;
}

function editsOf(run: FixedRun, written: ReadonlyMap<string, WrittenFile>): EditReport[] {
  const answered = answersIn(run);
  const locateEvidence = evidencePlaces();

  const editsOfRequest = (request: FixedRequest): EditReport[] => {
    const { exchange, step, whys } = request;
    const refused = written
      .get(exchange.file)
      ?.written.refused.find(({ change }) => change.place === exchange.request?.place);
    const evidenceOf = new Map<Finding, Placed[]>();
    for (const { finding, evidence } of whys) {
      const known = evidenceOf.get(finding) ?? [];
      evidenceOf.set(finding, known);
      if (evidence) known.push(evidence);
    }
    const firstPlace = firstPlaces(request);
    const isSession = step.conversation.kind === "transcript";
    return [...evidenceOf]
      .filter(([finding]) => !isPartOf(finding, evidenceOf, answered))
      .map(([finding, evidence]) => {
        const locus: Locus = {
          exchange,
          part: "request",
          pointer: firstPlace(finding),
          conversation: step.conversation.name,
          step: step.number,
        };
        return {
          ...answered(finding),
          location: locate(isSession ? finding.locus : locus),
          evidence: [...new Set(evidence.map(locateEvidence))],
          applied: refused === undefined,
          why: refused?.why ?? finding.message,
        };
      });
  };

  return [
    ...run.requests.flatMap(editsOfRequest).sort(inSession),
    ...run.left.map(({ finding, why }) => ({
      ...answered(finding),
      location: locate(finding.locus),
      evidence: [],
      applied: false,
      why,
    })),
  ];
}

/** Whether another edit covers this one: it closes a call that is open only because it was restored. */
function isPartOf(
  finding: Finding,
  all: ReadonlyMap<Finding, unknown>,
  answered: (finding: Finding) => Answered,
): boolean {
  return (
    finding.rule === "unanswered-tool-call" &&
    finding.fix?.safety === "inventing" &&
    answered(finding).finding === null &&
    [...all.keys()].some(({ rule, fix }) => rule === "dropped-tool-call" && fix?.safety === "inventing")
  );
}

/** The first element of the recorded request that the fix of a finding touches. */
function firstPlaces({ step, entries }: FixedRequest): (finding: Finding) => string {
  const base = step.request?.historyPointer ?? "";
  const length = step.request?.history.length ?? 0;
  const places = new Map<Finding, number>();
  let place = length - 1;
  for (const { recorded, whys } of entries.toReversed()) {
    place = recorded ?? place;
    for (const { finding } of whys) places.set(finding, place);
  }
  return (finding) => (length === 0 ? base : `${base}/${places.get(finding) ?? place}`);
}

/** Where the log contains what was restored. Cached: every later request restores the same item. */
function evidencePlaces(): (placed: Placed) => Location {
  const places = new Map<string, Location>();
  return (placed) => {
    const fragment = placed.part === "response" ? placed.item.fragments?.first : undefined;
    const locus: Locus = {
      exchange: placed.step.exchange,
      part: placed.step.conversation.kind === "transcript" ? "transcript" : placed.part,
      pointer: pointerOf(placed),
      ...(fragment && { extent: fragment }),
      conversation: placed.step.conversation.name,
      step: placed.step.number,
    };
    const key = [locus.exchange.position, locus.part, locus.pointer, fragment?.start, fragment?.end].join(
      " ",
    );
    const place = places.get(key) ?? locate(locus);
    places.set(key, place);
    return place;
  };
}

type Answered = Pick<EditReport, "finding" | "rule" | "safety" | "title">;

/** Maps the findings behind edits to the ids that `check` gives them. */
export function answersIn({ run }: FixedRun): (finding: Finding) => Answered {
  const known = new Map<Finding, Answered>();
  const same = new Map<string, string>();
  for (const [{ rule, locus, alsoIn }, name] of run.findings)
    for (const { position } of [locus.exchange, ...alsoIn]) {
      const place = `${rule} ${position}`;
      if (!same.has(place)) same.set(place, name);
    }
  return (finding) => {
    const { rule, locus, fix } = finding;
    const answered = known.get(finding) ?? {
      finding: run.findings.get(finding) ?? same.get(`${rule} ${locus.exchange.position}`) ?? null,
      rule,
      safety: fix?.safety ?? "safe",
      title: fix?.title ?? "",
    };
    known.set(finding, answered);
    return answered;
  };
}
