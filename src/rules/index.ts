// Written by `npm run build` (indexes.mjs): a rule is a module with a page of the same name beside it.
import incompleteArguments from "./arguments/incomplete-arguments.ts";
import invalidArguments from "./arguments/invalid-arguments.ts";
import misencodedArguments from "./arguments/misencoded-arguments.ts";
import undefinedTool from "./arguments/undefined-tool.ts";
import droppedAssistantText from "./history/dropped-assistant-text.ts";
import droppedReasoning from "./history/dropped-reasoning.ts";
import droppedSystemPrompt from "./history/dropped-system-prompt.ts";
import droppedToolCall from "./history/dropped-tool-call.ts";
import droppedTools from "./history/dropped-tools.ts";
import droppedTurns from "./history/dropped-turns.ts";
import orphanedToolResult from "./history/orphaned-tool-result.ts";
import refusedReasoning from "./history/refused-reasoning.ts";
import reorderedBlocks from "./history/reordered-blocks.ts";
import rewrittenHistory from "./history/rewritten-history.ts";
import unansweredToolCall from "./history/unanswered-tool-call.ts";
import brokenCachePrefix from "./hygiene/broken-cache-prefix.ts";
import contextOverflow from "./hygiene/context-overflow.ts";
import exposedSecret from "./hygiene/exposed-secret.ts";
import injectedInstructions from "./hygiene/injected-instructions.ts";
import callIdMismatch from "./ids/call-id-mismatch.ts";
import duplicateCallId from "./ids/duplicate-call-id.ts";
import invalidCallId from "./ids/invalid-call-id.ts";
import resultKindMismatch from "./ids/result-kind-mismatch.ts";
import unresolvableReference from "./ids/unresolvable-reference.ts";
import callAfterFarewell from "./intent/call-after-farewell.ts";
import callAfterGreeting from "./intent/call-after-greeting.ts";
import eagerToolPrompt from "./intent/eager-tool-prompt.ts";
import abandonedPause from "./lifecycle/abandoned-pause.ts";
import failedReplyUsed from "./lifecycle/failed-reply-used.ts";
import finishReasonMismatch from "./lifecycle/finish-reason-mismatch.ts";
import truncatedReply from "./lifecycle/truncated-reply.ts";
import unclosedLoop from "./lifecycle/unclosed-loop.ts";
import cyclicCalls from "./loops/cyclic-calls.ts";
import forcedToolLoop from "./loops/forced-tool-loop.ts";
import repeatedCall from "./loops/repeated-call.ts";
import runawayLoop from "./loops/runaway-loop.ts";
import unknownFeature from "./reading/unknown-feature.ts";
import unreadableRecord from "./reading/unreadable-record.ts";
import invalidRequest from "./requests/invalid-request.ts";
import providerRejected from "./requests/provider-rejected.ts";
import duplicateToolResult from "./results/duplicate-tool-result.ts";
import malformedToolResult from "./results/malformed-tool-result.ts";
import misplacedToolResult from "./results/misplaced-tool-result.ts";
import missingOutputType from "./results/missing-output-type.ts";
import placeholderToolResult from "./results/placeholder-tool-result.ts";
import type { Rule, RuleInfo } from "./rule.ts";
import emptyReply from "./stream/empty-reply.ts";
import lostFragments from "./stream/lost-fragments.ts";
import malformedStream from "./stream/malformed-stream.ts";
import streamError from "./stream/stream-error.ts";
import truncatedStream from "./stream/truncated-stream.ts";
import leakedControlTokens from "./text-calls/leaked-control-tokens.ts";
import textToolCall from "./text-calls/text-tool-call.ts";
import badTurnOrder from "./turns/bad-turn-order.ts";
import emptyContent from "./turns/empty-content.ts";
import mergedOrSplitTurns from "./turns/merged-or-split-turns.ts";
import mixedProtocols from "./turns/mixed-protocols.ts";
import resentItems from "./turns/resent-items.ts";

