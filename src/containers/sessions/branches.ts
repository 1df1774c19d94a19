import { pushAll } from "../../reading/lists.ts";
import type { SessionWriter } from "../../traffic/session-writer.ts";
import { type Branch, type BranchOrigin, type Entry, startOf } from "../../traffic/transcript.ts";

/** A branch while its file is read. */
export interface GrowingBranch extends Branch {
  readonly entries: Entry[];
  origin?: BranchOrigin;
  takesRecords?: boolean;
  calledBy?: string;
  writer?: SessionWriter;
  isSentAsKept?: boolean;
}

/** Marks the branches of an agent that resumes from these records, and states how new ones are written. */
export function* takingRecords(
  branches: Iterable<GrowingBranch>,
  facts: Pick<Branch, "writer" | "isSentAsKept"> = {},
): Generator<Branch> {
  for (const branch of branches) {
    Object.assign(branch, facts);
    branch.takesRecords = true;
    yield branch;
  }
}

export function newBranch(protocol: string, origin?: BranchOrigin): GrowingBranch {
  return { protocol, entries: [], ...(origin && { origin }) };
}

/**
 * Adds the next entry. Agents write the calls of a reply one by one, with early results in between, so an
 * entry of the newest reply goes to the end of that reply.
 */
export function addEntry(branch: GrowingBranch, entry: Entry): void {
  const { entries } = branch;
  const last = entries.at(-1);
  if (entry.reply === undefined || last === undefined || last.reply === entry.reply) {
    entries.push(entry);
    return;
  }
  let at = entries.length;
  while (at > 0 && entries[at - 1]?.reply === undefined) at--;
  if (at > 0 && entries[at - 1]?.reply === entry.reply) entries.splice(at, 0, entry);
  else entries.push(entry);
}

/** The length of the whole history, inherited entries included. */
export function lengthOf(branch: Branch): number {
  return startOf(branch) + branch.entries.length;
}

/** Amends the model's newest entry, for logs that state facts after the reply. */
export function amendReply(
  branch: GrowingBranch,
  facts: Partial<Entry>,
  isReply: (entry: Entry) => boolean = ({ reply }) => reply !== undefined,
): void {
  const at = branch.entries.findLastIndex(isReply);
  const entry = branch.entries[at];
  // A spread copies no getters, and the value of an entry may be one.
  if (entry) branch.entries[at] = { ...entry, value: entry.value, ...facts };
}

/** A branch that starts after a compaction of another; `kept` are its first entries. */
export function compacted(branch: GrowingBranch, kept: readonly Entry[] = []): GrowingBranch {
  const begun = newBranch(branch.protocol, { how: "compaction", branch, length: lengthOf(branch) });
  pushAll(begun.entries, kept);
  return begun;
}

/** A branch that shares the first `length` entries of another. */
export function forked(branch: GrowingBranch, length: number): GrowingBranch {
  return newBranch(branch.protocol, { how: "branch", branch, length });
}
