import { createHash } from "node:crypto";
import { type CheckedRun, type CheckResult, type CheckSettings, checkFiles } from "../check/check.ts";
import { budgetFor, costOfJudging, costOfReading } from "../check/cost.ts";
import type { Finding } from "../findings/finding.ts";
import type { FindingReport } from "../findings/report.ts";
import type { LogFile, LogSource } from "../log/log-file.ts";
import { bytesSource, storedSize } from "../reading/source.ts";
import { identityOf, KnownFindings, sameFinding } from "./subject.ts";

/** A log that shows the finding: as it was read, and what was found in it. */
export interface FailingLog {
  readonly input: LogSource;
  readonly result: CheckResult;
  readonly run: CheckedRun;
  readonly file: LogFile;
  readonly subject: FindingReport;
  /** The same finding with its places; absent where a record could not be read. */
  readonly finding: Finding | undefined;
  /** It was written as JSON lines, whatever the log is kept in. */
  readonly isConverted: boolean;
}

/**
 * What a cut may not add. `errors`: an error that the log did not have before; units go under this condition.
 * `warnings`: a warning neither; cuts inside units are cosmetic, and a warning would distract.
 */
export type Strictness = "errors" | "warnings";

/** A log without some of its units, or why it cannot be written. */
export type Cut = Buffer | { readonly why: string };

/** Why a cut was not taken. */
export type Objection =
  | { readonly is: "gone" }
  | { readonly is: "unreadable" }
  /** What is left would be taken for a file of another kind. */
  | { readonly is: "other-container"; readonly container: string }
  | { readonly is: "other"; readonly finding: FindingReport }
  | { readonly is: "unwritable"; readonly why: string }
  /** A server could not judge it. */
  | { readonly is: "skipped"; readonly why: string }
  | { readonly is: "budget" };

/** The work that may be done on a log below a megabyte. */
const budget = 140e6;
/** What it costs to write a cut, for each byte of the log that is cut. */
const costOfWriting = 5;
/** The most of the budget that is kept for what follows: the rest finds the cuts that make it cheap. */
const mostReserved = 0.6;
/** What is left for cuts in any case: the first ones keep next to nothing, and mostly one is enough. */
const leastForCuts = 10e6;
const leastCuts = 2;

/** The findings that cuts of a log may have, and a name for them. */
interface Allowed {
  readonly known: KnownFindings;
  readonly name: string;
}

