import {
  type Change,
  isCall,
  isWholeElement,
  type Placed,
  type Step,
} from "../../conversation/conversation.ts";
import type { ItemFlaw, ToolCall } from "../../conversation/item.ts";
import { enteredItems } from "../../conversation/new-items.ts";
import { isReadWhole } from "../../conversation/reply.ts";
import { clientCalls } from "../../conversation/reply-followups.ts";
import { parseJson } from "../../reading/parse.ts";
import { isFields } from "../../reading/values.ts";
import { defineRule } from "../rule.ts";
import { isSchemaReading } from "../schema/read-arguments.ts";
import { short } from "../words.ts";

export default defineRule({
  name: "lost-fragments",
  summary: "Pieces of a streamed call are missing from the next request",
  ground: "lost",
  severity: "error",
  needs: "requests",
  looksAt: ["calls", "flaws"],
  traits: ["causes-loops", "refuses-call"],
  evidence: ["replies"],
  messages: {
    empty: ({ tool, streamed }: Facts) =>
      `the arguments of \`${tool}\` are empty here; the reply had \`${streamed}\``,
    partial: ({ tool, sent, streamed }: Facts) =>
      `the arguments of \`${tool}\` are only \`${sent}\` here; the reply had \`${streamed}\``,
    altered: ({ tool, sent, streamed }: Facts) =>
      `the arguments of \`${tool}\` are \`${sent}\` here; the reply had \`${streamed}\``,
    glued: ({ tool, sent }: Facts) =>
      `several calls of the reply were merged into one: \`${tool}\` with \`${sent}\``,
    apart: ({
      tool,
      fragments,
      joined,
    }: {
      tool: string;
      fragments: number;
      joined: string;
      callIds: readonly string[];
    }) =>
      `the fragments of one call to \`${tool}\` are kept as ${fragments} calls; together their arguments are \`${joined}\``,
    event: ({ type }: { type: string; callIds: readonly string[] }) =>
      `\`${type}\` is an event of a stream, and stands in the history in place of the block that it is a part of`,
    name: ({ tool, sent }: Facts) => `the tool name is \`${sent}\` here; the reply had \`${tool}\``,
  },

  habit: {
    title: "The client loses parts of tool calls, usually when it assembles a stream",
    consequence: "So a call that the client runs or sends back lacks a part of what the model wrote",
    change:
      "collect fragments by the index or id of their call, append every fragment of the arguments, and keep the first id and name",
  },
  kindHabits: {
    apart: {
      title: "The fragments of a streamed call are kept as calls of their own",
      consequence: "So the tool runs without its arguments, and calls without a name follow",
      change:
        "append a fragment without a name to the call before it: by its `index`, or by order where there is none",
    },
    event: {
      title: "The client stores events of a stream as the message that they make up",
      consequence: "So the history lacks the call or the text, and the server rejects the request",
      change:
        "join the events into whole texts, thinking and calls before the message is stored: the SDK's final message has them",
    },
    altered: {
      title: "The client sends tool calls back with different arguments than the model wrote",
      consequence: "So the model reads calls that it did not make",
      change: ({ idiom }) => `send the calls of a reply back unchanged: ${idiom.append}`,
    },
  },

  *check({ steps }, report) {
    for (const step of steps) {
      for (const [first, ...rest] of callsApart(step)) {
        const joined = [first, ...rest].map(({ item }) => item.argumentsText).join("");
        const callIds = first.item.id === undefined ? [] : [first.item.id];
        const facts = {
          tool: first.item.name,
          fragments: rest.length + 1,
          joined: short(joined, 60),
          callIds,
        };
        yield report("apart", facts, first, {
          callIds,
          severity: first.part === "request" ? "error" : "warning",
        });
      }
      // A report may write the calls of a request in another form than those of a reply.
      if (step.exchange.fidelity === "reported") continue;
      const event = eventIn(step);
      if (event) {
        // What no call in the history answers may be the call of the events.
        const callIds = step.pairing.orphans.flatMap(({ result }) => result.item.callId ?? []);
        const facts = { type: event.detail ?? "", callIds };
        yield report("event", facts, event.placed, { below: event.pointer, callIds, identity: "event" });
      }
      // What the log left out of a call may be its arguments.
      const altered = step.changed
        .filter(isCallChange)
        .filter(({ after }) => isWholeElement(step, after.element));
      // Changed arguments in every call are an edit by the client, not a loss, unless the reply was streamed.
      for (const change of altered) {
        const kind = kindOf(change, step);
        if (!kind) continue;
        const { before, after } = change;
        const callId = before.item.id ?? after.item.id ?? "";
        const facts: Facts = {
          tool: before.item.name,
          callId,
          sent: kind === "name" ? after.item.name : short(after.item.argumentsText, 60),
          streamed: short(before.item.argumentsText, 60),
        };
        yield report(kind, facts, after, {
          below: kind === "name" ? after.item.pointer : after.item.pointer,
          notes: [{ message: "the reply had it here", at: before }],
          callIds: [callId, ...(isGlued(after.item) ? joinedIds(step) : [])].filter((id) => id !== ""),
          fix: { safety: "safe", title: "restores the call from the reply" },
        });
      }
    }
  },
});

