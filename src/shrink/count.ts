import { contentOf } from "../conversation/identity.ts";
import { callIdsOf } from "./histories.ts";
import type { FailingLog } from "./oracle.ts";
import { allRounds } from "./rounds.ts";
import { conversationUnits } from "./sessions.ts";

/** How large a log is, in what a reader has to take in. */
export interface Count {
  /** Requests with their replies; 0 for the file of a session. */
  readonly exchanges: number;
  /** Rounds and messages, each once, however many requests carry it. */
  readonly units: number;
  readonly bytes: number;
}

/** Counts what is in a log. */
export function countOf(log: FailingLog): Count {
  const { file } = log;
  const bytes = file.source.size;
  if (file.kind === "transcript") return { exchanges: 0, units: conversationUnits(log).length, bytes };
  const rounds = allRounds(log).length;
  return { exchanges: file.exchanges.length, units: rounds + newReplies(log), bytes };
}

/** Replies that no request of the log carries. */
function newReplies({ file }: FailingLog): number {
  const sent = new Set<string>();
  for (const { request } of file.exchanges)
    for (let index = 0; request && index < request.history.length; index++)
      for (const item of request.history.items(index)) for (const name of namesOf([item])) sent.add(name);
  const replies = file.exchanges.flatMap(({ reply }) => reply ?? []);
  return replies.filter(({ items }) => items.length === 0 || !namesOf(items).some((name) => sent.has(name)))
    .length;
}

/** What a reply is known by in a history: its calls, else its content. */
function namesOf(items: Parameters<typeof callIdsOf>[0]): string[] {
  const ids = callIdsOf(items);
  return ids.length > 0 ? ids : items.filter(({ kind }) => kind === "message").map(contentOf);
}
