import { masked, visibleJson } from "../reporters/visible.ts";
import type { ShownLog } from "./shown.ts";

/** The log as JSON, in pieces: one line a step, so that long logs stay readable by lines. Credentials are masked. */
export function* showJson({ conversations, ...head }: ShownLog): Generator<string> {
  yield `${written(head).slice(0, -1)},"conversations":[`;
  for (const [number, { steps, ...rest }] of conversations.entries()) {
    yield `${number > 0 ? "," : ""}\n${written(rest).slice(0, -1)},"steps":[`;
    for (const [index, step] of steps.entries()) yield `${index > 0 ? "," : ""}\n${written(step)}`;
    yield "]}";
  }
  yield "]}\n";
}

function written(value: unknown): string {
  return visibleJson(
    JSON.stringify(value, (_, part: unknown) => (typeof part === "string" ? masked(part) : part)),
  );
}