/** All rules that read conversations, in the order in which they are listed. */
export const rules: readonly Rule[] = [
  // history
  orphanedToolResult,
  droppedToolCall,
  unansweredToolCall,
  droppedTurns,
  droppedReasoning,
  refusedReasoning,
  droppedSystemPrompt,
  droppedTools,
  rewrittenHistory,
  droppedAssistantText,
  reorderedBlocks,
  // results
  missingOutputType,
  duplicateToolResult,
  malformedToolResult,
  misplacedToolResult,
  placeholderToolResult,
  // turns
  badTurnOrder,
  emptyContent,
  resentItems,
  mergedOrSplitTurns,
  mixedProtocols,
  // ids
  callIdMismatch,
  duplicateCallId,
  invalidCallId,
  resultKindMismatch,
  unresolvableReference,
  // arguments
  incompleteArguments,
  invalidArguments,
  misencodedArguments,
  undefinedTool,
  // requests
  invalidRequest,
  providerRejected,
  // stream
  lostFragments,
  truncatedStream,
  emptyReply,
  malformedStream,
  streamError,
  // lifecycle
  unclosedLoop,
  abandonedPause,
  failedReplyUsed,
  finishReasonMismatch,
  truncatedReply,
  // loops
  repeatedCall,
  cyclicCalls,
  forcedToolLoop,
  runawayLoop,
  // text-calls
  leakedControlTokens,
  textToolCall,
  // intent
  callAfterFarewell,
  callAfterGreeting,
  eagerToolPrompt,
  // hygiene
  contextOverflow,
  brokenCachePrefix,
  exposedSecret,
  injectedInstructions,
  // reading
  unknownFeature,
];

/** Everything that reports can name as a rule. */
export const ruleTable: readonly RuleInfo[] = [
  ...rules,
  // reading
  unreadableRecord,
];

/** The same rules by what they are about. */
export const ruleGroups: readonly { readonly title: string; readonly rules: readonly RuleInfo[] }[] = [
  {
    title: "What the history lost on its way to the model",
    rules: [
      orphanedToolResult,
      droppedToolCall,
      unansweredToolCall,
      droppedTurns,
      droppedReasoning,
      refusedReasoning,
      droppedSystemPrompt,
      droppedTools,
      rewrittenHistory,
      droppedAssistantText,
      reorderedBlocks,
    ],
  },
  {
    title: "Tool results",
    rules: [
      missingOutputType,
      duplicateToolResult,
      malformedToolResult,
      misplacedToolResult,
      placeholderToolResult,
    ],
  },
  {
    title: "Turns and roles",
    rules: [badTurnOrder, emptyContent, resentItems, mergedOrSplitTurns, mixedProtocols],
  },
  {
    title: "Ids and references",
    rules: [callIdMismatch, duplicateCallId, invalidCallId, resultKindMismatch, unresolvableReference],
  },
  {
    title: "Arguments and tools",
    rules: [incompleteArguments, invalidArguments, misencodedArguments, undefinedTool],
  },
  { title: "The form of requests", rules: [invalidRequest, providerRejected] },
  {
    title: "Streams and replies",
    rules: [lostFragments, truncatedStream, emptyReply, malformedStream, streamError],
  },
  {
    title: "How replies end and what follows",
    rules: [unclosedLoop, abandonedPause, failedReplyUsed, finishReasonMismatch, truncatedReply],
  },
  { title: "Loops", rules: [repeatedCall, cyclicCalls, forcedToolLoop, runawayLoop] },
  { title: "Calls that arrive as text", rules: [leakedControlTokens, textToolCall] },
  { title: "Calls that nobody asked for", rules: [callAfterFarewell, callAfterGreeting, eagerToolPrompt] },
  {
    title: "Secrets, size and cost",
    rules: [contextOverflow, brokenCachePrefix, exposedSecret, injectedInstructions],
  },
  { title: "What toollint could not read", rules: [unreadableRecord, unknownFeature] },
];
