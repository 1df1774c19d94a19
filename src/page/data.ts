/**
 * What the HTML page holds for its scripts: an index, and the texts in blocks. Every item and
 * every text stands in the file once; steps refer to them by number. In all strings credentials are masked,
 * and control and invisible characters are visible (`\u{202e}`); nothing is escaped for HTML: whoever
 * renders them does it.
 */
export interface PageData {
  readonly kind: "check" | "show" | "diff" | "replay";
  /** The version of toollint that wrote the page. */
  readonly version: string;
  /** The log or logs in short: `run.jsonl`, `failing.log ↔ passing.log`, `12 files`. */
  readonly title: string;
  readonly files: readonly PageFile[];
  readonly conversations: readonly PageConversation[];
  readonly items: readonly PageItem[];
  /** All findings in the order of the report; consequences follow their `cause`. Empty for `show`. */
  readonly findings: readonly PageFinding[];
  readonly diagnoses: readonly PageDiagnosis[];
  readonly repairs: readonly PageRepair[];
  readonly texts: PageTexts;
  /**
   * Of a page with thousands of items: the texts with their previews and with the ids of calls, a line for
   * each item. Until they are filled in, `preview` is empty and `callId` absent.
   */
  readonly later?: { readonly previews: TextNumber; readonly callIds: TextNumber };
  readonly diff?: PageDiff;
  readonly replay?: PageReplay;
}

export interface PageFile {
  readonly path: string;
  readonly container: string;
  readonly protocols: readonly string[];
  readonly exchanges: number;
}

/**
 * Number of a text in {@link PageTexts}.
 */
export type TextNumber = number;

/** Number of an item in {@link PageData.items}. */
export type ItemNumber = number;

/**
 * The texts: text `n` has `sizes[n]` UTF-16 code units and stands in block `blocks[n]` after the texts of
 * lower number in the same block. A block is the gzip of its texts' UTF-8, joined without separator, in
 * base64, in `<script type="text/plain" id="block-0">`. Block -1: the text is left out because the page
 * would be too large.
 */
export interface PageTexts {
  readonly sizes: readonly number[];
  readonly blocks: readonly number[];
  /** Number of texts left out, and their total size in bytes of UTF-8. */
  readonly leftOut: { readonly count: number; readonly bytes: number };
}

/** An item of a history or a reply, once, however many requests carry it. */
export interface PageItem {
  readonly kind: "message" | "reasoning" | "call" | "result" | "reference" | "compaction" | "opaque";
  readonly role: "system" | "user" | "assistant" | "tool" | "unknown";
  /** Its beginning, on one line, at most 160 characters; at most 48 where a page has thousands of items. */
  readonly preview: string;
  /**
   * Its whole text (arguments of a call as JSON, pretty-printed where they are JSON); absent where
   * `preview` is all of it.
   */
  readonly text?: TextNumber;
  /** Size of its text in bytes of UTF-8. */
  readonly bytes: number;
  readonly tool?: string;
  readonly callId?: string;
  /** Images, documents, audio: `image, 213 kB`. */
  readonly media?: readonly string[];
  /** What is to be known of it, and is nothing unusual: "run by the provider". */
  readonly traits?: readonly string[];
  /** Peculiarities in words (`answers no call`, `missing type`). */
  readonly remarks?: readonly string[];
  /** Its first place in the log: indexes and numbers as in {@link PagePlace}. */
  readonly place: PagePlace;
  /** The call that a result answers, or the result that answers a call, where the log shows it. */
  readonly partner?: ItemNumber;
}

/** A place in a log. Lines and columns count from 1. */
export interface PagePlace {
  /** Index in {@link PageData.files}. */
  readonly file: number;
  readonly line: number;
  readonly column: number;
}

/** An item with the place of this occurrence. */
export interface Occurrence {
  readonly item: ItemNumber;
  readonly line: number;
  readonly column: number;
  /** Remarks on this occurrence only. */
  readonly remarks?: readonly string[];
}

export interface PageConversation {
  /** `c1`, as `--conversation` takes it; unique within its log. */
  readonly name: string;
  /** The name in links, unique in the page: `c1`, or `c1.2` for that of the second log. */
  readonly id: string;
  /** Index in {@link PageData.files} of its first file. */
  readonly file: number;
  readonly protocol: string;
  readonly kind: "requests" | "transcript";
  readonly opening: string | null;
  /** The call that started this sub-agent: indexes of its conversation and step. */
  readonly calledBy: { readonly conversation: number; readonly step: number; readonly tool: string } | null;
  readonly totals: {
    readonly turns: number;
    readonly calls: number;
    readonly tokens: PageTokens | null;
    readonly durationMs: number | null;
  };
  /** In sending order; `number` is the index plus 1 unless only some were selected. */
  readonly steps: readonly PageStep[];
  readonly loops: readonly PageLoop[];
}

