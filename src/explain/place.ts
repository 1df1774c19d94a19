import {
  type Conversation,
  isCall,
  isResult,
  type Placed,
  placedItems,
  replyItems,
  type Step,
} from "../conversation/conversation.ts";
import type { FindingReport } from "../findings/report.ts";
import { hasSucceeded } from "../rules/requests/refusal.ts";
import { itemIds, refusedItem } from "../rules/requests/refused-item.ts";
import type { PastedError } from "./pasted.ts";

/** The request of a log that an error text is about. */
export interface ErrorPlace {
  readonly step: Step;
  /** What the text means in it; `undefined` when that cannot be told. */
  readonly item: Placed | undefined;
  /**
   * `refused`: the log holds this very refusal. `broken`: a rule finds there what the text says. `named`: it holds what the text names, and
   * no rule finds fault with it.
   */
  readonly how: "refused" | "broken" | "named";
  /** There is no other request of which the same could be said. */
  readonly isCertain: boolean;
  /** The finding from which the refusal follows. */
  readonly cause: FindingReport | undefined;
}

/** Something that happened to what is refused, in the order of the log. */
export interface Event {
  readonly what: "called" | "call-sent" | "call-gone" | "result-sent" | "result-gone" | "never-answered";
  readonly at: Placed | Step;
}

/**
 * Finds the request that an error text is about: the one that was refused with these words; else the last one in which a rule finds what
 * they say at the place that they point at; else the last one that holds what they name. A request that was answered comes last.
 */
export function findErrorPlace(
  error: PastedError,
  conversations: readonly Conversation[],
  findings: readonly FindingReport[],
): ErrorPlace | undefined {
  const steps = conversations
    .flatMap((conversation) => conversation.steps)
    .filter((step) => step.request !== undefined && !step.request.settings.isProbe)
    .sort((a, b) => a.exchange.position - b.exchange.position);
  const refused = steps.filter((step) => isRefusedWith(step, error.words));
  const [first] = refused;
  if (first) {
    const isOne = new Set(refused.map((step) => step.conversation)).size === 1;
    return placeIn(first, "refused", isOne);
  }
  const holding = steps.filter((step) => holdsNamed(step, error));
  const broken = holding.filter((step) => isBroken(step));
  // Words that name nothing fit any request, which is no reason to show one.
  const isVague =
    (error.match?.callIds ?? []).length + error.pointers.length === 0 && error.match?.index === undefined;
  if (isVague && broken.length === 0) return undefined;
  const open = (some: readonly Step[]): Step | undefined =>
    some.findLast((step) => !hasSucceeded(step)) ?? some.at(-1);
  const [how, some] = broken.length > 0 ? (["broken", broken] as const) : (["named", holding] as const);
  const step = open(some);
  return step && placeIn(step, how, some.length === 1);

  function placeIn(step: Step, how: ErrorPlace["how"], isCertain: boolean): ErrorPlace {
    const item = refusedItem(step, error.words, error.match && { ...error.pointers[0], ...error.match });
    return { step, item, how, isCertain, cause: causeIn(step, item) };
  }

  function isBroken(step: Step): boolean {
    return findings.some((finding) => finding.rule === error.match?.rule && concerns(finding, step));
  }

  /** What a rule finds in the request: the defect that the text names, or what that follows from. */
  function causeIn(step: Step, item: Placed | undefined): FindingReport | undefined {
    const ids = item ? itemIds(item.item) : [];
    const here = findings.filter(
      (finding) => concerns(finding, step) && finding.rule !== "provider-rejected",
    );
    const own =
      here.find(
        ({ rule, data }) =>
          rule === error.match?.rule && (ids.length === 0 || ids.some((id) => names(data, id))),
      ) ??
      here.find(({ data }) => ids.some((id) => names(data, id))) ??
      here.find(({ rule }) => rule === error.match?.rule) ??
      causeOfRefusal(step);
    return own && rootOf(own);
  }

  function causeOfRefusal(step: Step): FindingReport | undefined {
    const refusal = findings.find(
      (finding) => finding.rule === "provider-rejected" && concerns(finding, step),
    );
    return refusal?.cause === null || refusal === undefined ? undefined : refusal;
  }

  function rootOf(finding: FindingReport): FindingReport {
    const seen = new Set<FindingReport>();
    let root = finding;
    while (root.cause !== null && !seen.has(root)) {
      seen.add(root);
      root = findings.find(({ id }) => id === root.cause) ?? root;
    }
    return root;
  }
}

function concerns({ location, alsoIn }: FindingReport, { exchange }: Step): boolean {
  return (
    location.file === exchange.file &&
    ((location.exchange === exchange.number && location.part === "request") ||
      alsoIn.includes(exchange.number))
  );
}

function names(data: FindingReport["data"], id: string): boolean {
  return Object.values(data).flat().includes(id);
}

/** The words of the reply's error and the pasted ones hold each other, whatever quotes and escapes stand between. */
function isRefusedWith({ reply }: Step, words: string): boolean {
  const pasted = letters(words);
  return [reply?.error?.message, reply?.error?.detail].some((said) => {
    if (said === undefined) return false;
    const theirs = letters(said).slice(0, 2000);
    return (
      theirs.length >= 16 && (pasted.includes(theirs) || (pasted.length >= 40 && theirs.includes(pasted)))
    );
  });
}

function letters(text: string): string {
  return text
    .slice(0, 100_000)
    .replace(/\\{1,16}(?:u0027|u0060|u0022|[nrt](?![a-z]))/gi, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]/gu, "");
}

/** The request holds the ids or the element that the text names; where it names none, any request may be meant. */
function holdsNamed(step: Step, { match, pointers }: PastedError): boolean {
  const ids = match?.callIds ?? [];
  const history = step.request?.history;
  if (!history) return false;
  if (ids.length > 0) {
    const wanted = new Set(ids);
    for (const { item } of placedItems(step)) if (itemIds(item).some((id) => wanted.has(id))) return true;
    return false;
  }
  const index = match?.index ?? pointers[0]?.index;
  return index === undefined || index < history.length;
}

/** The life of a refused call or result and of its counterpart: where the call was made, what was sent last, since when it is gone. */
export function lifeOf({ step, item }: ErrorPlace): Event[] {
  const id =
    item?.item.kind === "call" ? item.item.id : item?.item.kind === "result" ? item.item.callId : undefined;
  if (!item || id === undefined) return [];
  const events: Event[] = [];
  const earlier = step.conversation.steps.filter((other) => other.number <= step.number);
  const made = earlier
    .flatMap(replyItems)
    .findLast((placed) => isCall(placed) && placed.item.id === id && placed.step.number < step.number);
  if (made) events.push({ what: "called", at: made });
  const other = item.item.kind === "call" ? "result" : "call";
  const counterpart = (in_: Step): Placed | undefined =>
    [...placedItems(in_)].find((placed) =>
      other === "result"
        ? isResult(placed) && placed.item.callId === id
        : isCall(placed) && placed.item.id === id,
    );
  const last = earlier.findLast((one) => counterpart(one) !== undefined);
  if (last === step) return events;
  const sent = last && counterpart(last);
  if (sent && last) {
    events.push({ what: `${other}-sent`, at: sent });
    const next = earlier.find((one) => one.number > last.number && one.request !== undefined);
    if (next) events.push({ what: `${other}-gone`, at: next });
  } else if (other === "result") events.push({ what: "never-answered", at: step });
  else if (made) {
    const next = earlier.find((one) => one.number > made.step.number && one.request !== undefined);
    if (next) events.push({ what: "call-gone", at: next });
  }
  return events;
}
