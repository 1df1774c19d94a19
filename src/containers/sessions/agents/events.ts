import type { Mutable } from "../../../reading/mutable.ts";
import { type Fields, fields, filled, isFields, list } from "../../../reading/values.ts";
import { kindOfRecord } from "../../../traffic/event-names.ts";
import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import {
  argumentsIn,
  callIdBeside,
  callIdIn,
  isFailure,
  outputIn,
  toolNameBeside,
  toolNameIn,
} from "../../../traffic/vocabulary.ts";
import { addEntry, newBranch } from "../branches.ts";
import { has, typeOf } from "../head.ts";
import { type CallPart, callPart, known, plainEntry, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";

export const format: SessionFormat = {
  name: "events",
  summary: "custom agent logs with one event per line: user, assistant, tool_call, tool_result and similar",
  signs: "most lines name their kind with such a word, and calls and results are among them",
  // Agents' own formats use everyday words for events, too.
  priority: -2,
  recognize: ({ lines }) => isEventLog(lines),
};

/** Lines with whole requests, or with chunks of a reply, are no event log. */
function isEventLog(lines: readonly Fields[]): boolean {
  const kinds = lines.map(kindOfRecord);
  const isOther = lines.some(
    (line) =>
      /delta|chunk/.test(typeOf(line)) ||
      ["messages", "contents", "choices", "input"].some((key) =>
        list(line[key]).some((item) => has(fields(item), "role")),
      ),
  );
  return (
    !isOther &&
    kinds.includes("call") &&
    (kinds.includes("result") || (kinds.includes("user") && kinds.includes("assistant"))) &&
    (kinds.includes("user") || kinds.includes("assistant") || kinds.every((kind) => kind !== undefined)) &&
    kinds.filter((kind) => kind !== undefined).length >= lines.length * 0.6
  );
}

/**
 * Home-made agent logs: one event per line, under everyday names for messages, calls and results. An event's
 * data is next to its name, or in one object there.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branch = newBranch("plain");
  const called = new Set<string>();
  const answered = new Map<string, string>();
  let reply = 0;
  const calls: Mutable<CallPart>[] = [];
  let hasResults = false;
  for (const record of file.lines()) {
    const { value } = record;
    const kind = kindOfRecord(value);
    const time = value["timestamp"] ?? value["time"] ?? value["ts"] ?? value["created_at"];
    const [holder, at] = holderOf(value);
    if (kind === undefined) {
      file.skip(record, "an event that is not a message, call or result");
      continue;
    }
    hasResults ||= kind === "result";
    if (kind === "result" || kind === "user" || kind === "system") {
      const role = kind === "result" ? "tool" : kind;
      const part = kind === "result" ? resultOf(holder, value, at) : saidIn(holder, at);
      // Some logs have a result, then the end of the tool with the same result.
      if (part.kind === "result" && part.callId !== undefined) {
        const before = answered.get(part.callId);
        if (before !== undefined && (part.text === "" || part.text === before)) {
          file.skip(record, "a result that was already reported");
          continue;
        }
        answered.set(part.callId, part.text);
      }
      reply++;
      addEntry(branch, plainEntry(record, role, [part], known({ time })));
      continue;
    }
    const part = kind === "call" ? callOf(holder, value, at) : saidIn(holder, at, kind);
    // Some logs have a call when it is requested, and again when it starts.
    if (part.kind === "call" && part.id !== undefined && called.has(part.id)) {
      file.skip(record, "a call that was already reported");
      continue;
    }
    if (part.kind === "call" && part.id !== undefined) called.add(part.id);
    if (part.kind === "call") calls.push(part);
    addEntry(branch, plainEntry(record, "assistant", [part], known({ time, reply: `${reply}` })));
  }
  // Where no result has a known name, that the calls have none says nothing.
  if (!hasResults) for (const call of calls) call.isHosted = true;
  yield branch;
}

/** The object with the event's data and its pointer: under a usual key, or under the event's name. */
function holderOf(value: Fields): readonly [Fields, string] {
  const own = filled(value["type"])?.replace(/\W+/g, "_") ?? "";
  for (const key of ["data", "payload", "tool_call", "call", "body", "message", own]) {
    const inner = value[key];
    if (isFields(inner)) return [inner, `/${key}`];
  }
  return [value, ""];
}

const saidKeys = [
  "content",
  "text",
  "message",
  "assistant_message",
  "thought",
  "thinking",
  "output",
  "answer",
  "prompt",
  "input",
];

function saidIn(holder: Fields, at: string, kind: "assistant" | "reasoning" = "assistant"): PlainPart {
  const key = saidKeys.find((name) => holder[name] !== undefined && holder[name] !== null);
  return {
    kind: kind === "reasoning" ? "reasoning" : "text",
    text: key === undefined ? "" : textOf(holder[key]),
    at: key === undefined ? at : `${at}/${key}`,
  };
}

/** The call's id and the tool's name, from the data or from next to the object that holds the data. */
function toolOf(
  holder: Fields,
  value: Fields,
): { readonly id: string | undefined; readonly name: string | undefined } {
  return {
    id: callIdIn(holder) ?? callIdBeside(value),
    name: toolNameIn(holder) ?? toolNameBeside(value),
  };
}

function callOf(holder: Fields, value: Fields, at: string): CallPart {
  const { id, name } = toolOf(holder, value);
  return callPart({ id, name, arguments: argumentsIn(holder) ?? {}, at });
}

function resultOf(holder: Fields, value: Fields, at: string): PlainPart {
  const { id, name } = toolOf(holder, value);
  const isError = isFailure(holder) || (holder["error"] ?? false) !== false;
  return resultPart({ callId: id, name, text: textOf(outputIn(holder)?.value), isError, at });
}
