import type { Thread } from "../../../traffic/transcript.ts";
import { fields, filled, type SessionFile } from "../session.ts";
import { append, type GrowingThread, growingThread, tellOfReply } from "../branches.ts";
import { entryOf, interrupt, isInterruption } from "./claude-code.ts";

/**
 * What `claude -p --output-format stream-json` prints: messages in order, those of sub-agents under the id of the call that began
 * them. Events of the stream may stand between, and they alone say why a reply ended.
 */
export function* read(file: SessionFile): Generator<Thread> {
  const threads = new Map<string, GrowingThread>();
  for (const record of file.lines()) {
    const { value } = record;
    const agent = filled(value["parent_tool_use_id"]) ?? "";
    let thread = threads.get(agent);
    const entry = entryOf(record);
    if (entry) {
      thread ??= growingThread("anthropic");
      if (agent !== "") thread.calledBy = agent;
      threads.set(agent, thread);
      append(thread, entry);
      if (isInterruption(value)) interrupt(thread);
      continue;
    }
    const reason = filled(fields(fields(value["event"])["delta"])["stop_reason"]);
    const finish = reason === undefined ? undefined : { reason, pointer: "" };
    if (thread && finish) tellOfReply(thread, { finish }, ({ reply }) => reply !== undefined);
    const isEvent = value["type"] === "stream_event";
    file.skip(
      record,
      isEvent ? "an event of a reply that stands there whole" : `a note of the program (${value["type"]})`,
    );
  }
  yield* threads.values();
}
