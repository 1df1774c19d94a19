import { type Conversation, type Placed, replyItems, type Step } from "../conversation/conversation.ts";
import { commonElements, sameElement } from "../conversation/identity.ts";
import type { Item } from "../conversation/item.ts";
import type { Finding } from "../findings/finding.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { valueAt } from "../reading/pointer.ts";
import { type Form, plainForm } from "./form.ts";
import { inFull, isAboutLink } from "./in-full.ts";
import { withValueAt } from "./json.ts";
import { restoredMembers, thinkingMembers, withPrompt } from "./members.ts";
import { type Grounds, merge } from "./merge.ts";
import { arranged, isAboutOrder } from "./order.ts";
import { turnIn, turnOf } from "./plain-turn.ts";
import { repairLocally } from "./repairs/index.ts";
import { type Copies, copiesIn, learnForm } from "./rounds.ts";
import { type Elements, type Entry, isTouched, recordedEntries, type Target, type Why } from "./target.ts";

/** The findings that may be repaired, by the position of the exchange in which they are seen. */
export type Offers = (position: number) => readonly Finding[];

/**
 * Says for every step what its history should have been, given the log up to there: the history that its parent should have had, the
 * parent's reply in the client's own form, and what is new. A difference is mended only where a finding speaks about it; a mistake
 * that a client carries on from request to request is mended in every request that has it.
 *
 * @param offers the findings that may be repaired
 * @param allFindings all of them: where one says that something is lost, nobody learns how the client writes
 */
