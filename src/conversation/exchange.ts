import type { Element, SharedRun } from "../reading/shared-run.ts";
import type { Fidelity } from "../traffic/fidelity.ts";
import type { RequestCopy } from "../traffic/payload.ts";
import type { Extent, PayloadPlace } from "../traffic/place.ts";
import type { Session } from "../traffic/session.ts";
import type { Item, Role } from "./item.ts";

export type { PayloadPlace };

/** What the client sent, in the words that all protocols share. */
export interface Request {
  readonly place: PayloadPlace;
  /** Pointer from the body to the history array (`/messages`, `/input`, `/request/contents`). */
  readonly historyPointer: string;
  readonly history: History;
  /** System prompts outside the history (Anthropic `system`, Responses `instructions`), joined. */
  readonly system: string | undefined;
  /** The tools offered; `undefined` when the request has no tool list at all. */
  readonly tools: readonly ToolDefinition[] | undefined;
  readonly toolChoice: ToolChoice | undefined;
  readonly model: string | undefined;
  readonly maxTokens: number | undefined;
  readonly isStreaming: boolean;
  readonly links: ServerLinks;
  /** The same request where its record holds it once more: what is changed here has to be changed there. */
  readonly copies?: readonly RequestCopy[];
  /** Only the history was kept, without a request around it: nobody says that it was sent as it stands. */
  readonly isBare?: boolean;
  /** The log has lost the end of it: what it lacks may have been sent. */
  readonly isCut?: boolean;
  /** Protocol facts that rules need beyond the history: reasoning switched on, storing switched off … */
  readonly settings: RequestSettings;
}

export interface RequestSettings {
  /** Thinking or reasoning is on by the request's own words, or left to the model (`adaptive`); `undefined` when it does not say. */
  readonly reasoning?: boolean | "adaptive";
  /** The provider is told not to keep the response (`store: false`). */
  readonly isUnstored?: boolean;
  /** Not a model turn: token counting, warm-up, quota probe. */
  readonly isProbe?: boolean;
  /** The last message is meant as the beginning of the reply, and says so (`prefix: true`, `continue_final_message`). */
  readonly isPrefill?: boolean;
  /** Instructions and tools may be kept by the server, under the id of a prompt. */
  readonly hasStoredPrompt?: boolean;
}

/** How a request leans on history that the server holds. */
export interface ServerLinks {
  /** `previous_response_id`, `previous_message_id`. */
  readonly previousReply?: string;
  /** `conversation`, a thread: the key under which the server keeps the history. */
  readonly conversation?: string;
  /** The client's own key for one conversation (`prompt_cache_key`, `client_metadata.thread_id`, `user`/session metadata). */
  readonly clientKey?: string;
}

export interface ToolDefinition {
  readonly name: string;
  /** JSON Schema of the arguments; absent for hosted and free-text tools. */
  readonly parameters?: unknown;
  /** The request asks that calls keep to the schema to the letter (`strict: true`). */
  readonly isStrict?: boolean;
  readonly isHosted: boolean;
  /** RFC 6901 pointer from the body. */
  readonly pointer: string;
}

export interface ToolChoice {
  readonly mode: "auto" | "none" | "required" | "tool";
  /** The tool that is forced, with mode `tool`. */
  readonly name?: string;
}

/**
 * The history of one request: elements (messages, contents, input items) that may be shared with other requests.
 * Elements are compared by reference first: a shared element is the same object.
 */
export interface History {
  readonly length: number;
  /** The element at `index`, counted from 0. */
  element(index: number): Element;
  /** The items that the protocol read from the element at `index`; the same array for the same element. */
  items(index: number): readonly Item[];
  /** The role of the element at `index`. */
  role(index: number): Role;
  /** The run of shared elements behind this history. */
  readonly run: SharedRun;
}

/** What a stop reason means, whatever the provider's word. */
export type FinishMeaning =
  | "answer"
  | "calls"
  | "length"
  | "filter"
  | "refusal"
  | "pause"
  | "malformed-call"
  | "error"
  | "compaction"
  | "other";

