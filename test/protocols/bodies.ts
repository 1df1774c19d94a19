import { looseRun } from "../../src/protocols/history.ts";
import type { Frame, RequestBody, StreamBody } from "../../src/protocols/protocol.ts";
import type { PayloadPlace } from "../../src/traffic/place.ts";

/** Nothing that is tested with it asks where a payload stands. */
export const place = {} as PayloadPlace;

/** A request as protocols are given it: the history, at one of its keys, apart from the other members. */
export function requestBody(
  body: Readonly<Record<string, unknown>>,
  historyKey: string,
  around: Partial<RequestBody> = {},
): RequestBody {
  const { [historyKey]: history, ...others } = body;
  const isList = Array.isArray(history);
  return {
    fields: isList || history === undefined ? others : body,
    run: isList ? looseRun(history) : undefined,
    envelope: {},
    base: "",
    place,
    url: undefined,
    headers: {},
    ...around,
  };
}

/** The place of a frame of {@link streamBody}, from 0. */
export const extentAt = (index: number): Frame["extent"] => ({ start: index * 10, end: index * 10 + 9 });

/** A stream of values, a frame each; a text is data that is no JSON. */
export function streamBody(values: readonly unknown[], around: Partial<StreamBody> = {}): StreamBody {
  const frames = values.map((value, index): Frame => {
    const isText = typeof value === "string";
    return {
      value: isText ? undefined : value,
      data: isText ? value : JSON.stringify(value),
      extent: extentAt(index),
    };
  });
  return { frames, place, status: 200, framing: "sse", isCut: false, ...around };
}
