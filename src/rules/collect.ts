import { stepOfItem } from "../conversation/active-branch.ts";
import { type Conversation, type Placed, pointerOf } from "../conversation/conversation.ts";
import type { Exchange } from "../conversation/exchange.ts";
import type { Finding, Fix, Locus, Severity } from "../findings/finding.ts";
import { emptyList } from "../reading/lists.ts";
import { type Report, type ReportTarget, type Rule, ranks } from "./rule.ts";
import { boundedSentence } from "./words.ts";

/**
 * How many findings of one kind are listed one by one, in an exchange and in a log. One finding stands for
 * the rest: a log of a megabyte can hold 300,000 wrong calls, and nobody reads as many sentences.
 */
export interface FindingLimits {
  readonly perExchange: number;
  readonly perLog: number;
}

const defaultLimits: FindingLimits = { perExchange: 1000, perLog: 10_000 };

/** A finding with the ids of the calls that it is about. */
export interface Collected {
  readonly finding: Finding;
  readonly callIds: readonly string[];
}

/** Reports of the same mistake. */
interface Group {
  readonly conversation: Conversation;
  readonly first: Report;
  readonly exchanges: Set<Exchange>;
  readonly callIds: Set<string>;
  severity: Severity;
}

/** Reports beyond a limit. */
interface Rest extends Group {
  readonly identities: Set<string>;
}

/** The reports of one conversation. */
interface Reports {
  readonly groups: Map<string, Group>;
  /** How many findings are listed, by exchange and kind. */
  readonly listed: Map<string, number>;
  readonly rest: Map<string, Rest>;
}

/** Makes the findings of one rule in a log: one of all reports of the same mistake, at its first place. */
export class Collector {
  readonly #rule: Rule;
  readonly #level: Severity | undefined;
  readonly #limits: FindingLimits;
  /** Findings so far, by kind. */
  readonly #listed = new Map<string, number>();
  readonly #rest = new Map<string, Rest>();
  /** Those of one conversation; emptied for the next, as a log may have tens of thousands. */
  readonly #reports: Reports = { groups: new Map(), listed: new Map(), rest: new Map() };

  /** @param level replaces all severities */
  constructor(rule: Rule, level: Severity | undefined, limits = defaultLimits) {
    this.#rule = rule;
    this.#level = level;
    this.#limits = limits;
  }

