import { setTimeout } from "node:timers/promises";
import type { CheckReport, FindingReport } from "../../findings/report.ts";
import { narrowed } from "../../findings/suppress.ts";
import { largest } from "../../reading/lists.ts";
import { linesOf } from "../../reading/origin.ts";
import { verdictSegments } from "../../reporters/closing.ts";
import type { StyledText } from "../../reporters/layout.ts";
import { counted, placeInFile } from "../../reporters/numbers.ts";
import { rootsOf } from "../../reporters/roots.ts";
import { type Style, styleFor } from "../../reporters/style.ts";
import { findingsText, kindOf, type TextContext } from "../../reporters/text.ts";
import type { CheckVerdict } from "../../reporters/verdict.ts";
import { messagesOf, withInputs } from "../files/logs.ts";
import { areSame, type Snapshot, snapshotOf } from "../files/snapshot.ts";
import type { Io } from "../terminal/io.ts";
import { type StatusLine, statusLine } from "../terminal/status-line.ts";
import { isOfSystem, reasonOf, Trouble } from "../trouble.ts";
import type { Invocation } from "../usage/parse.ts";
import { type CheckedInputs, checkInputs, textContext } from "./check-once.ts";
import type { SettingAside, Settings } from "./check-settings.ts";
import { untilStopped } from "./client-command.ts";

/** How long to wait between two looks at the files, in milliseconds. */
const pollMs = 250;
/** Looking may take this part of the time: a directory of many files is looked at less often. */
const pollShare = 10;
/** A file that has not changed for so long is not being written. */
const settleMs = 120;
/** A file that is written all the time is checked after so long. */
const maxSettleMs = 1000;
/** A file that is replaced may be missing for so long. */
const goneMs = 1000;
/** Warnings about the newest reply, which a next request may answer, are printed after so long. */
const quietMs = 3000;

/** Options that make no sense for a check that goes on, with what to do instead. */
const refused: readonly (readonly [option: string, advice: string])[] = [
  ["format", "it prints text; run `toollint check` for a report in another format"],
  ["output", "it prints to the screen; run `toollint check` for a report in a file"],
  ["explain-input", "run `toollint check --explain-input`"],
  ["update-baseline", "run `toollint check --update-baseline`"],
  ["statistics", "run `toollint check --statistics`"],
];

/**
 * Checks the files now and whenever they change, until Ctrl-C. Prints each finding once, and keeps the
 * verdict on the last line. Returns the exit code of the last check.
 */
export async function watchCommand(
  invocation: Invocation,
  settings: Settings,
  setAside: SettingAside,
  io: Io,
): Promise<number> {
  const paths = invocation.words.length > 0 ? invocation.words : ["."];
  if (paths.includes("-")) throw new Trouble("`--watch` needs files: standard input cannot be read twice");
  for (const [option, advice] of refused)
    if (invocation.has(option) || invocation.one(option) !== undefined)
      throw new Trouble(`\`--watch\` and \`--${option}\` cannot be combined: ${advice}`);

  const stop = stopping(io);
  const line = statusLine(io);
  const style = styleFor(settings.style);
  const news = newsPrinter(settings, style, line);
  const hint: StyledText = [style.safe(`watching ${paths.join(", ")}, Ctrl-C ends`), style.dim];
  let exit: 0 | 1 | 2 = 2;
  /** The files as they were checked last. */
  let known: Snapshot | undefined;
  let checkedAt = 0;
  while (!stop.isStopped) {
    const start = performance.now();
    const seen = await snapshotOf(paths, io.cwd);
    if (known && areSame(seen, known)) {
      if (start - checkedAt > quietMs) await news.printWarnings();
      await stop.pause(Math.max(pollMs, (performance.now() - start) * pollShare));
      continue;
    }
    known = known ? await settled(known, seen, () => snapshotOf(paths, io.cwd), stop) : seen;
    if (stop.isStopped) break;
    checkedAt = performance.now();
    const state = await checkNow(paths, settings, setAside, io, news.print);
    if (state.isToRepeat) known = undefined;
    if (state.exit === 2 && !state.verdict) news.forget();
    exit = state.exit;
    io.watch?.note(exit);
    const segments = state.verdict
      ? verdictSegments(state.verdict, style)
      : [style.safe(`nothing to check yet: ${state.why}`)];
    await line.set(segments, hint);
    // A log that is written all the time must not keep the machine busy.
    await stop.pause(Math.max(pollMs, performance.now() - checkedAt));
  }
  await news.printAll();
  await line.close();
  return exit;
}

