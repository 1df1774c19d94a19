import type { Run } from "./open.ts";

/** How reports describe a log. Plain data. */
export interface LogReport {
  readonly path: string;
  readonly container: string;
  readonly kind: "requests" | "transcript";
  readonly protocols: readonly string[];
  readonly exchanges: number;
  /** Conversations in the whole log, including unselected ones. */
  readonly conversations: number;
}

/** `path`: the directory, if the user named one. */
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
