import { fields, isFields } from "../../wire.ts";
import { decodeCall } from "../parts.ts";
import type { Framework } from "./framework.ts";

/**
 * Traces of Invariant: chat messages, where a call may stand between them without a message around it.
 * @see https://explorer.invariantlabs.ai/docs/trace-format/
 */
export const invariant: Framework = {
  listed: { row: "frameworks", name: "Invariant" },
  decode(element) {
    const isCall = element["type"] === "function" && "arguments" in fields(element["function"]);
    if (!isCall || element["role"] !== undefined || !isFields(element["function"])) return undefined;
    return { role: "assistant", items: [decodeCall(element, "")] };
  },
};
