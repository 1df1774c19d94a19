import type { Mutable } from "../../../reading/mutable.ts";
import { type Fields, fields, filled, isFields, list } from "../../../reading/values.ts";
import { isCallOfModel, kindOfPart, kindOfRecord } from "../../../traffic/event-names.ts";
import type { PlainMessage, PlainPart } from "../../../traffic/plain-message.ts";
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
import { repeatsEarlier } from "../other-records.ts";
import { type CallPart, callPart, known, plainEntry, type ResultPart, resultPart, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "events",
  summary: "custom agent logs with one event per line: user, assistant, tool_call, tool_result and similar",
  signs: "most lines name their kind with such a word, and calls and results are among them",
  // Agents' own formats use everyday words for events, too.
  priority: -2,
  recognize: ({ lines }) => isEventLog(withoutParts(lines)),
};

/** The lines without parts of messages that the log also has in full. */
function withoutParts(lines: readonly Fields[]): readonly Fields[] {
  const whole = new Set(lines.map(kindOfRecord));
  return lines.filter((line) => {
    const kind = kindOfPart(line);
    return kind === undefined || !whole.has(kind);
  });
}

/** Lines with whole requests, or with chunks of a reply, are not an event log. */
function isEventLog(lines: readonly Fields[]): boolean {
  const kinds = lines.map(kindOfRecord);
  const isOther = lines.some(
    (line) =>
      /delta|chunk/.test(typeOf(line)) ||
      // A whole reply in a provider's form is read as such.
      (isCallOfModel(line) && typeof (line["response"] ?? "") !== "string") ||
      ["messages", "contents", "choices", "input"].some((key) =>
        list(line[key]).some((item) => has(fields(item), "role")),
      ),
  );
  return (
    !isOther &&
    !arePasted(lines) &&
    kinds.includes("call") &&
    (kinds.includes("result") ||
      lines.some(isWholeRun) ||
      (kinds.includes("user") && kinds.includes("assistant"))) &&
    (kinds.includes("user") || kinds.includes("assistant") || kinds.every((kind) => kind !== undefined)) &&
    kinds.filter((kind) => kind !== undefined).length >= lines.length * 0.6
  );
}

/** What a block of a message has in its API. */
const blockKeys = new Set("type id name input tool_use_id content is_error cache_control".split(" "));

/** Few blocks of an API and nothing else, as people copy them out of messages: no log tells so little. */
function arePasted(lines: readonly Fields[]): boolean {
  return (
    lines.length < fewest &&
    lines.every(
      (line) =>
        (has(line, "id", "input") || has(line, "tool_use_id")) &&
        Object.keys(line).every((key) => blockKeys.has(key)),
    )
  );
}

/** A log of this many calls and results is one. */
const fewest = 12;

