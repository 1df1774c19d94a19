import type { ToolCall } from "./item.ts";

/** Classifies tools by their names. `repeated-call.md` lists the words, their sources, and near misses. */

/** The words of a tool's name, equal for `getJobStatus`, `get-job-status` and `get_job_status`. */
export function wordsOf(name: string): string[] {
  const spaced = name.slice(0, 128).replace(/([a-z\d])(?=[A-Z])/g, "$1 ");
  // Building the Unicode classes takes longer than everything else done with a name.
  return spaced.toLowerCase().split(/^[ -~]*$/.test(spaced) ? /[^a-z0-9]+/ : /[^\p{L}\p{N}]+/u);
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

const waits = words(`
  status poll polling wait waiting sleep check progress snapshot screenshot processes heartbeat
  ping watch monitor time clock now
`);
const waitingPairs =
  /(?:read|get|list)(?:_(?:background|terminal|process|shell|command|bash))*_(?:output|processes|logs?)\b/;
const waitingCommand =
  /\bsleep\s+\d|\bwatch\s|\btail\s+-|\b(?:kubectl|docker)\s+(?:get|ps|logs)\b|\bgh\s+(?:run|pr)\s+(?:view|watch|checks)\b|\bps\s+(?:aux|-)/;
/** A file that another process writes and the agent re-reads until it changes. */
const waitingFile = /(?:^|[\\/])(?:status|progress)(?:\.\w{1,8})?$/i;
const waitingAction = /^(?:poll|wait|sleep|status|snapshot|screenshot|check|log|logs|list)$/i;

/** The call looks at something that changes over time, so repeating it is its purpose. */
export function isPoll(call: ToolCall): boolean {
  const words = wordsOf(call.name);
  if (words.some((word) => waits.has(word)) || waitingPairs.test(words.join("_"))) return true;
  const { command, action, input, ...rest } = membersOf(call);
  if (typeof action === "string" && waitingAction.test(action)) return true;
  if (Object.values(rest).some((value) => typeof value === "string" && waitingFile.test(value.slice(-200))))
    return true;
  const text = shellText(command ?? input) ?? (call.isJson ? undefined : call.argumentsText);
  return text !== undefined && waitingCommand.test(text.slice(0, 2000));
}

const steps = words(`
  next previous prev scroll press undo redo forward advance step increment
`);

/** Each call moves on, so equal arguments do not ask for the same thing: the next page, a key, an undo. */
export function isStep(call: ToolCall): boolean {
  const { action } = membersOf(call);
  return [...wordsOf(call.name), ...(typeof action === "string" ? wordsOf(action) : [])].some((word) =>
    steps.has(word),
  );
}

const reads = words(`
  read list get search find grep glob fetch view look lookup query show describe open cat ls head
  count check inspect browse load think recall retrieve
`);
const readingCommand =
  /^\s*(?:cat|ls|ll|grep|rg|find|head|tail|sed -n|wc|pwd|echo|tree|file|stat|which|git (?:status|log|diff|show|branch|blame))\b[^>]*$/;

/** The call only reads: by its name, it changes nothing. */
export function isReading(call: ToolCall): boolean {
  if (wordsOf(call.name).some((word) => reads.has(word))) return true;
  const { command, input, cmd } = membersOf(call);
  const text = shellText(command ?? cmd ?? input);
  return text !== undefined && readingCommand.test(text.slice(0, 2000));
}

function membersOf({ arguments: value }: ToolCall): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** A shell command as one text; agents also write it as a list of words, often after `bash -lc`. */
function shellText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return undefined;
  const words = value.filter((word) => typeof word === "string");
  return (/^(?:ba|z|da)?sh$/.test(words[0] ?? "") ? words.slice(2) : words).join(" ");
}

/** Tools that hand the user to another agent, which may continue without the call: `transfer_to_refunds`. */
export function isHandOff(name: string): boolean {
  return /^(?:transfer|hand_?off)_(?:back_)?to_/.test(wordsOf(name).join("_"));
}

/** Tools that submit a run's answer: whole names, from the page of `unclosed-loop`. */
const finals =
  /^(?:(?:submit_|give_|provide_)?final_(?:answer|result|response|output)|submit(?:_and_exit|_answer|_result)?|finish|done|attempt_completion|(?:complete|finish|end)_task|task_(?:complete|done)|structured_output|exit_loop|end_(?:conversation|session|call)|hang_?up)$/;

/** The name says of a result only that it is one, as clients write that have no better. */
export function isRoleName(name: string): boolean {
  return /^(?:tool|function|tool_?result|tool_?response)$/i.test(name);
}

/** A call to the tool carries the run's answer, so nothing has to follow it. */
export function isFinalTool(name: string): boolean {
  return finals.test(wordsOf(name).join("_"));
}
