import callAfterFarewell from "./call-after-farewell.md";
import callAfterGreeting from "./call-after-greeting.md";
import cyclicCalls from "./cyclic-calls.md";
import eagerToolPrompt from "./eager-tool-prompt.md";
import finishReasonMismatch from "./finish-reason-mismatch.md";
import forcedToolLoop from "./forced-tool-loop.md";
import incompleteArguments from "./incomplete-arguments.md";
import malformedStream from "./malformed-stream.md";
import placeholderToolResult from "./placeholder-tool-result.md";
import repeatedCall from "./repeated-call.md";
import runawayLoop from "./runaway-loop.md";
import streamError from "./stream-error.md";
import textToolCall from "./text-tool-call.md";
import truncatedReply from "./truncated-reply.md";
import truncatedStream from "./truncated-stream.md";
import unclosedLoop from "./unclosed-loop.md";
import undefinedTool from "./undefined-tool.md";

/** The page of each rule, by its id: documentation, test and the text of `explain` in one. */
export const pages: Readonly<Record<string, string>> = {
  "call-after-farewell": callAfterFarewell,
  "call-after-greeting": callAfterGreeting,
  "cyclic-calls": cyclicCalls,
  "eager-tool-prompt": eagerToolPrompt,
  "finish-reason-mismatch": finishReasonMismatch,
  "forced-tool-loop": forcedToolLoop,
  "incomplete-arguments": incompleteArguments,
  "malformed-stream": malformedStream,
  "placeholder-tool-result": placeholderToolResult,
  "repeated-call": repeatedCall,
  "runaway-loop": runawayLoop,
  "stream-error": streamError,
  "text-tool-call": textToolCall,
  "truncated-reply": truncatedReply,
  "truncated-stream": truncatedStream,
  "unclosed-loop": unclosedLoop,
  "undefined-tool": undefinedTool,
};
