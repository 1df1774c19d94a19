/** What helps where the model calls tools that nobody needs. */
export const permitStop =
  "say in the system prompt when no tool is needed and that an answer without one is welcome; leave the tool choice on auto";
