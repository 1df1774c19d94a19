import type { Placed, Step } from "../conversation.ts";
import type { History } from "../exchange.ts";
import { isHistoryAlone } from "../history-alone.ts";
import type { Item } from "../item.ts";
import type { Alignment } from "./align.ts";

/**
 * Two recorded histories without proof that they were sent: transcripts, training examples, trials of one
 * task. They share a beginning; a later one continues an earlier one if it holds that one's end and more.
 * Requests of a forgetful client differ by one reply each.
 */
export function areRunsApart(
  before: Step,
  after: Step,
  { kept, partners, added, changed }: Alignment,
): boolean {
  const [earlier, later] = [historyAlone(before), historyAlone(after)];
  if (!earlier || !later) return false;
  const last = earlier.length - 1;
  const [session, other] = [before.request?.session, after.request?.session];
  if (session !== undefined && other !== undefined && session !== other) return true;
  if (isAskedElse(later, kept, partners)) return true;
  // Different text, or different ids, of another run is not the same.
  const otherwise = changed.map(({ after: now }) => now);
  const isEndKept = [...partners].some(
    ([now, then]) =>
      then.part === "request" &&
      then.element === last &&
      (now.element ?? 0) < later.length - 1 &&
      !otherwise.includes(now),
  );
  if (kept > last || isEndKept) return false;
  // The same last words behind different ones: each run came to its end.
  const haveSameEnd = [...partners].some(
    ([{ item, element }, then]) =>
      item.kind === "message" && then.element === last && element === later.length - 1,
  );
  const said = new Set(
    [...added, ...otherwise].filter(({ item }) => item.role === "assistant").map(({ element }) => element),
  );
  return haveSameEnd || said.size > 1 || (endsTurn(earlier) && endsTurn(later));
}

/**
 * The calls of both histories have ids, of one form, and none is the same: trials of one task, in which the
 * model began alike. A client that rewrites ids for another provider gives them another form. A forgetful
 * client at least sends calls of the reply, so nothing of a known reply may come back.
 */
export function isOfOtherIds(
  { reply }: Step,
  before: History,
  { kept, partners, echoes }: Alignment,
): boolean {
  if (!reply?.items.length || echoes.length > 0) return false;
  for (let index = 0; index < kept; index++)
    if (before.items(index).some((item) => idOf(item) !== undefined)) return false;
  const ids = [...partners]
    .map(([now, then]) => [callIdOf(now), callIdOf(then)] as const)
    .filter(([now, then]) => now !== undefined || then !== undefined);
  return ids.length > 0 && ids.every(([now, then]) => now !== then && formOfId(now) === formOfId(then));
}

/** The user's first words are others, and nothing of the model stands before them but a greeting. */
function isAskedElse(history: History, kept: number, partners: Alignment["partners"]): boolean {
  const first = askedAt(history, kept);
  return first !== undefined && [...partners.keys()].every(({ element }) => element !== first);
}

/**
 * The element with the user's first words, if nothing stands before it but system prompts and a greeting of
 * the agent's, and it is not among the elements that are kept.
 */
function askedAt(history: History, kept: number): number | undefined {
  const isOpening = (index: number): boolean =>
    history.role(index) === "system" ||
    (history.role(index) === "assistant" && history.items(index).every(({ kind }) => kind === "message"));
  let first = 0;
  while (first < history.length && isOpening(first)) first++;
  return kept <= first && first < history.length && history.role(first) === "user" ? first : undefined;
}

/** An id without what is random in it: the words before that, and the length. */
function formOfId(id: string | undefined): string | undefined {
  return id === undefined ? undefined : `${/^(?:[a-z]+[-_])*/i.exec(id)?.[0]} ${id.length}`;
}

function historyAlone({ exchange }: Step): History | undefined {
  return isHistoryAlone(exchange) ? exchange.request?.history : undefined;
}

function endsTurn(history: History): boolean {
  const last = history.length - 1;
  return (
    last >= 0 &&
    history.role(last) === "assistant" &&
    history.items(last).every(({ kind }) => kind !== "call")
  );
}

/**
 * Without ids, two agents that read the same file share a call and its result. If the opening user message
 * differs and no model text is shared, it is another conversation.
 */
export function beginsElsewhere(history: History, { kept, partners, missing }: Alignment): boolean {
  if (missing.every(({ item }) => item.role === "user" || item.kind === "reasoning")) return false;
  const first = askedAt(history, kept);
  if (first === undefined) return false;
  return [...partners.keys()].every(({ item, element }) => {
    if (item.kind === "call") return item.id === undefined;
    if (item.kind === "result") return item.callId === undefined;
    return item.role === "system" || (item.kind === "message" && item.role === "user" && element !== first);
  });
}

export function callIdOf({ item }: Placed): string | undefined {
  return idOf(item);
}

function idOf(item: Item): string | undefined {
  return item.kind === "call" ? item.id : item.kind === "result" ? item.callId : undefined;
}
