/**
 * Printed runs of ReAct agents (LangChain's AgentExecutor, CrewAI, LlamaIndex): the model writes `Action:`
 * and `Action Input:`, the agent adds `Observation:`. No request is in them, so no rule can judge them, but
 * what a run does again and again is plain to see.
 * @see https://arxiv.org/abs/2210.03629
 */

/** The number of equal steps that make a loop, as for `repeated-call`. */
const loop = 3;

const field = /^\W{0,20}(Thought|Action|Action Input|Observation|Final Answer):(.*)$/;
const started = /^\W{0,20}Entering new \w{1,60} chain/;
/** What agents put in the place of a result when they could not read the step. */
const misread = /invalid format: missing '[\w ]{1,20}:?' after '[\w ]{1,20}:?'|could not parse llm output/i;

/** What can be said of a printed run; `undefined` for other texts. */
export function describeReactRun(text: string): string | undefined {
  const seen = new Map<string, number>();
  let steps = 0;
  let isRun = false;
  let action = "";
  let input: string | undefined;
  let most: { readonly action: string; readonly count: number } | undefined;
  for (const line of text.split(/\r?\n/)) {
    isRun ||= started.test(line);
    const [, name, value = ""] = field.exec(line) ?? [];
    if (name === "Action") [action, input] = [value.trim(), undefined];
    else if (name === "Action Input") input = value.trim();
    else if (name === "Observation" && input !== undefined) {
      steps++;
      const step = JSON.stringify([action, input, value.trim()]);
      const count = (seen.get(step) ?? 0) + 1;
      seen.set(step, count);
      if (count > (most?.count ?? 0)) most = { action, count };
    }
  }
  const failure = misread.exec(text)?.[0];
  if (steps === 0 && !(isRun && failure !== undefined)) return undefined;
  return [
    most && most.count >= loop
      ? `It takes the action \`${most.action.slice(0, 60)}\` ${most.count} times with the same input and the same result: \`toollint explain repeated-call\`.`
      : undefined,
    failure !== undefined
      ? `The agent could not read a step of the model (\`${failure}\`): a model with native tool calls needs no such format.`
      : undefined,
    "Calls in it are texts, so there is no request or reply to check.",
  ]
    .filter((each) => each !== undefined)
    .join(" ");
}
