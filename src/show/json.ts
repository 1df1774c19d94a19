import { maskedJson } from "../reporters/masked-json.ts";
import type { ShownLog } from "./shown.ts";

/** The log as JSON, in chunks: one line per step, so that long logs stay readable. Credentials are masked. */
export function* showJson({ conversations, ...head }: ShownLog): Generator<string> {
  yield `${maskedJson(head).slice(0, -1)},"conversations":[`;
  for (const [number, { steps, ...rest }] of conversations.entries()) {
    yield `${number > 0 ? "," : ""}\n${maskedJson(rest).slice(0, -1)},"steps":[`;
    for (const [index, step] of steps.entries()) yield `${index > 0 ? "," : ""}\n${maskedJson(step)}`;
    yield "]}";
  }
  yield "]}\n";
}
