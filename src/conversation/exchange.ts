import type { Element, SharedRun } from "../reading/shared-run.ts";
import type { Fidelity } from "../traffic/fidelity.ts";
import type { HistoryGap, RequestCopy } from "../traffic/payload.ts";
import type { PayloadPlace } from "../traffic/place.ts";
import type { Session } from "../traffic/session.ts";
import type { Item, Role } from "./item.ts";
import type { Reply } from "./reply.ts";

export type { PayloadPlace };

/** What the client sent, in terms common to all protocols. */
export interface Request {
  readonly place: PayloadPlace;
  /** Pointer from the body to the history array (`/messages`, `/input`, `/request/contents`). */
  readonly historyPointer: string;
  readonly history: History;
  /** System prompts outside the history (Anthropic `system`, Responses `instructions`), joined. */
  readonly system: string | undefined;
  /** The tools offered; `undefined` when the request has no tool list. */
  readonly tools: readonly ToolDefinition[] | undefined;
  readonly toolChoice: ToolChoice | undefined;
  readonly model: string | undefined;
  readonly maxTokens: number | undefined;
  readonly isStreaming: boolean;
  readonly links: ServerLinks;
  /** Further copies of this request in its record. A fix must change them too. */
  readonly copies?: readonly RequestCopy[];
  /** Only the history is recorded, without a request around it: it may never have been sent in this form. */
  readonly isBare?: boolean;
  /** The history is a part of a record about a task or a chat: no API takes the members beside it. */
  readonly isOfRecord?: boolean;
  /** The session that the record of the history names, where it stands beside it. */
  readonly session?: string;
  /** The log lost a part of the request; whatever is missing may have been sent. */
  readonly isCut?: boolean;
  /** Of a cut request: where its history lacks something; absent if nobody knows. */
  readonly gaps?: readonly HistoryGap[];
  /** Protocol facts that rules need beyond the history: reasoning, storage … */
  readonly settings: RequestSettings;
}

export interface RequestSettings {
  /** The request turns reasoning on or leaves it to the model (`adaptive`); `undefined` if unspecified. */
  readonly reasoning?: boolean | "adaptive";
  /** The request asks the provider not to store the response (`store: false`). */
  readonly isUnstored?: boolean;
  /** It asks the model for nothing: a warm-up, a quota probe. */
  readonly isProbe?: boolean;
  /** Asks the server for a summary of the history, which may end at any point, in place of a reply. */
  readonly isCompaction?: boolean;
  /** The last message is declared as the start of the reply (`prefix: true`, `continue_final_message`). */
  readonly isPrefill?: boolean;
  /** The reply has to be JSON, or to follow a schema. */
  readonly hasAnswerForm?: boolean;
  /** The server may supply instructions and tools from a stored prompt that the request names by id. */
  readonly hasStoredPrompt?: boolean;
}

/** How a request refers to history stored by the server. */
export interface ServerLinks {
  /** `previous_response_id`, `previous_message_id`. */
  readonly previousReply?: string;
  /** The key under which the server stores the history (`conversation`, a thread). */
  readonly conversation?: string;
  /** The client's own conversation key (`prompt_cache_key`, `client_metadata.thread_id`, `user`). */
  readonly clientKey?: string;
}

export interface ToolDefinition {
  readonly name: string;
  /** JSON Schema of the arguments; absent for hosted and free-text tools. */
  readonly parameters?: unknown;
  /** The request demands exact schema conformance (`strict: true`). */
  readonly isStrict?: boolean;
  readonly isHosted: boolean;
  /** Its type, if the protocol does not know it. */
  readonly unknownType?: string;
  /** Its results may come in any later request, so its calls are open by right until then. */
  readonly isDeferred?: boolean;
  /** RFC 6901 pointer from the body. */
  readonly pointer: string;
}

export interface ToolChoice {
  readonly mode: "auto" | "none" | "required" | "tool";
  /** The forced tool, with mode `tool`. */
  readonly name?: string;
}

/**
 * The history of one request: elements (messages, contents, input items), possibly shared with other
 * requests. A shared element is the same object, so compare by reference first.
 */
export interface History {
  readonly length: number;
  /** The element at `index`, from 0. */
  element(index: number): Element;
  /** The items decoded from the element at `index`; the same array for the same element. */
  items(index: number): readonly Item[];
  /** The role of the element at `index`. */
  role(index: number): Role;
  /** The run of shared elements that backs this history. */
  readonly run: SharedRun;
}

