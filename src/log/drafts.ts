import type { Pair } from "../containers/payloads/pairing.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { exchangeCrowd } from "../reading/crowds.ts";
import { type ByteSource, storedSize } from "../reading/source.ts";
import type { Defect } from "../traffic/container.ts";
import { type Draft, decodePair } from "./decode-pair.ts";
import type { LogReadOptions } from "./log-file.ts";

/**
 * The exchanges of a log, up to more of them than a log of its size has: 35,000 requests without a message
 * fit into a megabyte, and each is looked at, repaired and compared as one that says something.
 */
export function draftsOf(
  pairs: Iterable<Pair>,
  source: ByteSource,
  protocols: ReadonlyMap<string, Protocol>,
  options: LogReadOptions,
): { all: readonly Draft[]; crowd?: Defect } {
  const all: Draft[] = [];
  // Packed bodies and files may hold more than the source.
  let held = 0;
  for (const pair of pairs) {
    const parts = [pair.request, pair.reply].flatMap((half) => half?.place.origin ?? []);
    const [first] = parts;
    const message = first && exchangeCrowd(all.length, Math.max(source.size, held), storedSize(source));
    if (message) {
      const origin = { ...first, end: first.source.size };
      return { all, crowd: { kind: "broken", origin, message, isOverLimit: true } };
    }
    for (const { start, end } of parts) held += end - start;
    const draft = decodePair(pair, protocols, options);
    if (draft) all.push(draft);
  }
  return { all };
}

/**
 * Errors that repeat the one before them, with no request in between: each layer of a program logs the
 * exception that passes through it.
 */
export function errorsAgain(drafts: readonly Draft[]): ReadonlySet<Draft> {
  const repeated = drafts.filter(({ exchange: { request, reply } }, at) => {
    const text = reply?.error?.message;
    return !request && text !== undefined && text === drafts[at - 1]?.exchange.reply?.error?.message;
  });
  return new Set(repeated);
}

/** In a trace that marks the calls of models, its other steps repeat their messages. */
export function modelDrafts(drafts: readonly Draft[]): readonly Draft[] {
  const hasCalls = drafts.some((draft) => draft.isModelCall === true);
  return hasCalls ? drafts.filter((draft) => draft.isModelCall !== false) : drafts;
}

/** An outer span around a request's span reports the same request again, in its own form. */
export function withoutOuterSpans(
  drafts: readonly Draft[],
  parents: ReadonlyMap<string, string> = new Map(),
): Draft[] {
  const outer = new Set<string>();
  for (const { spanId, exchange } of drafts) {
    if (spanId === undefined || !exchange.request) continue;
    let above = parents.get(spanId);
    // Ids come from the log and may form a cycle.
    while (above !== undefined && !outer.has(above)) {
      outer.add(above);
      above = parents.get(above);
    }
  }
  return drafts.filter(({ spanId }) => spanId === undefined || !outer.has(spanId));
}
