import type { Item, ToolCall } from "../conversation/item.ts";
import type { Reply, ReplyFlaw, StreamLack } from "../conversation/reply.ts";
import { isFields } from "../reading/values.ts";
import type { Frame, StreamBody } from "../traffic/payload.ts";
import type { Protocol } from "./protocol.ts";

/** What a stream seems to do wrong where its first events are missing, and perhaps others. */
const byLostBeginning: ReadonlySet<ReplyFlaw["kind"]> = new Set([
  "missing-name",
  "missing-id",
  "missing-index",
  "unplaced-fragment",
  "closed-block",
  "no-finish-reason",
]);

/**
 * A stream without its request is often a few events that somebody pasted, and a record may hold one event of
 * it as an example. Then the log broke it off, not the server: what the other events would have told is no
 * fault, and a call without its first fragments is open.
 */
export function asPart(
  reply: Reply,
  body: StreamBody,
  lack: "others" | "last" | undefined,
  { isLater }: Protocol,
): Reply {
  const lacking = lackOf(reply, body, lack, isLater);
  if (lacking === undefined) return reply;
  if (lacking === "end" || lacking === "last") return { ...reply, lacking };
  return {
    ...reply,
    lacking,
    flaws: reply.flaws.filter(({ kind }) => !byLostBeginning.has(kind)),
    items: reply.items.map((item) =>
      isPartOfCall(item, lacking) ? { ...item, state: "open" as const } : item,
    ),
  };
}

function isPartOfCall(item: Item, lacking: StreamLack): item is ToolCall {
  if (item.kind !== "call") return false;
  const isWhole = item.argumentsText.trim() !== "" && isFields(item.arguments);
  return item.name === "" || (lacking === "others" && !isWhole);
}

function lackOf(
  reply: Reply,
  body: StreamBody,
  lack: "others" | "last" | undefined,
  isLater: Protocol["isLater"],
): StreamLack | undefined {
  const first = firstOf(body);
  if (first && isLater?.(first)) return "beginning";
  if (lack === "others" || body.frames.length === 1) return "others";
  if (breaksOff(reply, body)) return "end";
  return reply.state === "open" ? lack : undefined;
}

/** A stream in whose last event the log ends: the log stops there, whoever sent it may have gone on. */
export function asBrokenOff(reply: Reply, body: StreamBody): Reply {
  return breaksOff(reply, body) ? { ...reply, lacking: "end" } : reply;
}

function breaksOff({ state }: Reply, body: StreamBody): boolean {
  const last = body.frames.at(-1);
  return state === "open" && last?.flaw === "cut" && endsLog(last, body);
}

function firstOf({ frames }: StreamBody): Frame | undefined {
  for (const frame of frames) if (frame.value !== undefined) return frame;
  return undefined;
}

/** Nothing but white space follows in the log. */
function endsLog({ extent }: Frame, { place }: StreamBody): boolean {
  const { source, end } = place.locateAt(extent);
  const rest = source.size - end;
  return rest <= 64 && source.read(end, source.size).toString("utf8").trim() === "";
}