/**
 * The evidence for the provider whose demands apply: the request's host, marks in the reply, the model name,
 * the user's statement (`profile`), or the user's question whether the request could go there (`target`).
 */
export type JudgedBy = "host" | "reply" | "model" | "profile" | "target";

/** A part of a request's body that violates its protocol's schema. */
export interface RequestFault {
  /**
   * The kind of violation.
   * - `type`: wrong type
   * - `missing`: a required member is absent
   * - `value`: not one of the known values
   * - `unknown`: an unknown member
   * - `misplaced`: a known member that is not allowed here
   * - `limit`: too long, too many
   * - `alone`: a member that requires another, absent one
   * - `together`: a member or value that another member, or the model, rules out
   * - `text`: half a surrogate pair, which no encoding can carry
   */
  readonly kind:
    | "type"
    | "missing"
    | "value"
    | "unknown"
    | "misplaced"
    | "limit"
    | "alone"
    | "together"
    | "text";
  /** RFC 6901 pointer, from the body or history element, to the value or to the object lacking a member. */
  readonly pointer: string;
  /** The member that is missing, unknown, misplaced or alone; `pointer` is its object's. */
  readonly member?: string;
  /**
   * The allowed values, described: `a string`, `at most 64 characters`, the values themselves. With
   * `together`: the clause that says what rules the member out, "which the API refuses while it thinks".
   */
  readonly wanted: string;
  /** The actual value, described or as JSON; absent for a missing member. */
  readonly seen?: string;
  /** The names or values known for this place. */
  readonly known: readonly string[];
  /** A type or role that no known API has. A newer API may have it, so it is no proof of a mistake. */
  readonly isUnheardOf?: boolean;
  /** Writers of logs leave this out, so it counts only where the provider itself is known to have got it. */
  readonly isAbridgeable?: true;
}

/** How a request's body compares with its protocol's schema. */
export interface RequestForm {
  /** The names of the body's members, without the history. */
  readonly members: readonly string[];
  /** The faults of the body, without the history. */
  readonly faults: readonly RequestFault[];
  /** The cached faults of the history element at `index`; `among`: a history edited from this one. */
  elementFaults(index: number, among?: History): readonly RequestFault[];
  /** Faults of a reply's element, as `elementFaults`, if a history were to carry it. */
  writtenFaults(element: unknown): readonly RequestFault[];
}

/**
 * What a request is for: a turn of the model, counting its tokens, compacting a history, reading or changing
 * stored data, or something else, with bodies that the protocol does not cover.
 */
export type Purpose = "turn" | "count" | "compaction" | "stored" | "other";

/** One request and its reply, decoded. */
export interface Exchange {
  /** Number within the file, from 1, by the position of the request (or of the reply, without a request). */
  readonly number: number;
  /** The file that contains it, as reports name it. */
  readonly file: string;
  /** Number within the run, from 1. A run may span several files; equals `number` in a run of one file. */
  readonly position: number;
  readonly protocol: string;
  readonly demands: Demands;
  /** The provider whose demands apply, if host or model identify it. */
  readonly profile?: string;
  /** The same provider's name in sentences. */
  readonly provider?: string;
  /** The evidence for the profile; absent without one. */
  readonly judgedBy?: JudgedBy;
  /** The request went, or is to go (`target`), to the provider with these demands; else they are presumed. */
  readonly isOwnProvider: boolean;
  readonly fidelity: Fidelity;
  /** Absent for a turn of the model. */
  readonly purpose?: Exclude<Purpose, "turn">;
  readonly request: Request | undefined;
  readonly reply: Reply | undefined;
  /** The request's body compared with its protocol's schema; absent without a request or schema. */
  readonly form?: RequestForm;
  readonly url?: string;
  /** The part of its file that it stands in, where the file has parts that do not continue each other. */
  readonly part?: number;
  readonly status?: number;
  /** When the request was sent, in milliseconds since the epoch; absent when the log does not say. */
  readonly time?: number;
  readonly durationMs?: number;
  /** Request headers; lower-case names, secrets masked. */
  readonly headers: Readonly<Record<string, string>>;
  /** The log shows that the traffic ended here: a cut connection, a client that went away. */
  readonly isAborted: boolean;
  /** The logger cut or lost part of the reply, so content rules cannot judge it. */
  readonly isCut: boolean;
  /** In a transcript: a record between the beginning of the previous reply and this one cannot be read. */
  readonly lacksRecord?: true;
  /** In a transcript: what the exchange continues, according to the log. Absent where stitching finds out. */
  readonly lineage?: Lineage;
  /** The session it comes from; one object for all exchanges of one branch. */
  readonly session?: Session;
}

