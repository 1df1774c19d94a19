import { append, emptyList } from "../../../reading/lists.ts";
import { parseJson } from "../../../reading/parse.ts";
import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import type { Branch, Entry } from "../../../traffic/transcript.ts";
import { amendReply, type GrowingBranch, takingRecords } from "../branches.ts";
import { has } from "../head.ts";
import { otherType, repeatsEarlier } from "../other-records.ts";
import type { LeftOut } from "../partial-record.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";
import { RecordTree } from "../tree.ts";

export const format: SessionFormat = {
  name: "claude-code",
  summary: "session files of Claude Code (~/.claude/projects), also of its sub-agents",
  signs: "records with uuid, sessionId and a message",
  recognize: (head) =>
    head.lines.some((line) => {
      const message = fields(line["message"]);
      return has(line, "uuid", "sessionId") && has(message, "role") && !has(message, "parts");
    }),
};

/**
 * Claude Code's session files. Each record names its parent. The blocks of a model's message take one line
 * each, all with the same message id.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const tree = new RecordTree("anthropic");
  let isAtBoundary = false;
  const agents = new Map<string, GrowingBranch>();
  /** By sub-agent, the id of the call that started it. */
  const callers = new Map<unknown, string>();
  let before: Entry | undefined;
  let newest: string | undefined;
  /** By session and agent, the newest record, and whether any has named its parent. */
  const chains = new Map<string, Chain>();
  const answered = new Set<string>();
  /** The calls since the user last spoke. */
  let open: readonly string[] = emptyList;
  for (const record of file.lines(leftOut)) {
    const { value } = record;
    const id = filled(value["uuid"]);
    const named = filled(value["parentUuid"]);
    if (id !== undefined && tree.has(id)) {
      file.skip(record, repeatsEarlier);
      continue;
    }
    const unnamed = unnamedResult(record, open);
    const entry = unnamed ?? entryOf(record, before);
    if (entry?.reply !== undefined) before = entry;
    const agent = agentOf(value);
    const session = filled(value["sessionId"]);
    if (session !== undefined) file.belongsTo(session, value["isSidechain"] === true);
    // Files of several sessions may stand in one.
    const isOwn = id !== undefined && (newest === undefined || newest === session);
    newest = session;
    const chain = chains.get(`${session} ${agent}`) ?? { isLinked: false };
    if (named !== undefined) chain.isLinked = true;
    chains.set(`${session} ${agent}`, chain);
    if (!entry) {
      const parent = named;
      isAtBoundary ||= value["subtype"] === "compact_boundary";
      if (id !== undefined) tree.add({ id, parent, agent, ...(isOwn && { record }) });
      const call = filled(value["parentToolUseID"]);
      if (call !== undefined) callers.set(fields(value["data"])["agentId"], call);
      file.skip(record, reasonOf(value));
      continue;
    }
    const isSummary = value["isCompactSummary"] === true || (isAtBoundary && named === undefined);
    isAtBoundary &&= !isSummary;
    const { calls, answers } = idsOf(fields(unnamed?.value ?? value["message"])["content"]);
    if (named === undefined && answers.length > 0 && answers.every((call) => answered.has(call))) {
      file.skip(record, repeatsEarlier);
      continue;
    }
    for (const call of answers) answered.add(call);
    // Only the user begins anew. Programs that write such files may name no parent at all.
    const isRoot = entry.reply === undefined && answers.length === 0 && chain.isLinked;
    const time = filled(value["timestamp"]) ?? "";
    // A resumed session of older versions writes its history again, in any order.
    chain.isDisordered ||= time < (chain.time ?? "");
    const parent = named ?? (isRoot || chain.isDisordered ? undefined : chain.newest);
    chain.newest = id ?? chain.newest;
    chain.time = time;
    if (entry.reply === undefined) open = emptyList;
    else if (calls.length > 0) open = [...open, ...calls];
    const isResult = answers.length > 0;
    const node = { id, parent, entry, agent, calls, answers, isResult, ...(isOwn && { record }) };
    const branch = tree.add(isSummary ? { ...node, replaces: { keptFrom: "" } } : node);
    if (!agents.has(agent)) agents.set(agent, branch);
    if (isInterruption(value)) interrupt(branch);
  }
  for (const { record, parent } of tree.lost()) {
    const isHealed = healsGaps(record.value["version"]);
    const effect = isHealed
      ? "which Claude Code repairs on loading"
      : "and Claude Code loads only what follows";
    file.lacksBefore(
      record,
      `the record \`${parent}\`, which this one follows, is not in the file, ${effect}`,
      isHealed,
    );
  }
  for (const [agent, branch] of agents) {
    const call = callers.get(agent);
    if (call !== undefined) branch.calledBy = call;
  }
  yield* takingRecords(tree.branches);
}

interface Chain {
  newest?: string | undefined;
  isLinked: boolean;
  time?: string;
  isDisordered?: boolean;
}

/**
 * Whether this version of Claude Code goes on with the record before a gap. 2.0.76 does not, 2.1.197 does; a
 * report about 2.1.62 shows that it does not, either.
 * @see https://github.com/anthropics/claude-code/issues/31328
 */
function healsGaps(version: unknown): boolean {
  const [major = 0, minor = 0, patch = 0] = (filled(version) ?? "").split(".").map(Number);
  return major > 2 || (major === 2 && (minor > 1 || (minor === 1 && patch >= 197)));
}

/** Each record repeats its tool results, which are most of a session's bytes. */
const leftOut: LeftOut = {
  mark: '"tool_result"',
  copy: "toolUseResult",
  texts: {
    key: "content",
    holders: (record) =>
      typeOf(record) === "user"
        ? list(fields(record["message"])["content"]).filter(
            (block) => fields(block)["type"] === "tool_result",
          )
        : [],
  },
};