/** Judges cuts of one log by checking them in memory. */
export class Oracle {
  readonly #settings: CheckSettings;
  readonly #laterChecks: number;
  /** Judgements by the cut and by what it may not add. */
  readonly #known = new Map<string, FailingLog | Objection>();
  readonly #allowed: Readonly<Record<Strictness, WeakMap<FailingLog, Allowed>>> = {
    errors: new WeakMap(),
    warnings: new WeakMap(),
  };
  #checks = 0;
  #spent = 0;
  #budget = budget;
  #mostReserved = 0;
  /** What follows costs so much with the smallest log so far. */
  #later = 0;
  /** The last cut made what follows cheaper by more than it cost. */
  #isFruitful = false;

  /** @param laterChecks as many checks as what follows costs, with the smallest log */
  constructor(settings: CheckSettings, laterChecks = 0) {
    const { conversation: _, exchanges: __, ...whole } = settings;
    this.#settings = whole;
    this.#laterChecks = laterChecks;
  }

  /** How many cuts were checked. */
  get checks(): number {
    return this.#checks;
  }

  /** The budget is used up: what was not tried stays in the log. */
  get isExhausted(): boolean {
    return this.#left <= 0;
  }

  get #left(): number {
    const reserved = this.#isFruitful ? 0 : Math.min(this.#later, this.#mostReserved);
    return this.#budget - this.#spent - reserved;
  }

  /** Checks the log itself. */
  async open(
    inputs: readonly LogSource[],
    choose: (result: CheckResult) => FindingReport | undefined,
  ): Promise<{ readonly result: CheckResult; readonly shown: FailingLog | undefined }> {
    this.#checks++;
    const result = await checkFiles(inputs, this.#settings);
    const subject = choose(result);
    let cost = costOfJudging(result);
    let size = 0;
    let least = leastForCuts;
    for (const { source } of inputs) {
      size += storedSize(source);
      cost += costOfReading(source);
      least += leastCuts * costOfWriting * source.size;
    }
    this.#spent += cost;
    this.#budget = Math.max(budgetFor(size, budget), cost + least);
    this.#mostReserved = Math.min(mostReserved * this.#budget, this.#budget - cost - least);
    this.#later = this.#laterChecks * cost;
    return { result, shown: subject && shownBy(result, subject, inputs) };
  }

  /** The cut as a log that shows the same finding as `before`, or why it does not. */
  async judge(
    before: FailingLog,
    bytes: Cut,
    strictness: Strictness,
    how: "as-it-was" | "as-lines" = "as-it-was",
  ): Promise<FailingLog | Objection> {
    this.#spent += costOfWriting * before.file.source.size;
    if ("why" in bytes) return { is: "unwritable", why: bytes.why };
    const allowed = this.#allowedIn(before, strictness);
    const key = createHash("sha256").update(bytes).update(allowed.name).digest("hex");
    const known = this.#known.get(key);
    if (known) return known;
    const cost = costOfReading(bytesSource(before.input.path, bytes));
    const isTooMuch = this.#later > 0 && cost > this.#left;
    if (this.isExhausted || isTooMuch) return { is: "budget" };
    this.#checks++;
    const start = this.#spent;
    this.#spent += cost;
    const judged = await this.#judged(
      { ...before, isConverted: before.isConverted || how === "as-lines" },
      bytes,
      allowed.known,
      strictness,
    );
    const later = "is" in judged ? this.#later : this.#laterChecks * (this.#spent - start);
    this.#isFruitful = this.#later - later > this.#spent - start;
    this.#later = later;
    // What is taken is kept by the caller; of objections there are many, and they are small.
    if ("is" in judged) this.#known.set(key, judged);
    return judged;
  }

  /** A cut as a log, whatever it shows; another judge decides. */
  async read(before: FailingLog, bytes: Buffer): Promise<FailingLog> {
    const { path } = before.input;
    const input: LogSource = { path, source: bytesSource(path, bytes) };
    const result = await checkFiles([input], withoutContainer(this.#settings));
    const [run] = result.runs;
    const [file] = result.files;
    if (!run || !file) throw new Error("every file is a run");
    const { subject } = before;
    return { input, result, run, file, subject, finding: undefined, isConverted: true };
  }

  #allowedIn(log: FailingLog, strictness: Strictness): Allowed {
    let allowed = this.#allowed[strictness].get(log);
    if (!allowed) {
      const known = new KnownFindings(complaints(log.result, strictness));
      const names = [identityOf(log.subject), ...known.identities].join();
      allowed = { known, name: createHash("sha256").update(names).digest("hex") };
      this.#allowed[strictness].set(log, allowed);
    }
    return allowed;
  }

  async #judged(
    before: FailingLog,
    bytes: Buffer,
    allowed: KnownFindings,
    strictness: Strictness,
  ): Promise<FailingLog | Objection> {
    const { path } = before.input;
    const input: LogSource = { path, source: bytesSource(path, bytes) };
    const settings = before.isConverted ? withoutContainer(this.#settings) : this.#settings;
    const result = await checkFiles([input], settings);
    this.#spent += costOfJudging(result);
    if (result.report.files.length === 0) return { is: "unreadable" };
    const subject = sameFinding(result.report, before.subject);
    if (!subject) return { is: "gone" };
    const other = complaints(result, strictness).find((finding) => !allowed.has(finding));
    if (other) return { is: "other", finding: other };
    const log = shownBy(result, subject, [input], before.isConverted);
    if (!log) return { is: "unreadable" };
    const { container } = log.file;
    return isSameKind(before, container) ? log : { is: "other-container", container };
  }
}

/** The settings for a log that is not kept as the user said any more. */
function withoutContainer({ container: _, settingsOf, ...settings }: CheckSettings): CheckSettings {
  if (!settingsOf) return settings;
  return {
    ...settings,
    settingsOf: (path) => {
      const { container: __, ...own } = settingsOf(path);
      return own;
    },
  };
}

function shownBy(
  result: CheckResult,
  subject: FindingReport,
  inputs: readonly LogSource[],
  isConverted = false,
): FailingLog | undefined {
  const { file: path } = subject.location;
  const run = result.runs.find(({ files }) => files.some((file) => file.path === path));
  const file = run?.files.find((each) => each.path === path);
  const input = inputs.find((each) => each.path === path);
  if (!run || !file || !input) return undefined;
  const finding = [...run.findings].find(([, id]) => id === subject.id)?.[0];
  return { input, result, run, file, subject, finding, isConverted };
}

/** A log of JSON lines with one line left is a JSON document as well. */
function isSameKind({ file, isConverted }: FailingLog, container: string): boolean {
  return isConverted || container === file.container || file.container === "jsonl";
}

function complaints({ report }: CheckResult, strictness: Strictness): FindingReport[] {
  return report.findings.filter(
    ({ severity, cause }) =>
      cause === null && (severity === "error" || (strictness === "warnings" && severity === "warning")),
  );
}
