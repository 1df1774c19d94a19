/** Advice for models that call tools without need. */
export const permitStop =
  "say in the system prompt when no tool is needed, and that answering without one is fine; leave the tool choice on auto";
