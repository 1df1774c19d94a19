import type { Demands } from "../../conversation/exchange.ts";
import type { Item, Role } from "../../conversation/item.ts";
import type { FinishMeaning } from "../../conversation/reply.ts";
import type { PlainMessage, PlainPart } from "../../traffic/plain-message.ts";
import { noDemands } from "../demands.ts";
import { historyOf, looseRun } from "../history.ts";
import type { DecodedElement, Protocol } from "../protocol.ts";
import { unsent } from "../unsent.ts";
import { callArguments, defined } from "../wire.ts";

const name = "plain";

/** These messages are never sent as they are: their agent turns them into requests of a provider. */
const demands: Demands = { ...noDemands, mergesRoles: true };

/** Stop reasons that agents write, for any provider. */
const meanings = new Map(
  Object.entries<FinishMeaning>({
    stop: "answer",
    end_turn: "answer",
    "tool-calls": "calls",
    tool_calls: "calls",
    tool_use: "calls",
    toolUse: "calls",
    length: "length",
    max_tokens: "length",
    "content-filter": "filter",
    content_filter: "filter",
    refusal: "refusal",
    error: "error",
  }),
);

/** Messages that readers of session files produce in a neutral form. No payload has this form. */
export const plain: Protocol = {
  name,
  summary: "messages in an agent's own form: text, reasoning, calls, results",
  historyKeys: [],
  stableKeys: [],
  demands,
  recognize: () => undefined,
  ...unsent,
  decodeElement,
  decodeRequest: ({ place, base }) => ({
    place,
    historyPointer: base,
    history: historyOf(looseRun([]), name, decodeElement),
    system: undefined,
    tools: undefined,
    toolChoice: undefined,
    model: undefined,
    maxTokens: undefined,
    isStreaming: false,
    links: {},
    settings: {},
  }),
  decodeReply: ({ place }) => emptyReply(place, "json"),
  decodeStream: ({ place }) => emptyReply(place, "stream"),
  isTerminal: () => false,
  replyId: () => undefined,
  meaningOf: (reason) => meanings.get(reason) ?? "other",
};

function emptyReply(place: Parameters<Protocol["decodeReply"]>[0]["place"], form: "json" | "stream") {
  return { place, form, items: [], state: "complete" as const, flaws: [], otherChoices: 0 };
}

/** A container built the value, so it is known to match its type. */
function decodeElement(value: unknown): DecodedElement {
  const { role, parts } = value as PlainMessage;
  return { role, items: parts.map((part) => itemOf(part, role)) };
}

function itemOf(part: PlainPart, role: Role): Item {
  const common = { role, pointer: part.at };
  switch (part.kind) {
    case "text":
      return { ...common, kind: "message", text: part.text, hasMedia: false };
    case "media":
      return { ...common, kind: "message", text: "", hasMedia: true };
    case "reasoning":
      return { ...common, kind: "reasoning", text: part.text };
    case "summary":
      return { ...common, kind: "compaction", text: part.text };
    case "call":
      return defined({
        ...common,
        kind: "call" as const,
        id: part.id,
        name: part.name,
        ...(part.isFreeText ? { argumentsText: String(part.arguments) } : callArguments(part.arguments)),
        isJson: part.isFreeText !== true,
        wireType: "call",
        isHosted: part.isHosted ?? false,
        state: part.isOpen ? ("open" as const) : ("complete" as const),
      });
    case "result":
      return defined({
        ...common,
        kind: "result" as const,
        callId: part.callId,
        name: part.name,
        text: part.text,
        hasMedia: false,
        isError: part.isError,
        isCopy: part.isCopy,
        wireType: "result",
        isHosted: part.isHosted ?? false,
      });
  }
}
