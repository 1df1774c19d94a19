import type { PlainPart } from "../reading/payload.ts";
import { plainEntry, textOf } from "./plain.ts";
import { fields, filled, list, type SessionFile, type SessionRecord } from "./session.ts";
import { append, growingThread } from "./threads.ts";
import type { Entry, Thread } from "./transcript.ts";

/** Antigravity's steps: what the user asked, what the model planned, and what each tool did, named by the step's type. */
export function* read(file: SessionFile): Generator<Thread> {
  const thread = growingThread("plain");
  for (const record of file.lines()) {
    const entry = entryOf(record);
    if (entry) append(thread, entry);
    else file.skip(record, "a step without content");
  }
  yield thread;
}

function entryOf(record: SessionRecord): Entry | undefined {
  const { value } = record;
  const text = textOf(value["content"]);
  if (value["type"] === "USER_INPUT")
    return plainEntry(record, "user", [{ kind: "text", text, at: "/content" }]);
  const reply = `${value["step_index"]}`;
  if (value["type"] === "PLANNER_RESPONSE") {
    const thinking = filled(value["thinking"]);
    const calls = list(value["tool_calls"]).map((call, index): PlainPart => {
      const { name, args, arguments: given } = fields(call);
      return { kind: "call", name: textOf(name), arguments: args ?? given ?? {}, at: `/tool_calls/${index}` };
    });
    const parts: PlainPart[] = [
      ...(thinking === undefined ? [] : [{ kind: "reasoning" as const, text: thinking, at: "/thinking" }]),
      ...(text === "" ? [] : [{ kind: "text" as const, text, at: "/content" }]),
      ...calls,
    ];
    return plainEntry(record, "assistant", parts, { reply });
  }
  // The step does not say which call it carried out.
  if (text === "") return undefined;
  return plainEntry(record, "tool", [
    { kind: "result", name: textOf(value["type"]), text, isHosted: true, at: "/content" },
  ]);
}
