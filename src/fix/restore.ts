import type { Conversation, Step } from "../conversation/conversation.ts";
import { commonElements, sameElement } from "../conversation/identity.ts";
import { continuesStored } from "../conversation/server-history.ts";
import type { Finding } from "../findings/finding.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { evidenceOf, groundsOf, isLossy, type Offers } from "./grounds.ts";
import { inFull, isAboutLink } from "./in-full.ts";
import { fixLocally } from "./local/index.ts";
import { restoredMembers, thinkingMembers, withPrompt } from "./members.ts";
import { merge } from "./merge.ts";
import { isAboutOrder, reorderedEntries } from "./order.ts";
import { createReplies } from "./replies.ts";
import { droppedIn, previousOfClient, resumedFrom } from "./resumed.ts";
import {
  type Elements,
  type FixReason,
  type FixTarget,
  type HistoryEntry,
  isTouched,
  recordedEntries,
} from "./target.ts";

/** What is known of a step before its history is repaired. */
interface Known {
  readonly step: Step;
  readonly protocol: Protocol;
  /** The findings that may be fixed in it. */
  readonly reasons: readonly Finding[];
  /** What its parent's history should have been, if that was repaired. */
  readonly before: FixTarget | undefined;
  /** How many elements of the parent's history it repeats from its beginning on. */
  readonly common: number;
}

/**
 * Computes what the history of each step should have been: its parent's fixed history, the parent's reply in
 * the client's own form, and what is new. A difference is fixed only if a finding reports it. A mistake that
 * a client repeats from request to request is fixed in each of them.
 *
 * @param offers the findings that may be fixed
 * @param allFindings all findings: rounds with a reported loss teach nothing about the client's style
 * @param onTarget sees each history that changes, as soon as it is made
 */
export function restore(
  conversations: readonly Conversation[],
  offers: Offers,
  allFindings: Offers,
  protocols: ReadonlyMap<string, Protocol>,
  elements: Elements,
  onTarget: (target: FixTarget) => void,
): ReadonlyMap<Step, FixTarget> {
  const targets = new Map<Step, FixTarget>();
  const replyEntries = createReplies(conversations, allFindings, elements);
  const steps = stepsInOrder(conversations);
  const previous = previousOfClient(steps);

  for (const step of steps) {
    const protocol = protocols.get(step.exchange.protocol);
    if (!protocol || !step.request) continue;
    const target = withMembers(targetOf(step, protocol), protocol);
    if (!isTouched(target)) continue;
    onTarget(target);
    targets.set(step, target);
  }
  return targets;

  function targetOf(step: Step, protocol: Protocol): FixTarget {
    const reasons = foremost(offers(step.exchange.position));
    const resumed = step.parent ? undefined : resumedFrom(step, previous.get(step), targets);
    const parent = step.parent ?? resumed?.parent;
    const before = parent && targets.get(parent);
    const twin = twinOf(step);
    if (twin) return { ...(targets.get(twin) ?? untouched(twin)), step };
    const linked = reasons.find(isAboutLink);
    if (linked) return inFull(step, linked, targets, protocol, elements);
    if (reasons.length === 0 && !before) return untouched(step);

    const history = step.request?.history;
    const common = parent?.request && history ? commonElements(parent.request.history, history) : 0;
    const known: Known = { step, protocol, reasons, before, common };
    const isContinued = step.relation === "continuation" || resumed !== undefined;
    return parent && isContinued && !step.isPartial && !continuesStored(step.request)
      ? continuedFrom(parent, known, resumed?.why)
      : startedAnew(parent, known);
  }

  /** The history of a request that repeats at most the beginning of its parent's. */
  function startedAnew(parent: Step | undefined, known: Known): FixTarget {
    const { step, reasons, before, common, protocol } = known;
    const own = fixLocally(step, recordedEntries(step), before ? common : 0, reasons, protocol, elements);
    // A branch shares its beginning, and the mistakes in it, with its parent.
    if (!parent || !before || step.relation !== "branch") return { step, ...own };
    const head = inherited(before, parent, step, common);
    const rest = own.entries.filter((entry) => !isWithin(entry, common));
    return { step, entries: [...head, ...rest], removals: own.removals };
  }

  /**
   * The history of a request that continues its parent: what the parent's should have been, what the parent's
   * reply said, and what is new.
   *
   * @param why the finding of what the client drops since it resumed a session
   */
  function continuedFrom(parent: Step, known: Known, why: FixReason | undefined): FixTarget {
    const { step, protocol, reasons, before, common } = known;
    const isExtension = common > 0 && common === parent.request?.history.length;
    // A client that still drops turns drops the same parts of every reply.
    const persistent = why ?? (before && droppedIn(before));
    const says = groundsOf(step, reasons, persistent);
    const order = reasons.find(isAboutOrder) ?? (before && orderedIn(before));
    const needsReply = persistent !== undefined || order !== undefined || reasons.some(isLossy);
    const said = needsReply ? replyEntries(speakerOf(step, parent), step, protocol) : [];
    const expected = isExtension ? said : [...(before?.entries ?? recordedOf(parent)), ...said];
    const inOrder = (entries: readonly HistoryEntry[]): readonly HistoryEntry[] =>
      order === undefined || expected.length === 0
        ? entries
        : reorderedEntries(step, expected, entries, protocol, elements, (was, entry) => ({
            finding: order,
            evidence: evidenceOf(was, entry, step),
          }));
    const recorded = recordedEntries(step);
    // What the log already has in order needs no move.
    const isInOrder = inOrder(recorded) === recorded;
    const grounds = isInOrder ? reasons : reasons.filter((reason) => !isAboutOrder(reason));
    const own = fixLocally(step, recorded, before ? common : 0, grounds, protocol, elements);
    if (isExtension) {
      const head = before ? inherited(before, parent, step, common) : recorded.slice(0, common);
      const tail = inOrder(own.entries.filter((entry) => !isWithin(entry, common)));
      const rest = said.length > 0 ? merge(step, said, tail, protocol, elements, says) : tail;
      return { step, entries: [...head, ...rest], removals: [...(before?.removals ?? []), ...own.removals] };
    }
    const translated = inOrder(before ? translate(own.entries, before, parent, step) : own.entries);
    const isWorthIt = before !== undefined || needsReply;
    const entries = isWorthIt ? merge(step, expected, translated, protocol, elements, says) : [...translated];
    return { step, entries, removals: own.removals };
  }

  /** Adds members outside the history, and prompts at its beginning. */
  function withMembers(target: FixTarget, protocol: Protocol): FixTarget {
    const { step } = target;
    const { parent } = step;
    const reasons = offers(step.exchange.position);
    const { members: own = thinkingMembers(step, reasons) } = target;
    const kept = own.length > 0 ? { ...target, members: own } : target;
    if (!parent?.request || step.isPartial || step.relation === "compaction") return kept;
    const restored = restoredMembers(step, parent, targets.get(parent), reasons, protocol);
    const entries = withPrompt(target.entries, step, parent, reasons);
    const gone = own.filter(({ isGone }) => isGone);
    const members = restored.length > 0 ? [...gone, ...restored] : own;
    return { ...target, entries, ...(members.length > 0 && { members }) };
  }
}

