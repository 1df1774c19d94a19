import type { DecodedElement, Listing } from "../../protocol.ts";
import { fields, string } from "../../wire.ts";
import { adk, adkEvaluation } from "./adk.ts";
import { aiSdk } from "./ai-sdk.ts";
import { aiStudio } from "./ai-studio.ts";
import { amazonQ } from "./amazon-q.ts";
import { augment } from "./augment.ts";
import { autogen } from "./autogen.ts";
import { ax } from "./ax.ts";
import { agno, fastAgent, shareGpt, sweAgent, tauBench } from "./chat-forms.ts";
import { claudeAi } from "./claude-ai.ts";
import { codebuff } from "./codebuff.ts";
import { continueDev } from "./continue.ts";
import { eventRecords } from "./event-records.ts";
import { forge } from "./forge.ts";
import type { Framework, SharedRow, Unwrapped } from "./framework.ts";
import { harbor } from "./harbor.ts";
import { haystack } from "./haystack.ts";
import { inspect } from "./inspect.ts";
import { invariant } from "./invariant.ts";
import { langChain } from "./langchain.ts";
import { langChain4j } from "./langchain4j.ts";
import { langfuse } from "./langfuse.ts";
import { letta } from "./letta.ts";
import { libreChat } from "./librechat.ts";
import { liveKit } from "./live-kit.ts";
import { llamaIndex, llamaIndexTs } from "./llama-index.ts";
import { lmStudio } from "./lm-studio.ts";
import { mastra } from "./mastra.ts";
import { microsoft } from "./microsoft.ts";
import { monocle } from "./monocle.ts";
import { openInference } from "./openinference.ts";
import { pydanticAi } from "./pydantic-ai.ts";
import { smolagents } from "./smolagents.ts";
import { springAi } from "./spring-ai.ts";
import { vscodeRequests } from "./vscode-requests.ts";
import { windsurf } from "./windsurf.ts";
import { xai } from "./xai.ts";
import { zed, zedSegments } from "./zed.ts";
import { zeroclaw } from "./zeroclaw.ts";

/** The first that decodes an element wins, so the least specific come last. */
export const frameworks: readonly Framework[] = [
  langChain,
  openInference,
  langfuse,
  aiSdk,
  inspect,
  sweAgent,
  tauBench,
  pydanticAi,
  microsoft,
  llamaIndex,
  llamaIndexTs,
  liveKit,
  springAi,
  autogen,
  ax,
  adk,
  adkEvaluation,
  haystack,
  harbor,
  smolagents,
  xai,
  letta,
  agno,
  fastAgent,
  shareGpt,
  continueDev,
  libreChat,
  zed,
  zedSegments,
  augment,
  amazonQ,
  lmStudio,
  aiStudio,
  codebuff,
  windsurf,
  claudeAi,
  mastra,
  langChain4j,
  monocle,
  invariant,
  zeroclaw,
  forge,
  vscodeRequests,
  eventRecords,
];

/** The rows of `toollint formats`. */
export const listings: readonly Listing[] = [
  ...frameworks.flatMap(({ listed }) => (listed && "signs" in listed ? [listed] : [])),
  { ...sharedRow("frameworks", "messages of"), signs: "the words that each has for calls and results" },
  { ...sharedRow("exports", "conversations of"), signs: "the words that each has for calls and results" },
];

function sharedRow(row: SharedRow["row"], what: string): { name: string; summary: string } {
  const names = frameworks.flatMap(({ listed }) =>
    listed && "row" in listed && listed.row === row ? listed.name : [],
  );
  return { name: row, summary: `${what} ${names.join(", ")} and others` };
}

/**
 * Decodes an element in a form that no API has. An element without items adds nothing for the model: a change
 * of state, a token count. `undefined` for the form of an API, or one that many tools share.
 */
export function decodeOwnForm(value: unknown): DecodedElement | undefined {
  const element = fields(value);
  for (const framework of frameworks) {
    const found = framework.decode?.(element);
    if (found) return found;
  }
  return undefined;
}

/** A message without its wrapper. */
export function unwrapped(value: unknown): Unwrapped {
  const element = fields(value);
  for (const framework of frameworks) {
    const found = framework.unwrap?.(element);
    if (found) return found;
  }
  return { message: element, base: "", kind: string(element["type"]) };
}
