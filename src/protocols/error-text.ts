import type { Demands } from "../conversation/exchange.ts";

/**
 * An error text of a provider and its meaning. Every pattern was reported or recorded; the rules' pages and
 * the providers' issue trackers say where. Patterns match the text as `matchErrorText` normalises it.
 * Complaints about one value at a path (`messages.3.content: Field required`) need no entry, unless the rule
 * does not follow from the path. All repetitions are bounded, because the texts come from logs.
 */
export interface ErrorText {
  /** Named groups: `ids` (comma-separated), `index` (history element, from 0), `nth` (from 1), `tool`. */
  readonly pattern: RegExp;
  /** The rule that names the defect, if there is one. */
  readonly rule: string | undefined;
  readonly about: Subject;
  /** A rule that explains the same words nearly as often: providers' words may mislead. */
  readonly or?: string;
  /** What to know or do, where no rule has a page for it. A sentence without full stop. */
  readonly advice?: string;
  /** Where to change it, if not in the client. */
  readonly changeIn?: "server";
  /** What a server demands of every request if it says this, whoever it is. */
  readonly demands?: Partial<Demands>;
  /** Whether the ids mean the calls or the results, if both have them. */
  readonly blames?: "call" | "result";
}

/**
 * What an error is about.
 * - `history`: the messages and calls that were sent
 * - `request`: another part of the request: its tools, its settings
 * - `size`: the length of the history
 * - `reply`: what the model wrote
 * - `service`: keys, addresses, limits, load: another history would not help
 */
export type Subject = "history" | "request" | "size" | "reply" | "service";

/** One id. */
export const id = "[\\w.:|-]{1,200}";
/** One or more ids, quoted or not. */
export const ids = `['"\`[]{0,2}(?!message\\[|each\\b)(?<ids>${id}(?:['"\`]?, ?['"\`]?${id}){0,200})`;

/** The advice for a server that takes content as text only. */
export const oneString =
  "this server, or the model's template, accepts content only as one string, not as a list of parts";

/** The advice for a message that lacks its content, or has `null` there. */
export const contentNeeded =
  "each message needs its `content`; next to calls an empty string is enough, on servers with OpenAI's API";

/** The advice for a name of a tool that a provider does not take. */
export const nameForm =
  "rename the tool, also in the calls of the history: every provider takes up to 64 letters, digits, `_` and `-`";

/** The advice for a schema whose top is a choice between others. */
export const plainTop =
  "make the top of the tool's schema a plain object: turn the alternatives into optional properties, or leave the tool out, if it is an MCP server's";

/** The advice for a server that says the same of every fault in the messages. */
const anyFault =
  "it says this of any fault in the messages: look for a history without words of the user, an empty message, and results without their call";

/** What most error texts mean. */
export const means = {
  orphan: { rule: "orphaned-tool-result", about: "history", blames: "result" },
  unanswered: { rule: "unanswered-tool-call", about: "history", blames: "call" },
  misplaced: { rule: "misplaced-tool-result", about: "history", or: "orphaned-tool-result" },
  duplicate: { rule: "duplicate-tool-result", about: "history", blames: "result" },
  mismatched: { rule: "call-id-mismatch", about: "history", blames: "result" },
  sharedId: { rule: "duplicate-call-id", about: "history", blames: "call" },
  badId: { rule: "invalid-call-id", about: "history" },
  unresolvable: { rule: "unresolvable-reference", about: "history" },
  lostReasoning: { rule: "dropped-reasoning", about: "history" },
  foreignReasoning: { rule: "refused-reasoning", about: "history" },
  rewritten: { rule: "rewritten-history", about: "history" },
  empty: { rule: "empty-content", about: "history" },
  turnOrder: { rule: "bad-turn-order", about: "history" },
  noTools: { rule: "dropped-tools", about: "history" },
  unknownTool: { rule: "undefined-tool", about: "history" },
  foreign: { rule: "mixed-protocols", about: "history" },
  badResult: { rule: "malformed-tool-result", about: "history", blames: "result" },
  brokenArguments: { rule: "incomplete-arguments", about: "history", blames: "call" },
  misencoded: { rule: "misencoded-arguments", about: "history", blames: "call" },
  textOnly: { rule: "invalid-request", about: "history", or: "malformed-tool-result", advice: oneString },
  badRequest: { rule: "invalid-request", about: "history" },
  anyMessage: { rule: "invalid-request", about: "history", or: "bad-turn-order", advice: anyFault },
  notJson: {
    rule: "invalid-request",
    about: "request",
    advice:
      "the body is no valid JSON: write it with a JSON library, and cut texts only between whole characters, since control characters and halves of surrogate pairs break it",
  },
  badSettings: { rule: "invalid-request", about: "request" },
  modelFault: { rule: "failed-reply-used", about: "reply" },
  service: { rule: undefined, about: "service" },
} as const;
