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
import type { ErrorMatch } from "../rules/match-error-text.ts";
import { hasSucceeded } from "../rules/requests/refusal.ts";
import { itemIds, refusedItem } from "../rules/requests/refused-item.ts";
import type { PastedError } from "./pasted.ts";
import { resolvePath } from "./resolve.ts";

/** The request of a log that an error text is about. */
export interface ErrorPlace {
  readonly step: Step;
  /** The item that the text means; `undefined` when that is unclear. */
  readonly item: Placed | undefined;
  /**
   * `refused`: the log contains this very refusal. `broken`: a rule reports there what the text says.
   * `named`: the request contains what the text names, but no rule objects to it.
   */
  readonly how: "refused" | "broken" | "named";
  /** No other request fits equally well. */
  readonly isCertain: boolean;
  /** The finding that says the same as the text. */
  readonly finding: FindingReport | undefined;
  /** The finding that causes the refusal: `finding`, or the one that it follows from. */
  readonly cause: FindingReport | undefined;
  /** Pointer from the body to the value that the text complains about; absent if it names none. */
  readonly pointer: string | undefined;
}

/** An event in the life of the refused item, in log order. */
export interface Event {
  readonly what: "called" | "call-sent" | "call-gone" | "result-sent" | "result-gone" | "never-answered";
  readonly at: Placed | Step;
}

/**
 * Finds the request that an error text is about: the one refused with this text; else the last one in which a
 * rule reports the same problem; else the last one that contains what the text names. Successful requests
 * come last.
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
  return new PlaceFinder(error, findings).among(steps);
}

/** Looks for what one error text is about among the findings of a log. */
class PlaceFinder {
  readonly #error: PastedError;
  readonly #findings: readonly FindingReport[];

  constructor(error: PastedError, findings: readonly FindingReport[]) {
    this.#error = error;
    this.#findings = findings;
  }

  among(steps: readonly Step[]): ErrorPlace | undefined {
    const { match, pointers, words } = this.#error;
    const refused = steps.filter((step) => isRefusedWith(step, words));
    const [first] = refused;
    if (first) {
      const isOne = new Set(refused.map((step) => step.conversation)).size === 1;
      return this.#placeIn(first, "refused", isOne);
    }
    const containing = steps.filter((step) => containsNamed(step, this.#error));
    const broken = containing.filter((step) => this.#isBroken(step));
    // A text that names nothing fits any request, so it points to none.
    const isVague =
      (match?.callIds ?? []).length + pointers.length === 0 &&
      match?.index === undefined &&
      (match?.complaint?.path.length ?? 0) < 2;
    if (isVague && broken.length === 0) return undefined;
    const [how, some] = broken.length > 0 ? (["broken", broken] as const) : (["named", containing] as const);
    const step = some.findLast((one) => !hasSucceeded(one)) ?? some.at(-1);
    return step && this.#placeIn(step, how, some.length === 1);
  }

  #placeIn(step: Step, how: ErrorPlace["how"], isCertain: boolean): ErrorPlace {
    const { match, words, pointers } = this.#error;
    const item = refusedItem(step, words, match && { ...pointers[0], ...match });
    const pointer = match?.complaint && step.request && resolvePath(step.request, match.complaint);
    const finding =
      this.#findingIn(step, item, pointer) ??
      // The provider refused this very request, so its gravest fault is the likeliest reason.
      (how === "refused" && !match
        ? this.#faultsIn(step).find(({ severity }) => severity === "error")
        : undefined);
    return { step, item, how, isCertain, finding, cause: finding && this.#rootOf(finding), pointer };
  }

  /** A rule reports here what the text says or nearly says, or finds fault with what the text names. */
  #isBroken(step: Step): boolean {
    const { match, pointers } = this.#error;
    const element = elementPointer(step, match?.index ?? pointers[0]?.index);
    return this.#faultsIn(step).some(
      (finding) =>
        finding.rule === match?.rule ||
        (match?.or !== undefined && finding.rule === match.or) ||
        (element === undefined && isMeantToo(finding, match)) ||
        (element !== undefined && finding.severity !== "info" && isWithin(finding, element)),
    );
  }

  #faultsIn(step: Step): FindingReport[] {
    return this.#findings.filter(
      (finding) => concerns(finding, step) && finding.rule !== "provider-rejected",
    );
  }

  /**
   * The finding in the request that says what the text says. What the log shows of the named item counts for
   * more than the provider's words.
   */
  #findingIn(step: Step, item: Placed | undefined, pointer?: string): FindingReport | undefined {
    const { match, pointers } = this.#error;
    const ids = item ? itemIds(item.item) : [];
    const here = this.#faultsIn(step);
    const element = elementPointer(step, item?.element ?? match?.index ?? pointers[0]?.index);
    const isSaid = ({ rule }: FindingReport): boolean => rule === match?.rule;
    const isNearlySaid = ({ rule }: FindingReport): boolean => match?.or !== undefined && rule === match.or;
    const isNamed = ({ data }: FindingReport): boolean => ids.some((id) => names(data, id));
    const isThere = (finding: FindingReport): boolean =>
      (pointer !== undefined && isWithin(finding, pointer)) ||
      (element !== undefined && isWithin(finding, element));
    const grave = here.filter(({ severity }) => severity !== "info");
    return (
      here.find(
        (finding) => isSaid(finding) && (isNamed(finding) || (ids.length === 0 && isThere(finding))),
      ) ??
      here.find((finding) => isNearlySaid(finding) && (isNamed(finding) || isThere(finding))) ??
      here.find((finding) => isSaid(finding) && ids.length === 0) ??
      grave.find(isNamed) ??
      grave.find((finding) => pointer !== undefined && isWithin(finding, pointer)) ??
      grave.find(isThere) ??
      here.find(isNamed) ??
      here.find(isThere) ??
      here.find(isSaid) ??
      here.find(isNearlySaid) ??
      this.#causeOfRefusal(step, (finding) => element === undefined || isMeantToo(finding, match)) ??
      (element === undefined ? grave.find((finding) => isMeantToo(finding, match)) : undefined)
    );
  }

  /** The reported refusal of the request, if it has a cause that fits. */
  #causeOfRefusal(step: Step, fits: (finding: FindingReport) => boolean): FindingReport | undefined {
    const refusal = this.#findings.find(
      (finding) => finding.rule === "provider-rejected" && concerns(finding, step),
    );
    return refusal && refusal.cause !== null && fits(this.#rootOf(refusal)) ? refusal : undefined;
  }

  #rootOf(finding: FindingReport): FindingReport {
    const seen = new Set<FindingReport>();
    let root = finding;
    while (root.cause !== null && !seen.has(root)) {
      seen.add(root);
      root = this.#findings.find(({ id }) => id === root.cause) ?? root;
    }
    return root;
  }
}

