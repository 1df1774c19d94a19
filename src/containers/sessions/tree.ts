import { emptyList, pushAll } from "../../reading/lists.ts";
import { type Entry, startOf } from "../../traffic/transcript.ts";
import { addEntry, compacted, forked, type GrowingBranch, lengthOf, newBranch } from "./branches.ts";
import type { SessionRecord } from "./session-file.ts";

/** A record of a session kept as a tree. */
export interface TreeRecord {
  readonly id?: string | undefined;
  readonly parent?: string | undefined;
  /** Absent for notes about the session. Later records may still name them as their parent. */
  readonly entry?: Entry | undefined;
  /** The entry holds results, so it belongs to the round that made the calls. */
  readonly isResult?: boolean;
  readonly calls?: readonly string[];
  readonly answers?: readonly string[];
  /** The sub-agent that wrote the record into its parent's file. */
  readonly agent?: string;
  /** Where it stands, for agents that load only what a path of parents leads to. */
  readonly record?: SessionRecord;
  /** The entry replaces all earlier ones, except those from the record `keptFrom` on; `""` keeps none. */
  readonly replaces?: { readonly keptFrom: string };
}

/** A record whose parent is not in the file, although others of its agent came before. */
interface LooseRecord {
  readonly record: SessionRecord;
  readonly parent: string;
  /** What is answered from here to the end of the round. */
  answers: readonly string[];
  /** The calls of the reply before it. */
  readonly callsBefore: readonly string[];
}

/** A record's position: the newest entry of `branch` at or before it, if there is one. */
interface Node {
  readonly branch: GrowingBranch;
  readonly entry: Entry | undefined;
}

/**
 * Sorts a tree of records into branches. A second child of a record is a rewind, unless it belongs to the
 * same round: parallel calls and their results name each other as parents in order of arrival. A record whose
 * parent is missing continues the last record, because a cut file keeps its order.
 */
export class RecordTree {
  readonly branches: GrowingBranch[] = [];
  readonly #protocol: string;
  /** By record id, and by the ids of the calls that a record makes. */
  readonly #nodes = new Map<string, Node>();
  /** Nearly every record follows the previous one. This saves a lookup in a map of tens of thousands. */
  #last: { readonly id: string; readonly node: Node } | undefined;
  /** The branch that each agent continues, for records whose parent is missing. */
  readonly #current = new Map<string, GrowingBranch>();
  readonly #results = new Set<Entry>();
  /** Results that follow their call although the branch went on from it, by entry, with the call's. */
  readonly #aside = new Map<Entry, Entry>();
  /** The branches that such results went to. */
  readonly #taken = new Map<Entry, GrowingBranch>();
  readonly #loose: LooseRecord[] = [];
  /** Agents whose first record follows one of another file, which may hold what is missing later, too. */
  readonly #begunElsewhere = new Set<string>();
  /** By agent, the last one, until its round ends, and the reply of that round. */
  readonly #newestLoose = new Map<string, { readonly loose: LooseRecord; reply: string | undefined }>();
  readonly #made = new Set<string>();
  readonly #answered = new Set<string>();
  /** The newest reply of each agent. */
  readonly #newest = new Map<
    string,
    { readonly reply: string | undefined; readonly calls: readonly string[] }
  >();

  constructor(protocol: string) {
    this.#protocol = protocol;
  }

  has(id: string): boolean {
    return this.#nodes.has(id);
  }