/** What one check came to. */
interface State {
  readonly exit: 0 | 1 | 2;
  /** Absent if nothing could be checked. */
  readonly verdict?: CheckVerdict;
  readonly why?: string;
  /** The files changed while they were read. */
  readonly isToRepeat?: boolean;
}

async function checkNow(
  paths: readonly string[],
  settings: Settings,
  setAside: SettingAside,
  io: Io,
  print: NewsPrinter["print"],
): Promise<State> {
  const nothing = ([why = "there are no files that could be logs"]: readonly string[]): State => ({
    exit: 2,
    why: why.split("\n", 1)[0] ?? "",
  });
  try {
    return await withInputs(paths, io, async (inputs) => {
      if (inputs.files.length === 0) return nothing(messagesOf(inputs));
      const checked = await checkInputs(inputs, settings, setAside);
      if (checked.isOfNothing) return nothing(checked.failures);
      await print(checked, textContext(checked, inputs, settings, settings.style));
      return checked;
    });
  } catch (error) {
    // A file may be cut or taken away while it is read.
    if (!isOfSystem(error)) throw error;
    return { ...nothing([`${error.syscall} failed: ${reasonOf(error)}`]), isToRepeat: true };
  }
}

/** Waits until the files stay the same for a moment, and missing ones had time to come back. */
async function settled(
  known: Snapshot,
  first: Snapshot,
  look: () => Promise<Snapshot>,
  stop: Stopping,
): Promise<Snapshot> {
  const start = performance.now();
  let last = first;
  for (;;) {
    await stop.pause(settleMs);
    const next = await look();
    const waited = performance.now() - start;
    const isGone = [...known.keys()].some((file) => !next.has(file));
    if (stop.isStopped || waited > maxSettleMs || (areSame(next, last) && (!isGone || waited > goneMs)))
      return next;
    last = next;
  }
}

interface Stopping {
  readonly isStopped: boolean;
  /** Waits, but not beyond the end. */
  pause(ms: number): Promise<void>;
}

/** Stops at Ctrl-C, or when nobody reads the output any more. */
function stopping({ stdout, watch }: Io): Stopping {
  const end = new AbortController();
  if (watch) watch.signal.addEventListener("abort", () => end.abort());
  else void untilStopped().then(() => end.abort());
  stdout.once("error", () => end.abort());
  return {
    get isStopped() {
      return end.signal.aborted;
    },
    async pause(ms) {
      // Rejects only when it is aborted.
      await setTimeout(ms, undefined, { signal: end.signal }).catch(() => {});
    },
  };
}

/** Prints what is new. */
interface NewsPrinter {
  print(checked: CheckedInputs, context: TextContext): Promise<void>;
  /** Prints the warnings that were held back. */
  printWarnings(): Promise<void>;
  /** Prints all that was held back. */
  printAll(): Promise<void>;
  /** Nothing of what was printed holds any more. */
  forget(): void;
}

/** Findings that are held back, as they are printed. */
interface Held {
  readonly findings: readonly FindingReport[];
  readonly lines: readonly string[];
}

/**
 * Prints each finding once, at each severity, and which ones are gone. Holds back what the next request may
 * answer, except in the first check: warnings for a while, and infos to the end.
 */
