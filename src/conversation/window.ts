import type { Conversation, Step } from "./conversation.ts";
import type { History } from "./exchange.ts";
import type { Item } from "./item.ts";

/** The end of a history, which is all that a client sends of it in request after request. */
export interface Window {
  /**
   * - `last`: always as many messages as at most fit
   * - `newest`: what is new since the last request, and nothing else
   */
  readonly kind: "last" | "newest";
  /** Number of messages that are sent, without the system prompt and the first prompt if they are kept. */
  readonly size: number;
  /** The first prompt of the user is always sent. */
  readonly keepsAsk: boolean;
  /** The steps whose requests lose messages, in sending order; at least {@link minSteps}. */
  readonly steps: readonly Step[];
  /** What each of these histories lacks. */
  readonly lacks: ReadonlyMap<Step, Lack>;
}

/** Number of messages without system prompts: those that are missing, and those of the whole history. */
export interface Lack {
  readonly missing: number;
  readonly of: number;
}

/** A cut that occurs less often may have another reason. */
const minSteps = 3;
/** Sizes may differ by this number of messages: a window of whole rounds does not always fit exactly. */
const slack = 1;

/** What the beginning of a step's history lost. */
interface Cut {
  readonly step: Step;
  /** Number of elements in front of the cut: prompts that are always sent. */
  readonly head: number;
  /** Number of elements that are gone. */
  readonly gone: number;
  readonly keepsAsk: boolean;
  /** Nothing is left of the parent's request except its head. */
  readonly isAll: boolean;
}

const known = new WeakMap<Conversation, { readonly window: Window | undefined }>();

/** The part of the history that a client sends; `undefined` if it sends all of it, or cuts it otherwise. */
export function windowOf(conversation: Conversation): Window | undefined {
  if (conversation.steps.length < minSteps) return undefined;
  const found = known.get(conversation);
  if (found) return found.window;
  const window = findWindow(conversation);
  known.set(conversation, { window });
  return window;
}

function findWindow({ kind, steps }: Conversation): Window | undefined {
  if (kind === "transcript") return undefined;
  const cuts: Cut[] = [];
  /** Elements that were cut off before each step. */
  const lost = new Map<Step, number>();
  const lacks = new Map<Step, Lack>();
  for (const step of steps) {
    const before = step.parent ? (lost.get(step.parent) ?? 0) : 0;
    const cut = cutOf(step);
    lost.set(step, before + (cut?.gone ?? 0));
    if (!cut) {
      // A loss elsewhere shows that the client does something else.
      if (step.loss?.extent === "current-turn") return undefined;
      continue;
    }
    cuts.push(cut);
    const sent = (step.request?.history.length ?? 0) - systemElements(step);
    lacks.set(step, { missing: before + cut.gone, of: sent + before + cut.gone });
  }
  const [first] = cuts;
  if (!first || cuts.length < minSteps) return undefined;
  const { keepsAsk } = first;
  if (cuts.some((cut) => cut.keepsAsk !== keepsAsk)) return undefined;
  const window = { keepsAsk, steps: cuts.map(({ step }) => step), lacks };
  if (cuts.every(({ isAll }) => isAll)) return { ...window, kind: "newest", size: 0 };
  const sizes = cuts.map(({ step, head }) => (step.request?.history.length ?? 0) - head);
  let [least, size] = [Number.POSITIVE_INFINITY, 0];
  for (const each of sizes) {
    least = Math.min(least, each);
    size = Math.max(size, each);
  }
  return size - least <= slack ? { ...window, kind: "last", size } : undefined;
}

/** Set if what is gone of the parent's history is its beginning, behind the prompts that are kept. */
function cutOf(step: Step): Cut | undefined {
  const { parent, missing, relation, isPartial } = step;
  const history = parent?.request?.history;
  if (!parent || !history || relation !== "continuation" || isPartial) return undefined;
  const gone = new Set<Item>();
  let end = -1;
  for (const { part, element, item } of missing) {
    if (part !== "request" || !hasSubstance(item)) continue;
    gone.add(item);
    end = Math.max(end, element);
  }
  if (end < 0) return undefined;
  const first = systemElements(parent);
  const isGone = (from: number): boolean => {
    for (let element = from; element <= end; element++) {
      const items = history.items(element).filter(hasSubstance);
      // A sentence that the model says again and again looks as if it were still there.
      if (!items.some((item) => gone.has(item)) && !items.every(isSaid)) return false;
    }
    return true;
  };
  const isAskKept = !history.items(first).some((item) => gone.has(item));
  const head = isAskKept ? first + 1 : first;
  if (head > end || (isAskKept && history.role(first) !== "user") || !isGone(head)) return undefined;
  return { step, head, gone: end + 1 - head, keepsAsk: isAskKept, isAll: end === history.length - 1 };
}

function systemElements({ request }: Step): number {
  const history: History | undefined = request?.history;
  let number = 0;
  while (history && number < history.length && history.role(number) === "system") number++;
  return history && number < history.length ? number : 0;
}

function isSaid({ kind, role }: Item): boolean {
  return kind === "message" && role === "assistant";
}

function hasSubstance(item: Item): boolean {
  if (item.kind === "message") return item.role !== "system" && (item.text.trim() !== "" || item.hasMedia);
  return item.kind === "call" || item.kind === "result";
}
