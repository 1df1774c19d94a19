import type { Conversation, Placed, Step } from "../conversation/conversation.ts";
import type { Exchange } from "../conversation/exchange.ts";
import type { Fix, Severity } from "../findings/finding.ts";
import type { Extent } from "../traffic/place.ts";
import type { Content } from "./contents.ts";
import type { Effect, Habit, SharedHabit } from "./habit.ts";
import { shownFacts } from "./words.ts";

/** The reason for a rule's severity. `misleads`: the request is accepted, but the model is misled. */
export type Ground = "lost" | "refused" | "misleads";

/**
 * The traffic that a rule can check. `wire`: requests exactly as sent, so no transcripts and no logs of
 * tracing tools. `history`: the same, or the session records from which an agent builds its requests.
 * `requests`: what was sent, in any form. `anything`: also transcripts.
 */
export type Needs = "wire" | "history" | "requests" | "anything";

/**
 * What a log must contain for a rule; a lack is reported as not checked. `whole-requests`: no truncated
 * requests. `whole-history`: no history that only the server has. `requests`, `replies`: at least one.
 */
export type Evidence = "whole-requests" | "whole-history" | "requests" | "replies";

/**
 * Properties of a rule that other code uses. `causes-loops`: the model does not see what happened, or must
 * not stop, so it calls again. `refuses-call`: the provider rejects one call or its result. `about-log`:
 * concerns the log rather than the client, so it gets no diagnosis. `explains-nothing`: never changes the
 * course of a run.
 */
export type Trait = "causes-loops" | "refuses-call" | "about-log" | "explains-nothing";

/**
 * Rules whose findings may cause those of this rule. A consequence has its root as `cause` and is folded
 * under it; roots are what must be fixed. `calls`: both concern the same call. `exchange`: both are in the
 * same exchange. `before`: the root is at or before the consequence in the same conversation. `client`: the
 * root is in an earlier conversation of the same log, as a habit of the client.
 */
export interface CauseLink {
  readonly rules?: readonly string[];
  /** Also all rules with this trait. */
  readonly trait?: Trait;
  readonly by: "calls" | "exchange" | "before" | "client";
  /** Only a root of higher severity counts. */
  readonly isStronger?: boolean;
  /** Only findings of these kinds count. */
  readonly kinds?: readonly string[];
  /** This rule's findings of these kinds follow from nothing here. */
  readonly except?: readonly string[];
  /** With `before`: the root may be this number of steps later, because it takes several steps to detect. */
  readonly delay?: number;
}

/** The place of a finding: an item, or any value in the body of a request or reply. */
export type ReportTarget = Placed | Spot;

/** A place in a request or reply other than an item. */
export interface Spot {
  readonly step: Step;
  readonly part: "request" | "response";
  /** RFC 6901 pointer from the body. */
  readonly pointer: string;
  readonly extent?: Extent;
}

export interface ReportOptions {
  /** The smallest value concerned, as a pointer below the history element (or the reply's body). */
  readonly below?: string;
  /** The fragment of a streamed item to show. */
  readonly extent?: Extent;
  readonly severity?: Severity;
  readonly notes?: readonly { readonly message: string; readonly at: ReportTarget }[];
  readonly fix?: Fix;
  /** Reports with the same identity become one finding with `alsoIn`. Default: rule, kind and item. */
  readonly identity?: string;
  /** It says how this one request fared: later requests that carry the item are not concerned. */
  readonly isOfAnswer?: true;
  /** The ids of calls that this finding explains or follows from, for finding its cause. */
  readonly callIds?: readonly string[];
}

/** A report, from which the runner makes a {@link Finding}. */
export interface Report {
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly message: string;
  readonly target: ReportTarget;
  readonly options: ReportOptions;
}

type Messages = Readonly<Record<string, (data: never) => string>>;

/** Makes a report of one of a rule's messages. */
export type Reporter<M extends Messages> = <K extends keyof M & string>(
  kind: K,
  data: Parameters<M[K]>[0],
  target: ReportTarget,
  options?: ReportOptions,
) => Report;

/** A threshold of a rule that users may change; an integer. */
export interface RuleOption {
  readonly default: number;
  /** The minimum value. */
  readonly minimum: number;
  /** What is counted, for tables; no full stop. */
  readonly meaning: string;
}

type RuleOptions = Readonly<Record<string, RuleOption>>;

/** Values of options, by name. */
export type OptionValues<O extends RuleOptions = RuleOptions> = { readonly [name in keyof O]: number };

/** The description of a rule, apart from its findings. */
interface RuleFacts {
  readonly name: string;
  /** One line for tables: what is wrong, no full stop. */
  readonly summary: string;
  readonly ground: Ground;
  readonly severity: Severity;
  readonly traits?: readonly Trait[];
  readonly evidence?: readonly Evidence[];
  /** Possible causes of its findings; the first link that leads to a finding wins. */
  readonly follows?: readonly CauseLink[];
  /** What the client does wrong; without it, a diagnosis shows the message of the finding. */
  readonly habit?: Habit;
  /** Replaces this rule's and another rule's habit if both are found. */
  readonly sharedHabit?: SharedHabit;
  /** The consequence to mention when its findings follow from others. */
  readonly effect?: Effect;
}

