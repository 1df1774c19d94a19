/**
 * Claude 5 whose thinking cannot be turned off: "`thinking.type.disabled` is not supported for this model."
 * @see https://openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/claude-5-5
 */
export function thinksAlways(model: string | undefined): boolean {
  return (
    model !== undefined && /claude-(?:(?:fable|mythos)-5(?!\d)|(?:opus|sonnet)-5[-.]5(?!\d))/.test(model)
  );
}

/**
 * Claude that cannot be forced to call a tool.
 * "tool_choice: type `tool` and `any` are not supported for this model."
 * @see https://platform.claude.com/docs/en/models/sonnet-5-5/migration-guide
 */
export function takesNoForcedTool(model: string | undefined): boolean {
  return (
    model !== undefined &&
    /claude-(?:(?:opus|sonnet)-5[-.]5(?!\d)|(?:fable|mythos)-5[-.][1-9](?!\d))/.test(model)
  );
}
