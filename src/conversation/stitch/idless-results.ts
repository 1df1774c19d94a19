import type { Placed, Step } from "../conversation.ts";
import { isCall, placedItems } from "../conversation.ts";
import type { ToolCall } from "../item.ts";
import type { Matching } from "./matching.ts";

/** Results without ids. Only its call distinguishes one of several equal ones, so their calls match first. */
export class IdlessResults {
  /** Whether there are any. */
  readonly exist: boolean;
  readonly #matching: Matching;
  /** The newest calls of the common prefix that may be answered after it. */
  readonly #waiting: readonly Placed[];
  readonly #shared: ReadonlySet<Placed>;
  /** The call of each expected result, and of each actual one. */
  readonly #asked: ReadonlyMap<Placed, Placed>;
  readonly #made: ReadonlyMap<Placed, Placed>;
  /** Where each expected call stands. */
  #places: ReadonlyMap<Placed, number> | undefined;

  constructor(matching: Matching, parent: Step, kept: number) {
    const { expected, actual } = matching;
    this.#matching = matching;
    this.exist = expected.some(lacksId) || actual.some(lacksId);
    this.#waiting = this.exist ? lastCalls(parent, kept) : [];
    this.#shared = new Set(this.#waiting);
    this.#asked = this.exist ? answeredCalls(expected, this.#waiting) : noCalls;
    this.#made = this.exist ? answeredCalls(actual, this.#waiting) : noCalls;
  }

  /** Names the expected call that a result without an id answers; `undefined` for other items. */
  callKey(placed: Placed): string | undefined {
    const call = lacksId(placed) ? this.#callOf(placed) : undefined;
    this.#places ??= new Map(
      [...this.#waiting, ...this.#matching.expected].map((each, index) => [each, index]),
    );
    return call && `${this.#places.get(call)}`;
  }

  /** Its call is matched already, so the result of another call is a different one. */
  isSettled(placed: Placed): boolean {
    const call = lacksId(placed) ? this.#made.get(placed) : undefined;
    return call !== undefined && (this.#matching.partners.has(call) || this.#shared.has(call));
  }

  #callOf(placed: Placed): Placed | undefined {
    const call = this.#made.get(placed);
    return (
      this.#asked.get(placed) ?? (call && (this.#shared.has(call) ? call : this.#matching.partners.get(call)))
    );
  }
}

const noCalls: ReadonlyMap<Placed, Placed> = new Map();

/** A result without a call id. */
export function lacksId({ item }: Placed): boolean {
  return item.kind === "result" && item.callId === undefined;
}

/** The newest calls of the common prefix, if results for some of them may come after it. */
function lastCalls(parent: Step, kept: number): readonly Placed[] {
  const history = parent.request?.history;
  let from = kept;
  while (history && from > 0 && history.role(from - 1) !== "assistant") {
    if (!history.items(from - 1).every((item) => item.kind === "result")) return [];
    from--;
  }
  while (history && from > 0 && history.role(from - 1) === "assistant") from--;
  const newest = [...placedItems(parent, history, from)].filter(({ element }) => element < kept);
  const answered = new Set(answeredCalls(newest).values());
  return newest.filter((placed) => isCall(placed) && !answered.has(placed));
}

/** The calls that results without ids answer: the first open one of their tool. */
function answeredCalls(
  items: readonly Placed[],
  waiting: readonly Placed[] = [],
): ReadonlyMap<Placed, Placed> {
  const answered = new Map<Placed, Placed>();
  const taken = new Set<Placed>();
  /** The calls of a tool, and of all tools, each from the first that may be open. */
  const queues = new Map<string | undefined, { readonly calls: Placed<ToolCall>[]; next: number }>();
  const wait = (call: Placed<ToolCall>): void => {
    for (const name of [undefined, call.item.name]) {
      const queue = queues.get(name) ?? { calls: [], next: 0 };
      queues.set(name, queue);
      queue.calls.push(call);
    }
  };
  const take = (name: string | undefined): Placed | undefined => {
    const queue = queues.get(name);
    for (; queue && queue.next < queue.calls.length; queue.next++) {
      const call = queue.calls[queue.next];
      if (call && !taken.has(call)) return call;
    }
    return undefined;
  };
  for (const call of waiting) if (isCall(call)) wait(call);
  for (const placed of items) {
    if (isCall(placed)) wait(placed);
    else if (placed.item.kind === "result" && lacksId(placed)) {
      const call = take(placed.item.name);
      if (!call) continue;
      taken.add(call);
      answered.set(placed, call);
    }
  }
  return answered;
}
