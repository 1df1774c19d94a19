import type { PlainPart } from "../reading/payload.ts";
import { kindOfEvent } from "./event-words.ts";
import { known, plainEntry, resultPart, textOf } from "./plain.ts";
import { type Fields, fields, filled, type SessionFile } from "./session.ts";
import { append, growingThread } from "./threads.ts";
import type { Thread } from "./transcript.ts";

/**
 * Home-made logs of an agent: an event a line, under everyday names: what the user said, what the model said, which tool it called, what the
 * tool gave. What an event holds stands beside its name, or in one object there.
 */
export function* read(file: SessionFile): Generator<Thread> {
  const thread = growingThread("plain");
  let reply = 0;
  for (const record of file.lines()) {
    const { value } = record;
    const kind = kindOfEvent(value);
    const time = value["timestamp"] ?? value["time"] ?? value["ts"] ?? value["created_at"];
    const [holder, at] = holderOf(value);
    if (kind === undefined) {
      file.skip(record, "an event that is no message, call or result");
      continue;
    }
    if (kind === "result" || kind === "user" || kind === "system") {
      reply++;
      const role = kind === "result" ? "tool" : kind;
      append(
        thread,
        plainEntry(
          record,
          role,
          [kind === "result" ? resultOf(holder, value, at) : saidIn(holder, at)],
          known({ time }),
        ),
      );
    } else {
      const part = kind === "call" ? callOf(holder, value, at) : saidIn(holder, at);
      append(thread, plainEntry(record, "assistant", [part], known({ time, reply: `${reply}` })));
    }
  }
  yield thread;
}

/** The object that holds what the event tells, and the pointer there. */
function holderOf(value: Fields): readonly [Fields, string] {
  for (const key of ["data", "payload", "tool_call", "call", "body", "message"]) {
    const inner = value[key];
    if (typeof inner === "object" && inner !== null && !Array.isArray(inner))
      return [inner as Fields, `/${key}`];
  }
  return [value, ""];
}

function saidIn(holder: Fields, at: string): PlainPart {
  const key = ["content", "text", "message", "output", "answer", "prompt", "input"].find(
    (name) => holder[name] !== undefined && holder[name] !== null,
  );
  return {
    kind: "text",
    text: key === undefined ? "" : textOf(holder[key]),
    at: key === undefined ? at : `${at}/${key}`,
  };
}

/** What an event calls a call's id; its own `id` counts only where nothing else is in the event. */
function callIdOf(holder: Fields): string | undefined {
  const key = ["tool_call_id", "toolCallId", "call_id", "callId", "tool_use_id"].find((name) =>
    filled(holder[name]),
  );
  return key && filled(holder[key]);
}

function toolNameOf(holder: Fields): string | undefined {
  const called = holder["function"];
  return (
    filled(holder["tool"]) ??
    filled(holder["tool_name"]) ??
    filled(holder["toolName"]) ??
    filled(holder["functionName"]) ??
    filled(called) ??
    filled(fields(called)["name"]) ??
    filled(fields(holder["tool"])["name"])
  );
}

/** The id and the name of the tool stand with the rest, or beside what holds it. */
function toolOf(
  holder: Fields,
  value: Fields,
): { readonly id: string | undefined; readonly name: string | undefined } {
  return {
    id: callIdOf(holder) ?? filled(holder["id"]) ?? callIdOf(value),
    name: filled(holder["name"]) ?? toolNameOf(holder) ?? toolNameOf(value),
  };
}

function callOf(holder: Fields, value: Fields, at: string): PlainPart {
  const { id, name } = toolOf(holder, value);
  const given = ["arguments", "args", "input", "parameters", "params"].map(
    (key) => holder[key] ?? fields(holder["function"])[key],
  );
  return {
    kind: "call",
    ...(id !== undefined && { id }),
    name: name ?? "",
    arguments: given.find((value) => value !== undefined && value !== null) ?? {},
    at,
  };
}

function resultOf(holder: Fields, value: Fields, at: string): PlainPart {
  const { id, name } = toolOf(holder, value);
  const { error } = holder;
  const given = ["result", "output", "content", "response", "text"].map((key) => holder[key]);
  const text = textOf(given.find((value) => value !== undefined && value !== null) ?? error);
  const isError = (error !== undefined && error !== null && error !== false) || holder["is_error"] === true;
  return resultPart({ callId: id, name, text, isError, at });
}
