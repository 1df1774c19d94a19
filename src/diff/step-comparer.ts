import { type Placed, replyItems, type Step } from "../conversation/conversation.ts";
import { prepend } from "../reading/lists.ts";
import { isCompared, isModels, type Names, type SideName } from "./item-identity.ts";
import { compareItems, type ItemRow } from "./items.ts";
import { type CompareOutcome, outcomeDifference } from "./outcome.ts";
import { type Boundary, Progress, start } from "./progress.ts";
import type { SettingDifference, settingsComparer } from "./settings.ts";
import { requestItems, type StepPair } from "./steps.ts";

export interface CompareOptions {
  /** Also compare volatile content: dates, ids, white space, spelling of arguments, the model's wording. */
  readonly isStrict: boolean;
}

/** Half of a step, its request or its reply, compared with its counterpart. */
export interface HalfComparison {
  /**
   * `minor`: only the model's wording differs. `carried`: only differences of earlier steps. `uncompared`:
   * one of the logs lacks it, or the limit of compared items was reached.
   */
  readonly state: "same" | "minor" | "carried" | "different" | "uncompared";
  /** In reading order, including equal items, from the first element that was compared. */
  readonly rows: readonly ComparedRow[];
  readonly settings: readonly SettingDifference[];
  /** How the replies ended, if they ended differently. */
  readonly outcome: CompareOutcome | undefined;
}

/** A row, and whether its difference is new. */
export interface ComparedRow extends ItemRow {
  /** An earlier step has the same difference. */
  readonly isKnown: boolean;
  /** Only wording or reasoning of the model. */
  readonly isMinor: boolean;
  /** The log lacks the reply with this item; only the next request shows it. */
  readonly isModelsUnseen: boolean;
}

/** Two corresponding steps, compared. */
export interface StepComparison extends StepPair {
  readonly request: HalfComparison;
  readonly reply: HalfComparison;
  /** A failed attempt that was repeated; the other run succeeded at once. */
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

/** The maximum number of equal items shown before the first compared one. */
const maxLead = 6;

/** Compares the pairs of one run in order, and remembers which differences earlier pairs had. */
export class StepComparer {
  private readonly context: CompareContext;
  /** Both logs have replies. */
  private readonly haveReplies: boolean;
  private readonly progress = new Progress();
  /** Steps of the left run whose requests differ from their counterparts, including known differences. */
  private readonly parted = new Set<Step>();
  /** Differences of earlier pairs, by {@link keyOf}. */
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
    // An earlier difference is not compared again, but still exists.
    const isCarried =
      news.length > 0 || (from !== start && left.parent !== undefined && this.parted.has(left.parent));
    if (isCarried) this.parted.add(left);
    if (news.length > 0) prepend(rows, this.leadOf(left, right, from));
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
    // Different replies of the two models come back in all later requests.
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

  /** Remembers a difference. With `equates`, a changed pair of items counts as equal from now on. */
  private remember(row: ItemRow, equates: boolean): void {
    if (equates && row.mark === "changed" && row.left && row.right) {
      this.context.names.equate(row.left, row.right);
      return;
    }
    const key = this.keyOf(row);
    if (key !== undefined) this.known.add(key);
  }

  /** The key of a difference, the same wherever it occurs; `undefined` for equal rows. */
  private keyOf({ mark, left, right }: ItemRow): string | undefined {
    if (mark === "same") return undefined;
    const { names } = this.context;
    const [own, other] = [left && names.of("left", left), right && names.of("right", right)];
    if (mark === "missing") return other && `missing ${other}`;
    if (mark === "added" || mark === "moved") return own && `${mark} ${own}`;
    return own && other && `changed ${own}\n${other}`;
  }

  /** Equal items before the first compared one, as context for the reader. */
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

/** The row concerns more than messages and reasoning. */
function decides({ left, right }: ItemRow): boolean {
  return [left, right].some(
    (placed) => placed && placed.item.kind !== "message" && placed.item.kind !== "reasoning",
  );
}

/** The items of a history from one element to another, without leading system prompts, which are settings. */
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

/** A request with all its leading system prompts joined. */
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
