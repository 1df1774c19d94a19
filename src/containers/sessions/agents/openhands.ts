import { type Fields, fields, filled } from "../../../reading/values.ts";
import type { PlainMessage, PlainPart } from "../../../traffic/plain-message.ts";
import type { SessionWriter } from "../../../traffic/session-writer.ts";
import type { Branch, Entry } from "../../../traffic/transcript.ts";
import { addEntry, compacted, newBranch, takingRecords } from "../branches.ts";
import { has } from "../head.ts";
import { otherType } from "../other-records.ts";
import { callPart, contentParts, known, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "openhands",
  summary: "events of OpenHands, one per line or file",
  signs: "records with a kind such as ActionEvent, a source and an id",
  recognize: (head) =>
    head.lines.some(isOpenhands) || (head.document !== undefined && isOpenhands(head.document)),
  partOf: ({ document }) => (document && isOpenhands(document) ? "folder" : undefined),
};

function isOpenhands(value: Fields): boolean {
  return (
    has(value, "id", "source") &&
    /^(?:Action|Message|Observation|SystemPrompt|ConversationStateUpdate|AgentError)Event$/.test(
      filled(value["kind"]) ?? "",
    )
  );
}

/**
 * Events of OpenHands: an action holds the model's call, and an observation answers it by call id. Actions of
 * one reply share its id.
 * @see https://docs.openhands.dev/sdk/arch/events
 */
export function* read(file: SessionFile): Generator<Branch> {
  let branch = newBranch("plain");
  const branches = [branch];
  for (const record of file.lines()) {
    const { value } = record;
    if (value["kind"] === "Condensation" || value["kind"] === "CondensationSummaryEvent") {
      branch = compacted(branch);
      branches.push(branch);
      const text = textOf(value["summary"]);
      if (text !== "")
        addEntry(branch, plainEntry(record, "user", [{ kind: "summary", text, at: "/summary" }]));
      continue;
    }
    const entry = entryOf(record);
    if (entry) addEntry(branch, entry);
    else file.skip(record, otherType(filled(value["kind"])));
  }
  yield* takingRecords(branches, { writer });
}

/**
 * A missing result is written as an agent's error, as OpenHands itself does after a restart during a call.
 * @see https://github.com/OpenHands/software-agent-sdk/blob/main/openhands-sdk/openhands/sdk/context/view.py
 */
const writer: SessionWriter = {
  messages: (record) => [messageOf(fields(record)) ?? []].flat(),
  hasResultRecords: true,
  leavesOutOrphans: true,
  resultId: () => "/tool_call_id",
  result({ id, name }, text, record) {
    const { id: own, timestamp, parent_id: parent } = fields(record);
    return {
      element: {
        ...(own !== undefined && { id: "" }),
        ...(timestamp !== undefined && { timestamp }),
        ...(parent !== undefined && { parent_id: "" }),
        source: "agent",
        tool_name: name,
        tool_call_id: id,
        error: text,
        kind: "AgentErrorEvent",
      },
    };
  },
};

function entryOf(record: SessionRecord): Entry | undefined {
  const { value } = record;
  const said = messageOf(value);
  if (!said) return undefined;
  const reply =
    said.role === "assistant" ? (filled(value["llm_response_id"]) ?? filled(value["id"])) : undefined;
  return plainEntry(record, said.role, said.parts, known({ reply }));
}

function messageOf(value: Fields): PlainMessage | undefined {
  const callId = filled(value["tool_call_id"]);
  const name = filled(value["tool_name"]);
  const resultOf = (text: string, isError: boolean, at: string): PlainMessage => ({
    role: "tool",
    parts: [resultPart({ callId, name, text, isError, at })],
  });
  switch (value["kind"]) {
    case "SystemPromptEvent":
      return { role: "system", parts: contentParts([value["system_prompt"]], "/system_prompt") };
    case "MessageEvent": {
      const message = fields(value["llm_message"]);
      const role = message["role"] === "assistant" ? "assistant" : "user";
      return { role, parts: contentParts(message["content"], "/llm_message/content") };
    }
    case "ActionEvent":
      return { role: "assistant", parts: actionParts(value) };
    case "ObservationEvent": {
      const observation = fields(value["observation"]);
      const text = textOf(observation["content"] ?? observation["output"] ?? observation);
      return resultOf(text, observation["is_error"] === true, "/observation");
    }
    case "AgentErrorEvent":
      return resultOf(textOf(value["error"]), true, "/error");
    case "UserRejectObservation":
      return resultOf(textOf(value["rejection_reason"]), true, "");
  }
  return undefined;
}

function actionParts(value: Fields): PlainPart[] {
  const call = fields(value["tool_call"]);
  const inner = fields(call["function"]);
  const id = filled(value["tool_call_id"]) ?? filled(call["id"]);
  const reasoning = filled(value["reasoning_content"]);
  return [
    ...(reasoning === undefined
      ? []
      : [{ kind: "reasoning" as const, text: reasoning, at: "/reasoning_content" }]),
    ...contentParts(value["thought"], "/thought"),
    callPart({
      id,
      name: filled(value["tool_name"]) ?? call["name"],
      arguments: call["arguments"] ?? inner["arguments"] ?? value["action"],
      at: "/tool_call",
    }),
  ];
}
