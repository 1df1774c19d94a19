import { type Placed, replyItems, type Step } from "../conversation/conversation.ts";
import { isCompared, isModels, type Names, type SideName } from "./item-identity.ts";
import { compareItems, type ItemRow } from "./items.ts";
import { type CompareOutcome, outcomeDifference } from "./outcome.ts";
import { type Boundary, Progress, start } from "./progress.ts";
import type { SettingDifference, settingsComparer } from "./settings.ts";
import { requestItems, type StepPair } from "./steps.ts";

export interface CompareOptions {
  /**
   * Compare what is volatile, too: dates, ids, white space, the spelling of arguments, a model's choice of
   * words.
   */
  readonly isStrict: boolean;
}

/** How one half of a step, its request or its reply, stands to its counterpart. */
export interface HalfComparison {
  /**
   * `same`; `minor`: a model's other words for the same; `carried`: only what an earlier step had already;
   * `different`; `uncompared`: one of the logs does not have it, or the work became too much.
   */
  readonly state: "same" | "minor" | "carried" | "different" | "uncompared";
  /** In the order of reading, equal items included; rows from `firstElement` on. */
  readonly rows: readonly ComparedRow[];
  readonly settings: readonly SettingDifference[];
  /** What the reply came to, where that differs. */
  readonly outcome: CompareOutcome | undefined;
}

/** A row, and whether it is news. */
export interface ComparedRow extends ItemRow {
  /** An earlier step had the same difference. */
  readonly isKnown: boolean;
  /** A model's other words, or its thoughts. */
  readonly isMinor: boolean;
  /**
   * The log lacks the reply that this is a part of, so that only the next request shows what the model said.
   */
  readonly isModelsUnseen: boolean;
}

/** Steps of both runs beside each other, compared. */
export interface StepComparison extends StepPair {
  readonly request: HalfComparison;
  readonly reply: HalfComparison;
  /** A failed attempt that was made again; the other run got through at once. */
  readonly isRecovered: boolean;
}

/** What all comparisons of two logs share. */
export interface CompareContext extends CompareOptions {
  readonly isAcross: boolean;
  readonly names: Names;
  readonly budget: { left: number; isBounded: boolean };
  readonly settings: ReturnType<typeof settingsComparer>;
}

const nothing: HalfComparison = { state: "same", rows: [], settings: [], outcome: undefined };
const uncompared: HalfComparison = { ...nothing, state: "uncompared" };

/** This many equal items before the first that is compared are kept. */
const maxLead = 6;

/** Compares pair after pair of one run. What a pair differs in is known to those after it. */
export class StepComparer {
  private readonly context: CompareContext;
  /** Both logs have replies to compare. */
  private readonly haveReplies: boolean;
  private readonly progress = new Progress();
  /** Steps of the left run whose requests differ from their counterparts, also where that is no news. */
  private readonly parted = new Set<Step>();
  /** Differences that an earlier pair had, as {@link keyOf} spells them. */
  private readonly known = new Set<string>();
  private readonly knownSettings = new Set<string>();

  constructor(context: CompareContext, haveReplies: boolean) {
    this.context = context;
    this.haveReplies = haveReplies;
  }

  compare(pair: StepPair): StepComparison {
    const { left, right } = pair;
    if (!left || !right) return aloneStep(pair);
    const request = this.compareRequests(left, right);
    const reply = this.compareReplies(left, right);
    return { left, right, request, reply, isRecovered: false };
  }

  private compareRequests(left: Step, right: Step): HalfComparison {
    if (!left.request || !right.request) return left.request || right.request ? uncompared : nothing;
    const { context } = this;
    const settings = this.newSettings(left, right);
    const from = this.progress.from(left, right);
    const a = spoken("left", left, from.left, context);
    const b = spoken("right", right, from.right, context);
    context.budget.left -= a.length + b.length;
    if (context.budget.left < 0) return { ...uncompared, settings };
    const { rows: found, isBounded } = compareItems(a, b, context.names);
    if (isBounded) context.budget.isBounded = true;
    this.progress.done(left, right, from, found);
    const rows = found.map((row) => this.requestRow(row));
    for (const row of rows) this.remember(row, row.isModelsUnseen);
    const news = rows.filter((row) => row.mark !== "same");
    const isNew = settings.length > 0 || news.some((row) => !row.isKnown);
    // What was compared before is not compared again, but is still there.
    const isCarried =
      news.length > 0 || (from !== start && left.parent !== undefined && this.parted.has(left.parent));
    if (isCarried) this.parted.add(left);
    if (news.length > 0) rows.unshift(...this.leadOf(left, right, from));
    const state = isNew ? "different" : isCarried ? "carried" : "same";
    return { state, rows, settings, outcome: undefined };
  }

  private newSettings(left: Step, right: Step): SettingDifference[] {
    const settings = this.context
      .settings(asked(left), asked(right))
      .filter((difference) => !this.knownSettings.has(settingKey(difference)));
    for (const difference of settings) this.knownSettings.add(settingKey(difference));
    return settings;
  }

  private requestRow(row: ItemRow): ComparedRow {
    const one = row.left ?? row.right;
    const isUnseen =
      one !== undefined && isModels(one) && one.step.parent !== undefined && !one.step.parent.reply;
    return this.judged(row, false, row.mark !== "same" && !this.haveReplies && isUnseen);
  }