export interface Finish {
  /** The provider's own word. */
  readonly reason: string;
  /** The word of the server behind a gateway, where the reply has it (`native_finish_reason`). */
  readonly native?: string;
  readonly meaning: FinishMeaning;
  /** RFC 6901 pointer into the reply's body. */
  readonly pointer: string;
  readonly extent?: Extent;
}

export interface Usage {
  readonly input?: number;
  readonly output?: number;
  readonly cached?: number;
}

/** What came back, put together. */
export interface Reply {
  readonly place: PayloadPlace;
  /** `json`: one body; `stream`: events that were put together. */
  readonly form: "json" | "stream";
  readonly id?: string;
  readonly model?: string;
  readonly items: readonly Item[];
  /**
   * The reply as elements of a history, as a client that loses nothing appends it. The first writing is what the provider's own documents
   * show; the others are what known clients write in its place. Absent where the reply said nothing.
   */
  readonly writings?: readonly (readonly unknown[])[];
  /** Absent when the reply names no reason, as a stream does that was cut. */
  readonly finish?: Finish;
  readonly usage?: Usage;
  /** `open`: a stream without its terminal event. */
  readonly state: "complete" | "open";
  /** The provider refused or failed: an error body, or an error event inside a stream. */
  readonly error?: ReplyError;
  /** What a gateway tells of providers that it had asked before; absent when it tells of none. */
  readonly attempts?: readonly FailedAttempt[];
  readonly flaws: readonly ReplyFlaw[];
  /** Further choices or candidates beside the first, which `items` holds; 0 normally. */
  readonly otherChoices: number;
}

/** A provider behind a gateway that failed before another one answered. */
export interface FailedAttempt {
  readonly status: number | undefined;
  /** What it said. */
  readonly error: string;
  /** RFC 6901 pointer into the reply's body. */
  readonly pointer: string;
}

export interface ReplyError {
  readonly message: string;
  /** The value of the request that is meant, in the provider's own way of writing (`messages.[3].tool_calls`, `input[5]`). */
  readonly param?: string;
  /** What a server further behind said, where a gateway passes it on beside a message of its own. */
  readonly detail?: string;
  readonly type?: string;
  readonly code?: string;
  /** Inside a stream that had begun as a success. */
  readonly isMidStream: boolean;
  readonly pointer: string;
  readonly extent?: Extent;
}

/** A deviation in the form of a stream or reply, for which the server is responsible. */
export interface ReplyFlaw {
  readonly kind:
    | "missing-index"
    | "repeated-index"
    | "missing-id"
    | "empty-id"
    | "changed-id"
    | "missing-name"
    | "repeated-name"
    | "missing-arguments"
    | "no-finish-reason"
    | "closed-block"
    | "cut-frame"
    | "unseparated-frames"
    | "missing-keys"
    | "delta-mismatch";
  /** Only one reading is possible, so nothing was lost by it. */
  readonly isHarmless: boolean;
  readonly detail: string;
  readonly pointer: string;
  readonly extent?: Extent;
}

/**
 * How it was found out by whose demands a request is judged: by the host that it went to, by marks of the reply, by the name of the model,
 * because somebody said where it went (`profile`), or asks whether it could go there (`target`: whatever was answered to it).
 */
export type JudgedBy = "host" | "reply" | "model" | "profile" | "target";

/** Something in a request's body that the schema of its protocol does not allow. */
export interface RequestFault {
  /**
   * `type`: a value of another type; `missing`: a required member is not there; `value`: none of the values that are known here;
   * `unknown`: a member that is not known here; `misplaced`: one that is known not to be allowed here; `limit`: too long, too many;
   * `alone`: a member that may only stand beside another, which is not there; `text`: half of a character, which no encoding can carry.
   */
  readonly kind: "type" | "missing" | "value" | "unknown" | "misplaced" | "limit" | "alone" | "text";
  /** RFC 6901 pointer to the value, or to the object that lacks a member; from the body, or from the history element. */
  readonly pointer: string;
  /** The member that is missing, unknown, misplaced or alone; `pointer` is that of its object. */
  readonly member?: string;
  /** What may stand there, in words: `a string`, `at most 64 characters`, the values themselves. */
  readonly wanted: string;
  /** The value seen, in words or as JSON; absent for what is missing. */
  readonly seen?: string;
  /** The names or values that are known in this place. */
  readonly known: readonly string[];
}

