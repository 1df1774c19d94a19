import type { Demands } from "../../conversation/exchange.ts";
import { noDemands } from "../demands.ts";
import { historyOf, looseRun } from "../history.ts";
import type { Protocol } from "../protocol.ts";
import { unsent } from "../unsent.ts";
import { fields, filled } from "../wire.ts";
import { readEvent } from "./events.ts";
import { recognize } from "./recognize.ts";
import { decodeStream } from "./stream.ts";

const name = "app-events";

/** Only the application's own front end receives these events, and it rejects nothing. */
const demands: Demands = { ...noDemands, pairsBy: "id" };

/** A server's own events to its front end about a model's turn: `{"event": "tool_start", "data": {…}}`. */
export const appEvents: Protocol = {
  name,
  summary: "an application's own events of a model's turn: tool_start, text_delta, tool_result, done",
  historyKeys: [],
  stableKeys: [],
  demands,
  recognize,
  ...unsent,
  decodeElement: () => ({ role: "unknown", items: [] }),
  decodeRequest: ({ place, base }) => ({
    place,
    historyPointer: base,
    history: historyOf(looseRun([]), name, () => ({ role: "unknown", items: [] })),
    system: undefined,
    tools: undefined,
    toolChoice: undefined,
    model: undefined,
    maxTokens: undefined,
    isStreaming: true,
    links: {},
    settings: {},
  }),
  decodeReply: ({ value, place, status }) => {
    const frame = { value, data: "", extent: { start: 0, end: 0 } };
    return decodeStream({ frames: [frame], place, status, framing: "array", isCut: false });
  },
  decodeStream,
  isTerminal: (frame) => frame.data.trim() === "[DONE]" || readEvent(frame)?.kind === "end",
  replyId: (frame) =>
    filled(readEvent(frame)?.data["message_id"]) ?? filled(fields(frame.value)["message_id"]),
};
