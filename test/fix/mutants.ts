/** A log that was damaged at random, the same way for the same seed. */
export interface Mutant {
  readonly text: string;
  /** The damages, for the message of a test that fails. */
  readonly damages: readonly string[];
}

/** Whole numbers that look random: from 0 up to but not including `limit`. */
type Dice = (limit: number) => number;

type Fields = Record<string, unknown>;

/** Damages some of the lines of a log, each of which is a JSON document, or the document that it is. */
export function mutantOf(log: string, seed: number): Mutant {
  const dice = diceOf(seed);
  const whole = parsed(log);
  const documents: unknown[] = whole === undefined ? log.trimEnd().split("\n").map(parsed) : [whole];
  if (documents.some((document) => typeof document !== "object" || document === null))
    return inText(log, dice);
  const names = Object.keys(damages);
  const made: string[] = [];
  for (let count = 1 + dice(3); count > 0; count--) {
    const name = pick(dice, names) as string;
    if (damages[name]?.(documents, dice)) made.push(name);
  }
  const text = documents.map((document) => `${JSON.stringify(deflated(document))}\n`).join("");
  return { text, damages: made };
}

/** What is done to the documents; `false` if there is nothing to do it to. */
const damages: Readonly<Record<string, (documents: unknown[], dice: Dice) => boolean>> = {
  "another role": (documents, dice) => {
    const spoken = objectsIn(documents).filter((value) => "role" in value);
    const from = pick(dice, spoken)?.["role"];
    const to = pick(dice, [
      "ai",
      "model",
      "bot",
      "Assistant",
      "human",
      "system",
      "user",
      "tool",
      "",
      null,
      7,
    ]);
    const isEvery = dice(2) === 0;
    const chosen = isEvery ? spoken.filter(({ role }) => role === from) : [pick(dice, spoken)];
    for (const value of chosen) if (value) value["role"] = to;
    return spoken.length > 0;
  },
  "another id": (documents, dice) => {
    const named = objectsIn(documents).flatMap((value) =>
      Object.keys(value).flatMap((key) => (/(?:^|_)id$|Id$/.test(key) ? [{ value, key }] : [])),
    );
    const [one, other] = [pick(dice, named), pick(dice, named)];
    if (!one || !other) return false;
    const [id, otherId] = [one.value[one.key], other.value[other.key]];
    const wrong = [`${String(id)}x`, otherId, 5, null, {}, "", "a b/ä", "x".repeat(200)];
    const isEvery = dice(3) === 0;
    const to = pick(dice, wrong);
    for (const { value, key } of isEvery ? named.filter(({ value, key }) => value[key] === id) : [one])
      value[key] = to;
    return true;
  },
  "an item gone": (documents, dice) => withList(documents, dice, (list, at) => list.splice(at, 1 + dice(3))),
  "an item gone everywhere": (documents, dice) => {
    const list = pick(dice, listsIn(documents));
    const item = JSON.stringify(list && pick(dice, list));
    for (const each of listsIn(documents))
      for (let at = each.length - 1; at >= 0; at--) if (JSON.stringify(each[at]) === item) each.splice(at, 1);
    return list !== undefined;
  },
  "an item doubled": (documents, dice) =>
    withList(documents, dice, (list, at) => list.splice(at, 0, structuredClone(list[at]))),
  "items swapped": (documents, dice) =>
    withList(documents, dice, (list, at) => {
      const other = dice(list.length);
      [list[at], list[other]] = [list[other], list[at]];
    }),
  "an item of another list": (documents, dice) => {
    const other = pick(dice, listsIn(documents));
    const item = other && structuredClone(pick(dice, other));
    return withList(documents, dice, (list, at) => list.splice(at, 0, item));
  },
  "no item at all": (documents, dice) => withList(documents, dice, (list) => list.splice(0)),
  "a wrong item": (documents, dice) =>
    withList(documents, dice, (list, at) => {
      list[at] = pick(dice, [null, "text", 7, {}, [], { type: "text", text: "" }, { type: "unheard_of" }]);
    }),
  "types swapped": (documents, dice) => {
    const typed = objectsIn(documents).filter(({ type }) => typeof type === "string");
    const [one, other] = [pick(dice, typed), pick(dice, typed)];
    if (!one || !other) return false;
    if (dice(3) === 0) delete one["type"];
    else one["type"] = other["type"];
    return true;
  },
  "another value": (documents, dice) => {
    const value = pick(dice, objectsIn(documents));
    const key = value && pick(dice, Object.keys(value));
    if (!value || key === undefined) return false;
    const was = value[key];
    const text = typeof was === "string" ? was.slice(0, dice(was.length)) : String(was);
    value[key] = pick(dice, [null, text, [was], {}, 12, "", undefined]);
    return true;
  },
  "content in a different form": (documents, dice) => {
    const holders = objectsIn(documents).filter((value) => "content" in value || "parts" in value);
    const holder = pick(dice, holders);
    if (!holder) return false;
    const key = "content" in holder ? "content" : "parts";
    const was = holder[key];
    holder[key] = pick(dice, ["", [], null, "  ", [{ type: "text", text: String(was) }], undefined]);
    return true;
  },
  "records in another order": (documents, dice) => {
    const at = dice(documents.length);
    const [one] = documents.splice(at, 1);
    documents.splice(dice(documents.length + 1), 0, one);
    return documents.length > 1;
  },
  "a record doubled": (documents, dice) => {
    const one = structuredClone(pick(dice, documents));
    documents.splice(dice(documents.length + 1), 0, one);
    return documents.length > 2;
  },
  "a body of another API": (documents, dice) => {
    const records = objectsIn(documents).filter(({ request }) => typeof request === "object");
    const record = pick(dice, records);
    if (record) record["request"] = structuredClone(pick(dice, foreignBodies));
    return record !== undefined;
  },
  "a count of tokens": (documents, dice) => {
    const records = documents.filter((each) => typeof (each as Fields)["request"] === "object") as Fields[];
    const record = structuredClone(pick(dice, records));
    if (!record) return false;
    const request = record["request"] as Fields;
    for (const key of ["max_tokens", "stream", pick(dice, ["system", "tools", "model"]) as string])
      delete request[key];
    record["response"] = { input_tokens: 321 };
    documents.splice(1 + dice(documents.length), 0, record);
    return true;
  },
};