interface Facts {
  readonly tool: string;
  readonly callId: string;
  readonly sent: string;
  readonly streamed: string;
}

interface CallChange extends Change {
  readonly before: Placed<ToolCall>;
  readonly after: Placed<ToolCall>;
}

type Fragmented = [first: Placed<ToolCall>, ...rest: Placed<ToolCall>[]];

/** Each call that calls without a name follow, whose arguments are only whole together with its own. */
function callsApart(step: Step): Fragmented[] {
  const groups: Fragmented[] = [];
  for (const call of [...enteredItems(step).filter(isCall), ...clientCalls(step)]) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    // The calls of a message stand together; in the Responses API, each is an element of its own.
    const isNext = before?.part === call.part && call.element - before.element <= 1;
    if (call.item.name === "" && isNext) last?.push(call);
    else groups.push([call]);
  }
  return groups.filter(([first, ...rest]) => {
    if (rest.length === 0 || first.item.name === "" || isWhole(first.item.argumentsText)) return false;
    return isWhole([first, ...rest].map(({ item }) => item.argumentsText).join(""));
  });
}

/** The first event of a stream among what a request adds, preferably one that is no text. */
function eventIn(step: Step): (ItemFlaw & { readonly placed: Placed }) | undefined {
  const events = enteredItems(step).flatMap((placed) =>
    (placed.item.flaws ?? [])
      .filter(({ kind }) => kind === "stream-event")
      .map((flaw) => ({ ...flaw, placed })),
  );
  return events.find(({ placed }) => placed.item.kind === "opaque") ?? events[0];
}

function isWhole(text: string): boolean {
  return isFields(parseJson(text));
}

function isCallChange(change: Change): change is CallChange {
  return (
    change.before.item.kind === "call" &&
    change.after.item.kind === "call" &&
    (change.what === "arguments" || change.what === "name") &&
    change.before.part === "response"
  );
}

function kindOf(
  { before, after, what }: CallChange,
  step: Step,
): "empty" | "partial" | "altered" | "glued" | "name" | undefined {
  const streamed = before.item.argumentsText.trim();
  const sent = after.item.argumentsText.trim();
  const isStream = before.step.reply?.form === "stream";
  if (what === "name")
    return isStream &&
      (after.item.name === "" ||
        isFragment(after.item.name, before.item.name) ||
        isRepeated(after.item.name, before.item.name))
      ? "name"
      : undefined;
  // The client may repair calls that were truncated or invalid JSON.
  if (before.item.state === "open" || (before.item.isJson && before.item.arguments === undefined))
    return undefined;
  if (isSchemaReading(before.item, after.item, before.step)) return undefined;
  if ((sent === "" || sent === "{}") && streamed !== "" && streamed !== "{}") return "empty";
  if (!isStream) return undefined;
  if (isGlued(after.item)) return "glued";
  if (isFragment(sent, streamed)) return "partial";
  const { reply } = before.step;
  if (reply && !isReadWhole(reply)) return undefined;
  // A client that renames an unknown tool to its own also rewrites the arguments, as an answer.
  return before.item.name === after.item.name && !isRenamed(step, after) ? "altered" : undefined;
}

/** Several values stand where one call has its arguments. */
function isGlued({ arguments: read, argumentsText }: ToolCall): boolean {
  return read === undefined && /\}\s*\{/.test(argumentsText);
}

/** The calls of the reply that were merged into another one. */
function joinedIds({ missing }: Step): string[] {
  return missing.flatMap(({ item, part }) =>
    part === "response" && item.kind === "call" && item.id !== undefined ? [item.id] : [],
  );
}

/** The name once for each fragment, or for each of the calls that became one. */
function isRepeated(whole: string, part: string): boolean {
  const times = part === "" ? 0 : whole.length / part.length;
  return Number.isInteger(times) && times > 1 && whole === part.repeat(times);
}

function isFragment(part: string, whole: string): boolean {
  return part.length < whole.length && whole.includes(part);
}

function isRenamed(step: Step, after: Placed<ToolCall>): boolean {
  return step.changed.some((change) => change.after === after && change.what === "name");
}