/** The type of a record, which other programs leave to the role of its message. */
function typeOf(record: Fields): unknown {
  return record["type"] ?? fields(record["message"])["role"];
}

/** The ids of the calls that a message makes, and of those that it answers. */
function idsOf(content: unknown): { readonly calls: readonly string[]; readonly answers: readonly string[] } {
  let calls: readonly string[] = emptyList;
  let answers: readonly string[] = emptyList;
  for (const block of list(content)) {
    const { type, id, tool_use_id: answered } = fields(block);
    if (type === "tool_use" && typeof id === "string") calls = append(calls, id);
    else if (type === "tool_result" && typeof answered === "string") answers = append(answers, answered);
  }
  return { calls, answers };
}

/** Newer files name sub-agents by id; older ones only mark their records as a sidechain. */
function agentOf(value: Fields): string {
  return filled(value["agentId"]) ?? (value["isSidechain"] === true ? "sidechain" : "");
}

/** The client writes this as the user when somebody presses Escape. */
export function isInterruption(value: Fields): boolean {
  const { content } = fields(value["message"]);
  const text = typeof content === "string" ? content : fields(list(content)[0])["text"];
  return typeof text === "string" && /^\[Request interrupted by user/.test(text);
}

export function interrupt(branch: GrowingBranch): void {
  amendReply(branch, { isAborted: true });
}

/** A class, so that the tens of thousands of entries of a session share one shape. */
class MessageEntry implements Entry {
  readonly span: Entry["span"];
  readonly base: string;
  readonly pointer = "/message";
  declare time?: unknown;
  declare reply?: string;
  declare model?: string;
  declare usage?: NonNullable<Entry["usage"]>;
  declare finish?: NonNullable<Entry["finish"]>;
  declare error?: NonNullable<Entry["error"]>;
  value: unknown;

  constructor(value: unknown, { span, base }: SessionRecord) {
    this.value = value;
    this.span = span;
    this.base = base;
  }
}

/** A message with long texts. It is read whole only on demand, for example to write it back. */
class LazyEntry implements Entry {
  readonly outline: unknown;
  readonly span: Entry["span"];
  readonly base: string;
  readonly pointer = "/message";
  declare time?: unknown;
  #value: unknown;

  constructor(outline: unknown, { span, base }: SessionRecord) {
    this.outline = outline;
    this.span = span;
    this.base = base;
  }

  get value(): unknown {
    const { view, start, end } = this.span;
    this.#value ??= fields(parseJson(view.read(start, end).toString("utf8")))["message"];
    return this.#value;
  }
}

/**
 * The message of a record; `undefined` for notes about the session. Strings equal to those of `before`, the
 * model's previous entry, are shared to save memory.
 */
export function entryOf(record: SessionRecord, before?: Entry): Entry | undefined {
  const { value } = record;
  const kept = fields(value["message"]);
  const type = typeOf(value);
  if ((type !== "user" && type !== "assistant") || kept["content"] === undefined) return undefined;
  const message = kept["role"] === undefined ? { role: type, ...kept } : kept;
  const time = value["timestamp"];
  const entry = record.hasLazyTexts ? new LazyEntry(message, record) : new MessageEntry(message, record);
  if (time !== undefined) entry.time = time;
  // Only user messages hold results, so a partly read entry is never the model's.
  if (entry instanceof LazyEntry || type === "user") return entry;
  const { role, content } = message;
  // The other members describe the reply; the entry's own fields carry them.
  if (message["tool_calls"] === undefined) entry.value = { role, content };
  entry.reply = same(filled(message["id"]) ?? filled(value["uuid"]) ?? "", before?.reply);
  const model = filled(message["model"]);
  if (model !== undefined && model !== "<synthetic>") entry.model = same(model, before?.model);
  const usage = usageOf(message["usage"]);
  if (usage) entry.usage = usage;
  if (value["isApiErrorMessage"] === true) {
    const text = fields(list(content)[0])["text"];
    entry.error = { message: typeof text === "string" ? text : "the request failed", pointer: "/content" };
    return entry;
  }
  // While the reply still streams, nearly all lines say null.
  const reason = filled(message["stop_reason"]);
  if (reason !== undefined) entry.finish = { reason, pointer: "/stop_reason" };
  return entry;
}

/** Programs that write such sessions themselves keep a result without the id of its call. */
function unnamedResult(record: SessionRecord, open: readonly string[]): Entry | undefined {
  const { content } = fields(record.value["message"]);
  const [id] = open;
  if (record.value["type"] !== "tool_result" || content === undefined || open.length !== 1) return undefined;
  const result = { type: "tool_result", tool_use_id: id, content };
  return new MessageEntry({ role: "user", content: [result] }, record);
}

/** Returns the string already in memory if both are equal. */
function same(text: string, kept: string | undefined): string {
  return text === kept ? kept : text;
}

function usageOf(value: unknown): Entry["usage"] {
  const usage = fields(value);
  const count = (key: string): number => (typeof usage[key] === "number" ? usage[key] : 0);
  if (typeof usage["output_tokens"] !== "number") return undefined;
  const cached = count("cache_read_input_tokens");
  return {
    input: count("input_tokens") + cached + count("cache_creation_input_tokens"),
    output: count("output_tokens"),
    cached,
  };
}

const reasons: ReadonlyMap<unknown, string> = new Map([
  ["summary", "a title for the list of sessions"],
  ["file-history-snapshot", "a backup of files"],
  ["queue-operation", "queued input"],
  ["progress", "progress display"],
  ["attachment", "context that the client adds itself"],
]);

function reasonOf(value: Fields): string {
  return reasons.get(value["type"]) ?? otherType(filled(value["subtype"]) ?? filled(value["type"]));
}