export interface PageTokens {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

/** One request and its reply. */
export interface PageStep {
  /**
   * Number within the conversation, from 1: `#step=12` leads here (with `conversation=c2` for another than
   * the first).
   */
  readonly number: number;
  readonly exchange: number;
  readonly file: number;
  readonly turn: number;
  readonly relation: "start" | "continuation" | "retry" | "repeat" | "branch" | "compaction";
  /** The relation in words where it is unusual: `retry of 4`. */
  readonly relationText?: string;
  readonly isAside?: true;
  readonly model?: string;
  /** ISO 8601. */
  readonly time?: string;
  readonly durationMs?: number;
  readonly status?: number;
  readonly isAborted?: true;
  readonly isPartial?: true;
  readonly request: PageRequest | null;
  readonly reply: PageReply | null;
  /**
   * Indexes in {@link PageData.findings} of the root findings whose place is this step; `also`: those whose
   * `alsoIn` names it.
   */
  readonly findings?: readonly number[];
  readonly also?: readonly number[];
}

export interface PageRequest {
  readonly line: number;
  readonly column: number;
  /** Number of history elements. */
  readonly length: number;
  /** The file that contains it, where it is not the step's. */
  readonly file?: number;
  /** The whole history, in order: see {@link historyAt}, which puts it together. */
  readonly history: readonly (HistoryRun | Occurrence)[];
  /** Against the history that it should have had (the previous history, the previous reply, what is new). */
  readonly added: readonly Occurrence[];
  readonly gone: readonly Occurrence[];
  readonly loss: string | null;
  readonly changed: readonly {
    readonly what: string;
    readonly before: Occurrence;
    readonly after: Occurrence;
  }[];
  readonly moved: readonly Occurrence[];
  /** Calls that have no result in this request. */
  readonly unanswered: readonly Occurrence[];
  /** The system prompt outside the history, if new or changed here; `null` if it was dropped. */
  readonly system?: TextNumber | null;
  /** Names of the offered tools, if new or changed here; `null` if they were dropped. */
  readonly tools?: readonly string[] | null;
}

/** Items that the history of an earlier step has, too. So a history costs only what is new in it. */
export interface HistoryRun {
  /** Index of that step in {@link PageConversation.steps}; it is lower. */
  readonly from: number;
  /** The range of its items, by their positions in its history. */
  readonly start: number;
  readonly count: number;
}

export interface PageReply {
  /** The file that contains it, where it is not the step's. */
  readonly file?: number;
  readonly line: number;
  readonly column: number;
  readonly form: "json" | "stream";
  readonly isOpen?: true;
  readonly items: readonly Occurrence[];
  readonly wantsTools?: true;
  /** What the reply amounts to, in words: `wants tools (tool_calls)`. */
  readonly outcome?: string;
  readonly tokens?: PageTokens;
  readonly error?: string;
  /** The events of a stream as they stand in the log; absent without a stream. */
  readonly events?: TextNumber;
}

/** The same calls made again: drawn as a bracket around its steps. */
export interface PageLoop {
  readonly calls: readonly { readonly tool: string; readonly arguments: string }[];
  /** Indexes in {@link PageConversation.steps}, ascending. */
  readonly steps: readonly number[];
  /** Number of different results; 0 if the log has none. */
  readonly results: number;
  /** What the repeats cost: `12,300 tokens, 41 s`; absent if the log does not say. */
  readonly cost?: string;
}

export interface PageFinding {
  /** `f1`, as in every other format. */
  readonly id: string;
  readonly rule: string;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
  /** `run.jsonl:412:9`, ready to copy. */
  readonly at: string;
  /** Index of its conversation, and of its step there; −1 where it has none. */
  readonly conversation: number;
  readonly step: number;
  /** The item that it is about, where it is about one. */
  readonly item?: ItemNumber;
  /** Index of the finding that this follows from; −1 for a root. */
  readonly cause: number;
  /** Exchanges that carry the same wrong item again. */
  readonly alsoIn: readonly number[];
  readonly tool?: string;
  readonly fix?: { readonly safety: "safe" | "lossy" | "inventing"; readonly title: string };
  /** Index in {@link PageData.repairs} of the repair that mends it. */
  readonly repair?: number;
}

export interface PageDiagnosis {
  readonly title: string;
  readonly consequence: string;
  /** What to change; markdown with `code` and at most one fenced block. */
  readonly change: string;
  /** Indexes in {@link PageData.findings}. */
  readonly findings: readonly number[];
}

/** The repair of one request. */
export interface PageRepair {
  readonly conversation: number;
  readonly step: number;
  /** What is repaired; `finding` is −1 for a mistake that only another repair revealed. */
  readonly edits: readonly { readonly finding: number; readonly safety: string; readonly title: string }[];
  /** The first items that the repair touches, without what an earlier repair shows. */
  readonly items: readonly RepairedItem[];
  /** All of them, in numbers. */
  readonly sums: readonly {
    readonly sign: RepairedItem["sign"];
    readonly count: number;
    readonly bytes: number;
  }[];
  /**
   * What changes in the request, as a unified diff of its elements, laid out: a line `@@ /messages/3 @@` says
   * where each part begins. Empty if earlier repairs show all of it.
   */
  readonly diff: TextNumber;
  /** The request also has changes that the diff of an earlier repair shows. */
  readonly isRest?: true;
}

/** A message, call or result that a repair puts in, takes out or changes. */
export interface RepairedItem extends Pick<PageItem, "kind" | "role" | "tool" | "preview" | "bytes"> {
  readonly sign: "added" | "removed" | "changed";
}

/** Two runs next to each other: conversation 0 is of the left (failing) log, conversation 1 of the right. */
export interface PageDiff {
  /** Aligned steps, by index in their conversations; −1 where one side has none. */
  readonly rows: readonly {
    readonly left: number;
    readonly right: number;
    readonly state: "same" | "different" | "only-left" | "only-right";
    /** What differs, in words. */
    readonly differences: readonly string[];
  }[];
  /** Index in `rows` of the first divergence; −1 if the runs are the same. */
  readonly first: number;
  /** The conclusion in a few sentences, as the text report gives it. */
  readonly verdict: readonly string[];
}

export interface PageReplay {
  readonly url: string;
  /** Index of the step that was sent, in conversation 0. */
  readonly step: number;
  readonly verdict: "passes" | "fails";
  readonly runs: readonly {
    readonly history: "repaired" | "broken";
    readonly outcome: string;
    readonly rounds: readonly {
      readonly status: number;
      readonly calls: readonly { readonly name: string; readonly arguments: string }[];
      readonly text: string;
      readonly stopReason: string | null;
    }[];
  }[];
}
