import type { Run } from "./open.ts";

/** A log, as reports about it begin. Plain data. */
export interface LogReport {
  readonly path: string;
  readonly container: string;
  readonly kind: "requests" | "transcript";
  readonly protocols: readonly string[];
  readonly exchanges: number;
  /** Conversations in the whole log, also those that were not asked for. */
  readonly conversations: number;
}

/** `path` is what the user named, where that is a directory. */
export function logReport({ files: [first], exchanges, conversations }: Run, path = first.path): LogReport {
  return {
    path,
    container: first.container,
    kind: first.kind,
    protocols: [...new Set(exchanges.map(({ protocol }) => protocol))].sort(),
    exchanges: exchanges.length,
    conversations: conversations.length,
  };
}
