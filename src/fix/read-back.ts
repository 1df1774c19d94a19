import { type CheckedRun, checkFiles } from "../check/check.ts";
import { isTranscript } from "../conversation/conversation.ts";
import type { Exchange, History } from "../conversation/exchange.ts";
import { contentOf } from "../conversation/identity.ts";
import type { Item } from "../conversation/item.ts";
import type { LogSource } from "../log/log-file.ts";
import { bytesSource } from "../reading/source.ts";
import type { FixedRequest } from "./fixed-logs.ts";
import { fixedExchange } from "./fixed-request.ts";
import type { Fixer, Proposal } from "./proposal.ts";
import type { RepairFault } from "./withdrawals.ts";
import { writtenLog } from "./written.ts";

/** A fixed run that was written and read again. */
interface ReadBack {
  readonly run: CheckedRun;
  readonly inputs: readonly LogSource[];
}

/** Writes a fixed run, in memory, and reads it again. Faults: what cannot be written, or reads otherwise. */
export async function readBack(
  run: CheckedRun,
  proposal: Proposal,
  inputs: readonly LogSource[],
  fixer: Fixer,
): Promise<ReadBack | { readonly faults: readonly RepairFault[] }> {
  const { requests } = proposal;
  const paths = new Set([...run.files, ...run.sidecars].map(({ path }) => path));
  const changed = new Set(requests.map(({ exchange }) => exchange.file));
  const written: LogSource[] = [];
  const faults: RepairFault[] = [];
  for (const input of inputs) {
    if (!paths.has(input.path)) continue;
    if (!changed.has(input.path)) {
      written.push(input);
      continue;
    }
    const { bytes, refused } = writtenLog({ runs: [{ run, requests }] }, input.path, input.source);
    for (const { change, why } of refused) {
      const own = requests.filter(({ exchange }) => exchange.request?.place === change.place);
      faults.push({ why, suspects: fixer.suspects(proposal, own) });
    }
    written.push({ ...input, source: bytesSource(input.path, bytes) });
  }
  if (faults.length > 0) return { faults };
  const { conversation: _, exchanges: __, ...whole } = run.options;
  const { runs } = await checkFiles(written, whole);
  const [again] = runs;
  if (!again || runs.length > 1)
    return { faults: [faultOf(run, proposal, fixer, again?.exchanges.length ?? 0)] };
  // A damaged session is read as one request, and would be read as a session without its damage.
  const isSession = isTranscript(run) && isTranscript(again);
  const difference = isSession ? undefined : differenceOf(run, proposal, again, fixer);
  return difference ? { faults: [difference] } : { run: again, inputs: written };
}

function faultOf(run: CheckedRun, proposal: Proposal, fixer: Fixer, count: number): RepairFault {
  const why = `the repaired log would read as ${count} exchanges instead of ${run.exchanges.length}`;
  return { why, suspects: fixer.suspects(proposal, proposal.requests) };
}

/** The first exchange that does not read as it was meant. */
function differenceOf(
  run: CheckedRun,
  proposal: Proposal,
  again: CheckedRun,
  fixer: Fixer,
): RepairFault | undefined {
  if (again.exchanges.length !== run.exchanges.length)
    return faultOf(run, proposal, fixer, again.exchanges.length);
  const fixed = new Map(proposal.requests.map((request) => [request.exchange.position, request]));
  const known = new WeakMap<object, object>();
  for (const [index, recorded] of run.exchanges.entries()) {
    const request = fixed.get(recorded.position);
    const state = proposal.after.states.get(recorded.position);
    const meant = request ? fixedExchange(recorded, state) : recorded;
    const is = again.exchanges[index];
    if (is && isSame(meant, is, known)) continue;
    const why = `exchange ${recorded.number} of the repaired log would not read as intended`;
    const near: FixedRequest[] = request ? [request] : [];
    return { why, suspects: fixer.suspects(proposal, near) };
  }
  const files = (own: CheckedRun): string =>
    own.files.map(({ path, container, kind, skipped }) => [path, container, kind, skipped.length]).join("\n");
  if (files(run) === files(again)) return undefined;
  const why = "the repaired log would be read differently";
  return { why, suspects: fixer.suspects(proposal, []) };
}

function isSame(meant: Exchange, is: Exchange, known: WeakMap<object, object>): boolean {
  return (
    meant.protocol === is.protocol &&
    meant.file === is.file &&
    (meant.request === undefined) === (is.request === undefined) &&
    (meant.reply === undefined) === (is.reply === undefined) &&
    areSame(meant.reply?.items ?? [], is.reply?.items ?? []) &&
    isSameHistory(meant.request?.history, is.request?.history, known)
  );
}

/** @param known pairs of elements that were compared before: requests repeat each other */
function isSameHistory(
  meant: History | undefined,
  is: History | undefined,
  known: WeakMap<object, object>,
): boolean {
  if (meant?.length !== is?.length) return false;
  for (let index = 0; meant && is && index < meant.length; index++) {
    const [left, right] = [meant.element(index), is.element(index)];
    if (known.get(left) === right) continue;
    if (meant.role(index) !== is.role(index) || !areSame(meant.items(index), is.items(index))) return false;
    known.set(left, right);
  }
  return true;
}

function areSame(meant: readonly Item[], is: readonly Item[]): boolean {
  return (
    meant.length === is.length &&
    meant.every((item, index) => {
      const other = is[index];
      return other !== undefined && item.kind === other.kind && contentOf(item) === contentOf(other);
    })
  );
}
