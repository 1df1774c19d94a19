import { createHash } from "node:crypto";
import type { History } from "../../conversation/exchange.ts";
import { visible } from "../../reporters/visible.ts";
import { nearest } from "../../rules/requests/nearest.ts";
import { count, short } from "../../rules/words.ts";
import type { AnswerSource, AskedTurn, ServedAnswer } from "./answer-source.ts";
import { unmetCondition } from "./conditions.ts";
import type { Script, ScriptedConversation, ScriptedReply } from "./script.ts";

/**
 * Answers from a script. The history alone says which reply is next: the one whose number is that of the
 * model's replies in it. So a client that tries again gets the same reply, runs that go on side by side do
 * not disturb each other, and a client that drops the model's replies hears them again.
 */
export function scriptedAnswers(script: Script): AnswerSource {
  const used = new Set<ScriptedReply>();
  const tries: Tries = new Map();
  const misnamed = new Set<string>();
  let others = 0;
  return {
    answer(turn) {
      const fitting = script.conversations.filter(({ when }) => when && !unmetCondition(when, turn));
      if (fitting.length > 1) return { kind: "miss", why: ambiguous(fitting) };
      const [conversation = script.replies] = fitting;
      const position = modelReplies(turn.request.history, conversation?.replies[0]);
      const planned = conversation?.replies[position];
      const { otherwise } = script;
      if (otherwise && (!planned || (callsTools(planned) && !offersTools(turn)))) {
        others++;
        return answerWith(otherwise, turn, tries);
      }
      if (!planned)
        return { kind: "miss", why: conversation ? atItsEnd(conversation, position) : unfit(script, turn) };
      used.add(planned);
      for (const note of misspeltTools(planned, turn)) misnamed.add(note);
      return answerWith(planned, turn, tries);
    },
    notes: () => [
      ...unusedReplies(script, used),
      ...misnamed,
      ...(others > 0 ? [`\`otherwise\` of ${script.name} answered ${count(others, "turn")}`] : []),
    ],
  };
}

/**
 * How many replies of the model a history has. What stands between two texts of the user, or results, is one
 * reply; at the end of the history it is the beginning of the one that is asked for. Some agents begin with
 * words that they put into the model's mouth ("Got it."): where the first reply calls tools, these are none.
 * A call may stand there as a mere reference to what the server stores.
 */
function modelReplies(history: History, first: ScriptedReply | undefined): number {
  let replies = 0;
  let isOpen = false;
  let isCounted = first === undefined || !callsTools(first);
  for (let index = 0; index < history.length; index++) {
    const role = history.role(index);
    const items = history.items(index);
    if (role === "assistant" || items.some(({ kind }) => kind === "reference")) {
      isOpen = true;
      isCounted ||= items.some(({ kind }) => kind === "call" || kind === "reference");
    } else if (isOpen && (role === "user" || role === "tool")) {
      if (isCounted) replies++;
      isCounted = true;
      isOpen = false;
    }
  }
  return replies;
}

function callsTools({ reply }: ScriptedReply): boolean {
  return reply.items.some(({ kind }) => kind === "call");
}

/** Calls whose names are nearly those of tools; a script may have the model invent others. */
function misspeltTools({ reply, place }: ScriptedReply, { request }: AskedTurn): string[] {
  const offered = (request.tools ?? []).flatMap(({ name }) => name ?? []);
  return reply.items.flatMap((item) => {
    if (item.kind !== "call" || offered.includes(item.name)) return [];
    const meant = nearest(item.name, offered);
    if (meant === undefined) return [];
    const name = visible(short(item.name));
    return [
      `${place} calls \`${name}\`, which the request does not offer; did you mean \`${visible(short(meant))}\`?`,
    ];
  });
}

function offersTools({ request }: AskedTurn): boolean {
  return request.tools !== undefined && request.tools.length > 0;
}

/** The reply, with the fault of this try to get it. */
function answerWith({ reply, faults, place }: ScriptedReply, turn: AskedTurn, tries: Tries): ServedAnswer {
  if (faults.length === 0) return { kind: "reply", reply };
  const key = `${place} ${digestOf(turn.request.history)}`;
  const before = tries.get(key) ?? 0;
  tries.set(key, before + 1);
  const fault = faults[before] ?? (reply.items.length === 0 ? faults.at(-1) : undefined);
  return { kind: "reply", reply, ...(fault !== undefined && { fault }) };
}

/** How often a reply was asked for with one history. */
type Tries = Map<string, number>;

function digestOf(history: History): string {
  const hash = createHash("sha256");
  for (let index = 0; index < history.length; index++)
    hash.update(`${JSON.stringify(history.element(index).value)}\n`);
  return hash.digest("base64");
}

function ambiguous(fitting: readonly ScriptedConversation[]): string {
  const places = fitting.map(({ place }) => place);
  return `${places.slice(0, -1).join(", ")} and ${places.at(-1)} of the script both fit this turn: make their \`when\` exclude each other`;
}

function atItsEnd({ replies, place }: ScriptedConversation, position: number): string {
  const planned = count(replies.length, "reply", "replies");
  return `the script has only ${planned} for this conversation (${place}), but this turn needs reply ${position + 1}: add it, or \`otherwise\``;
}

/** How many conversations a miss explains. */
const mostExplained = 3;

function unfit({ conversations }: Script, turn: AskedTurn): string {
  const reasons = conversations
    .slice(0, mostExplained)
    .flatMap(({ when, place }) => (when ? [`${place}: ${unmetCondition(when, turn)}`] : []));
  const more = conversations.length - reasons.length;
  return `no conversation of the script fits this turn: ${reasons.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}

function unusedReplies(
  { conversations, replies, name }: Script,
  used: ReadonlySet<ScriptedReply>,
): readonly string[] {
  const all = [...conversations, ...(replies ? [replies] : [])].flatMap((each) => each.replies);
  const unused = all.filter((reply) => !used.has(reply)).map(({ place }) => place);
  if (unused.length === 0) return [];
  if (unused.length === all.length) return [`no reply of ${name} was used`];
  return [
    `${count(unused.length, "reply", "replies")} of ${name} ${unused.length === 1 ? "was" : "were"} never used: ${unused.join(", ")}`,
  ];
}
