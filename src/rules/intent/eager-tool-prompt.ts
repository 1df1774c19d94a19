import type { Placed, Step } from "../../conversation/conversation.ts";
import { isFinalTool } from "../../conversation/tool-names.ts";
import { defineRule, type Spot } from "../rule.ts";
import { short } from "../words.ts";
import { permitStop } from "./advice.ts";

export default defineRule({
  name: "eager-tool-prompt",
  summary: "A system prompt that forces tool calls and never lets the model stop",
  ground: "misleads",
  severity: "info",
  needs: "requests",
  looksAt: ["prompts"],
  messages: {
    eager: ({ words }: { words: string }) =>
      `the system prompt says \`${short(words, 80)}\`, but never that the model may answer without a tool`,
  },

  habit: {
    title: "The system prompt forces tool calls and never lets the model stop",
    consequence: "So the model calls tools where a plain answer would do",
    change: permitStop,
    changeIn: "prompt",
  },

  *check({ steps }, report) {
    const read = new Set<string>();
    for (const step of steps) {
      if (step.request?.tools?.length === 0) continue;
      const prompts = promptsOf(step).filter(({ text }) => !read.has(text));
      if (prompts.length === 0) continue;
      for (const { text } of prompts) read.add(text);
      const found = prompts.find(({ text }) => eagerWords(text) !== undefined);
      const words = found && eagerWords(found.text);
      if (
        !found ||
        words === undefined ||
        prompts.some(({ text }) => permission.test(text)) ||
        hasFinalTool(step)
      )
        continue;
      yield report("eager", { words }, found.at, { identity: words });
    }
  },
});

interface Prompt {
  readonly text: string;
  readonly at: Placed | Spot;
}

/** The system prompts of a request: outside the history, and new ones in it. */
function promptsOf(step: Step): Prompt[] {
  const own = step.request?.system;
  const outside: Prompt[] =
    own === undefined ? [] : [{ text: own, at: { step, part: "request", pointer: "" } }];
  const within = step.added.flatMap((at) =>
    at.item.kind === "message" && at.item.role === "system" ? [{ text: at.item.text, at }] : [],
  );
  return [...outside, ...within];
}

const tool =
  "(?:a |an |the |one |one of |at least one |any |some |your |these |of |available |provided |appropriate |relevant |suitable |more |or ){0,6}(?:tool|function)s?\\b";
const call = "(?:call|use|invoke|make use of)";

const demands: readonly RegExp[] = [
  new RegExp(`\\b(?:you )?(?:must|have to|are required to|need to|shall)(?: always)? ${call} ${tool}`, "i"),
  new RegExp(`\\b(?:you )?must(?: always)? ${call} (?:it|one|them)\\b`, "i"),
  new RegExp(`\\balways ${call} ${tool}`, "i"),
  new RegExp(
    `\\bnever (?:answer|respond|reply)(?: \\w+){0,4} without (?:calling|using|invoking) ${tool}`,
    "i",
  ),
  /\b(?:every|each) (?:response|reply|message|turn|answer) must (?:include|contain|have|be|use) (?:a |an |at least one )?(?:tool|function)/i,
];

/** A sentence with a limit does not order the model to always call tools. */
const limits =
  /\b(?:only|not|never|don'?t|if (?:you|it|the|no)|when(?:ever)?|unless|before|after|while|for)\b/i;

/** The sentence that forces tool calls. */
function eagerWords(text: string): string | undefined {
  for (const sentence of text.slice(0, 200_000).split(/[.!\n]+/)) {
    const isMention =
      sentence.length <= 400 &&
      /tool|function/i.test(sentence) &&
      demands.some((demand) => demand.test(sentence));
    if (isMention && !(limits.test(sentence) && !isBlanket(sentence))) return sentence.trim();
  }
  return undefined;
}

/** "If a tool can help, you must call it" is no limit: a tool can nearly always help. */
function isBlanket(sentence: string): boolean {
  return /\bif (?:a|any) (?:tool|function) (?:can|could|might|may|would) help\b|\bwhenever possible\b|\bfor (?:every|each|all|any)\b|\bnever (?:answer|respond|reply)\b/i.test(
    sentence,
  );
}

const permission =
  /\bwithout (?:calling|using|invoking|any|a)(?: \w+){0,3} (?:tool|function)|\b(?:answer|respond|reply)(?: \w+){0,2} (?:directly|naturally|normally)|\bno (?:tool|function)s?(?: call)?s? (?:is|are|needed|required|at all)|\b(?:do not|don'?t|avoid|never|must not)(?: \w+){0,2} (?:call|us(?:e|ing)|invok\w+)(?: \w+){0,3} (?:tool|function)s? (?:for|when|if|unless|on|to)|\bonly (?:call|use|invoke)\b|\bif no (?:tool|function)|\bstop (?:calling|using|after|when|once)|\bfinal (?:answer|response|message|summary)|\bwhen (?:you are |you'?re |the task is )?(?:done|finished|complete)|\bno longer need|\bonce you have\b/i;

/** A tool with which the model ends the run is permission to stop. */
function hasFinalTool({ request }: Step): boolean {
  return request?.tools?.some(({ name }) => isFinalTool(name) || /answer|respond|reply/i.test(name)) === true;
}
