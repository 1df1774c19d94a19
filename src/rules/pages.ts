import callAfterFarewell from "./call-after-farewell.md";
import callAfterGreeting from "./call-after-greeting.md";
import callIdMismatch from "./call-id-mismatch.md";
import cyclicCalls from "./cyclic-calls.md";
import droppedAssistantText from "./dropped-assistant-text.md";
import droppedReasoning from "./dropped-reasoning.md";
import droppedSystemPrompt from "./dropped-system-prompt.md";
import droppedToolCall from "./dropped-tool-call.md";
import droppedTools from "./dropped-tools.md";
import droppedTurns from "./dropped-turns.md";
import duplicateToolResult from "./duplicate-tool-result.md";
import eagerToolPrompt from "./eager-tool-prompt.md";
import finishReasonMismatch from "./finish-reason-mismatch.md";
import forcedToolLoop from "./forced-tool-loop.md";
import incompleteArguments from "./incomplete-arguments.md";
import lostFragments from "./lost-fragments.md";
import malformedStream from "./malformed-stream.md";
import malformedToolResult from "./malformed-tool-result.md";
import misplacedToolResult from "./misplaced-tool-result.md";
import missingOutputType from "./missing-output-type.md";
import orphanedToolResult from "./orphaned-tool-result.md";
import placeholderToolResult from "./placeholder-tool-result.md";
import reorderedBlocks from "./reordered-blocks.md";
import repeatedCall from "./repeated-call.md";
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

/** The page of each rule, by its id: documentation, test and the text of `explain` in one. */
export const pages: Readonly<Record<string, string>> = {
  "call-after-farewell": callAfterFarewell,
  "call-after-greeting": callAfterGreeting,
  "call-id-mismatch": callIdMismatch,
  "cyclic-calls": cyclicCalls,
  "dropped-assistant-text": droppedAssistantText,
  "dropped-reasoning": droppedReasoning,
  "dropped-system-prompt": droppedSystemPrompt,
  "dropped-tool-call": droppedToolCall,
  "dropped-tools": droppedTools,
  "dropped-turns": droppedTurns,
  "duplicate-tool-result": duplicateToolResult,
  "eager-tool-prompt": eagerToolPrompt,
  "finish-reason-mismatch": finishReasonMismatch,
  "forced-tool-loop": forcedToolLoop,
  "incomplete-arguments": incompleteArguments,
  "lost-fragments": lostFragments,
  "malformed-stream": malformedStream,
  "malformed-tool-result": malformedToolResult,
  "misplaced-tool-result": misplacedToolResult,
  "missing-output-type": missingOutputType,
  "orphaned-tool-result": orphanedToolResult,
  "placeholder-tool-result": placeholderToolResult,
  "reordered-blocks": reorderedBlocks,
  "repeated-call": repeatedCall,
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
};