/** What an exchange of a transcript continues. Its successors refer to the same object. */
export interface Lineage {
  /** Absent for the first of a conversation. */
  readonly from: Lineage | undefined;
  readonly relation: "start" | "continuation" | "branch" | "compaction";
  /** The range of history elements that were there before. */
  readonly known: { readonly from: number; readonly to: number };
  /** The log lacks what came before. */
  readonly isPartial: boolean;
  /** The id of the call that started this sub-agent, if the log names it. */
  readonly calledBy?: string;
}

/**
 * The exchanges that belong to conversations: turns of a model, and compactions, which carry what was said
 * until then. All of them if there is none.
 */
export function turnsAmong(exchanges: readonly Exchange[]): readonly Exchange[] {
  const turns = exchanges.filter(({ purpose }) => purpose === undefined || purpose === "compaction");
  return turns.length > 0 ? turns : exchanges;
}

/** A provider's demands on one kind of call. */
export interface CallKind {
  /** The kinds of result that answer it, the most usual first; empty if none is expected. */
  readonly results: readonly string[];
  /** Without an id it pairs by name and order, even where other calls pair by id. */
  readonly pairsByOrder?: boolean;
  /** The call itself must accompany its result; a reference to it is not enough. */
  readonly isUnreferable?: boolean;
  /** The prefix of its item ids. */
  readonly idPrefix?: string;
  /** The pattern of its call ids, if it differs from {@link Demands.idPattern}. */
  readonly idPattern?: RegExp;
}

/**
 * A provider's requirements as data: protocols fill it in, rules read it. Every field answers "does the
 * protocol's own provider reject or need this?".
 */