export function restore(
  conversations: readonly Conversation[],
  offers: Offers,
  allFindings: Offers,
  protocols: ReadonlyMap<string, Protocol>,
  elements: Elements,
): ReadonlyMap<Step, Target> {
  const targets = new Map<Step, Target>();
  const forms = new Map<string, Form>();
  const copies = new Map<Conversation, Copies>();

  const formFor = (conversation: Conversation): Form => {
    const known = forms.get(conversation.name);
    if (known) return known;
    const isHealthy = (step: Step): boolean =>
      !hasLostReply(step) ||
      !allFindings(step.exchange.position).some((finding) => finding.severity !== "info" && isLossy(finding));
    // One log is mostly one client's: its other conversations show how it writes as well.
    const others = conversations.filter(
      (other) => other !== conversation && other.protocol === conversation.protocol,
    );
    const all = [conversation, ...others];
    const form = learnForm(all, isHealthy) ?? learnForm(all, isHealthy, true) ?? plainForm;
    forms.set(conversation.name, form);
    return form;
  };
  const copiesFor = (conversation: Conversation): Copies => {
    const known = copies.get(conversation) ?? copiesIn([conversation]);
    copies.set(conversation, known);
    return known;
  };

  for (const step of inOrder(conversations)) {
    const protocol = protocols.get(step.exchange.protocol);
    if (!protocol || !step.request) continue;
    const target = withMembers(targetOf(step, protocol), protocol);
    if (isTouched(target)) targets.set(step, target);
  }
  return targets;

  function targetOf(step: Step, protocol: Protocol): Target {
    const reasons = foremost(offers(step.exchange.position));
    const resumed = step.parent ? undefined : resumedFrom(step);
    const parent = step.parent ?? resumed?.parent;
    const before = parent && targets.get(parent);
    const twin = twinOf(step);
    if (twin) return { ...(targets.get(twin) ?? untouched(twin)), step };
    const linked = reasons.find(isAboutLink);
    if (linked) return inFull(step, linked, targets, protocol, elements);
    if (reasons.length === 0 && !before) return untouched(step);

    const history = step.request?.history;
    const common = parent?.request && history ? commonElements(parent.request.history, history) : 0;
    const from = before ? common : 0;
    if (!parent || step.isPartial || isHeldByServer(step) || (step.relation !== "continuation" && !resumed)) {
      const own = repairLocally(step, recordedEntries(step), from, reasons, protocol, elements);
      // A branch shares its beginning with its parent, and so what was wrong there.
      if (!before || step.relation !== "branch") return { step, ...own };
      const head = inherited(before, parent as Step, step, common);
      return {
        step,
        entries: [...head, ...own.entries.filter((entry) => !isWithin(entry, common))],
        removals: own.removals,
      };
    }

    const isExtension = common > 0 && common === parent.request?.history.length;
    // A client that has begun to drop turns, and still does, drops of every reply what it drops.
    const persistent = resumed?.why ?? (before && droppedIn(before));
    const says = groundsOf(step, reasons, persistent);
    const order = reasons.find(isAboutOrder) ?? (before && orderedIn(before));
    const needsReply = persistent !== undefined || order !== undefined || reasons.some(isLossy);
    const said = needsReply ? replyEntries(speakerOf(step, parent), step, protocol) : [];
    const expected = isExtension ? said : [...(before?.entries ?? recordedOf(parent)), ...said];
    const inOrder = (entries: readonly Entry[]): readonly Entry[] =>
      order === undefined || expected.length === 0
        ? entries
        : arranged(step, expected, entries, protocol, elements, (was, entry) => ({
            finding: order,
            evidence: evidenceOf(was, entry, step),
          }));
    const recorded = recordedEntries(step);
    const own = repairLocally(
      step,
      recorded,
      from,
      // What the log has in order needs no other place.
      inOrder(recorded) === recorded ? reasons : reasons.filter((reason) => !isAboutOrder(reason)),
      protocol,
      elements,
    );
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

  /** What stands beside the history, and prompts that begin it. */
  function withMembers(target: Target, protocol: Protocol): Target {
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

  /** The parent's reply in the client's own form: as another request carries it, else as the client writes others. */
  function replyEntries(parent: Step, step: Step, protocol: Protocol): Entry[] {
    const { reply } = parent;
    if (!reply || reply.error || reply.state === "open") return [];
    const copied = copiesFor(parent.conversation).find(reply.items, step);
    if (copied) {
      const { history } = copied.step.request ?? {};
      return copied.elements.flatMap((element) => {
        const found = history?.element(element);
        return found ? [{ element: found, copyOf: { step: copied.step, element }, whys: [] }] : [];
      });
    }
    const written = reply.writings
      ? formFor(parent.conversation)(reply.writings)
      : writtenBy(reply.items, step.exchange.protocol);
    return withClientIds(
      written,
      reply.items.filter(({ kind }) => kind === "call"),
      step,
      protocol,
    )
      .filter((value) => !isEmptyReference(value, step, protocol))
      .map((value) => ({ element: elements(value), whys: [] }));
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

  /**
   * The step that a conversation's first request goes on from although it shares nothing with it: a client that was seen to drop
   * everything before the newest words of the user begins every turn like this.
   */
  function resumedFrom(step: Step): { readonly parent: Step; readonly why: Why } | undefined {
    const history = step.request?.history;
    if (!history || step.relation !== "start" || step.isPartial) return undefined;
    const spoken = [...step.added].filter(({ item }) => item.role !== "system");
    const isLone =
      spoken.length > 0 && spoken.every(({ item }) => item.kind === "message" && item.role === "user");
    if (!isLone) return undefined;
    const parent = latestBefore(step);
    const before = parent && targets.get(parent);
    if (!parent || !before || parent.children.length > 0 || !isAnswered(parent)) return undefined;
    const why = droppedIn(before);
    const first = before.entries.find(({ element }) => !isSystem(element.value, parent));
    const opening = history.element(firstSpoken(step));
    const isRerun =
      first !== undefined && JSON.stringify(first.element.value) === JSON.stringify(opening.value);
    return why && !isRerun ? { parent, why } : undefined;
  }

  /** The newest step of the same client before this one, whatever its conversation. */
  function latestBefore(step: Step): Step | undefined {
    let latest: Step | undefined;
    for (const { steps } of conversations) {
      for (const other of steps) {
        if (other.exchange.position >= step.exchange.position || !isSameClient(other, step)) continue;
        if (!latest || other.exchange.position > latest.exchange.position) latest = other;
      }
    }
    return latest;
  }
}

/** The server has the history up to here: the request carries only what is new. */
function isHeldByServer({ request }: Step): boolean {
  return request?.links.previousReply !== undefined || request?.links.conversation !== undefined;
}

/** What is misspelt hides what it says: it is corrected first, and the rest looked at again. */
function foremost(findings: readonly Finding[]): readonly Finding[] {
  const slips = findings.filter(({ rule }) => rule === "invalid-request");
  return slips.length > 0 ? slips : findings;
}

/** What a tracing tool tells of a reply, as the provider's documents show it. */
function writtenBy(items: readonly Item[], protocol: string): readonly unknown[] {
  const turn = turnOf(items);
  return turn ? turnIn(protocol, turn) : [];
}

/** Reasoning that only the server could open by its id, and that it does not keep. */
function isEmptyReference(value: unknown, { request }: Step, protocol: Protocol): boolean {
  const { items } = protocol.decodeElement(value);
  return (
    request?.settings.isUnstored === true &&
    items.length > 0 &&
    items.every((item) => item.kind === "reasoning" && item.id !== undefined && item.seal === undefined)
  );
}

/**
 * Clients that make up ids where the server gives none answer with them: a call that is still there keeps the id that it has, one that is
 * put back gets the id of its result.
 */
function withClientIds(
  values: readonly unknown[],
  calls: readonly Item[],
  step: Step,
  protocol: Protocol,
): unknown[] {
  const { places } = protocol;
  const results = step.pairing.orphans.flatMap(({ result: { item } }) =>
    item.callId === undefined ? [] : [{ id: item.callId, name: item.name }],
  );
  const kept = calls.map((call) => step.echoes.find(({ before }) => before.item === call)?.after);
  if (!places || (results.length === 0 && kept.every((call) => call === undefined))) return [...values];
  let count = 0;
  return values.map((value) => {
    let named = value;
    for (const item of protocol.decodeElement(value).items) {
      if (item.kind !== "call") continue;
      const echo = kept[count++];
      if (item.id !== undefined) continue;
      const id = echo ? idOf(echo.item) : takenFrom(results, item.name);
      const place = `${item.pointer}${places(valueAt(value, item.pointer)).callId}`;
      if (id !== undefined) named = withValueAt(named, place, id);
    }
    return named;
  });
}

function idOf(item: Item): string | undefined {
  return item.kind === "call" ? item.id : undefined;
}

/** The id of the first result that answers such a tool; it is not given away twice. */
function takenFrom(
  results: { readonly id: string; readonly name: string | undefined }[],
  tool: string,
): string | undefined {
  const at = results.findIndex(({ name }) => name === undefined || name === tool);
  return at < 0 ? undefined : results.splice(at, 1)[0]?.id;
}

/** Why turns had to be put back into a history, where they had. */
function droppedIn({ entries }: Target): Why | undefined {
  return entries
    .filter(({ recorded }) => recorded === undefined)
    .flatMap(({ whys }) => whys)
    .find(({ finding }) => finding.rule === "dropped-turns");
}

/** Why something had to be put into its place, where it had. */
function orderedIn({ entries }: Target): Finding | undefined {
  return entries.flatMap(({ whys }) => whys).find(({ finding }) => isAboutOrder(finding))?.finding;
}

/** Rules that say that something of the history, or of the reply, is gone or altered. */
export const lossRules = new Set([
  "dropped-turns",
  "dropped-tool-call",
  "orphaned-tool-result",
  "dropped-assistant-text",
  "dropped-reasoning",
  "lost-fragments",
  "rewritten-history",
]);

/** Something of the reply before is gone or altered here; whether that is a fault or a habit, the findings say. */
function hasLostReply({ missing, changed }: Step): boolean {
  return (
    missing.some(({ part }) => part === "response") ||
    changed.some(({ before }) => before.part === "response")
  );
}

function isLossy({ rule }: Finding): boolean {
  return lossRules.has(rule);
}

function inOrder(conversations: readonly Conversation[]): Step[] {
  return conversations
    .flatMap(({ steps }) => steps)
    .sort((a, b) => a.exchange.position - b.exchange.position);
}

function untouched(step: Step): Target {
  return { step, entries: recordedEntries(step), removals: [] };
}

function recordedOf(step: Step): Entry[] {
  return recordedEntries(step).map((entry) => ({
    ...entry,
    ...(entry.recorded !== undefined && { copyOf: { step, element: entry.recorded } }),
  }));
}

function isWithin({ recorded }: Entry, length: number): boolean {
  return recorded !== undefined && recorded < length;
}

/** The parent's repaired history, as far as this step's history repeats the parent's recorded one. */
function inherited(before: Target, parent: Step, step: Step, common: number): Entry[] {
  const history = step.request?.history;
  const head: Entry[] = [];
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
    // What was not repaired stays as this request has it, cache marks and all.
    head.push(entry.element === was ? { ...entry, element: own } : entry);
  }
  return head;
}

/** Elements that were repaired in the parent, and that this history carries in the same broken form at another place. */
function translate(entries: readonly Entry[], before: Target, parent: Step, step: Step): Entry[] {
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
 * The step whose reply a request goes on from: the parent, but for a parent that failed and was tried again. Where nothing of the reply
 * came back, the calls whose results are sent tell which attempt it was.
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

/** What speaks for putting something back into the history of this step. */
function groundsOf(step: Step, reasons: readonly Finding[], resumed: Why | undefined): Grounds {
  const of = (...rules: string[]): Finding | undefined => reasons.find(({ rule }) => rules.includes(rule));
  const turns = of("dropped-turns");
  const call =
    of("dropped-tool-call") ??
    reasons.find(({ rule, fix }) => rule === "orphaned-tool-result" && fix?.safety === "safe");
  return {
    missing(expected, entry) {
      const evidence = evidenceOf(expected, entry, step);
      const [known] = entry.whys;
      const { item } = expected;
      if (known && entry.recorded === undefined) return known;
      if (turns) return { finding: turns, evidence };
      if (resumed) return { finding: resumed.finding, evidence };
      if (item.role === "system") return undefined;
      const isOfModel = item.role === "assistant";
      const isReply = entry.recorded === undefined;
      const text = item.kind === "message" && isOfModel && isReply ? of("dropped-assistant-text") : undefined;
      const reasoning = item.kind === "reasoning" ? of("dropped-reasoning") : undefined;
      const finding = (isOfModel ? call : undefined) ?? text ?? reasoning;
      return finding && { finding, evidence };
    },
    changed(expected, actual, entry) {
      const finding = reasons.find(
        (reason) =>
          (reason.rule === "dropped-reasoning" && expected.item.kind === "reasoning") ||
          (mending.has(reason.rule) &&
            (reason.locus.exchange !== step.exchange || pointsAt(reason, step, actual))),
      );
      return finding && { finding, evidence: evidenceOf(expected, entry, step) };
    },
  };
}

/** Rules whose findings say that an item came back other than it was. */
const mending: ReadonlySet<string> = new Set(["lost-fragments", "rewritten-history"]);

function pointsAt(finding: Finding, step: Step, { element, item }: Placed): boolean {
  const base = `${step.request?.historyPointer ?? ""}/${element}`;
  return finding.locus.pointer === base || finding.locus.pointer === `${base}${item.pointer}`;
}

/** Where the log holds what is put back. */
function evidenceOf({ item, element }: Placed, entry: Entry, step: Step): Placed | undefined {
  if (entry.copyOf) {
    return { item, step: entry.copyOf.step, part: "request", element: entry.copyOf.element };
  }
  const { parent } = step;
  if (!parent) return undefined;
  const said = replyItems(parent).find((placed) => placed.item.kind === item.kind);
  return said ?? { item, step: parent, part: "request", element };
}

function isAnswered({ reply }: Step): boolean {
  return (
    reply !== undefined &&
    !reply.error &&
    reply.state === "complete" &&
    reply.items.length > 0 &&
    reply.items.every(({ kind }) => kind !== "call")
  );
}

function isSameClient(a: Step, b: Step): boolean {
  const key = ({ exchange, request }: Step): string =>
    JSON.stringify([
      exchange.protocol,
      exchange.url,
      request?.model,
      request?.system,
      request?.tools?.map(({ name }) => name),
      request?.links.clientKey,
    ]);
  return key(a) === key(b);
}

function firstSpoken({ request }: Step): number {
  const history = request?.history;
  let index = 0;
  while (history && index + 1 < history.length && history.role(index) === "system") index++;
  return index;
}

function isSystem(value: unknown, { request }: Step): boolean {
  const history = request?.history;
  for (let index = 0; history && index < history.length; index++)
    if (history.role(index) === "system" && history.element(index).value === value) return true;
  return false;
}
