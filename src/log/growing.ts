import { hasBrokenArguments } from "../conversation/call-arguments.ts";
import type { Request } from "../conversation/exchange.ts";
import { pushAll } from "../reading/lists.ts";
import { isFields } from "../reading/values.ts";
import type { Draft } from "./decode-pair.ts";

/**
 * Messages that a program printed again and again while a reply arrived (`for messages in stream: print(…)`).
 * Each print has all that the one before it had, so only the last of a run says what was said.
 */

/** Two equal histories may be two requests; a run this long is a message that grew. */
const shortestRun = 3;

/** Without the earlier prints of messages that grew. */
export function withoutEarlierPrints(drafts: readonly Draft[]): readonly Draft[] {
  const kept: Draft[] = [];
  let length = 1;
  for (const [at, draft] of drafts.entries()) {
    const next = drafts[at + 1];
    if (next && grows(draft, next)) {
      length++;
      continue;
    }
    if (length < shortestRun) pushAll(kept, drafts.slice(at + 1 - length, at + 1));
    else kept.push(asCut(draft));
    length = 1;
  }
  return kept;
}

/** The reply went on after the last print where that has only the beginning of a call. */
function asCut(draft: Draft): Draft {
  const { exchange } = draft;
  const { request } = exchange;
  const last = request?.history.items(request.history.length - 1) ?? [];
  const isWhole = !last.some((item) => item.kind === "call" && hasBrokenArguments(item));
  return !request || isWhole
    ? draft
    : { ...draft, exchange: { ...exchange, request: { ...request, isCut: true } } };
}

function grows({ exchange: before }: Draft, { exchange: after }: Draft): boolean {
  if (before.reply || after.reply || !before.request?.isBare || !after.request?.isBare) return false;
  const size = before.request.history.length;
  if (size === 0 || size !== after.request.history.length) return false;
  if (before.request.history.role(size - 1) !== "assistant") return false;
  return isLonger(valuesOf(before.request), valuesOf(after.request), 0);
}

function valuesOf({ history }: Request): readonly unknown[] {
  return Array.from({ length: history.length }, (_, at) => history.element(at).value);
}

/** Messages are not deeper. */
const maxDepth = 12;

/** Whether a value is the other one, or its beginning. */
function isLonger(before: unknown, after: unknown, depth: number): boolean {
  if (typeof before === "string" && typeof after === "string") return after.startsWith(before);
  if (depth > maxDepth) return false;
  if (Array.isArray(before) && Array.isArray(after))
    return (
      before.length === after.length &&
      before.every((each, at) => isLonger(each, after[at] as unknown, depth + 1))
    );
  if (isFields(before) && isFields(after))
    return Object.entries(before).every(([key, each]) => isLonger(each, after[key], depth + 1));
  return before === after;
}