/** A rule as its file defines it. Messages are functions of their data: an unknown kind does not compile. */
export interface RuleDefinition<M extends Messages, O extends RuleOptions = RuleOptions> extends RuleFacts {
  readonly needs: Needs;
  /** A conversation with none of these has nothing to report; without this list, any may. */
  readonly looksAt?: readonly Content[];
  /** Reports nothing about a place of a request for which another rule has a better explanation. */
  readonly speaksLast?: boolean;
  readonly messages: M;
  /** Habits of single kinds, in place of {@link habit}. */
  readonly kindHabits?: Partial<Record<keyof M & string, Habit>>;
  /** What to change, by the facts of one finding; `undefined` where its habit says as much. */
  readonly advice?: { readonly [K in keyof M]?: (data: Parameters<M[K]>[0]) => string | undefined };
  /** Loads what only a few of these conversations need; awaited before `check`. */
  load?(conversations: readonly Conversation[]): Promise<void>;
  /** Why part of a conversation cannot be checked, for the list "not checked"; `undefined` if all can. */
  unchecked?(conversation: Conversation): string | undefined;
  /** Thresholds without one right value. */
  readonly options?: O;
  check(conversation: Conversation, report: Reporter<M>, options: OptionValues<O>): Iterable<Report>;
}

/** A rule as listed in tables. */
export interface RuleInfo extends RuleFacts {
  /** `file`: it reads the file, not conversations. */
  readonly needs: Needs | "file";
  /** Its thresholds by name; absent if it has none. */
  readonly options?: RuleOptions;
  readonly kindHabits?: Readonly<Record<string, Habit | undefined>>;
  readonly advice?: Readonly<Record<string, ((data: never) => string | undefined) | undefined>>;
}

/** A rule as used by the runner. */
export interface Rule extends RuleInfo {
  readonly needs: Needs;
  /** A conversation with none of these need not be checked. */
  readonly looksAt?: readonly Content[];
  readonly speaksLast: boolean;
  /** The names of its messages. */
  readonly kinds: readonly string[];
  /** Must be awaited before {@link check} is called with these conversations. */
  load?(conversations: readonly Conversation[]): Promise<void>;
  /** Why part of a conversation cannot be checked; `undefined` if all can. */
  unchecked?(conversation: Conversation): string | undefined;
  /** Missing options have their defaults. */
  check(conversation: Conversation, options?: Partial<OptionValues>): Iterable<Report>;
}

/** Makes a rule from its definition. */
export function defineRule<const M extends Messages, const O extends RuleOptions>(
  definition: RuleDefinition<M, O>,
): Rule {
  const { messages, ...facts } = definition;
  const defaults = Object.fromEntries(
    Object.entries(facts.options ?? {}).map(([name, option]) => [name, option.default]),
  ) as OptionValues<O>;
  const report: Reporter<M> = (kind, data, target, options = {}) => ({
    kind,
    data: data as Readonly<Record<string, unknown>>,
    message: (messages[kind] as (data: unknown) => string)(shownFacts(data)),
    target,
    options,
  });
  return {
    ...facts,
    speaksLast: facts.speaksLast ?? false,
    kinds: Object.keys(messages),
    check: (conversation, values) =>
      definition.check(conversation, report, values ? { ...defaults, ...values } : defaults),
  };
}

/** What is wrong with values for a rule's options, as a sentence; `undefined` if nothing is. */
export function optionFault(
  { name: rule, options = {} }: Pick<RuleInfo, "name" | "options">,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const [name, value] of Object.entries(values)) {
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!option) {
      const known = Object.keys(options).map((each) => `\`${each}\``);
      return `\`${rule}\` has no option \`${name}\`${known.length > 0 ? `: it has ${known.join(", ")}` : " and no other"}`;
    }
    if (!Number.isSafeInteger(value) || Number(value) < option.minimum)
      return `\`${name}\` of \`${rule}\` must be a whole number of at least ${option.minimum}, not \`${JSON.stringify(value)}\``;
  }
  return undefined;
}

/** Severities as comparable numbers. */
export const ranks: Readonly<Record<Severity, number>> = { info: 0, warning: 1, error: 2 };

/** One level lower; info remains info. */
export function lower(severity: Severity): Severity {
  return severity === "error" ? "warning" : "info";
}

/**
 * The severity of what a provider rejects: an error if the request was sent to it, one level lower if the
 * provider is only presumed or has accepted the request. A success with another server is no evidence about
 * the provider that will receive the history.
 */
export function refused(exchange: Exchange, severity: Severity = "error"): Severity {
  if (exchange.judgedBy === "target") return severity;
  // The log proves the rejection, so it does not matter which provider it was.
  if (exchange.status === 400 || exchange.status === 422) return severity;
  const own = exchange.isOwnProvider ? severity : lower(severity);
  return exchange.isOwnProvider && exchange.reply && !exchange.reply.error && (exchange.status ?? 200) < 300
    ? lower(own)
    : own;
}
