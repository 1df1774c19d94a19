import { type Fields, fields, filled } from "../../reading/values.ts";

/** The kinds of events in home-made logs. */
export type EventKind = "system" | "user" | "assistant" | "reasoning" | "call" | "result";

const words: readonly (readonly [RegExp, EventKind])[] = [
  [/^(?:system|system_?prompt)$/, "system"],
  [/^(?:user|human|prompt|(?:user|session)_?(?:message|input|prompt))$/, "user"],
  [
    /^(?:assistant|ai|agent|final_?answer|(?:assistant|agent|ai|model)_?(?:message|response|output|text)(?:_(?:end|done|completed?))?)$/,
    "assistant",
  ],
  [/^(?:thoughts?|thinking|reasoning)(?:_(?:end|done|completed?))?$/, "reasoning"],
  [
    /^(?:tool|function)_?(?:call|use|call_?request|invocation|(?:call_?)?(?:started|start|begin|parsed))$/,
    "call",
  ],
  [
    /^(?:tool|function)_?(?:call_?)?(?:result|output|response|end|ended|done|completed?|finished|finish)$/,
    "result",
  ],
];

/** The kind of an event; `undefined` for notes of the program. */
export function kindOfEvent(value: Fields): EventKind | undefined {
  for (const key of ["type", "event", "kind", "event_type", "eventType", "role"]) {
    const found = kindOfWord(value[key]);
    if (found) return found;
  }
  // A nested message states its role.
  for (const key of ["author", "message"]) {
    const found = kindOfWord(fields(value[key])["role"]);
    if (found) return found;
  }
  return undefined;
}

function kindOfWord(value: unknown): EventKind | undefined {
  const word = filled(value)
    ?.toLowerCase()
    .replace(/[.\s-]+/g, "_");
  return word === undefined ? undefined : words.find(([names]) => names.test(word))?.[1];
}
