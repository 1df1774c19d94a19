import { anthropic } from "./anthropic/index.ts";
import { appEvents } from "./app-events/index.ts";
import { bedrock } from "./bedrock/index.ts";
import { cohere } from "./cohere/index.ts";
import { gemini } from "./gemini/index.ts";
import { geminiInteractions } from "./gemini-interactions/index.ts";
import { ollama } from "./ollama/index.ts";
import { openaiChat } from "./openai-chat/index.ts";
import { openaiResponses } from "./openai-responses/index.ts";
import { plain } from "./plain/index.ts";
import type { Protocol } from "./protocol.ts";
import { sdkMessages } from "./reported/index.ts";

/** All protocols; if certainties are equal, the first wins. */
export const protocols: readonly Protocol[] = [
  openaiChat,
  openaiResponses,
  anthropic,
  bedrock,
  gemini,
  geminiInteractions,
  ollama,
  cohere,
  sdkMessages,
  appEvents,
  plain,
];

/** The protocol of this name; `undefined` if there is none. */
export function protocolNamed(name: string | undefined): Protocol | undefined {
  return protocols.find((protocol) => protocol.name === name);
}
