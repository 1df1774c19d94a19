import type { Conversation, Placed, Step } from "../conversation/conversation.ts";
import type { Exchange } from "../conversation/exchange.ts";
import type { Fix, Severity } from "../findings/finding.ts";
import type { Extent } from "../traffic/place.ts";
import type { Effect, Habit, SharedHabit } from "./habit.ts";

/** Why a finding matters, which decides its severity (`misleads`: accepted, but the model is led astray). */
export type Ground = "lost" | "refused" | "misleads";

/**
 * What a rule has to see. `wire`: the very form in which a request was sent, so that neither transcripts nor
 * what a tool retells can be checked with it. `history`: the same, or the records of a session from which its
 * agent makes the next request. `requests`: what was sent, in whatever words. `anything`: a transcript is
 * enough.
 */
export type Needs = "wire" | "history" | "requests" | "anything";

/**
 * What else has to stand in a log before a rule can judge it; what is lacking is reported as not checked.
 * `whole-requests`: no request is cut. `whole-history`: the server holds no history that the log lacks.
 * `requests`, `replies`: there are some.
 */
export type Evidence = "whole-requests" | "whole-history" | "requests" | "replies";

/**
 * What others have to know of a rule. `causes-loops`: the model did not see what had happened, or may not
 * stop, and so calls again. `refuses-call`: it names what a provider refuses about one call or its result.
 * `about-log`: it says something about the log and nothing about what a client does wrong, so no diagnosis is
 * made of it. `explains-nothing`: no run goes another way because of it.
 */
export type Trait = "causes-loops" | "refuses-call" | "about-log" | "explains-nothing";

/**
 * Rules from whose findings those of a rule follow. A consequence carries its root as `cause` and is folded
 * under it; roots are what a person has to fix. `calls`: both concern the same call. `exchange`: both are in
 * one exchange. `before`: the root stands at or before the consequence, in the same conversation. `client`:
 * the root stands before, in an earlier conversation of the same log: the client's habit.
 */
export interface CauseLink {
  readonly rules?: readonly string[];
  /** All rules with this trait, too. */
  readonly trait?: Trait;
  readonly by: "calls" | "exchange" | "before" | "client";
  /** Only a root that is more severe explains it. */
  readonly isStronger?: boolean;
  /** With `before`: the root may stand so many steps later, since it takes these to be seen. */
  readonly delay?: number;
}

/** Where a finding points: an item, or anything in a request or reply body. */
export type ReportTarget = Placed | Spot;

/** A place in a request or reply that is no item of its own. */
export interface Spot {
  readonly step: Step;
  readonly part: "request" | "response";
  /** RFC 6901 pointer from the body. */
  readonly pointer: string;
  readonly extent?: Extent;
}

export interface ReportOptions {
  /** The smallest value concerned, as a pointer below the history element (or below the reply's body). */
  readonly below?: string;
  /** Which fragment of a streamed item to show. */
  readonly extent?: Extent;
  readonly severity?: Severity;
  readonly notes?: readonly { readonly message: string; readonly at: ReportTarget }[];
  readonly fix?: Fix;
  /**
   * What makes two reports the same mistake seen again in a later request: they become one finding with
   * `alsoIn`. Left out, the rule, kind and item decide.
   */
  readonly identity?: string;
  /** Call ids that this finding explains or follows from, for finding its cause. */
  readonly callIds?: readonly string[];
}

/** A report before the runner has made a {@link Finding} of it. */
export interface Report {
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly message: string;
  readonly target: ReportTarget;
  readonly options: ReportOptions;
}

type Messages = Readonly<Record<string, (data: never) => string>>;

type Reporter<M extends Messages> = <K extends keyof M & string>(
  kind: K,
  data: Parameters<M[K]>[0],
  target: ReportTarget,
  options?: ReportOptions,
) => Report;

/** A threshold of a rule that users may move; a whole number. */
export interface RuleOption {
  readonly default: number;
  /** The smallest value that makes sense. */
  readonly minimum: number;
  /** What is counted, for tables; no full stop. */
  readonly meaning: string;
}

type RuleOptions = Readonly<Record<string, RuleOption>>;

/** Values of options, by name. */
export type OptionValues<O extends RuleOptions = RuleOptions> = { readonly [name in keyof O]: number };