/**
 * What else the words of a rule may mean. Providers name a defect by the check of theirs that fails first: a
 * result in the wrong place is missing where it is looked for.
 */
const besides: Readonly<Record<string, readonly string[]>> = {
  "unanswered-tool-call": [
    "misplaced-tool-result",
    "call-id-mismatch",
    "duplicate-call-id",
    "missing-output-type",
    "merged-or-split-turns",
    "result-kind-mismatch",
  ],
  "orphaned-tool-result": [
    "misplaced-tool-result",
    "call-id-mismatch",
    "dropped-tool-call",
    "duplicate-tool-result",
    "result-kind-mismatch",
  ],
  "misplaced-tool-result": ["duplicate-call-id", "merged-or-split-turns", "unanswered-tool-call"],
  "incomplete-arguments": ["misencoded-arguments", "invalid-arguments"],
  "misencoded-arguments": ["incomplete-arguments", "invalid-arguments"],
  "dropped-reasoning": ["refused-reasoning", "rewritten-history"],
  "refused-reasoning": ["dropped-reasoning", "rewritten-history"],
  "rewritten-history": ["dropped-reasoning", "refused-reasoning", "reordered-blocks"],
  "invalid-request": ["mixed-protocols", "empty-content", "malformed-tool-result", "missing-output-type"],
  "missing-output-type": ["invalid-request", "mixed-protocols"],
};

/** Whether a grave finding is what the text may mean in addition to its own rule. */
function isMeantToo({ rule, severity }: FindingReport, match: ErrorMatch | undefined): boolean {
  if (match?.rule === undefined || severity === "info") return false;
  return rule === match.or || (besides[match.rule] ?? []).includes(rule);
}

/** The pointer to an element of a request's history; `undefined` without an index. */
function elementPointer({ request }: Step, index: number | undefined): string | undefined {
  return request && index !== undefined ? `${request.historyPointer}/${index}` : undefined;
}

/** Whether a finding, or something that it mentions, stands at or below a pointer. */
function isWithin({ location }: FindingReport, pointer: string): boolean {
  return location.part === "request" && `${location.pointer}/`.startsWith(`${pointer}/`);
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

/** Whether the reply's error and the pasted text contain each other, ignoring quotes and escapes. */
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

/** Whether the request contains the ids or the item that the text names; true where it names none. */
function containsNamed(step: Step, { match, pointers }: PastedError): boolean {
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

/**
 * The life of a refused call or result and its counterpart: where the call was made, where the counterpart
 * was last sent, and since when it is gone.
 */
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
