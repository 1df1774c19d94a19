import type { AroundPart } from "../protocol.ts";
import { type Fields, filled, isFields } from "../wire.ts";
import { member } from "./names.ts";

/** The members of a call; SDKs print all that it may have. */
const callKeys = new Set(["id", "name", "args", "partial_args", "will_continue"]);

/** The content that holds a part with a call or a response, or the call alone, as SDKs print it. */
export function aroundPart(part: Fields): AroundPart | undefined {
  if (isFields(member(part, "functionCall"))) return { before: '{"role":"model","parts":[', after: "]}" };
  if (isFields(member(part, "functionResponse"))) return { before: '{"role":"user","parts":[', after: "]}" };
  const isCall =
    Object.keys(part).every((key) => callKeys.has(key)) &&
    filled(part["name"]) !== undefined &&
    isFields(part["args"]) &&
    part["id"] !== undefined;
  return isCall ? { before: '{"role":"model","parts":[{"functionCall":', after: "}]}" } : undefined;
}
