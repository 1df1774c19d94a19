import type { Placed, Step } from "../conversation/conversation.ts";
import type { History } from "../conversation/exchange.ts";
import type { Finding } from "../findings/finding.ts";
import { historyOf, runOf } from "../protocols/history.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { Element } from "../reading/shared-run.ts";

/** Why something of a history is changed: the finding that it answers, and where the log holds what is restored. */
export interface FixReason {
  readonly finding: Finding;
  /** Absent where nothing is restored: the log itself says what is wrong. */
  readonly evidence?: Placed | undefined;
}

/** One element of a history as it should have been. */
export interface HistoryEntry {
  readonly element: Element;
  /** The number of the recorded element that it is, or is made of; absent when it was put in. */
  readonly recorded?: number;
  /** The recorded element that it is a copy of, byte for byte. */
  readonly copyOf?: { readonly step: Step; readonly element: number };
  readonly whys: readonly FixReason[];
}

/** A member of a request beside its history that is put back, or taken away. */
export interface RequestMember {
  readonly key: string;
  /** RFC 6901 pointer from the body. */
  readonly pointer: string;
  readonly value: unknown;
  /** It is taken away; `value` is what it was. */
  readonly isGone?: true;
  /** The request has it, empty. */
  readonly isThere: boolean;
  readonly finding: Finding;
  /** The step whose request holds it. */
  readonly source: Step;
}

/** The history of one request as it should have been, given the log up to there. */
export interface FixTarget {
  readonly step: Step;
  readonly entries: readonly HistoryEntry[];
  /** Why recorded elements are gone from it. */
  readonly removals: readonly FixReason[];
  readonly members?: readonly RequestMember[];
  /** Reads the entries, where their form is not that of the step's protocol. */
  readonly protocol?: Protocol;
}

/** Elements are shared by their content, so that histories with the same additions stay cheap to compare. */
export type Elements = (value: unknown) => Element;

export function elementPool(): Elements {
  const known = new Map<string, Element>();
  return (value) => {
    const text = JSON.stringify(value);
    const element = known.get(text) ?? { value, size: text.length, isBroken: false };
    known.set(text, element);
    return element;
  };
}

/** A history made of entries. */
export function historyWith(entries: readonly HistoryEntry[], protocol: Protocol): History {
  const elements = entries.map(({ element }) => element);
  return historyOf(runOf(elements), protocol.name, (value) => protocol.decodeElement(value));
}

/** The history of a step as it was recorded. */
export function recordedEntries(step: Step): HistoryEntry[] {
  const history = step.request?.history;
  return Array.from({ length: history?.length ?? 0 }, (_, recorded) => ({
    element: (history as History).element(recorded),
    recorded,
    whys: [],
  }));
}

/** Whether anything is changed at all. */
export function isTouched({ step, entries, removals, members = [] }: FixTarget): boolean {
  const length = step.request?.history.length ?? 0;
  return (
    removals.length > 0 ||
    members.length > 0 ||
    entries.length !== length ||
    entries.some(({ recorded, whys }, index) => recorded !== index || whys.length > 0)
  );
}
