import abandonedPause from "./abandoned-pause.md";
import badTurnOrder from "./bad-turn-order.md";
import brokenCachePrefix from "./broken-cache-prefix.md";
import callAfterFarewell from "./call-after-farewell.md";
import callAfterGreeting from "./call-after-greeting.md";
import callIdMismatch from "./call-id-mismatch.md";
import contextOverflow from "./context-overflow.md";
import cyclicCalls from "./cyclic-calls.md";
import droppedAssistantText from "./dropped-assistant-text.md";
import droppedReasoning from "./dropped-reasoning.md";
import droppedSystemPrompt from "./dropped-system-prompt.md";
import droppedToolCall from "./dropped-tool-call.md";
import droppedTools from "./dropped-tools.md";
import droppedTurns from "./dropped-turns.md";
import duplicateCallId from "./duplicate-call-id.md";
import duplicateToolResult from "./duplicate-tool-result.md";
import eagerToolPrompt from "./eager-tool-prompt.md";
import emptyContent from "./empty-content.md";
import emptyReply from "./empty-reply.md";
import exposedSecret from "./exposed-secret.md";
import failedReplyUsed from "./failed-reply-used.md";
import finishReasonMismatch from "./finish-reason-mismatch.md";
import forcedToolLoop from "./forced-tool-loop.md";
import incompleteArguments from "./incomplete-arguments.md";
import injectedInstructions from "./injected-instructions.md";
import invalidArguments from "./invalid-arguments.md";
import invalidCallId from "./invalid-call-id.md";
import invalidRequest from "./invalid-request.md";
import leakedControlTokens from "./leaked-control-tokens.md";
import lostFragments from "./lost-fragments.md";
import malformedStream from "./malformed-stream.md";
import malformedToolResult from "./malformed-tool-result.md";
import mergedOrSplitTurns from "./merged-or-split-turns.md";
import misencodedArguments from "./misencoded-arguments.md";
import misplacedToolResult from "./misplaced-tool-result.md";
import missingOutputType from "./missing-output-type.md";
import mixedProtocols from "./mixed-protocols.md";
import orphanedToolResult from "./orphaned-tool-result.md";
import placeholderToolResult from "./placeholder-tool-result.md";
import providerRejected from "./provider-rejected.md";
import refusedReasoning from "./refused-reasoning.md";
import reorderedBlocks from "./reordered-blocks.md";
import repeatedCall from "./repeated-call.md";
import resentItems from "./resent-items.md";
import resultKindMismatch from "./result-kind-mismatch.md";
import rewrittenHistory from "./rewritten-history.md";
import runawayLoop from "./runaway-loop.md";
import streamError from "./stream-error.md";
import textToolCall from "./text-tool-call.md";
import truncatedReply from "./truncated-reply.md";
import truncatedStream from "./truncated-stream.md";
import unansweredToolCall from "./unanswered-tool-call.md";
import unclosedLoop from "./unclosed-loop.md";
import undefinedTool from "./undefined-tool.md";
import unreadableRecord from "./unreadable-record.md";
import unresolvableReference from "./unresolvable-reference.md";

/** The page of each rule, by its id: documentation, test and the text of `explain` in one. */
export const pages: Readonly<Record<string, string>> = {
  "abandoned-pause": abandonedPause,
  "bad-turn-order": badTurnOrder,
  "broken-cache-prefix": brokenCachePrefix,
  "call-after-farewell": callAfterFarewell,
  "call-after-greeting": callAfterGreeting,
  "call-id-mismatch": callIdMismatch,
  "context-overflow": contextOverflow,
  "cyclic-calls": cyclicCalls,
  "dropped-assistant-text": droppedAssistantText,
  "dropped-reasoning": droppedReasoning,
  "dropped-system-prompt": droppedSystemPrompt,
  "dropped-tool-call": droppedToolCall,
  "dropped-tools": droppedTools,
  "dropped-turns": droppedTurns,
  "duplicate-call-id": duplicateCallId,
  "duplicate-tool-result": duplicateToolResult,
  "eager-tool-prompt": eagerToolPrompt,
  "empty-content": emptyContent,
  "empty-reply": emptyReply,
  "exposed-secret": exposedSecret,
  "failed-reply-used": failedReplyUsed,
  "finish-reason-mismatch": finishReasonMismatch,
  "forced-tool-loop": forcedToolLoop,
  "incomplete-arguments": incompleteArguments,
  "injected-instructions": injectedInstructions,
  "invalid-arguments": invalidArguments,
  "invalid-call-id": invalidCallId,
  "invalid-request": invalidRequest,
  "leaked-control-tokens": leakedControlTokens,
  "lost-fragments": lostFragments,
  "malformed-stream": malformedStream,
  "malformed-tool-result": malformedToolResult,
  "merged-or-split-turns": mergedOrSplitTurns,
  "misencoded-arguments": misencodedArguments,
  "misplaced-tool-result": misplacedToolResult,
  "missing-output-type": missingOutputType,
  "mixed-protocols": mixedProtocols,
  "orphaned-tool-result": orphanedToolResult,
  "placeholder-tool-result": placeholderToolResult,
  "provider-rejected": providerRejected,
  "refused-reasoning": refusedReasoning,
  "reordered-blocks": reorderedBlocks,
  "repeated-call": repeatedCall,
  "resent-items": resentItems,
  "result-kind-mismatch": resultKindMismatch,
  "rewritten-history": rewrittenHistory,
  "runaway-loop": runawayLoop,
  "stream-error": streamError,
  "text-tool-call": textToolCall,
  "truncated-reply": truncatedReply,
  "truncated-stream": truncatedStream,
  "unanswered-tool-call": unansweredToolCall,
  "unclosed-loop": unclosedLoop,
  "undefined-tool": undefinedTool,
  "unreadable-record": unreadableRecord,
  "unresolvable-reference": unresolvableReference,
};
