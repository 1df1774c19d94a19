/** The parties whose words a history holds. */
export const speakers = ["user", "assistant", "system", "tool"] as const;
export type Speaker = (typeof speakers)[number];

/** The roles of all known APIs. */
const ofApis: Readonly<Record<string, Speaker>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  model: "assistant",
  tool: "tool",
  function: "tool",
};

/** Further names that frameworks and tracing tools give to the speakers, in lower case. */
const ofFrameworks: Readonly<Record<string, Speaker>> = {
  systemmessage: "system",
  human: "user",
  humanmessage: "user",
  ai: "assistant",
  aimessage: "assistant",
  agent: "assistant",
  bot: "assistant",
  gpt: "assistant",
  toolmessage: "tool",
  functionmessage: "tool",
  observation: "tool",
  tool_response: "tool",
  tool_result: "tool",
  toolresult: "tool",
  function_response: "tool",
};

export const apiRoles: ReadonlySet<string> = new Set(Object.keys(ofApis));

/** The speaker whom an API's role names, in any case; `undefined` for other words. */
export function speakerOf(role: string | undefined): Speaker | undefined {
  return lookUp(ofApis, role);
}

/** The speaker whom a word names in an API or a framework, in any case; `undefined` for other words. */
export function anySpeakerOf(word: string | undefined): Speaker | undefined {
  return lookUp(ofApis, word) ?? lookUp(ofFrameworks, word?.replace(/chunk$/i, ""));
}

/** Inherited names such as `constructor` are not in a table. */
function lookUp(table: Readonly<Record<string, Speaker>>, word: string | undefined): Speaker | undefined {
  const lower = word?.toLowerCase();
  return lower !== undefined && Object.hasOwn(table, lower) ? table[lower] : undefined;
}

/** Whether a type is one of those by which LangChain stores messages. */
export function isLangChainType(type: string | undefined): boolean {
  return /^(?:human|ai|tool|system|function)$/.test(type ?? "");
}

/** Whether a word is a type or a class of LangChain's messages: `ai`, `AIMessage`, `AIMessageChunk`. */
export function isLangChainKind(word: string | undefined): boolean {
  return isLangChainType(word) || /^\w+Message(?:Chunk)?$/.test(word ?? "");
}

/**
 * Names that frameworks, templates and other APIs give to the speakers, and that clients send by mistake. A
 * role outside this list that an API does not know may be a new one.
 */
export const misnamedRoles: ReadonlySet<string> = new Set(
  `human ai bot chatbot agent gpt model llm customer client operator
  User USER Human HUMAN Assistant ASSISTANT AI Bot CHATBOT System SYSTEM Tool TOOL Function FUNCTION Model
  HumanMessage AIMessage SystemMessage ToolMessage
  observation ipython environment tool_call tool_calls tool_result tool_results tool_response tool_output
  toolResult toolCall function_call function_call_output function_response functionResponse
  data context instruction instructions prompt input output question answer narrator`.split(/\s+/),
);

/** Neither an API's role nor a known slip: a newer API may have it. */
export function isUnheardOfRole(role: string): boolean {
  return role !== "" && !apiRoles.has(role) && !misnamedRoles.has(role);
}