  /** The findings of one conversation. */
  collect(
    conversation: Conversation,
    reports: Iterable<Report>,
    carriers: (target: ReportTarget) => readonly Exchange[],
  ): readonly Collected[] {
    const { groups, listed, rest } = this.#reports;
    let isFound = false;
    for (const report of reports) {
      isFound = true;
      const { kind, target, options } = report;
      const identity = `${kind} ${options.identity ?? identityOf(target)}`;
      const known = groups.get(identity);
      if (known) {
        this.#join(known, report);
        continue;
      }
      const { exchange } = target.step;
      const inExchange = `${exchange.position} ${kind}`;
      const isFull = (listed.get(inExchange) ?? 0) >= this.#limits.perExchange;
      if (isFull || (this.#listed.get(kind) ?? 0) >= this.#limits.perLog) {
        const [lists, key] = isFull ? [rest, inExchange] : [this.#rest, kind];
        const more = lists.get(key) ?? { ...this.#group(conversation, report), identities: new Set() };
        lists.set(key, more);
        more.identities.add(`${conversation.name} ${identity}`);
        this.#join(more, report);
        continue;
      }
      listed.set(inExchange, (listed.get(inExchange) ?? 0) + 1);
      this.#listed.set(kind, (this.#listed.get(kind) ?? 0) + 1);
      const group = this.#group(conversation, report);
      groups.set(identity, group);
      this.#join(group, report);
    }
    // Most rules find nothing in most conversations.
    if (!isFound) return emptyList;
    const collected: Collected[] = [];
    for (const group of groups.values()) {
      const { target, options } = group.first;
      if (!options.isOfAnswer) for (const exchange of carriers(target)) group.exchanges.add(exchange);
      collected.push(this.#collected(group));
    }
    for (const more of rest.values())
      collected.push(this.#standIn(more, `in the same ${placeOf(conversation)}`));
    for (const each of [groups, listed, rest]) each.clear();
    return collected;
  }

  /** The findings that stand for what is beyond the limit of the log; call this last. */
  *rest(): Iterable<Collected> {
    for (const more of this.#rest.values()) yield this.#standIn(more, "from here on");
  }

  #group(conversation: Conversation, first: Report): Group {
    return { conversation, first, exchanges: new Set(), callIds: new Set(), severity: "info" };
  }

  #join(group: Group, { target, options }: Report): void {
    group.exchanges.add(target.step.exchange);
    for (const id of options.callIds ?? []) group.callIds.add(id);
    const severity = options.severity ?? this.#rule.severity;
    if (ranks[severity] > ranks[group.severity]) group.severity = severity;
  }

  #collected({ conversation, first, exchanges, callIds, severity }: Group): Collected {
    const { kind, message, target, data, options } = first;
    const own = target.step.exchange;
    const finding: Finding = {
      rule: this.#rule.name,
      kind,
      severity: this.#level ?? severityIn(conversation, severity),
      message,
      locus: locusOf(target, options.below, options.extent),
      notes: (options.notes ?? []).map((note) => ({
        message: boundedSentence(note.message),
        locus: locusOf(note.at),
      })),
      data,
      ...(options.fix && { fix: shownFix(options.fix) }),
      alsoIn: [...exchanges].filter((exchange) => exchange !== own).sort((a, b) => a.position - b.position),
    };
    return { finding, callIds: [...callIds] };
  }

  /** The finding that stands for the rest; it has no fix, because each of the others may have another. */
  #standIn(rest: Rest, where: string): Collected {
    const unlisted = rest.identities.size;
    const { finding, callIds } = this.#collected(rest);
    const { fix: _, ...other } = finding;
    const message = `${unlisted} more ${unlisted === 1 ? "finding" : "findings"} of this kind ${where} ${unlisted === 1 ? "is" : "are"} not listed`;
    return { finding: { ...other, message, notes: [], data: { unlisted } }, callIds };
  }
}

function placeOf({ kind }: Conversation): string {
  return kind === "transcript" ? "session" : "exchange";
}

function shownFix(fix: Fix): Fix {
  return { ...fix, title: boundedSentence(fix.title) };
}

function isPlaced(target: ReportTarget): target is Placed {
  return "item" in target;
}

function identityOf(target: ReportTarget): string {
  if (!isPlaced(target)) return `${target.step.number} ${target.part} ${target.pointer}`;
  const { item } = target;
  const id = item.kind === "call" ? item.id : item.kind === "result" ? item.callId : undefined;
  return id !== undefined
    ? `${item.kind} ${id}`
    : `${target.step.number} ${target.part} ${target.element} ${item.pointer}`;
}

function locusOf(target: ReportTarget, below?: string, extent?: Report["options"]["extent"]): Locus {
  const { part } = target;
  const step = isPlaced(target) ? stepOfItem(target) : target.step;
  const base = {
    exchange: step.exchange,
    part: step.conversation.kind === "transcript" ? ("transcript" as const) : part,
    conversation: step.conversation.name,
    step: step.number,
  };
  if (!isPlaced(target))
    return {
      pointer: target.pointer,
      ...base,
      ...((extent ?? target.extent) && { extent: (extent ?? target.extent) as NonNullable<typeof extent> }),
    };
  const fragment = extent ?? (part === "response" ? target.item.fragments?.first : undefined);
  return { pointer: pointerOf(target, below), ...base, ...(fragment && { extent: fragment }) };
}

/**
 * A transcript does not show what was sent, and clients may fix it before sending, so its findings are at
 * most warnings unless the run is known to be complete.
 */
function severityIn({ kind, log }: Conversation, severity: Severity): Severity {
  return kind === "transcript" && severity === "error" && !log.isComplete ? "warning" : severity;
}