/** What is said of a rule beside what it finds. */
interface RuleFacts {
  readonly name: string;
  /** One line for tables: the bad thing, no full stop. */
  readonly summary: string;
  readonly ground: Ground;
  readonly severity: Severity;
  readonly traits?: readonly Trait[];
  readonly evidence?: readonly Evidence[];
  /** What its findings may follow from: the first link that leads to a finding decides. */
  readonly follows?: readonly CauseLink[];
  /** What somebody does wrong when it speaks; without it, a diagnosis has the message of the finding. */
  readonly habit?: Habit;
  /** Said together with the habit of another rule, when both are found. */
  readonly sharedHabit?: SharedHabit;
  /** What is said of its findings where they follow from others. */
  readonly effect?: Effect;
}

/**
 * A rule as its file writes it; the texts are functions of their data, so that a kind that does not exist
 * does not compile.
 */
export interface RuleDefinition<M extends Messages, O extends RuleOptions = RuleOptions> extends RuleFacts {
  readonly needs: Needs;
  /**
   * Other rules that find fault with the same place of a request explain it better, and this one is then
   * silent.
   */
  readonly speaksLast?: boolean;
  readonly messages: M;
  /** Habits of single kinds, in place of {@link habit}. */
  readonly kindHabits?: Partial<Record<keyof M & string, Habit>>;
  /**
   * Loads what the rule needs for these conversations and can do without for most; awaited before it checks
   * them.
   */
  load?(conversations: readonly Conversation[]): Promise<void>;
  /**
   * Why something in a conversation cannot be judged, in words for the list of what was not checked;
   * `undefined` when all can.
   */
  unchecked?(conversation: Conversation): string | undefined;
  /** Thresholds to which there are two right answers. */
  readonly options?: O;
  check(conversation: Conversation, report: Reporter<M>, options: OptionValues<O>): Iterable<Report>;
}

/** What tables of rules say of each. */
export interface RuleInfo extends RuleFacts {
  /** `file`: it reads the file rather than conversations. */
  readonly needs: Needs | "file";
  /** Its thresholds, by name; absent when it has none. */
  readonly options?: RuleOptions;
  readonly kindHabits?: Readonly<Record<string, Habit | undefined>>;
}

/** A rule as the runner knows it. */
export interface Rule extends RuleInfo {
  readonly needs: Needs;
  readonly speaksLast: boolean;
  /** The names of its messages. */
  readonly kinds: readonly string[];
  /** To be awaited before {@link check} is called with these conversations. */
  load?(conversations: readonly Conversation[]): Promise<void>;
  /** Why something in a conversation cannot be judged; `undefined` when all can. */
  unchecked?(conversation: Conversation): string | undefined;
  /** Options that are left out have their defaults. */
  check(conversation: Conversation, options?: Partial<OptionValues>): Iterable<Report>;
}

/** Makes a rule of its definition. */
export function defineRule<const M extends Messages, const O extends RuleOptions>(
  definition: RuleDefinition<M, O>,
): Rule {
  const { messages, ...facts } = definition;
  const defaults = Object.fromEntries(
    Object.entries(facts.options ?? {}).map(([name, option]) => [name, option.default]),
  );
  const report: Reporter<M> = (kind, data, target, options = {}) => ({
    kind,
    data: data as Readonly<Record<string, unknown>>,
    message: (messages[kind] as (data: unknown) => string)(data),
    target,
    options,
  });
  return {
    ...facts,
    speaksLast: facts.speaksLast ?? false,
    kinds: Object.keys(messages),
    check: (conversation, values) =>
      definition.check(conversation, report, { ...defaults, ...values } as OptionValues<O>),
  };
}

/** What is wrong with these values of a rule's options, in a sentence; `undefined` when nothing is. */
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
      return `\`${name}\` of \`${rule}\` has to be a whole number from ${option.minimum}, not \`${JSON.stringify(value)}\``;
  }
  return undefined;
}

/** Severities as numbers that compare. */
export const ranks: Readonly<Record<Severity, number>> = { info: 0, warning: 1, error: 2 };

/** One level lower; info stays info. */
export function lower(severity: Severity): Severity {
  return severity === "error" ? "warning" : "info";
}

/**
 * The severity of something that a provider refuses: an error where the request went to that provider, one
 * level lower where the provider is only presumed, and one lower still where the provider itself answered
 * with success. What another one answered says nothing of the provider to which the history is to go.
 */
export function refused(exchange: Exchange, severity: Severity = "error"): Severity {
  if (exchange.judgedBy === "target") return severity;
  // Whoever answered, it was refused: that is no presumption any more.
  if (exchange.status === 400 || exchange.status === 422) return severity;
  const own = exchange.isOwnProvider ? severity : lower(severity);
  return exchange.isOwnProvider && exchange.reply && !exchange.reply.error && (exchange.status ?? 200) < 300
    ? lower(own)
    : own;
}