/** What a request's body looks like beside its protocol's schema. */
export interface RequestForm {
  /** The names of the body's members, the history left out. */
  readonly members: readonly string[];
  /** The faults of the body, the history left out. */
  readonly faults: readonly RequestFault[];
  /**
   * The faults of the history's element at `index`; looked for once for each distinct element. `among`: a history that was made of the
   * recorded one.
   */
  elementFaults(index: number, among?: History): readonly RequestFault[];
}

/** One request and its reply, decoded. */
export interface Exchange {
  /** Counted from 1 in the file, by where the request begins (a reply without request: where it begins). */
  readonly number: number;
  /** The file that it stands in, as reports name it. */
  readonly file: string;
  /** Counted from 1 in the run, which may stretch over several files; equal to `number` in a run of one file. */
  readonly position: number;
  readonly protocol: string;
  readonly demands: Demands;
  /** The provider by whose demands it is judged, as far as host or model tell. */
  readonly profile?: string;
  /** How the profile was found out; absent without one. */
  readonly judgedBy?: JudgedBy;
  /** The request went to the provider whose demands these are, or is to go there (`target`); otherwise they are only presumed. */
  readonly isOwnProvider: boolean;
  readonly fidelity: Fidelity;
  readonly request: Request | undefined;
  readonly reply: Reply | undefined;
  /** How the request's body stands to the schema of its protocol; absent where there is no request, or no schema for it. */
  readonly form?: RequestForm;
  readonly url?: string;
  readonly status?: number;
  /** Milliseconds since the epoch; when the request was sent, where the log says so. */
  readonly time?: number;
  readonly durationMs?: number;
  /** Request headers, names in lower case; secrets are masked. */
  readonly headers: Readonly<Record<string, string>>;
  /** The log shows that the traffic stopped here: a connection cut, a client that went away. */
  readonly isAborted: boolean;
  /** The logger cut or lost a part of this exchange: content rules cannot judge it. */
  readonly isCut: boolean;
  /** In a transcript: what it goes on from, as the log itself tells. Absent where that is found out by comparing. */
  readonly lineage?: Lineage;
  /** The session that it was read from; the same object for all exchanges of one line of it. */
  readonly session?: Session;
}

/** How an exchange of a transcript came about. The same object names it for those that go on from it. */
export interface Lineage {
  /** Absent for the first of a conversation. */
  readonly from: Lineage | undefined;
  readonly relation: "start" | "continuation" | "branch" | "compaction";
  /** The elements of the history that had been there before. */
  readonly known: { readonly from: number; readonly to: number };
  /** The log lacks what came before. */
  readonly isPartial: boolean;
  /** The id of the call for which a sub-agent does its work here, where the log names it. */
  readonly calledBy?: string;
}

/** What a provider insists on for one kind of call. */
export interface CallKind {
  /** The kinds of result that answer it, the one that its clients send first; empty where it waits for none. */
  readonly results: readonly string[];
  /** Without an id it pairs by name and order, also where other calls pair by id. */
  readonly pairsByOrder?: boolean;
  /** The call itself has to stand beside its result: a reference to it does not do. */
  readonly isUnreferable?: boolean;
  /** The letters with which the ids of its items begin. */
  readonly idPrefix?: string;
}

/**
 * What a provider insists on, as data; read by the rules, filled in by the protocols.
 * Every field answers "does the protocol's own provider refuse or need this?".
 */
