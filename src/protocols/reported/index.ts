import type { Demands } from "../../conversation/exchange.ts";
import { noDemands } from "../demands.ts";
import type { Protocol } from "../protocol.ts";
import { fields, filled } from "../wire.ts";
import { isModelPart, modelPlaces, modelWriter } from "./ai-sdk-messages.ts";
import { decodeStream, endsStream } from "./ai-sdk-stream.ts";
import { aroundPart } from "./around-part.ts";
import { frameworks, listings } from "./frameworks/index.ts";
import { decodeMessage } from "./message.ts";
import { decodeMessageChunks, endsMessage, isMessageChunk, messageIdOf } from "./message-chunks.ts";
import { recognize } from "./recognize.ts";
import { decodeReply } from "./reply.ts";
import { decodeRequest } from "./request.ts";
import { historyKeys } from "./trace-attributes.ts";
import { decodeUpdates, isUpdate } from "./updates.ts";

const name = "sdk-messages";

/** No provider receives this form, so nothing is rejected. Ids may be missing; names then replace them. */
export const reportedDemands: Demands = { ...noDemands, forcedChoiceStops: true, mergesRoles: true };

/**
 * Messages as SDKs, frameworks and tracing tools store them: reports of what was sent, in forms other than
 * the wire's. One reader handles all of them because real logs mix them: LangChain messages in an
 * OpenInference span in a Langfuse export.
 */
export const sdkMessages: Protocol = {
  name,
  summary: "messages as SDKs and traces keep them: Vercel AI SDK, LangChain, OpenTelemetry, OpenInference",
  historyKeys,
  messageKeys: frameworks.flatMap(({ messageKeys = [] }) => messageKeys),
  listings,
  stableKeys: [],
  demands: reportedDemands,
  fidelity: "reported",
  isKept: isModelPart,
  places: modelPlaces,
  writes: modelWriter,
  recognize,
  paths: "unsupported",
  endpoint: "unsupported",
  idiom: "unsupported",
  answers: "unsupported",
  encode: "unsupported",
  loadSchema: "unsupported",
  refusals: "unsupported",
  // Frameworks check a history before they send it.
  errorTexts: frameworks.flatMap(({ errorTexts = [] }) => errorTexts),
  loadServerSide: "unsupported",
  decodeElement: decodeMessage,
  decodeRequest: (body) => decodeRequest(name, body),
  decodeReply,
  decodeStream(body) {
    if (body.frames.some(isUpdate)) return decodeUpdates(body);
    return body.frames.some(isMessageChunk) ? decodeMessageChunks(body) : decodeStream(body);
  },
  aroundPart,
  isTerminal: (frame) => endsStream(frame) || endsMessage(frame),
  replyId: (frame) =>
    isMessageChunk(frame) ? messageIdOf(frame) : filled(fields(frame.value)["responseId"]),
};
