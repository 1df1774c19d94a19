import { type Fields, fields, filled, list } from "../../../reading/values.ts";
import type { Branch } from "../../../traffic/transcript.ts";
import { addEntry, newBranch } from "../branches.ts";
import { has } from "../head.ts";
import { finishFact, known } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile } from "../session-file.ts";

export const format: SessionFormat = {
  name: "adk-events",
  summary:
    "runs of Google's Agent Development Kit: the events that a runner gives, one per line or in a list",
  signs: "records with author, invocationId or invocation_id, and content with parts",
  recognize: ({ lines, elements }) => [...lines, ...elements].some(isEvent),
};

function isEvent(value: Fields): boolean {
  return (
    has(value, "author", "content") &&
    (has(value, "invocationId") || has(value, "invocation_id")) &&
    Array.isArray(fields(value["content"])["parts"])
  );
}

/**
 * The events of a run, whose content is one of Gemini's. A runner that streams gives the pieces of a reply
 * first, and then all of it.
 * @see https://google.github.io/adk-docs/events/
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branch = newBranch("gemini");
  const running = new Running();
  for (const record of file.lines()) {
    const { value, span, base } = record;
    if (value["content"] === undefined || value["content"] === null)
      file.skip(record, "an event without content");
    else if (value["partial"] === true) file.skip(record, "a part of a reply; a later event has all of it");
    else if (running.isLaterState(value)) file.skip(record, "a later state of a long-running tool");
    else {
      const isReply = fields(value["content"])["role"] !== "user";
      const facts = known({
        time: value["timestamp"],
        model: filled(value["modelVersion"]) ?? filled(value["model_version"]),
        reply: isReply ? `${span.start}` : undefined,
        finish: finishFact(value["finishReason"] ?? value["finish_reason"], ""),
      });
      addEntry(branch, { value: value["content"], span, base, pointer: "/content", ...facts });
    }
  }
  yield branch;
}

/** The long-running tools of a run: each gives a result at once, and more of them while it works. */
class Running {
  readonly #ids = new Set<string>();
  readonly #answered = new Set<string>();

  isLaterState(event: Fields): boolean {
    for (const id of list(event["longRunningToolIds"] ?? event["long_running_tool_ids"]))
      if (typeof id === "string") this.#ids.add(id);
    const answered = list(fields(event["content"])["parts"]).flatMap((part) => {
      const response = fields(part)["functionResponse"] ?? fields(part)["function_response"];
      const id = filled(fields(response)["id"]);
      return id === undefined ? [] : [id];
    });
    const isLater =
      answered.length > 0 && answered.every((id) => this.#ids.has(id) && this.#answered.has(id));
    for (const id of answered) this.#answered.add(id);
    return isLater;
  }
}