const foreignBodies: readonly Fields[] = [
  { contents: [{ role: "user", parts: [] }, { role: "model" }], generationConfig: { temperature: 0 } },
  { model: "claude-sonnet-4-5", max_tokens: 9, messages: [{ role: "user", content: [] }] },
  { model: "gpt-5", input: [{ type: "function_call_output", call_id: "call_9", output: "sunny" }] },
];

/** A text that is no JSON: lines lost, doubled or swapped, and words changed in place. */
function inText(log: string, dice: Dice): Mutant {
  const lines = log.split("\n");
  const [at, other] = [dice(lines.length), dice(lines.length)];
  const damage = pick(dice, ["lost", "doubled", "swapped", "role", "id"]);
  if (damage === "lost") lines.splice(at, 1 + dice(4));
  else if (damage === "doubled") lines.splice(at, 0, ...lines.slice(at, at + 1 + dice(4)));
  else if (damage === "swapped") [lines[at], lines[other]] = [lines[other] ?? "", lines[at] ?? ""];
  const text = lines.join("\n");
  const role = pick(dice, ["ai", "model", "system", "user"]);
  if (damage === "role")
    return { text: text.replaceAll(/("role"\s*:\s*)"assistant"/g, `$1"${role}"`), damages: ["a role"] };
  const ids = [...text.matchAll(/\b(?:call|toolu)_\w+/g)].map(([id]) => id);
  const id = pick(dice, ids);
  if (damage === "id" && id !== undefined)
    return { text: text.replace(id, pick(dice, [`${id}x`, ids[0] ?? "", ""]) ?? ""), damages: ["an id"] };
  return { text, damages: [`lines ${damage}`] };
}

function withList(documents: unknown[], dice: Dice, change: (list: unknown[], at: number) => void): boolean {
  const list = pick(dice, listsIn(documents));
  if (list) change(list, dice(list.length));
  return list !== undefined;
}

/** The lists of a history: its items, or the parts of one. */
function listsIn(documents: readonly unknown[]): unknown[][] {
  const keys = ["messages", "input", "contents", "content", "parts", "tool_calls", "output", "tools"];
  return objectsIn(documents).flatMap((value) =>
    keys.flatMap((key) => (Array.isArray(value[key]) && value[key].length > 0 ? [value[key]] : [])),
  );
}

/** Every object of the documents, at any depth; JSON in strings is opened on the way. */
function objectsIn(value: unknown): Fields[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== "object" || value === null) return [];
  const fields = value as Fields;
  for (const [key, member] of Object.entries(fields)) {
    const inner = typeof member === "string" && /^[[{]/.test(member) ? parsed(member) : undefined;
    if (typeof inner === "object" && inner !== null) fields[key] = { [embedded]: inner };
  }
  return [fields, ...Object.values(fields).flatMap(objectsIn)];
}

const embedded = "json in a string";

function deflated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(deflated);
  if (typeof value !== "object" || value === null) return value;
  if (embedded in value) return JSON.stringify(deflated(value[embedded]));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, deflated(member)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pick<T>(dice: Dice, values: readonly T[]): T | undefined {
  return values[dice(values.length)];
}

/** mulberry32 */
function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return limit <= 1 ? 0 : ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