export interface Demands {
  /** Calls carry ids and results must name them; otherwise they pair by name and order. */
  readonly pairsBy: "id" | "order";
  /** Results must follow their calls directly; `anywhere`: order within the request is free. */
  readonly adjacency: "next-message" | "following-run" | "anywhere";
  /** Within the answering message the results come before anything else. */
  readonly resultsFirst: boolean;
  /** A call without its result anywhere is refused. */
  readonly refusesUnanswered: boolean;
  /** A result without its call is refused. */
  readonly refusesOrphans: boolean;
  /** The protocol has a stop reason that announces calls (`tool_calls`, `tool_use`). */
  readonly hasCallsReason: boolean;
  /** A forced `tool_choice` makes the provider say "stop" although there are calls. */
  readonly forcedChoiceStops: boolean;
  /** The kinds of call that have rules of their own, by the wire's word ({@link ToolCall.wireType}); empty where all calls are alike. */
  readonly callKinds: ReadonlyMap<string, CallKind>;
  /** Call arguments travel as JSON text (`text`) or as an object (`object`). */
  readonly argumentsAre: "text" | "object";
  /** Pattern that call ids must match, and the longest allowed; absent when anything goes. */
  readonly idPattern?: RegExp;
  readonly maxIdLength?: number;
  /** Consecutive elements of one role are read as one turn. */
  readonly mergesRoles: boolean;
  /** A request may leave earlier turns to the server (`previous_response_id`, threads). */
  readonly hasServerHistory: boolean;
  /** The server also keeps the system prompt and the tools of the requests that it continues. */
  readonly keepsPrompt: boolean;
  /** An empty text block or message is refused. */
  readonly refusesEmptyText: boolean;
  /** Two results for one call are refused. */
  readonly refusesDuplicateResults: boolean;
  // What follows says nothing while it is absent: only some providers are known to insist on it.
  /** A message with neither text nor call is refused, also where an empty text is not. */
  readonly refusesEmptyMessages?: boolean;
  /** A message of the model with an empty list for its content is refused, also beside calls. */
  readonly refusesEmptyLists?: boolean;
  /** An empty list of calls is taken for none. */
  readonly acceptsEmptyCalls?: boolean;
  /** The roles with which a history may begin. A result at its beginning has lost its call, which is another matter. */
  readonly firstRoles?: readonly Role[];
  /** User and assistant take turns; system prompts, calls and results do not count. */
  readonly alternates?: boolean;
  /** The model speaks between a result and the user's next words; some models of the provider do without. */
  readonly refusesUserAfterResult?: boolean;
  /** System prompts stand at the beginning, or nowhere. */
  readonly systemFirst?: boolean;
  /** A history may not end with words of the model. */
  readonly refusesPrefill?: boolean;
  /** Words of the model at the end of a history may not end with white space. */
  readonly refusesTrailingSpace?: boolean;
  /** A history may not end with two messages of the model. */
  readonly refusesTwoAtEnd?: boolean;
  /** A history with calls is refused when the request offers no tools. */
  readonly needsTools?: boolean;
  /** The ids of items begin with letters that stand for their kind (`fc_`, `rs_`). */
  readonly hasItemPrefixes?: boolean;
  /** While thinking is off, none may stand in the last message of a history that ends with the model. */
  readonly refusesIdleReasoning?: boolean;
  /** Reasoning comes back without its signature, or not at all. */
  readonly refusesSeals?: boolean;
  /** Members of a message under which reasoning is refused, though not under others. */
  readonly refusedReasoningMembers?: readonly string[];
  /** Members that its schema does not know, and values beyond its limits, are refused; servers that only speak the protocol take more. */
  readonly isStrict?: boolean;
  /** The calls of one reply have to come back as one turn, and those of two replies as two. */
  readonly keepsRounds?: boolean;
  /**
   * What reasoning has to come back with a request: at the beginning of the assistant turn whose results it sends (`first-of-turn`),
   * in every message with calls (`with-calls`), or together with items that are sent under their own ids (`with-ids`).
   */
  reasoning?(request: Request): "first-of-turn" | "with-calls" | "with-ids" | undefined;
  /** The member of a body that turns thinking on; without it there is none. */
  readonly thinkingKey?: string;
}
