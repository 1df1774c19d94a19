import { type ErrorText, id, means } from "../error-text.ts";

/** What AI Studio and Vertex AI say. */
export const errorTexts: readonly ErrorText[] = [
  // Calls and results.
  {
    pattern: new RegExp(`functionResponse\\.id "(?<ids>${id})" does not match functionCall\\.id`, "i"),
    ...means.mismatched,
  },
  {
    pattern: /number of function response parts is equal to the number of function call parts/i,
    ...means.unanswered,
    or: "orphaned-tool-result",
    advice: "put the results of all calls of a reply, and nothing else, into the next content",
  },
  { pattern: /number of function response parts should be equal/i, ...means.unanswered },
  { pattern: /number of function response parts \(\d{1,4}\) must equal/i, ...means.unanswered },
  {
    pattern: /function call turn contains at least one function_call part/i,
    ...means.turnOrder,
    or: "misplaced-tool-result",
    advice:
      "put the user's text, the calls and their results into contents of their own, with the roles `user`, `model` and `user`",
  },
  {
    pattern: /function call turn comes immediately after/i,
    ...means.turnOrder,
    or: "misplaced-tool-result",
    advice:
      "the content with the calls has to follow the user's words or results directly: begin a trimmed history with the user's words, and put nothing of the model before its calls",
  },
  {
    pattern: /function response turn comes immediately after/i,
    ...means.orphan,
    or: "misplaced-tool-result",
  },
  { pattern: /function call turn is followed by function response turn/i, ...means.unanswered },
  { pattern: /function_response\.parts.? is not supported/i, ...means.badResult },
  // Signatures.
  {
    pattern:
      /function call `?(?<tool>[\w-]{1,128})`? in the (?<nth>\d{1,6})\. content block is missing a .?thought_signature/i,
    ...means.lostReasoning,
  },
  {
    pattern:
      /missing a .?thought_signature.{1,400}?function call [`'"]?(?:default_api:)?(?<tool>[\w.:-]{1,128})[`'"]? ?, position (?<nth>\d{1,6})/i,
    ...means.lostReasoning,
  },
  {
    pattern:
      /missing a .?thought_signature.{1,400}?function call [`'"]?(?:default_api:)?(?<tool>[\w-]{1,128})/i,
    ...means.lostReasoning,
  },
  { pattern: /missing a .?thought_signature/i, ...means.lostReasoning },
  { pattern: /corrupted thought signature|thought signature is not valid/i, ...means.foreignReasoning },
  // Contents.
  {
    pattern: /parts must not be empty|must include at least one parts field|model input cannot be empty/i,
    ...means.empty,
  },
  {
    pattern:
      /multiturn requests ends with a user role|single turn requests end|requests ending with a model turn/i,
    ...means.turnOrder,
    // Vertex says it of words beside a result, too.
    or: "invalid-request",
  },
  { pattern: /contents is not specified|at least one contents field is required/i, ...means.turnOrder },
  {
    // @see https://github.com/sashiko-dev/sashiko/pull/500
    pattern: /role '(?:function|tool|assistant|system)' is not supported/i,
    ...means.turnOrder,
    or: "invalid-request",
    advice:
      "use only the roles `user` and `model`: send results in a `user` content, and the system prompt as `systemInstruction`",
  },
  { pattern: /please use a valid role/i, ...means.turnOrder, or: "invalid-request" },
  // Tools and settings.
  {
    // @see https://github.com/n8n-io/n8n/issues/17842
    pattern: /unknown name ['"]type['"] at .{0,600}?proto field is not repeating, cannot start list/i,
    ...means.badSettings,
    advice:
      "the schema of a tool gives a list of types: Gemini takes one `type`, with `nullable` where the list has `null`",
  },
  {
    // @see https://github.com/google-gemini/gemini-cli/issues/2282
    // @see https://github.com/oOo0oOo/lean-lsp-mcp/issues/185
    pattern:
      /`(?<tool>[\w.:-]{1,128})` functionDeclaration `[^`]{1,200}` schema didn't specify the schema type field/i,
    ...means.badSettings,
    advice:
      "Vertex wants a `type` in each schema of a tool's parameters, also where a union (`anyOf`) or nothing at all describes the value",
  },
  {
    // @see https://github.com/hideya/langchain-mcp-tools-ts/issues/52
    pattern:
      /`(?<tool>[\w.:-]{1,128})` functionDeclaration `[^`]{1,200}` schema specified other fields alongside any_of/i,
    ...means.badSettings,
    advice:
      "Vertex takes nothing beside `anyOf` in a schema: move the `type` and the description into its alternatives",
  },
  {
    // @see https://github.com/agno-agi/agno/issues/3298
    pattern:
      /invalid value at ['"]?tools\[\d{1,4}\]\.function_declarations.{0,400}?\.type['"]? \(type\.googleapis\.com/i,
    ...means.badSettings,
    advice:
      "a schema of a tool names a `type` that Gemini does not know: it takes one of its own (`STRING`, `OBJECT`, …) in each schema, and no list, `null` or empty one",
  },
  {
    // @see https://github.com/genkit-ai/genkit/issues/1134
    // @see https://github.com/spring-projects/spring-ai/issues/1373
    pattern: /parameters schema should be of type OBJECT/i,
    ...means.badSettings,
    advice:
      'the parameters of each tool have to be an object (`type: "OBJECT"`); leave `parameters` out of a tool that takes none',
  },
  {
    // @see https://github.com/teunlao/swift-ai-sdk/issues/9
    pattern: /proto: \W{0,4}(?:syntax error )?\(line \d{1,4}:\d{1,6}\): ?unexpected token/i,
    ...means.badSettings,
    advice:
      "the body has a value of another kind than Gemini's API there, such as `tools` as an object instead of a list: the column counts from the beginning of the body",
  },
  {
    // @see https://github.com/DEEIX-AI/DEEIX-Chat/issues/546
    pattern: /function_declarations\[\d{1,4}\].{0,300}?\.items: missing field/i,
    ...means.badSettings,
    advice:
      "a list in the parameters of that tool lacks `items`: Gemini wants it with a `type`; a `$ref` has to be written out before",
  },
  {
    // @see https://github.com/anomalyco/opencode/issues/11889
    pattern: /function_declarations\[\d{1,4}\].{0,300}?: only allowed for \w{1,20} type/i,
    ...means.badSettings,
    advice:
      'a schema of that tool has members of another type: Gemini takes `properties` and `required` only beside `type: "OBJECT"`, and `enum` only beside `STRING`',
  },
  {
    // @see https://github.com/google-gemini/gemini-cli/issues/13326
    // @see https://github.com/google-gemini/gemini-cli/issues/4758
    // @see https://github.com/anomalyco/opencode/issues/12295
    pattern:
      /reference to undefined schema at|properties starting with '\$' when \$ref is present|\$ref \W{0,2}[\w./#$-]{0,120}\W{0,2} was set alongside/i,
    ...means.badSettings,
    advice:
      "write out the `$ref`s in the schemas of the tools, and leave `$defs` out, before they are sent to Gemini; as they are, they belong in `parametersJsonSchema`",
  },
  { pattern: /duplicate function declaration found: (?<tool>[\w.:-]{1,128})/i, ...means.badSettings },
  {
    // @see https://github.com/Simpleyyt/ai-manus/issues/101
    pattern: /function calling with a response mime type/i,
    ...means.badSettings,
    advice: "this model takes either tools or a JSON format for its answer: leave one of them out",
  },
  {
    // @see https://github.com/zed-industries/zed/issues/37643
    pattern: /\[FIELD_INVALID\] invalid function name/i,
    ...means.badSettings,
    advice:
      "rename the tool: a name begins with a letter or `_`, goes on with letters, digits, `_`, `.` and `-`, and is no longer than the error says",
  },
  { pattern: /tool use with function calling is unsupported/i, ...means.badSettings },
  { pattern: /multiple tools are supported only when they are all search tools/i, ...means.badSettings },
];
