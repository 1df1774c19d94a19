import { type ErrorText, ids, means } from "../error-text.ts";

/** What Bedrock's Converse API says. */
export const errorTexts: readonly ErrorText[] = [
  {
    pattern: new RegExp(`expected toolResult blocks at .{1,80}? for the following ids: ?${ids}`, "i"),
    ...means.unanswered,
  },
  { pattern: /expected toolResult blocks at/i, ...means.unanswered },
  { pattern: /number of toolResult blocks .{0,80}? exceeds/i, ...means.orphan },
  {
    pattern: new RegExp(`toolUse blocks at .{1,80}? contain duplicate ids: ?${ids}`, "i"),
    ...means.sharedId,
  },
  {
    pattern: new RegExp(`toolResult blocks at .{1,80}? contain duplicate ids: ?${ids}`, "i"),
    ...means.duplicate,
  },
  { pattern: /the text field in the ContentBlock object .{0,80}?is blank/i, ...means.empty },
  { pattern: /the content field in the message object at .{1,80}? is empty/i, ...means.empty },
  { pattern: /a conversation must start with a user message/i, ...means.turnOrder },
  { pattern: /toolResult cannot be empty when status value is error/i, ...means.badResult },
  { pattern: /extraneous key \[toolResult\]/i, ...means.badResult },
  {
    // @see https://github.com/aaif-goose/goose/pull/5064
    // @see https://github.com/alibaba/spring-ai-alibaba/issues/3082
    pattern: /toolSpec\.inputSchema\.json\.type must be one of/i,
    ...means.badSettings,
    advice:
      'the schema of the tool at that index has no `type: "object"` at its top: write it, with empty `properties` for a tool without parameters',
  },
  {
    pattern: /conversation blocks and tool result blocks cannot be provided in the same turn/i,
    rule: undefined,
    about: "history",
    advice: "this model accepts tool results only in a separate message",
  },
  {
    // @see https://github.com/quarkiverse/quarkus-langchain4j/issues/1983
    pattern: /conversation blocks and tool use blocks cannot be provided in the same turn/i,
    rule: undefined,
    about: "history",
    advice:
      "this model accepts calls only in a message without text, such as another model writes beside them",
  },
  { pattern: /reasoningText\.signature field/i, ...means.foreignReasoning },
  {
    // @see https://github.com/vercel/ai/issues/4396
    pattern: /this model doesn't support the [\w.[\]]{1,120} field/i,
    ...means.badSettings,
    advice: "leave out the field that it names: this model does not take it",
  },
  { pattern: /toolConfig field must be defined/i, ...means.noTools },
  {
    // @see https://docs.aws.amazon.com/nova/latest/userguide/prompting-tool-troubleshooting.html
    // @see https://github.com/SEMOSS/Semoss/pull/2892
    // @see https://github.com/langchain-ai/langchain-aws/issues/567
    pattern: /produced invalid sequence as part of ToolUse/i,
    ...means.modelFault,
    advice:
      "the model wrote a call that Bedrock cannot read: raise `maxTokens`, set Amazon Nova's `topK` to 1, and write `_` for a hyphen in a tool's name",
  },
];
