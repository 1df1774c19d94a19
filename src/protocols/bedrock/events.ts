import { type Fields, fields, isFields, string } from "../wire.ts";

/** One event of ConverseStream: its name and data. */
export interface ConverseEvent {
  /** `contentBlockDelta`, `messageStop` …, or the name of an exception (`throttlingException`). */
  readonly name: string;
  readonly data: Fields;
  /** No name was written; it was inferred from the members. */
  readonly isNameless: boolean;
}

const eventNames = new Set([
  "messageStart",
  "contentBlockStart",
  "contentBlockDelta",
  "contentBlockStop",
  "messageStop",
  "metadata",
]);

const exceptionName =
  /^(internalServer|modelStreamError|modelTimeout|serviceUnavailable|throttling|validation)Exception$/;

export function isEventName(name: string): boolean {
  return eventNames.has(name) || exceptionName.test(name);
}

export function isException(event: ConverseEvent): boolean {
  return exceptionName.test(event.name);
}

/**
 * Reads an event in one of three forms: as SDKs give it (`{contentBlockDelta: {…}}`), with a separate name
 * (`named`, or `{event, data}`), or as the bare payload of a frame, which its members identify.
 */
export function readEvent(value: unknown, named: string | undefined): ConverseEvent | undefined {
  const data = fields(value);
  const isKnown = (name: string | undefined): name is string => name !== undefined && isEventName(name);
  if (isKnown(named)) return { name: named, data: fields(data[named] ?? data), isNameless: false };
  const key = Object.keys(data).find((name) => isKnown(name) && isFields(data[name]));
  if (key !== undefined) return { name: key, data: fields(data[key]), isNameless: false };
  const own = string(data["event"]) ?? string(data["type"]);
  if (isKnown(own)) return { name: own, data: fields(data["data"] ?? data), isNameless: false };
  const guessed = nameOf(data);
  return guessed === undefined ? undefined : { name: guessed, data, isNameless: true };
}

/** Frames are padded with a member `p`, so that their length does not reveal their content. */
function nameOf(data: Fields): string | undefined {
  if (typeof data["contentBlockIndex"] === "number") {
    if (isFields(data["delta"])) return "contentBlockDelta";
    return isFields(data["start"]) ? "contentBlockStart" : "contentBlockStop";
  }
  if (typeof data["p"] !== "string") return undefined;
  if (data["role"] === "assistant") return "messageStart";
  if (typeof data["stopReason"] === "string") return "messageStop";
  return isFields(data["usage"]) && isFields(data["metrics"]) ? "metadata" : undefined;
}