function newsPrinter({ isQuiet }: Settings, style: Style, line: StatusLine): NewsPrinter {
  const said = new Map<string, FindingReport>();
  const diagnosed = new Set<string>();
  const framed = new Map<string, number>();
  let held: { readonly warnings: Held; readonly infos: Held } | undefined;
  let isFirst = true;

  const release = async ({ findings, lines }: Held): Promise<void> => {
    for (const finding of findings) {
      said.set(keyOf(finding), finding);
      framed.set(kindOf(finding), (framed.get(kindOf(finding)) ?? 0) + 1);
    }
    if (lines.length > 0) await line.print(lines.at(-1) === "" ? lines : [...lines, ""]);
  };
  const printWarnings = async (): Promise<void> => {
    if (!held) return;
    const { warnings, infos } = held;
    held = { warnings: { findings: [], lines: [] }, infos };
    await release(warnings);
  };

  return {
    async print(checked, context) {
      const { report } = checked.result;
      const roots = rootsOf(report).map(({ finding }) => finding);
      const now = new Set(roots.map(keyOf));
      const gone = [...said].filter(([key]) => !now.has(key));
      for (const [key] of gone) said.delete(key);
      const fresh = roots.filter((finding) => !said.has(keyOf(finding)));
      const isHeld = newestIn(checked);
      const later = isFirst ? [] : fresh.filter((finding) => finding.severity !== "error" && isHeld(finding));
      const sooner = fresh.filter((finding) => !later.includes(finding));
      const shown = (findings: readonly FindingReport[]): Held => ({
        findings,
        lines: [...findingsText(only(report, findings, diagnosed), { ...context, framed })],
      });
      const present = new Set(report.findings.map(({ fingerprint }) => fingerprint));
      // A finding of another severity now is not gone.
      const lost = gone.map(([, finding]) => finding).filter(({ fingerprint }) => !present.has(fingerprint));
      const isCounted = ({ severity }: FindingReport): boolean =>
        severity === "error" || (severity === "warning" && !isQuiet);
      await line.print(goneLines(lost.filter(isCounted), style));
      held = {
        warnings: shown(later.filter(({ severity }) => severity === "warning")),
        infos: shown(later.filter(({ severity }) => severity === "info")),
      };
      await release(shown(sooner));
      for (const diagnosis of report.diagnoses) diagnosed.add(habitOf(diagnosis));
      isFirst = false;
    },
    printWarnings,
    async printAll() {
      await printWarnings();
      if (held) await release(held.infos);
      held = undefined;
    },
    forget() {
      said.clear();
      diagnosed.clear();
      framed.clear();
      held = undefined;
      isFirst = false;
    },
  };
}

function keyOf({ fingerprint, severity, location }: FindingReport): string {
  return `${location.file} ${fingerprint} ${severity}`;
}

function habitOf({ file, rule, title }: CheckReport["diagnoses"][number]): string {
  return `${file} ${rule} ${title}`;
}

/** The report with these roots, what follows from them, and the diagnoses that are new. */
function only(
  report: CheckReport,
  findings: readonly FindingReport[],
  diagnosed: ReadonlySet<string>,
): CheckReport {
  const roots = rootsOf(report).filter(({ finding }) => findings.includes(finding));
  const kept = new Set(roots.flatMap(({ finding, consequences }) => [finding, ...consequences]));
  const some = narrowed(report, (finding) => kept.has(finding));
  return { ...some, diagnoses: some.diagnoses.filter((diagnosis) => !diagnosed.has(habitOf(diagnosis))) };
}

/** Whether a finding is about the newest reply of its conversation, or the end of its file. */
function newestIn({ withLogs }: CheckedInputs): (finding: FindingReport) => boolean {
  const lastSteps = new Map<string, number>();
  const lastLines = new Map<string, number>();
  for (const { files, conversations } of withLogs?.runs ?? [])
    for (const { path, source } of files) {
      lastLines.set(path, linesOf(source).count);
      for (const { name, steps } of conversations)
        lastSteps.set(`${path} ${name}`, largest(steps.map(({ number }) => number)));
    }
  return ({ location: { file, conversation, step, part, endLine } }) =>
    step === undefined
      ? endLine >= (lastLines.get(file) ?? 0)
      : part !== "request" && step >= (lastSteps.get(`${file} ${conversation}`) ?? 0);
}

/** More findings than these are counted. */
const shownGone = 3;

function* goneLines(findings: readonly FindingReport[], style: Style): Iterable<string> {
  if (findings.length > shownGone) yield style.dim(`${counted(findings.length, "finding")} are gone`);
  else
    for (const { rule, severity, location } of findings)
      yield style.dim(style.safe(`gone: ${severity}[${rule}] ${placeInFile(location)}`));
  if (findings.length > 0) yield "";
}
