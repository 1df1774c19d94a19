import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch, Entry } from "../../../traffic/transcript.ts";
import { addEntry, compacted, type GrowingBranch, newBranch } from "../branches.ts";
import { has } from "../head.ts";
import { known, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "openhands-trajectory",
  summary: "trajectories of OpenHands before version 1: a list of actions and observations",
  signs:
    "elements with id, source, and action with args, or observation, in a list, under trajectory, or a file each",
  recognize: ({ elements, document, lines }) =>
    elements.some(isOpenhandsAction) ||
    (lines.length > 1 && lines.some(isOpenhandsAction)) ||
    list(document?.["trajectory"]).some((element) => isOpenhandsAction(fields(element))) ||
    (document !== undefined && isOpenhandsEvent(document)),
  partOf: ({ document }) => (document && isOpenhandsEvent(document) ? "folder" : undefined),
};

/** An event in a file of its own, as the program stores them. */
function isOpenhandsEvent(value: Fields): boolean {
  return isOpenhandsAction(value) && has(value, "timestamp");
}

/** An action with its arguments, or an observation that names its cause. */
function isOpenhandsAction(value: Fields): boolean {
  return has(value, "id", "source", "action", "args") || has(value, "id", "source", "observation", "extras");
}

/**
 * Trajectories of OpenHands before version 1: one list of actions and observations. Each action holds the
 * whole reply that it came from. If the model called no tool, the action is the call, and its number is the
 * call's id.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branches: GrowingBranch[] = [newBranch("plain")];
  const replies = new Set<string>();
  const events = eventsOf(file);
  for (const record of events) {
    // Alone, an observation is not an orphan: its action has a file of its own.
    if (events.length === 1 && isObservation(record.value)) {
      file.skip(record, "an observation whose action is in another file");
      continue;
    }
    const entry = entryOf(record, replies);
    if (record.value["observation"] === "condensation" || record.value["action"] === "condensation") {
      const text = textOf(fields(record.value["args"])["summary"] ?? record.value["content"]);
      const summary = plainEntry(record, "user", [{ kind: "summary", text, at: "" }]);
      branches.push(compacted(branches.at(-1) as GrowingBranch, [summary]));
    } else if (entry) addEntry(branches.at(-1) as GrowingBranch, entry);
    else file.skip(record, "an event of the program, not a message");
  }
  yield* branches;
}

/** The events in their order; files, or lines, of one event each have their number as `id`. */
function eventsOf(file: SessionFile): readonly SessionRecord[] {
  const listed = [...file.elements(""), ...file.elements("/trajectory")];
  if (listed.length > 0) return listed;
  return [...file.lines()].sort((a, b) => Number(a.value["id"]) - Number(b.value["id"]));
}

/** Notes of the agent to itself. */
const notes =
  /^(?:agent_state_changed|change_agent_state|recall|null|null_observation|think|condensation_request)$/;

/** An action has arguments, an observation has none. */
function isObservation(value: Fields): value is Fields & { readonly observation: string } {
  return typeof value["observation"] === "string" && value["args"] === undefined;
}

function entryOf(record: SessionRecord, replies: Set<string>): Entry | undefined {
  const { value } = record;
  const { action, source } = value;
  const args = fields(value["args"]);
  const meta = fields(value["tool_call_metadata"]);
  const time = value["timestamp"];
  const callId = filled(meta["tool_call_id"]);
  if (isObservation(value)) {
    const cause = value["cause"];
    if (cause === undefined || cause === null || (callId === undefined && notes.test(value.observation)))
      return undefined;
    const isError = value.observation === "error";
    const name = filled(meta["function_name"]);
    const result = resultPart({
      callId: callId ?? `action ${cause}`,
      name,
      text: textOf(value["content"]),
      isError,
      at: "/content",
    });
    return plainEntry(record, "tool", [result], known({ time }));
  }
  if (typeof action !== "string") return undefined;
  const text: PlainPart = {
    kind: "text",
    text: textOf(args["content"] ?? args["final_thought"]),
    at: "/args",
  };
  if (action === "system") return plainEntry(record, "system", [text], known({ time }));
  const isModel = source === "agent";
  if (action === "message" && !isModel) return plainEntry(record, "user", [text], known({ time }));
  if (!isModel || (callId === undefined && notes.test(action))) return undefined;
  const response = fields(meta["model_response"]);
  const reply = filled(response["id"]) ?? `action ${value["id"]}`;
  const isFirst = !replies.has(reply);
  replies.add(reply);
  const facts = known({ time, reply, model: filled(response["model"]) });
  if (action === "message" || (action === "finish" && callId === undefined))
    return plainEntry(record, "assistant", [text], facts);
  return plainEntry(record, "assistant", partsOf(value, response, callId, isFirst), facts);
}

/** The call, preceded by the reply's text if it is the reply's first call. */
function partsOf(value: Fields, response: Fields, callId: string | undefined, isFirst: boolean): PlainPart[] {
  const message = fields(fields(list(response["choices"])[0])["message"]);
  const base = "/tool_call_metadata/model_response/choices/0/message";
  const index = list(message["tool_calls"]).findIndex((call) => fields(call)["id"] === callId);
  const called = fields(fields(list(message["tool_calls"])[index])["function"]);
  const said = isFirst ? (filled(message["content"]) ?? filled(fields(value["args"])["thought"])) : undefined;
  return [
    ...(said === undefined
      ? []
      : [
          {
            kind: "text" as const,
            text: said,
            at: filled(message["content"]) ? `${base}/content` : "/args/thought",
          },
        ]),
    {
      kind: "call",
      id: callId ?? `action ${value["id"]}`,
      name:
        filled(called["name"]) ??
        filled(fields(value["tool_call_metadata"])["function_name"]) ??
        textOf(value["action"]),
      arguments: called["arguments"] ?? value["args"] ?? {},
      at: index < 0 ? "" : `${base}/tool_calls/${index}`,
    },
  ];
}
