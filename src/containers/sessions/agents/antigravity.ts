import { fields, filled, list } from "../../../reading/values.ts";
import type { PlainPart } from "../../../traffic/plain-message.ts";
import type { Branch, Entry } from "../../../traffic/transcript.ts";
import { addEntry, compacted, type GrowingBranch, newBranch } from "../branches.ts";
import { has } from "../head.ts";
import { callPart, plainEntry, textOf } from "../plain.ts";
import type { SessionFormat } from "../session.ts";
import type { SessionFile, SessionRecord } from "../session-file.ts";

export const format: SessionFormat = {
  name: "antigravity",
  summary: "steps of Antigravity's CLI and SDK",
  signs: "records with step_index, source and type",
  recognize: (head) => head.lines.some((line) => has(line, "step_index", "source", "type")),
};

/**
 * Antigravity logs steps: a user's input, a plan by the model, then one step per tool, whose type names the
 * tool. System messages go to the model as the user's. A checkpoint replaces everything before it.
 */
export function* read(file: SessionFile): Generator<Branch> {
  const branches = [newBranch("plain")];
  let plan: SessionRecord | undefined;
  let steps: Step[] = [];
  // The SDK's steps since the user's last one.
  let reply: string | undefined;
  const carryOut = (): void => {
    for (const entry of carriedOut(plan, steps)) addEntry(branches.at(-1) as GrowingBranch, entry);
    [plan, steps] = [undefined, []];
  };
  for (const record of file.lines()) {
    const { value } = record;
    const text = textOf(value["content"]);
    const type = textOf(value["type"]);
    if (!/^(?:USER|SYSTEM)/.test(textOf(value["source"])) && sdkTypes.test(type)) {
      const said = sdkParts(value);
      if (said.length === 0) file.skip(record, "a step without content");
      else {
        reply ??= `${value["step_index"]}`;
        addEntry(branches.at(-1) as GrowingBranch, plainEntry(record, "assistant", said, { reply }));
      }
      continue;
    }
    if (value["source"] === "USER" && type === "TEXT_RESPONSE") reply = undefined;
    if (type === "PLANNER_RESPONSE") {
      carryOut();
      plan = record;
    } else if (text === "") file.skip(record, "a step without content");
    else if (type !== "USER_INPUT" && !/^(?:SYSTEM|USER)$/.test(textOf(value["source"])))
      steps.push({ record, type, text });
    else {
      carryOut();
      const isCheckpoint = type === "CHECKPOINT";
      const kind = isCheckpoint ? "summary" : "text";
      const said = plainEntry(record, "user", [{ kind, text, at: "/content" }]);
      if (isCheckpoint) branches.push(compacted(branches.at(-1) as GrowingBranch, [said]));
      else addEntry(branches.at(-1) as GrowingBranch, said);
    }
  }
  carryOut();
  yield* branches;
}

/** What the model does in a log of the SDK, whose tools run in the SDK and leave no steps. */
const sdkTypes = /^(?:TEXT_RESPONSE|TOOL_CALL|THINKING|FINISH)$/;

function sdkParts(value: SessionRecord["value"]): PlainPart[] {
  const thinking = filled(value["thinking"]);
  const text = textOf(value["content"]);
  return [
    ...(thinking === undefined ? [] : [{ kind: "reasoning" as const, text: thinking, at: "/thinking" }]),
    ...(text === "" ? [] : [{ kind: "text" as const, text, at: "/content" }]),
    ...list(value["tool_calls"]).map((call, index): PlainPart => {
      const { id, name, args } = fields(call);
      const at = `/tool_calls/${index}`;
      return { ...callPart({ id: filled(id), name, arguments: args ?? {}, at }), isHosted: true };
    }),
  ];
}

interface Step {
  readonly record: SessionRecord;
  readonly type: string;
  readonly text: string;
}

/**
 * The reply of a plan and the results of its steps. A step does not name its call, so calls and steps are
 * paired in order if their counts match. Otherwise no call can be reported as unanswered.
 */
function carriedOut(plan: SessionRecord | undefined, steps: readonly Step[]): Entry[] {
  const planned = list(plan?.value["tool_calls"]);
  const isKnown = steps.length === planned.length || steps.length === 0;
  const calls = planned.map((call, index) => {
    const { name, args, arguments: given } = fields(call);
    const at = `/tool_calls/${index}`;
    const hosted = isKnown ? {} : { isHosted: true };
    return { kind: "call" as const, name: textOf(name), arguments: args ?? given ?? {}, ...hosted, at };
  });
  const results = steps.map(({ record, type, text }, index) => {
    const name = isKnown ? calls[index]?.name : undefined;
    const answers = name === undefined ? { name: type, isHosted: true } : { name };
    return plainEntry(record, "tool", [{ kind: "result", ...answers, text, at: "/content" }]);
  });
  if (!plan) return results;
  const thinking = filled(plan.value["thinking"]);
  const text = textOf(plan.value["content"]);
  const parts: PlainPart[] = [
    ...(thinking === undefined ? [] : [{ kind: "reasoning" as const, text: thinking, at: "/thinking" }]),
    ...(text === "" ? [] : [{ kind: "text" as const, text, at: "/content" }]),
    ...calls,
  ];
  return [plainEntry(plan, "assistant", parts, { reply: `${plan.value["step_index"]}` }), ...results];
}
