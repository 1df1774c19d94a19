import type { Placed, Step } from "../conversation/conversation.ts";
import type { History } from "../conversation/exchange.ts";
import type { Finding } from "../findings/finding.ts";
import { historyOf, runOf } from "../protocols/history.ts";
import type { Protocol } from "../protocols/protocol.ts";
import type { Element } from "../reading/shared-run.ts";

/** Why a history changes: the finding, and where the log contains what is restored. */
export interface FixReason {
  readonly finding: Finding;
  /** Absent if nothing is restored: the log itself shows the mistake. */
  readonly evidence?: Placed | undefined;
}

/** One element of a history as it should have been. */
export interface HistoryEntry {
  readonly element: Element;
  /** Index of the recorded element that it is, or was made from; absent if it was inserted. */
  readonly recorded?: number;
  /** The recorded element that it copies byte for byte. */
  readonly copyOf?: { readonly step: Step; readonly element: number };
  readonly whys: readonly FixReason[];
}

/** A member outside the history that is restored or removed. */
export interface RequestMember {
  readonly key: string;
  /** RFC 6901 pointer from the body. */
  readonly pointer: string;
  readonly value: unknown;
  /** The member is removed; `value` is its old value. */
  readonly isGone?: true;
  /** The request has the member, but it is empty. */
  readonly isThere: boolean;
  readonly finding: Finding;
  /** The step whose request contains the value. */
  readonly source: Step;
}

/** The history of one request as it should have been, given the log up to there. */
export interface FixTarget {
  readonly step: Step;
  readonly entries: readonly HistoryEntry[];
  /** Why recorded elements were removed. */
  readonly removals: readonly FixReason[];
  readonly members?: readonly RequestMember[];
  /** Reads the entries if their form differs from the step's protocol. */
  readonly protocol?: Protocol;
}

/** Interns elements by content, so that histories with the same additions stay cheap to compare. */
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

/** The history of a step as recorded. */
export function recordedEntries(step: Step): HistoryEntry[] {
  const history = step.request?.history;
  return Array.from({ length: history?.length ?? 0 }, (_, recorded) => ({
    element: (history as History).element(recorded),
    recorded,
    whys: [],
  }));
}

/** By how much a fix makes the history of a request larger; in UTF-16 units, which is near to bytes. */
export function growthOf({ step, entries }: FixTarget): number {
  const history = step.request?.history;
  let growth = 0;
  for (const { element } of entries) growth += element.size;
  for (let index = 0; history && index < history.length; index++) growth -= history.element(index).size;
  return Math.max(0, growth);
}

/** Whether the target differs from the recorded request. */
export function isTouched({ step, entries, removals, members = [] }: FixTarget): boolean {
  const length = step.request?.history.length ?? 0;
  return (
    removals.length > 0 ||
    members.length > 0 ||
    entries.length !== length ||
    entries.some(({ recorded, whys }, index) => recorded !== index || whys.length > 0)
  );
}