/**
 * Home-made agent logs: one event per line, under everyday names for messages, calls and results. An event's
 * data is next to its name, or in one object there.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const events = new Events(file);
  for (const record of file.lines()) events.add(record);
  yield events.branch;
}

class Events {
  readonly #branch = newBranch("plain");
  readonly #answered = new Map<string, string>();
  readonly #calls: Mutable<CallPart>[] = [];
  readonly #byId = new Map<string, CallPart>();
  /** Calls that replies list, by what they ask for; the events that run them may have no ids. */
  readonly #waiting = new Map<string, CallPart[]>();
  #reply = 0;
  #hasResults = false;
  readonly #file: SessionFile;

  constructor(file: SessionFile) {
    this.#file = file;
  }

  get branch(): Branch {
    // Where no result has a known name, that the calls have none says nothing.
    if (!this.#hasResults) for (const call of this.#calls) call.isHosted = true;
    return this.#branch;
  }

  add(record: SessionRecord): void {
    const { value } = record;
    const kind = kindOfRecord(value);
    const [holder, at] = holderOf(value);
    if (kindOfPart(value) !== undefined)
      this.#file.skip(record, "a part of a message that the log also has in full");
    else if (kind === undefined) this.#file.skip(record, "an event that is not a message, call or result");
    else if (kind === "result") this.#addResult(record, resultOf(holder, value, at));
    else if (kind === "call") this.#addCall(record, callOf(holder, value, at), runOf(holder, value, at));
    else if (kind === "user" || kind === "system") {
      this.#reply++;
      this.#enter(record, kind, [saidIn(holder, at)]);
    } else {
      const listed = callsListed(holder, at);
      for (const call of listed) {
        this.#know(call);
        this.#waiting.set(asked(call), [...(this.#waiting.get(asked(call)) ?? []), call]);
      }
      const said = isCallOfModel(value) ? answerIn(holder, at) : saidIn(holder, at, kind);
      this.#enter(record, "assistant", [said, ...listed]);
    }
  }

  /** A call, perhaps with what came of it. */
  #addCall(record: SessionRecord, call: CallPart, run: ResultPart | undefined): void {
    const known = this.#requested(call);
    if (known && !run) {
      // Some logs have a call when it is requested, and again when it starts.
      this.#file.skip(record, repeatsEarlier);
      return;
    }
    if (!known) {
      this.#know(call);
      this.#enter(record, "assistant", [call]);
    }
    if (run) this.#addResult(record, { ...run, ...(known?.id !== undefined && { callId: known.id }) });
  }

  #know(call: CallPart): void {
    this.#calls.push(call);
    if (call.id !== undefined) this.#byId.set(call.id, call);
  }

  #addResult(record: SessionRecord, result: ResultPart): void {
    this.#hasResults = true;
    // Some logs have a result, then the end of the tool with the same result.
    if (result.callId !== undefined) {
      const before = this.#answered.get(result.callId);
      if (before !== undefined && (result.text === "" || result.text === before)) {
        this.#file.skip(record, repeatsEarlier);
        return;
      }
      this.#answered.set(result.callId, result.text);
    }
    this.#reply++;
    this.#enter(record, "tool", [result]);
  }

  /** The call that was reported before: by its id or, where an event has none, by what it asks for. */
  #requested(call: CallPart): CallPart | undefined {
    return call.id === undefined ? this.#waiting.get(asked(call))?.shift() : this.#byId.get(call.id);
  }

  #enter(record: SessionRecord, role: PlainMessage["role"], parts: readonly PlainPart[]): void {
    const { value } = record;
    const time = value["timestamp"] ?? value["time"] ?? value["ts"] ?? value["created_at"];
    const reply = role === "assistant" ? `${this.#reply}` : undefined;
    addEntry(this.#branch, plainEntry(record, role, parts, known({ time, reply })));
  }
}

function asked({ name, arguments: given }: CallPart): string {
  return `${name} ${typeof given === "string" ? compact(given) : JSON.stringify(given)}`;
}

/** The arguments as a value would be written, for the reply may have text where the event has a value. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
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

/** What the model answered, in an event that has the prompt, too. */
function answerIn(holder: Fields, at: string): PlainPart {
  const key = ["response", "completion", "output", "content", "text"].find((name) => filled(holder[name]));
  return { kind: "text", text: filled(holder[key ?? ""]) ?? "", at: key === undefined ? at : `${at}/${key}` };
}

/** The calls that an event of the model lists beside its text. */
function callsListed(holder: Fields, at: string): CallPart[] {
  return ["tool_calls", "toolCalls"].flatMap((key) =>
    list(holder[key]).flatMap((value, index) => {
      const call = fields(value);
      if (toolNameIn(call) === undefined) return [];
      return [callOf(call, call, `${at}/${key}/${index}`)];
    }),
  );
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

/** The result that an event of a call holds: it was written when the tool had ended. */
function runOf(holder: Fields, value: Fields, at: string): ResultPart | undefined {
  return runKeys.some((key) => (holder[key] ?? undefined) !== undefined)
    ? resultOf(holder, value, at)
    : undefined;
}

const runKeys = ["result", "output", "tool_result", "observation"];

/** An event that is a call with its result. */
function isWholeRun(line: Fields): boolean {
  const [holder, at] = holderOf(line);
  return kindOfRecord(line) === "call" && runOf(holder, line, at) !== undefined;
}

function resultOf(holder: Fields, value: Fields, at: string): ResultPart {
  const { id, name } = toolOf(holder, value);
  const isError = isFailure(holder) || (holder["error"] ?? false) !== false;
  return resultPart({ callId: id, name, text: textOf(outputIn(holder)?.value), isError, at });
}