  private compareReplies(left: Step, right: Step): HalfComparison {
    if (!this.haveReplies) return uncompared;
    if (!left.reply && !right.reply) return nothing;
    const { isAcross, isStrict, names } = this.context;
    const itemsOf = (step: Step) => replyItems(step).filter((placed) => isCompared(placed, isAcross));
    const { rows: found } = compareItems(itemsOf(left), itemsOf(right), names, { areReplies: true });
    const outcome = outcomeDifference(left, right, isAcross);
    const isOtherDecision = found.some((row) => row.mark !== "same" && decides(row));
    const isSilent = found.every((row) => !row.left) !== found.every((row) => !row.right);
    const rows = found.map((row) => this.judged(row, !isStrict && !decides(row) && !isSilent, false));
    // What the models said instead of each other comes back in all later requests.
    for (const row of rows) this.remember(row, true);
    const differences = rows.filter((row) => row.mark !== "same");
    const isDifferent = outcome || isOtherDecision || differences.some((row) => !row.isMinor);
    const state = isDifferent ? "different" : differences.length > 0 ? "minor" : "same";
    return { state, rows, settings: [], outcome };
  }

  private judged(row: ItemRow, isMinor: boolean, isModelsUnseen: boolean): ComparedRow {
    const key = this.keyOf(row);
    return { ...row, isKnown: key !== undefined && this.known.has(key), isMinor, isModelsUnseen };
  }

  /**
   * Remembers a difference; with `equates`, two items in each other's place count as the same from now on.
   */
  private remember(row: ItemRow, equates: boolean): void {
    if (equates && row.mark === "changed" && row.left && row.right) {
      this.context.names.equate(row.left, row.right);
      return;
    }
    const key = this.keyOf(row);
    if (key !== undefined) this.known.add(key);
  }

  /** A difference as a text that is the same wherever it occurs; `undefined` for rows that are the same. */
  private keyOf({ mark, left, right }: ItemRow): string | undefined {
    if (mark === "same") return undefined;
    const { names } = this.context;
    const [own, other] = [left && names.of("left", left), right && names.of("right", right)];
    if (mark === "missing") return other && `missing ${other}`;
    if (mark === "added" || mark === "moved") return own && `${mark} ${own}`;
    return own && other && `changed ${own}\n${other}`;
  }

  /** The equal items before the place from which on two histories are compared, as context for the reader. */
  private leadOf(left: Step, right: Step, from: Boundary): ComparedRow[] {
    const { names } = this.context;
    const near = (side: SideName, step: Step, end: number): Placed[] =>
      spoken(side, step, end - maxLead, this.context, end)
        .slice(-maxLead)
        .reverse();
    const others = near("right", right, from.right);
    const lead: ComparedRow[] = [];
    for (const [index, placed] of near("left", left, from.left).entries()) {
      const other = others[index];
      if (!other || names.of("left", placed) !== names.of("right", other)) break;
      lead.unshift(plainRow({ mark: "same", left: placed, right: other }));
    }
    return lead;
  }
}

/** A step that only one run has. */
export function aloneStep({ left, right }: StepPair): StepComparison {
  const step = left ?? right;
  const rows = (items: readonly Placed[]): ComparedRow[] =>
    items.map((placed) =>
      plainRow(
        left
          ? { mark: "added", left: placed, right: undefined }
          : { mark: "missing", left: undefined, right: placed },
      ),
    );
  return {
    left,
    right,
    request: { ...nothing, state: step?.request ? "different" : "same", rows: rows(step?.added ?? []) },
    reply: {
      ...nothing,
      state: step?.reply ? "different" : "same",
      rows: rows(step ? replyItems(step) : []),
    },
    isRecovered: step?.retriedBy !== undefined,
  };
}

function plainRow(row: ItemRow): ComparedRow {
  return { ...row, isKnown: false, isMinor: false, isModelsUnseen: false };
}

/** The row is about more than words or thoughts. */
function decides({ left, right }: ItemRow): boolean {
  return [left, right].some(
    (placed) => placed && placed.item.kind !== "message" && placed.item.kind !== "reasoning",
  );
}

/**
 * Items of a history from an element up to another, without the system prompts that lead it: these are
 * settings.
 */
function spoken(
  side: SideName,
  step: Step,
  from: number,
  { isAcross, names }: CompareContext,
  to = Number.POSITIVE_INFINITY,
): Placed[] {
  const resolved = (placed: Placed): Placed => names.resolved(side, placed);
  return requestItems(step, Math.max(from, leadingSystem(step)), to, { isAcross, resolved });
}

function leadingSystem({ request }: Step): number {
  let count = 0;
  while (request && count < request.history.length && request.history.role(count) === "system") count++;
  return count;
}

/** A request with all its leading system prompts together. */
function asked(step: Step): Parameters<ReturnType<typeof settingsComparer>>[0] {
  const { request } = step;
  if (!request) throw new RangeError("a step without a request asks for nothing");
  const texts = request.system === undefined ? [] : [request.system];
  const count = leadingSystem(step);
  for (let element = 0; element < count; element++)
    for (const item of request.history.items(element)) if (item.kind === "message") texts.push(item.text);
  return {
    request,
    system: texts.length > 0 ? texts.join("\n") : undefined,
    systemPointer: request.system === undefined && count > 0 ? `${request.historyPointer}/0` : "",
  };
}

function settingKey({ setting, name, left, right }: SettingDifference): string {
  return JSON.stringify([setting, name, left, right]);
}