export interface Demands {
  /** Calls carry ids and results must name them; otherwise they pair by name and order. */
  readonly pairsBy: "id" | "order";
  /** Where results must follow their calls; `anywhere`: any order within the request. */
  readonly adjacency: "next-message" | "following-run" | "anywhere";
  /** Results come first in the answering message. */
  readonly resultsFirst: boolean;
  /** The provider rejects a call without a result. */
  readonly refusesUnanswered: boolean;
  /** The provider rejects a result without a call. */
  readonly refusesOrphans: boolean;
  /** The protocol has a stop reason that announces calls (`tool_calls`, `tool_use`). */
  readonly hasCallsReason: boolean;
  /** A forced `tool_choice` makes the provider report "stop" even though there are calls. */
  readonly forcedChoiceStops: boolean;
  /** The kinds of call with their own demands, by {@link ToolCall.wireType}; empty if all calls are alike. */
  readonly callKinds: ReadonlyMap<string, CallKind>;
  /** Call arguments travel as JSON text (`text`) or as an object (`object`). */
  readonly argumentsAre: "text" | "object";
  /** Pattern for call ids, including the maximum length; absent if any id is accepted. */
  readonly idPattern?: RegExp;
  readonly maxIdLength?: number;
  /** The shorter limit of another host that serves the same models. */
  readonly maxIdLengthElsewhere?: number;
  /** Consecutive elements of one role form one turn. */
  readonly mergesRoles: boolean;
  /** A request may leave earlier turns to the server (`previous_response_id`, threads). */
  readonly hasServerHistory: boolean;
  /** The server also stores the system prompt and the tools of the requests that it continues. */
  readonly keepsPrompt: boolean;
  /** The provider rejects an empty text block or message. */
  readonly refusesEmptyText: boolean;
  /** The provider rejects two results for one call. */
  readonly refusesDuplicateResults: boolean;
  // Optional demands: absence means nothing, since only some providers are known to have them.
  /** Rejects a text of nothing but white space also next to a call. */
  readonly refusesBlankText?: boolean;
  /** Rejects a message with neither text nor call, even if it accepts an empty text. */
  readonly refusesEmptyMessages?: boolean;
  /** Rejects a model message whose content is an empty list, even next to calls. */
  readonly refusesEmptyLists?: boolean;
  /** Treats an empty list of calls as absent. */
  readonly acceptsEmptyCalls?: boolean;
  /** The roles that may begin a history. A result there has lost its call, which is a separate matter. */
  readonly firstRoles?: readonly Role[];
  /** A history may not begin with the model's calls. */
  readonly refusesFirstCall?: boolean;
  /** User and assistant must alternate; system prompts, calls and results do not count. */
  readonly alternates?: boolean;
  /** Needs a model message between a result and the next user message, at least for some models. */
  readonly refusesUserAfterResult?: boolean;
  /** The roles that a system message may follow, for a provider that takes one anywhere else than first. */
  readonly systemFollows?: readonly Role[];
  /** System prompts may only come first. */
  readonly systemFirst?: boolean;
  /** Needs words of the user; results of tools are none. */
  readonly needsUser?: boolean;
  /** Takes no system prompt among the messages. */
  readonly refusesSystem?: boolean;
  /** A history may not end with a model message. */
  readonly refusesPrefill?: boolean;
  /** A final model message may not end with white space. */
  readonly refusesTrailingSpace?: boolean;
  /** A history may not end with two model messages. */
  readonly refusesTwoAtEnd?: boolean;
  /** Rejects a history with calls if the request offers no tools. */
  readonly needsTools?: boolean;
  /** A history may not end with a model message without its thinking while thinking is on. */
  readonly refusesThinkingPrefill?: boolean;
  /** Pairs calls and results of hosted tools in the model's messages; rejects one without the other. */
  readonly pairsHosted?: boolean;
  /** Rejects reasoning without its signature. */
  readonly needsSeals?: boolean;
  /** How the ids of items begin, by kind. Absent if ids have no such form. */
  readonly itemPrefixes?: ItemPrefixes | undefined;
  /** Finds the call of a result by its id in the whole history, so the ids of earlier turns are taken. */
  readonly looksIdsUp?: boolean;
  /** With thinking off, a final model message may contain no thinking. */
  readonly refusesIdleReasoning?: boolean;
  /** Reasoning must come back without its signature, or not at all. */
  readonly refusesSeals?: boolean;
  /** Names of message members in which it rejects reasoning, though it accepts it in others. */
  readonly refusedReasoningMembers?: readonly string[];
  /** Rejects unknown members and values over its limits; other servers of the protocol are more lenient. */
  readonly isStrict?: boolean;
  /** Calls of one reply must come back as one turn, and those of two replies as two. */
  readonly keepsRounds?: boolean;
  /**
   * Which reasoning must come back: at the start of the assistant turn whose results the request sends
   * (`first-of-turn`), in every message with calls (`with-calls`), in those since the user's last words
   * (`with-last-calls`), as a signature of the first call in each of these (`signed-calls`), or with items
   * sent under their own ids (`with-ids`).
   */
  reasoning?(
    request: Request,
  ): "first-of-turn" | "with-calls" | "with-last-calls" | "signed-calls" | "with-ids" | undefined;
  /** The model reasons before each of its calls, so reasoning is missing even if the log shows none. */
  surelyReasons?(request: Request): boolean;
  /** The body member that turns thinking on; without it thinking is off. */
  readonly thinkingKey?: string;
  /** Members that it rejects because of another member, or of the model. */
  readonly conflicts?: readonly Conflict[];
  /** Rejects two tools of one name. */
  readonly wantsUniqueTools?: boolean;
  /** Faults of a history element that only this provider rejects; pointers lead from the element. */
  elementFaults?(element: unknown): readonly RequestFault[];
}

/** How the ids of a history's items begin. */
export interface ItemPrefixes {
  readonly message: string;
  readonly reasoning: string;
  readonly call: string;
}

/** A member that a provider rejects because of what else a request holds. */
export interface Conflict {
  /** The name of the member in the body. */
  readonly member: string;
  /** What rules it out, as a clause: "which the API refuses while the model thinks". */
  readonly clause: string;
  /** Whether a request has the conflict. `members` are the body's, without the history. */
  isIn(members: Readonly<Record<string, unknown>>, request: Request): boolean;
  /** The pointer of the place within the member; absent: all of it. */
  place?(value: unknown): string;
}
