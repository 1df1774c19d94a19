import abandonedPause from "./abandoned-pause.ts";
import badTurnOrder from "./bad-turn-order.ts";
import brokenCachePrefix from "./broken-cache-prefix.ts";
import callAfterFarewell from "./call-after-farewell.ts";
import callAfterGreeting from "./call-after-greeting.ts";
import callIdMismatch from "./call-id-mismatch.ts";
import contextOverflow from "./context-overflow.ts";
import cyclicCalls from "./cyclic-calls.ts";
import droppedAssistantText from "./dropped-assistant-text.ts";
import droppedReasoning from "./dropped-reasoning.ts";
import droppedSystemPrompt from "./dropped-system-prompt.ts";
import droppedToolCall from "./dropped-tool-call.ts";
import droppedTools from "./dropped-tools.ts";
import droppedTurns from "./dropped-turns.ts";
import duplicateCallId from "./duplicate-call-id.ts";
import duplicateToolResult from "./duplicate-tool-result.ts";
import eagerToolPrompt from "./eager-tool-prompt.ts";
import emptyContent from "./empty-content.ts";
import emptyReply from "./empty-reply.ts";
import exposedSecret from "./exposed-secret.ts";
import failedReplyUsed from "./failed-reply-used.ts";
import finishReasonMismatch from "./finish-reason-mismatch.ts";
import forcedToolLoop from "./forced-tool-loop.ts";
import incompleteArguments from "./incomplete-arguments.ts";
import injectedInstructions from "./injected-instructions.ts";
import invalidArguments from "./invalid-arguments.ts";
import invalidCallId from "./invalid-call-id.ts";
import invalidRequest from "./invalid-request.ts";
import leakedControlTokens from "./leaked-control-tokens.ts";
import lostFragments from "./lost-fragments.ts";
import malformedStream from "./malformed-stream.ts";
import malformedToolResult from "./malformed-tool-result.ts";
import mergedOrSplitTurns from "./merged-or-split-turns.ts";
import misencodedArguments from "./misencoded-arguments.ts";
import misplacedToolResult from "./misplaced-tool-result.ts";
import missingOutputType from "./missing-output-type.ts";
import mixedProtocols from "./mixed-protocols.ts";
import orphanedToolResult from "./orphaned-tool-result.ts";
import placeholderToolResult from "./placeholder-tool-result.ts";
import providerRejected from "./provider-rejected.ts";
import refusedReasoning from "./refused-reasoning.ts";
import reorderedBlocks from "./reordered-blocks.ts";
import repeatedCall from "./repeated-call.ts";
import resentItems from "./resent-items.ts";
import resultKindMismatch from "./result-kind-mismatch.ts";
import rewrittenHistory from "./rewritten-history.ts";
import type { Rule, RuleInfo } from "./rule.ts";
import runawayLoop from "./runaway-loop.ts";
import streamError from "./stream-error.ts";
import textToolCall from "./text-tool-call.ts";
import truncatedReply from "./truncated-reply.ts";
import truncatedStream from "./truncated-stream.ts";
import unansweredToolCall from "./unanswered-tool-call.ts";
import unclosedLoop from "./unclosed-loop.ts";
import undefinedTool from "./undefined-tool.ts";
import { unreadableRecord } from "./unreadable-record.ts";
import unresolvableReference from "./unresolvable-reference.ts";

/** All rules that read conversations, in the order in which they are listed. */
export const rules: readonly Rule[] = [
  orphanedToolResult,
  droppedToolCall,
  unansweredToolCall,
  missingOutputType,
  droppedTurns,
  droppedAssistantText,
  droppedSystemPrompt,
  droppedTools,
  droppedReasoning,
  rewrittenHistory,
  reorderedBlocks,
  misplacedToolResult,
  duplicateToolResult,
  callIdMismatch,
  incompleteArguments,
  undefinedTool,
  malformedToolResult,
  placeholderToolResult,
  lostFragments,
  truncatedStream,
  streamError,
  malformedStream,
  unclosedLoop,
  finishReasonMismatch,
  truncatedReply,
  repeatedCall,
  cyclicCalls,
  runawayLoop,
  forcedToolLoop,
  textToolCall,
  callAfterFarewell,
  callAfterGreeting,
  eagerToolPrompt,
  providerRejected,
  duplicateCallId,
  invalidCallId,
  resultKindMismatch,
  emptyContent,
  badTurnOrder,
  mixedProtocols,
  resentItems,
  unresolvableReference,
  invalidRequest,
  refusedReasoning,
  mergedOrSplitTurns,
  misencodedArguments,
  invalidArguments,
  contextOverflow,
  abandonedPause,
  failedReplyUsed,
  emptyReply,
  leakedControlTokens,
  brokenCachePrefix,
  exposedSecret,
  injectedInstructions,
];

/** Everything that reports can name as a rule. */
export const ruleTable: readonly RuleInfo[] = [...rules, unreadableRecord];
