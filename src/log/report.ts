import type { Run } from "./open.ts";

/** How reports describe a log. Plain data. */
export interface LogReport {
  readonly path: string;
  readonly container: string;
  readonly kind: "requests" | "transcript";
  readonly protocols: readonly string[];
  readonly exchanges: number;
  /** Exchanges that are not turns, so of no conversation: token counts, stored data; absent for none. */
  readonly besideTurns?: number;
  /** Conversations in the whole log, including unselected ones. */
  readonly conversations: number;
}

/** `path`: the directory, if the user named one. */
export function logReport({ files: [first], exchanges, conversations }: Run, path = first.path): LogReport {
  const placed = new Set(
    conversations.flatMap(({ steps }) => steps.map(({ exchange }) => exchange.position)),
  );
  const besideTurns =
    first.kind === "requests" ? exchanges.filter(({ position }) => !placed.has(position)).length : 0;
  return {
    path,
    container: first.container,
    kind: first.kind,
    protocols: [...new Set(exchanges.map(({ protocol }) => protocol))].sort(),
    exchanges: exchanges.length,
    ...(besideTurns > 0 && { besideTurns }),
    conversations: conversations.length,
  };
}
