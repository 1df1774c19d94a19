import { kindOfStreamEvent, type StreamEventKind } from "../../traffic/event-names.ts";
import type { Frame } from "../protocol.ts";
import { type Fields, fields, isFields, string } from "../wire.ts";

export interface AppEvent {
  readonly kind: StreamEventKind;
  readonly name: string;
  readonly data: Fields;
  /** Pointer from the event to its data. */
  readonly base: string;
}

/** `{"event": name, "data": {…}}`, or the name in the `event:` field and the data alone. */
export function readEvent({ event, value }: Pick<Frame, "event" | "value">): AppEvent | undefined {
  if (!isFields(value)) return undefined;
  const inner = string(value["event"]);
  const name = inner ?? event;
  if (name === undefined) return undefined;
  const data = inner === undefined ? value : fields(value["data"]);
  return { kind: kindOfStreamEvent(name), name, data, base: inner === undefined ? "" : "/data" };
}

/** A fragment of arguments sent as JSON text. */
export function inputFragment(data: Fields): string | undefined {
  return string(data["partial_json"]) ?? string(data["delta"]) ?? string(data["input_delta"]);
}

/** The text that an event adds. */
export function eventText(data: Fields): string | undefined {
  for (const key of ["text", "delta", "content", "token", "chunk"]) {
    const text = string(data[key]) ?? string(fields(data[key])["text"]);
    if (text !== undefined) return text;
  }
  return undefined;
}
