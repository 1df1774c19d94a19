interface Named {
  /** Its own id; the name of its tool, or nothing, where it has none. */
  readonly callId: string;
  readonly tool: string;
}

/** A call in words: by its id, or where it has none of its own, by its tool. */
export function callWords(call: Named): string {
  return hasId(call) ? `call \`${call.callId}\` to \`${call.tool}\`` : `the call to \`${call.tool}\``;
}

/** The result of a call in words. */
export function resultWords(call: Named): string {
  return `the result of \`${call.tool}\`${hasId(call) ? ` (\`${call.callId}\`)` : ""}`;
}

const hasId = ({ callId, tool }: Named): boolean => callId !== "" && callId !== tool;
