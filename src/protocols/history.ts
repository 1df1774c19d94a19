import type { History } from "../conversation/exchange.ts";
import type { Element, SharedRun } from "../reading/shared-run.ts";
import type { DecodedElement } from "./protocol.ts";

/** An element decoded for one protocol. Hardly any log has a second protocol that shares elements. */
interface Decoded extends DecodedElement {
  readonly protocol: string;
  readonly other: Decoded | undefined;
}

/** A history over a run of shared elements. An element stores its decoded form, for all histories. */
export function historyOf(
  run: SharedRun,
  protocol: string,
  decode: (value: unknown) => DecodedElement,
): History {
  const decoded = (index: number): DecodedElement => {
    const element = run.element(index);
    const first = element.decoded as Decoded | undefined;
    for (let known = first; known; known = known.other) if (known.protocol === protocol) return known;
    const { role, items } = decode(element.outline ?? element.value);
    const made: Decoded = { role, items, protocol, other: first };
    element.decoded = made;
    return made;
  };
  return {
    length: run.length,
    element: (index) => run.element(index),
    items: (index) => decoded(index).items,
    role: (index) => decoded(index).role,
    run,
  };
}

/** A history of values that are in no array of the log: `input` as a plain string, or no history. */
export function looseRun(values: readonly unknown[]): SharedRun {
  return runOf(values.map((value) => ({ value, size: 0, isBroken: false, decoded: undefined })));
}

/** Like {@link looseRun}, for elements that other histories may share. */
export function runOf(elements: readonly Element[]): SharedRun {
  return {
    length: elements.length,
    element: (index) => elements[index] as Element,
    start: () => 0,
    end: () => 0,
    arrayStart: 0,
    arrayEnd: 0,
    level: 0,
    state: "complete",
  };
}
