import type { RefusalFacts, RefusalText } from "../refusals.ts";
import { fields, filled, list, valueText } from "../wire.ts";

/**
 * What a server finds that walks the messages of a chat and compares calls with results.
 * - `no-calls`: a result that follows no message with calls
 * - `missing-id`: a result that names no call
 * - `unknown-id`: a result of another call than those of the message before
 * - `duplicate`: a second result for a call
 * - `unanswered`: calls without a result where the next message, or the end, stands
 */
export type Violation = "no-calls" | "missing-id" | "unknown-id" | "duplicate" | "unanswered";

interface Found {
  readonly what: Violation;
  /** The message at which the server notices it, from 0; the number of messages at their end. */
  readonly at: number;
  /** The calls, or the call that the result names. */
  readonly ids: readonly string[];
  /** With `duplicate`: the message with the first result. */
  readonly earlier?: number;
  /** The role of the message before. */
  readonly before: string;
}

/** How a server words each violation; it takes those without a text. */
export type PairingSentences = Partial<
  Record<Violation, Pick<RefusalText, "text" | "status" | "type" | "code" | "param">>
>;

/** The rules whose defects such a server notices, each first with the violation that it names best. */
const rules: readonly (readonly [rule: string, kinds?: readonly string[]])[] = [
  ["unanswered-tool-call"],
  ["orphaned-tool-result"],
  ["duplicate-tool-result"],
  ["call-id-mismatch"],
  ["misplaced-tool-result"],
  ["duplicate-call-id"],
  ["result-kind-mismatch"],
  ["malformed-tool-result", ["glued", "asUserText"]],
];

/**
 * The texts for calls and results that do not match. The first violation in the order of the messages is
 * what the server says, whichever rule found the defect. In braces besides: `{at}`, the message at which it
 * is noticed; `{id}`, its call; `{earlier}`, the message with the first result; `{role}` of the message
 * before.
 */
export function pairingTexts(sentences: PairingSentences): readonly RefusalText[] {
  return rules.flatMap(([rule, kinds]) =>
    Object.entries(sentences).map(
      ([what, sentence]): RefusalText => ({
        rule,
        ...(kinds && { kinds }),
        fits: (facts) => violationIn(facts)?.what === what,
        ...sentence,
        values: (facts) => {
          const { at = 0, ids = [], earlier = 0, before = "" } = violationIn(facts) ?? {};
          return {
            at: String(at),
            ids: ids.join(", "),
            id: ids[0] ?? "",
            earlier: String(earlier),
            role: before,
          };
        },
      }),
    ),
  );
}

const known = new WeakMap<object, Found | undefined>();

function violationIn({ body }: RefusalFacts): Found | undefined {
  if (!known.has(body)) known.set(body, firstViolation(list(body["messages"])));
  return known.get(body);
}

function firstViolation(messages: readonly unknown[]): Found | undefined {
  /** The calls of the message before the results, and the messages that answer them. */
  let calls = new Map<string, number | undefined>();
  let before = "";
  for (const [at, value] of messages.entries()) {
    const message = fields(value);
    const role = valueText(message["role"]);
    if (role === "tool") {
      const id = filled(message["tool_call_id"]);
      const earlier = id === undefined ? undefined : calls.get(id);
      const ids = id === undefined ? [] : [id];
      if (id === undefined) return { what: "missing-id", at, ids, before };
      if (calls.size === 0) return { what: "no-calls", at, ids, before };
      if (!calls.has(id)) return { what: "unknown-id", at, ids, before };
      if (earlier !== undefined) return { what: "duplicate", at, ids, earlier, before };
      calls.set(id, at);
    } else {
      const ids = unansweredIn(calls);
      if (ids.length > 0) return { what: "unanswered", at, ids, before };
      calls = new Map(list(message["tool_calls"]).map((call) => [valueText(fields(call)["id"]), undefined]));
    }
    before = role;
  }
  const ids = unansweredIn(calls);
  return ids.length > 0 ? { what: "unanswered", at: messages.length, ids, before } : undefined;
}

function unansweredIn(calls: ReadonlyMap<string, number | undefined>): readonly string[] {
  return [...calls].flatMap(([id, at]) => (at === undefined ? [id] : []));
}
