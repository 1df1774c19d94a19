import { short, toolName } from "./words.ts";

interface Named {
  /** The call's own id; the tool's name or an empty text if it has none. */
  readonly callId: string;
  readonly tool: string;
}

/** A call in words: by id, or by tool if it has no id of its own. */
export function callWords(call: Named): string {
  const tool = toolName(call.tool);
  return hasId(call) ? `call \`${short(call.callId)}\` to ${tool}` : `the call to ${tool}`;
}

/** The result of a call in words. */
export function resultWords(call: Named): string {
  return `the result of ${toolName(call.tool)}${hasId(call) ? ` (\`${short(call.callId)}\`)` : ""}`;
}

const hasId = ({ callId, tool }: Named): boolean => callId !== "" && callId !== tool;