/** A misspelt member hides its content, so spelling is fixed first and the rest in the next pass. */
function foremost(findings: readonly Finding[]): readonly Finding[] {
  const slips = findings.filter(({ rule }) => rule === "invalid-request");
  return slips.length > 0 ? slips : findings;
}

/** Why something was moved; `undefined` if nothing was. */
function orderedIn({ entries }: FixTarget): Finding | undefined {
  return entries.flatMap(({ whys }) => whys).find(({ finding }) => isAboutOrder(finding))?.finding;
}

function stepsInOrder(conversations: readonly Conversation[]): Step[] {
  return conversations
    .flatMap(({ steps }) => steps)
    .sort((a, b) => a.exchange.position - b.exchange.position);
}

function untouched(step: Step): FixTarget {
  return { step, entries: recordedEntries(step), removals: [] };
}

function recordedOf(step: Step): HistoryEntry[] {
  return recordedEntries(step).map((entry) => ({
    ...entry,
    ...(entry.recorded !== undefined && { copyOf: { step, element: entry.recorded } }),
  }));
}

function isWithin({ recorded }: HistoryEntry, length: number): boolean {
  return recorded !== undefined && recorded < length;
}

/** The parent's fixed history, as far as this step repeats the parent's recorded history. */
function inherited(before: FixTarget, parent: Step, step: Step, common: number): HistoryEntry[] {
  const history = step.request?.history;
  const head: HistoryEntry[] = [];
  let isPast = false;
  for (const entry of before.entries) {
    if (entry.recorded === undefined) {
      if (!isPast) head.push(entry);
      continue;
    }
    isPast = entry.recorded >= common;
    if (isPast || !history) continue;
    const own = history.element(entry.recorded);
    const was = parent.request?.history.element(entry.recorded);
    // Elements without a fix stay as this request has them, including cache marks.
    head.push(entry.element === was ? { ...entry, element: own } : entry);
  }
  return head;
}

/** Fixes elements that the parent fixed, and that this history repeats, still broken, at another index. */
function translate(
  entries: readonly HistoryEntry[],
  before: FixTarget,
  parent: Step,
  step: Step,
): HistoryEntry[] {
  const was = parent.request?.history;
  const is = step.request?.history;
  if (!was || !is) return [...entries];
  const repaired = before.entries.filter(
    ({ recorded, element }) => recorded !== undefined && was.element(recorded) !== element,
  );
  return entries.map((entry) => {
    const { recorded } = entry;
    if (recorded === undefined || entry.whys.length > 0) return entry;
    const same = repaired.find((other) => sameElement(was, other.recorded ?? 0, is, recorded));
    return same ? { ...same, recorded } : entry;
  });
}

/**
 * The step whose reply a request continues: the parent, unless that failed and was retried. If the request
 * does not repeat the reply, the calls behind its results identify the attempt.
 */
function speakerOf(step: Step, parent: Step): Step {
  const made = step.pairing.orphans.flatMap(({ lostCall }) =>
    lostCall?.part === "response" ? [lostCall.step] : [],
  );
  const [speaker] = made;
  const history = speaker?.request?.history;
  const isSame =
    history !== undefined &&
    parent.request?.history.length === history.length &&
    commonElements(parent.request.history, history) === history.length;
  return speaker && isSame ? speaker : (parent.retriedBy ?? parent);
}

/** An earlier step of the same parent that sent the same history. */
function twinOf(step: Step): Step | undefined {
  if (step.relation !== "retry" && step.relation !== "repeat") return undefined;
  const history = step.request?.history;
  return step.conversation.steps.find((other) => {
    const own = other.request?.history;
    return (
      other.number < step.number &&
      other.parent === step.parent &&
      own !== undefined &&
      own.length === history?.length &&
      commonElements(own, history) === own.length
    );
  });
}
