import type { Entry } from "../../traffic/transcript.ts";
import { append, compacted, forked, type GrowingBranch, newBranch } from "./branches.ts";

/** A record of a session that is kept as a tree. */
export interface TreeRecord {
  readonly id?: string | undefined;
  readonly parent?: string | undefined;
  /** What was said; absent for notes, which others may name as their parent all the same. */
  readonly entry?: Entry | undefined;
  /** It brings results: it belongs to the round that made the calls. */
  readonly isResult?: boolean;
  readonly calls?: readonly string[];
  readonly answers?: readonly string[];
  /** Whose work it is: sub-agents write into their parent's file. */
  readonly agent?: string;
  /** The entry takes the place of all that stood before; from the record of this id on (`""`: none), the old entries are kept behind it. */
  readonly replaces?: { readonly keptFrom: string };
}

/**
 * Puts a tree of records into branches. A second child of a record is a rewind, unless it belongs to the same round: calls made at
 * once, and their results, name each other's parents as they come. Records whose parent is missing go on where the last one stood:
 * whoever cut the file left them in order.
 */
export interface Tree {
  readonly branches: readonly GrowingBranch[];
  /** A record of this id is there already. */
  has(id: string): boolean;
  /** The branch in which the record now stands. */
  add(record: TreeRecord): GrowingBranch;
}

interface Node {
  readonly branch: GrowingBranch;
  /** The newest entry of the branch at or before the record; absent before the first. */
  readonly entry: Entry | undefined;
}

export function growTree(protocol: string): Tree {
  const nodes = new Map<string, Node>();
  /** Nearly every record follows the one before it, which need not be looked for among all. */
  let last: { readonly id: string; readonly node: Node } | undefined;
  const find = (id: string | undefined): Node | undefined =>
    id === undefined ? undefined : id === last?.id ? last.node : nodes.get(id);
  const keep = (id: string, node: Node): void => {
    nodes.set(id, node);
    last = { id, node };
  };
  const branches: GrowingBranch[] = [];
  const newest = new Map<string, GrowingBranch>();
  const results = new Set<Entry>();

  const begin = (agent: string, branch: GrowingBranch): GrowingBranch => {
    branches.push(branch);
    newest.set(agent, branch);
    return branch;
  };

  /** Nothing but the rest of one round stands behind the parent: other parts of its reply, and results. */
  const isInNewestRound = ({ entries }: GrowingBranch, parent: Entry | undefined, entry: Entry): boolean => {
    for (let index = entries.length - 1; index >= 0; index--) {
      const other = entries[index] as Entry;
      if (other === parent) return true;
      const isSameReply =
        other.reply !== undefined && (other.reply === parent?.reply || other.reply === entry.reply);
      if (!isSameReply && !results.has(other)) return false;
    }
    return parent === undefined;
  };

  const placeFor = (record: TreeRecord, entry: Entry, agent: string): GrowingBranch => {
    const tip = newest.get(agent);
    const caller = nodes.get(record.answers?.[0] ?? "");
    if (caller) return caller.branch;
    const parent = find(record.parent);
    if (!parent) {
      const isCutOff =
        record.parent !== undefined || tip?.entries.every((other) => other.reply === undefined);
      return tip && isCutOff ? tip : begin(agent, newBranch(protocol));
    }
    const { branch } = parent;
    if (isInNewestRound(branch, parent.entry, entry)) {
      newest.set(agent, branch);
      return branch;
    }
    const own = parent.entry ? branch.entries.lastIndexOf(parent.entry) + 1 : 0;
    const before = branch.origin?.how === "branch" ? branch.origin.length : 0;
    return begin(agent, forked(branch, before + own));
  };

  const replace = ({ keptFrom }: NonNullable<TreeRecord["replaces"]>, entry: Entry, agent: string) => {
    const tip = newest.get(agent);
    if (!tip) return begin(agent, newBranch(protocol));
    const from = nodes.get(keptFrom);
    const kept = from ? tip.entries.slice(from.entry ? tip.entries.lastIndexOf(from.entry) : 0) : [];
    const branch = begin(agent, compacted(tip, [entry, ...kept]));
    if (branch.origin) branch.origin = { ...branch.origin, kept: { from: 1, to: 1 + kept.length } };
    return branch;
  };

  return {
    branches,
    has: (id) => nodes.has(id),
    add(record) {
      const { id, entry, agent = "" } = record;
      if (!entry) {
        const parent = find(record.parent);
        const branch = parent?.branch ?? newest.get(agent) ?? begin(agent, newBranch(protocol));
        if (id !== undefined) keep(id, { branch, entry: parent ? parent.entry : branch.entries.at(-1) });
        return branch;
      }
      const isReplacing = record.replaces !== undefined;
      const branch = record.replaces
        ? replace(record.replaces, entry, agent)
        : placeFor(record, entry, agent);
      if (!isReplacing || branch.entries.length === 0) append(branch, entry);
      if (record.isResult) results.add(entry);
      const node: Node = { branch, entry };
      for (const call of record.calls ?? []) nodes.set(call, node);
      // What is kept stands behind the summary, and the next record goes on from there.
      if (id !== undefined) keep(id, isReplacing ? { branch, entry: branch.entries.at(-1) } : node);
      return branch;
    },
  };
}
