import type { PlainPart } from "../reading/payload.ts";
import { contentParts, known, plainEntry, resultPart, textOf } from "./plain.ts";
import { fields, filled, type SessionFile, type SessionRecord } from "./session.ts";
import { append, compacted, growingThread } from "./threads.ts";
import type { Entry, Thread } from "./transcript.ts";

/**
 * Events of OpenHands: an action holds the call as the model made it, an observation answers it by the call's id. Actions of one reply
 * share its id.
 * @see https://docs.openhands.dev/sdk/arch/events
 */
export function* read(file: SessionFile): Generator<Thread> {
  let thread = growingThread("plain");
  const threads = [thread];
  for (const record of file.lines()) {
    const { value } = record;
    if (value["kind"] === "Condensation" || value["kind"] === "CondensationSummaryEvent") {
      thread = compacted(thread);
      threads.push(thread);
      const text = textOf(value["summary"]);
      if (text !== "")
        append(thread, plainEntry(record, "user", [{ kind: "summary", text, at: "/summary" }]));
      continue;
    }
    const entry = entryOf(record);
    if (entry) append(thread, entry);
    else file.skip(record, `a note of the program (${filled(value["kind"]) ?? "no kind"})`);
  }
  yield* threads;
}

function entryOf(record: SessionRecord): Entry | undefined {
  const { value } = record;
  const callId = filled(value["tool_call_id"]);
  const name = filled(value["tool_name"]);
  switch (value["kind"]) {
    case "SystemPromptEvent":
      return plainEntry(record, "system", contentParts([value["system_prompt"]], "/system_prompt"));
    case "MessageEvent": {
      const message = fields(value["llm_message"]);
      const isModel = message["role"] === "assistant";
      const parts = contentParts(message["content"], "/llm_message/content");
      const reply = isModel ? (filled(value["llm_response_id"]) ?? filled(value["id"])) : undefined;
      return plainEntry(record, isModel ? "assistant" : "user", parts, known({ reply }));
    }
    case "ActionEvent":
      return plainEntry(
        record,
        "assistant",
        actionParts(record),
        known({
          reply: filled(value["llm_response_id"]) ?? filled(value["id"]),
        }),
      );
    case "ObservationEvent": {
      const observation = fields(value["observation"]);
      const text = textOf(observation["content"] ?? observation["output"] ?? observation);
      const isError = observation["is_error"] === true;
      return plainEntry(record, "tool", [resultPart({ callId, name, text, isError, at: "/observation" })]);
    }
    case "AgentErrorEvent":
      return plainEntry(record, "tool", [
        resultPart({ callId, name, text: textOf(value["error"]), isError: true, at: "/error" }),
      ]);
    case "UserRejectObservation":
      return plainEntry(record, "tool", [
        resultPart({ callId, name, text: textOf(value["rejection_reason"]), isError: true, at: "" }),
      ]);
  }
  return undefined;
}

function actionParts({ value }: SessionRecord): PlainPart[] {
  const call = fields(value["tool_call"]);
  const inner = fields(call["function"]);
  const id = filled(value["tool_call_id"]) ?? filled(call["id"]);
  const reasoning = filled(value["reasoning_content"]);
  return [
    ...(reasoning === undefined
      ? []
      : [{ kind: "reasoning" as const, text: reasoning, at: "/reasoning_content" }]),
    ...contentParts(value["thought"], "/thought"),
    {
      kind: "call",
      ...(id !== undefined && { id }),
      name: filled(value["tool_name"]) ?? filled(call["name"]) ?? "",
      arguments: call["arguments"] ?? inner["arguments"] ?? value["action"],
      at: "/tool_call",
    },
  ];
}
