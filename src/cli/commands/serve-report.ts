import { counted, exchanges } from "../../reporters/numbers.ts";
import { quotable } from "../../reporters/visible.ts";
import type { Miss, OtherRequest, RefusedRequest, ServedWarning } from "../../serve/outcomes.ts";
import type { Palette } from "../terminal/paint.ts";
import { wrapped } from "../terminal/wrap.ts";

/** What happened while a model server ran. */
export interface ServedRun {
  /** All requests, whatever they asked for. */
  readonly requests: number;
  readonly refused: readonly RefusedRequest[];
  readonly misses: readonly Miss[];
  readonly warnings: readonly ServedWarning[];
  /** How many answers had a fault, as planned. */
  readonly faults: number;
  /** What else the user should know; sentences. */
  readonly notes: readonly string[];
}

/** How a report for people is laid out. */
export interface ServedStyle {
  readonly paint: Palette;
  readonly width: number;
}

/** Whether every request was answered as planned. */
export function isAsPlanned({ refused, misses }: Pick<ServedRun, "refused" | "misses">): boolean {
  return refused.length === 0 && misses.length === 0;
}

/**
 * `12 requests, 1 history rejected, 1 without an answer · fails`
 * @param exit the exit code of the command that was run, if one was
 */
export function verdict({ requests, refused, misses, warnings, faults }: ServedRun, exit = 0): string {
  const histories = refused.filter(({ rule }) => rule !== undefined).length;
  const others = refused.length - histories;
  const parts = [
    counted(requests, "request"),
    ...(histories > 0 ? [`${histories === 1 ? "1 history" : `${histories} histories`} rejected`] : []),
    ...(others > 0 ? [`${counted(others, "request")} rejected`] : []),
    ...(misses.length > 0 ? [`${misses.length} without an answer`] : []),
    ...(faults > 0 ? [counted(faults, "planned fault")] : []),
    ...(requests > faults && refused.length + misses.length === 0
      ? [faults > 0 ? "the others answered" : "all answered"]
      : []),
    ...(warnings.length > 0 ? [counted(warnings.length, "warning")] : []),
  ];
  if (!isAsPlanned({ refused, misses })) return `${parts.join(", ")} · fails`;
  const outcome = requests === 0 ? "nothing was tested" : "passes";
  return `${parts.join(", ")} · ${outcome}${exit === 0 ? "" : `, but the command exited with ${exit}`}`;
}

/** What went wrong, refusals first; without the verdict. */
export function* servedReport(run: ServedRun, style: ServedStyle): Generator<string> {
  yield* refusalReport(run.refused, style);
  yield* limited(repeated(run.misses, missKey), "request without an answer", (group) =>
    missLines(group, style),
  );
  yield* limited(
    repeated(run.warnings, ({ rule }) => rule),
    "warning",
    (group) => warningLines(group, style),
  );
  for (const note of run.notes) yield* labelled("note", quotable(note, 1000), style.paint.cyan, style.width);
}

/** Refused requests, the same ones together. */
export function* refusalReport(refused: ServedRun["refused"], style: ServedStyle): Generator<string> {
  yield* limited(repeated(refused, refusalKey), "rejection", (group) => refusalLines(group, style));
}

/** Requests that none of the APIs takes, in one sentence; none if there were none. */
export function otherRequestNotes(otherRequests: readonly OtherRequest[]): string[] {
  const asked = new Set(otherRequests.map(({ method, path }) => `${method} ${quotable(path)}`));
  if (asked.size === 0) return [];
  const shownFirst = [...asked].slice(0, mostOthers);
  const left = asked.size - shownFirst.length;
  const all = `${shownFirst.join(", ")}${left > 0 ? `, and ${left} more` : ""}`;
  return [`${counted(otherRequests.length, "request")} asked no model: ${all}`];
}

/** How many addresses outside the APIs are named. */
const mostOthers = 5;

/** One line for a refusal, while the server runs. */
export function refusalLine({ request, method, target, error, rule }: RefusedRequest): string {
  const reason = `${quotable(error.message)}${rule === undefined ? "" : ` [${rule}]`}`;
  return `request ${request}: ${method} ${quotable(target)} rejected (${error.status}): ${reason}`;
}

/** One line for a request that nothing was planned for. */
export function missLine({ request, method, target, why }: Miss): string {
  return `request ${request}: ${method} ${quotable(target)} has no answer: ${quotable(why)}`;
}

/** Entries that say the same, together; clients send a refused request again. */
interface Repeated<T> {
  readonly first: T;
  readonly requests: readonly number[];
}

function repeated<T extends { readonly request: number }>(
  entries: readonly T[],
  keyOf: (entry: T) => string,
): Repeated<T>[] {
  const groups = new Map<string, { first: T; requests: number[] }>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry));
    if (group) group.requests.push(entry.request);
    else groups.set(keyOf(entry), { first: entry, requests: [entry.request] });
  }
  return [...groups.values()];
}

const refusalKey = ({ method, target, profile, error, rule, pointer }: RefusedRequest): string =>
  JSON.stringify([method, target, profile, error.message, rule, pointer]);

const missKey = ({ method, target, why }: Miss): string => JSON.stringify([method, target, why]);

/** More blocks of one kind than anybody reads are counted. */
const maxBlocks = 20;

function* limited<T>(
  groups: readonly T[],
  noun: string,
  linesOf: (group: T) => Iterable<string>,
): Generator<string> {
  for (const group of groups.slice(0, maxBlocks)) yield* linesOf(group);
  const left = groups.length - maxBlocks;
  if (left > 0) yield `… and ${left} more: ${counted(left, noun).replace(/^\d+ /, "")}`;
}

function* refusalLines(
  { first: { method, target, profile, error, rule, pointer }, requests }: Repeated<RefusedRequest>,
  { paint, width }: ServedStyle,
): Generator<string> {
  const label = rule === undefined ? "rejected" : `rejected[${rule}]`;
  yield `${paint.red(label)}  ${exchanges(requests, "request")}: ${method} ${quotable(target)}`;
  yield* wrapped(`${profile}, ${error.status}: ${quotable(error.message)}`, width, "  ", "    ");
  if (rule === undefined) return;
  const place = pointer === undefined || pointer === "" ? "" : `at ${quotable(pointer)} · `;
  yield paint.dim(`  ${place}toollint explain ${rule}`);
}

function* missLines(
  { first: { method, target, why }, requests }: Repeated<Miss>,
  { paint, width }: ServedStyle,
): Generator<string> {
  yield `${paint.red("no answer")}  ${exchanges(requests, "request")}: ${method} ${quotable(target)}`;
  yield* wrapped(quotable(why), width, "  ", "    ");
}

function* warningLines(
  { first: { rule, message }, requests }: Repeated<ServedWarning>,
  { paint, width }: ServedStyle,
): Generator<string> {
  const times = requests.length === 1 ? "" : ` (${requests.length} times)`;
  const text = `${exchanges(requests, "request")}: ${quotable(message)}${times}`;
  yield* labelled(`warning[${rule}]`, text, paint.yellow, width);
}

/** A label in colour and a wrapped text behind it. */
function* labelled(
  label: string,
  text: string,
  paint: (text: string) => string,
  width: number,
): Generator<string> {
  const [first = "", ...others] = wrapped(text, width, `${label}  `, "  ");
  yield `${paint(label)}${first.slice(label.length)}`;
  yield* others;
}