  /**
   * The records whose parent is lost, with its id; complete once all records are added. Left out are gaps
   * where a lost result or a lost call is reported anyway.
   */
  *lost(): Generator<Pick<LooseRecord, "record" | "parent">> {
    const isReported = ({ answers, callsBefore }: LooseRecord): boolean =>
      callsBefore.some((call) => !this.#answered.has(call)) || answers.some((call) => !this.#made.has(call));
    const known = new Set(this.#loose.filter(isReported).map(({ parent }) => parent));
    for (const { record, parent } of this.#loose)
      if (!this.#nodes.has(parent) && !known.has(parent)) yield { record, parent };
  }

  /** Adds a record and returns its branch. */
  add(record: TreeRecord): GrowingBranch {
    this.#note(record);
    const { entry } = record;
    if (!entry) return this.#addNote(record);
    const isReplacing = record.replaces !== undefined;
    const branch = record.replaces
      ? this.#replace(record.replaces.keptFrom, entry, record.agent)
      : this.#branchFor(record, entry);
    if (!isReplacing || branch.entries.length === 0) addEntry(branch, entry);
    if (record.isResult) this.#results.add(entry);
    const node: Node = { branch, entry };
    for (const call of record.calls ?? []) this.#nodes.set(call, node);
    // The entries that a compaction keeps follow its summary, and the next record follows them.
    if (record.id !== undefined)
      this.#keep(record.id, isReplacing ? { branch, entry: branch.entries.at(-1) } : node);
    return branch;
  }

  /** Ends a file from whose last record the agent goes on, for agents that do. */
  goesOnFromLast(agent = ""): void {
    if (this.#last) this.#pathBehind(this.#last.node, agent);
  }

  #note(known: TreeRecord): void {
    const { record, parent, entry, agent = "", calls = emptyList, answers = emptyList, replaces } = known;
    const newest = this.#newest.get(agent);
    const open = this.#newestLoose.get(agent);
    if (open && entry) {
      open.reply ??= entry.reply;
      if (entry.reply === undefined || entry.reply === open.reply)
        open.loose.answers = [...open.loose.answers, ...answers];
      else this.#newestLoose.delete(agent);
    }
    const isLoose = record && parent !== undefined && !replaces && !this.#find(parent);
    if (isLoose && !newest) this.#begunElsewhere.add(agent);
    if (isLoose && newest && !this.#begunElsewhere.has(agent)) {
      const loose = { record, parent, answers, callsBefore: newest.calls };
      this.#loose.push(loose);
      this.#newestLoose.set(agent, { loose, reply: entry?.reply });
    }
    for (const call of calls) this.#made.add(call);
    for (const call of answers) this.#answered.add(call);
    if (!entry) return;
    const { reply = newest?.reply } = entry;
    const earlier = newest && reply === newest.reply ? newest.calls : emptyList;
    if (!newest || calls.length > 0 || reply !== newest.reply)
      this.#newest.set(agent, { reply, calls: calls.length > 0 ? [...earlier, ...calls] : earlier });
  }

  #addNote({ id, parent: parentId, agent = "" }: TreeRecord): GrowingBranch {
    const parent = this.#find(parentId);
    const branch =
      parent?.branch ?? this.#current.get(agent) ?? this.#begin(agent, newBranch(this.#protocol));
    if (id !== undefined) this.#keep(id, { branch, entry: parent ? parent.entry : branch.entries.at(-1) });
    return branch;
  }

  #branchFor(record: TreeRecord, entry: Entry): GrowingBranch {
    const { agent = "" } = record;
    const caller = this.#find(record.answers?.[0]);
    const parent = this.#find(record.parent);
    if (caller) {
      const isAfterCall = caller.entry !== undefined && parent?.entry === caller.entry;
      if (isAfterCall && !this.#isInNewestRound(caller.branch, caller.entry, entry))
        this.#aside.set(entry, caller.entry);
      return caller.branch;
    }
    if (!parent) {
      const current = this.#current.get(agent);
      const isCutOff =
        record.parent !== undefined || current?.entries.every(({ reply }) => reply === undefined);
      return current && isCutOff ? current : this.#begin(agent, newBranch(this.#protocol));
    }
    const path = this.#pathBehind(parent, agent);
    if (path) return path;
    const { branch } = parent;
    if (this.#isInNewestRound(branch, parent.entry, entry)) {
      this.#current.set(agent, branch);
      return branch;
    }
    const own = parent.entry ? branch.entries.lastIndexOf(parent.entry) + 1 : 0;
    return this.#begin(agent, forked(branch, startOf(branch) + own));
  }

  /**
   * A late result may be one that the path just misses. If something follows it, the agent loads the path
   * from the call over the result, without what was written between the two.
   */
  #pathBehind({ branch, entry }: Node, agent: string): GrowingBranch | undefined {
    const { entries } = branch;
    const call = entry && this.#aside.get(entry);
    if (!call || entries.at(-1) !== entry || !entries.includes(call)) return undefined;
    const length = lengthOf(branch);
    if (this.branches.some(({ origin }) => origin?.branch === branch && origin.length === length))
      return undefined;
    const from = entries.findLastIndex((each) => !this.#aside.has(each)) + 1;
    const results = entries.splice(from);
    let end = entries.lastIndexOf(call) + 1;
    for (let next = entries[end]; next; next = entries[++end])
      if (!this.#results.has(next) && (next.reply === undefined || next.reply !== call.reply)) break;
    const path = this.#begin(agent, forked(branch, startOf(branch) + end));
    pushAll(path.entries, results);
    for (const result of results) this.#taken.set(result, path);
    return path;
  }

  /** Only the rest of one round follows the parent: other parts of its reply, and results. */
  #isInNewestRound({ entries }: GrowingBranch, parent: Entry | undefined, entry: Entry): boolean {
    for (let index = entries.length - 1; index >= 0; index--) {
      const other = entries[index] as Entry;
      if (other === parent) return true;
      const isSameReply =
        other.reply !== undefined && (other.reply === parent?.reply || other.reply === entry.reply);
      if (!isSameReply && !this.#results.has(other)) return false;
    }
    return parent === undefined;
  }

  #replace(keptFrom: string, entry: Entry, agent = ""): GrowingBranch {
    const current = this.#current.get(agent);
    if (!current) return this.#begin(agent, newBranch(this.#protocol));
    const from = this.#nodes.get(keptFrom);
    const kept = from ? current.entries.slice(from.entry ? current.entries.lastIndexOf(from.entry) : 0) : [];
    const branch = this.#begin(agent, compacted(current, [entry, ...kept]));
    if (branch.origin) branch.origin = { ...branch.origin, kept: { from: 1, to: 1 + kept.length } };
    return branch;
  }

  #begin(agent: string, branch: GrowingBranch): GrowingBranch {
    this.branches.push(branch);
    this.#current.set(agent, branch);
    return branch;
  }

  #find(id: string | undefined): Node | undefined {
    if (id === undefined) return undefined;
    const node = id === this.#last?.id ? this.#last.node : this.#nodes.get(id);
    const taken = node?.entry && this.#taken.get(node.entry);
    return taken ? { branch: taken, entry: node.entry } : node;
  }

  #keep(id: string, node: Node): void {
    this.#nodes.set(id, node);
    this.#last = { id, node };
  }
}
