import type { Request } from "../conversation/exchange.ts";
import { pointerTokens } from "../reading/pointer.ts";
import type { Failures } from "./failures.ts";
import type { Fields } from "./wire.ts";
import { valueText } from "./wire.ts";

/** A reason to refuse a request, as a rule found it, with all that a provider's error text may name. */
export interface RefusalFacts {
  readonly rule: string;
  /** The message of the rule. */
  readonly kind: string;
  /** The facts that the rule's message names. */
  readonly data: Readonly<Record<string, unknown>>;
  /** RFC 6901 pointer from the body. */
  readonly pointer: string;
  /**
   * The history element that contains it, from 0; absent for a fault of the body outside the history.
   * Elements that the server has stored count only where the fault is in them.
   */
  readonly index?: number;
  /** The ids of all calls or results that this reason concerns, in their order. */
  readonly ids: readonly string[];
  readonly request: Request;
  /** The members of the whole body, with the history. */
  readonly body: Fields;
  /** Whether the request asks for a reply, or for the number of its tokens. */
  readonly purpose: "turn" | "count";
}

/** How a provider words one reason to refuse a request. */
export interface RefusalText {
  readonly rule: string;
  /** The rule's messages that it words; default: all. */
  readonly kinds?: readonly string[];
  /** Further conditions. */
  fits?(facts: RefusalFacts): boolean;
  /** `shape`: the provider says it while it validates the body, before it looks at the history's order. */
  readonly stage?: "shape";
  /**
   * The provider's words. In braces: `{ids}`, the calls or results; `{path}`, the place in the provider's
   * notation; `{index}` and `{nth}`, the history element from 0 and from 1; `{tool}`; members of the rule's
   * data; what `values` adds.
   */
  readonly text: string;
  values?(facts: RefusalFacts): Readonly<Record<string, string>>;
  /** Default: 400. */
  readonly status?: number;
  /** Default: the provider's usual one. */
  readonly type?: string;
  readonly code?: string | null;
  /** The offending member, with the same braces. */
  readonly param?: string;
}

/** An error as a provider's server sends it. */
export interface ServedError {
  readonly status: number;
  readonly message: string;
  readonly type?: string | undefined;
  readonly code?: string | null | undefined;
  readonly param?: string | undefined;
  /** How long the client has to wait before it tries again. */
  readonly retryAfterMs?: number;
  readonly requestId: string;
}

/** An error before its response has an id. */
export type ProviderError = Omit<ServedError, "requestId">;

/** How a protocol's own provider refuses requests. A profile may replace parts of it. */
export interface Refusals {
  /** The first that fits a reason words it. A reason without a text is none to this provider. */
  readonly texts: readonly RefusalText[];
  /** A place as the provider writes it: `messages.[3].content`. */
  path(pointer: string, facts: RefusalFacts): string;
  /** The body of an error response. */
  errorBody(error: ServedError): unknown;
  /** The error for bytes that are not JSON; `reason` is the parser's message. */
  readonly notJson: Omit<FixedText, "param"> & {
    /** The parser's message in the provider's words; absent: as JavaScript's parser says it. */
    reason?(message: string, body: string): string;
  };
  /** How its server fails, when the request is not at fault. */
  readonly failures?: Failures;
  /**
   * The error for what every request has and this one lacks: a header, a member that logs may leave out.
   * Asked only of providers that are strict about the form of requests.
   */
  missing?(asked: AskedRequest): FixedText | undefined;
  /**
   * What this provider refuses for want of, and a model server does not: a sentence. Whoever sends a logged
   * body again has no headers.
   */
  overlooked?(asked: AskedRequest): string | undefined;
}

/** A text without places. */
export type FixedText = Pick<RefusalText, "text" | "status" | "type" | "code" | "param">;

/** A request before it is judged. */
export interface AskedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Fields;
  /** Whether it asks for a reply, or for the number of its tokens. */
  readonly purpose: "turn" | "count";
}

/** The text that words these facts; `undefined` if the provider accepts them. */
export function textFor(texts: readonly RefusalText[], facts: RefusalFacts): RefusalText | undefined {
  return texts.find(
    ({ rule, kinds, fits }) =>
      rule === facts.rule && (kinds?.includes(facts.kind) ?? true) && (fits?.(facts) ?? true),
  );
}

/** The error that a provider sends for these facts. */
export function refusalError(refusals: Refusals, text: RefusalText, facts: RefusalFacts): ProviderError {
  const data = Object.entries(facts.data).filter(([, value]) => value !== undefined);
  const values: Readonly<Record<string, string>> = {
    ...Object.fromEntries(data.map(([name, value]) => [name, valueText(value)])),
    ids: facts.ids.join(", "),
    path: refusals.path(facts.pointer, facts),
    ...(facts.index !== undefined && { index: String(facts.index), nth: String(facts.index + 1) }),
    ...text.values?.(facts),
  };
  const filled = (template: string): string =>
    template.replace(/\{(\w+)\}/g, (braces, name: string) => values[name] ?? braces);
  return {
    status: text.status ?? 400,
    message: filled(text.text),
    type: text.type,
    code: text.code,
    param: text.param === undefined ? undefined : filled(text.param),
  };
}

/** A pointer with dots between its members: `messages.3.content.0`. */
export function dotted(pointer: string): string {
  return pointerTokens(pointer).join(".");
}

/** A pointer with indexes in brackets: `messages[3].content[0]`. */
export function bracketed(pointer: string): string {
  return pointerTokens(pointer)
    .map((token, at) => (/^\d+$/.test(token) ? `[${token}]` : at === 0 ? token : `.${token}`))
    .join("");
}
