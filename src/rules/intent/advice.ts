/** Advice for models that call tools without need. */
export const permitStop =
  "say in the system prompt when no tool is needed and that an answer without one is welcome; leave the tool choice on auto";
