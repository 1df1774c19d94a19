import type { Dice } from "../dice.ts";
import { Embedded, isObject, jsonValue, nodesOf, printed, Raw, slicesOf } from "../document.ts";
import type { SeedLog } from "../seeds/seed.ts";
import { type Operator, onText } from "./operator.ts";

/**
 * What clients and people do to whole rounds: they move, merge, split and repeat messages, calls and results, join
 * two conversations, and fork sessions.
 */

type Fields = Record<string, unknown>;

interface Victims {
  readonly dice: Dice;
  readonly others: readonly SeedLog[];
}

const historyKey = /^(?:messages|input|contents|history)$/;

/** The lists of messages in a log. Changes are made in place. */
function historiesIn(text: string): { readonly lists: unknown[][]; print(): string } {
  const slices = slicesOf(text);
  const lists: unknown[][] = [];
  for (const { root } of slices) {
    if (Array.isArray(root.value) && root.value.some((each) => isObject(each) && "role" in each))
      lists.push(root.value);
    for (const { value } of nodesOf(root.value))
      if (isObject(value))
        for (const [key, list] of Object.entries(value))
          if (historyKey.test(key) && Array.isArray(list) && list.some(isObject)) lists.push(list);
  }
  return { lists, print: () => printed(text, slices) };
}

/** Changes one history, or the same way all of them: a client makes its mistakes in each request. */
const onHistory =
  (change: (list: unknown[], dice: Dice, others: readonly SeedLog[]) => boolean) =>
  (text: string, { dice, others }: Victims): string | undefined => {
    const { lists, print } = historiesIn(text);
    if (lists.length === 0) return undefined;
    const chosen = dice.once(2) ? [dice.pick(lists)] : lists;
    let isChanged = false;
    for (const list of chosen) isChanged = change(list, dice, others) || isChanged;
    return isChanged ? print() : undefined;
  };

/** The records of a log that is one JSON object a line. */
const onLines =
  (change: (records: Fields[], dice: Dice) => readonly Fields[] | undefined) =>
  (text: string, { dice }: Victims): string | undefined => {
    const lines = text.trimEnd().split("\n");
    const records: Fields[] = [];
    for (const line of lines) {
      const value = jsonValue(line);
      if (!isObject(value)) return undefined;
      records.push(value);
    }
    if (records.length < 2) return undefined;
    const changed = change(records, dice);
    return changed?.map((record) => `${JSON.stringify(record)}\n`).join("");
  };

const set = (list: unknown[], by: readonly unknown[]): true => {
  list.splice(0, list.length, ...by);
  return true;
};

/** A message that holds a tool's result, in any protocol's form. */
function isResult(message: unknown): boolean {
  if (!isObject(message)) return false;
  if (message["role"] === "tool" || /_output$/.test(String(message["type"]))) return true;
  const parts = message["content"] ?? message["parts"];
  return (
    Array.isArray(parts) &&
    parts.some((part) => isObject(part) && (part["type"] === "tool_result" || "functionResponse" in part))
  );
}

function isCall(message: unknown): boolean {
  if (!isObject(message)) return false;
  if ("tool_calls" in message || /_call$/.test(String(message["type"]))) return true;
  const parts = message["content"] ?? message["parts"];
  return (
    Array.isArray(parts) &&
    parts.some((part) => isObject(part) && (part["type"] === "tool_use" || "functionCall" in part))
  );
}

const idKey = /^(?:id|(?:tool_)?call_id|tool_use_id)$/;
const parentKey = /^(?:parent(?:_?(?:uu)?id)?|parentUuid)$/i;

function idsIn(root: unknown): { readonly holder: Fields; readonly key: string }[] {
  return [...nodesOf(root)].flatMap(({ value }) =>
    isObject(value)
      ? Object.keys(value).flatMap((key) =>
          idKey.test(key) && typeof value[key] === "string" ? [{ holder: value, key }] : [],
        )
      : [],
  );
}

/** The arguments of calls, where they stand. */
function argumentsIn(root: unknown): { readonly holder: Fields; readonly key: string }[] {
  return [...nodesOf(root)].flatMap(({ value }) =>
    isObject(value)
      ? ["arguments", "args", "input"].flatMap((key) =>
          key in value && "name" in value && !Array.isArray(value[key]) ? [{ holder: value, key }] : [],
        )
      : [],
  );
}

const change = (text: string): string =>
  text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();

export const roundOperators: readonly Operator[] = onText("rounds", {
  "swap two messages": onHistory((list, dice) => {
    if (list.length < 2) return false;
    const [one, other] = dice.shuffled(list.map((_, index) => index)) as [number, number];
    return set(list, list.with(one, list[other]).with(other, list[one]));
  }),
  "swap two messages that follow each other": onHistory((list, dice) => {
    if (list.length < 2) return false;
    const at = dice.below(list.length - 1);
    return set(list, list.toSpliced(at, 2, list[at + 1], list[at]));
  }),
  "double a round": onHistory((list, dice) => {
    const calls = list.flatMap((message, index) => (isCall(message) ? [index] : []));
    if (calls.length === 0) return false;
    const from = dice.pick(calls);
    let to = from + 1;
    while (to < list.length && (isResult(list[to]) || isCall(list[to]))) to++;
    return set(list, list.toSpliced(dice.once(2) ? to : list.length, 0, ...list.slice(from, to)));
  }),
  "drop a round": onHistory((list, dice) => {
    const calls = list.flatMap((message, index) => (isCall(message) ? [index] : []));
    if (calls.length === 0) return false;
    const from = dice.pick(calls);
    let to = from + 1;
    while (to < list.length && isResult(list[to])) to++;
    return set(list, list.toSpliced(from, to - from));
  }),
  "results before their calls": onHistory((list) => {
    const at = list.findIndex(isCall);
    const results = list.filter(isResult);
    if (at < 0 || results.length === 0) return false;
    const rest = list.filter((message) => !isResult(message));
    return set(list, rest.toSpliced(rest.findIndex(isCall), 0, ...results));
  }),
  "all results at the end": onHistory((list) => {
    const results = list.filter(isResult);
    return results.length > 0 && set(list, [...list.filter((message) => !isResult(message)), ...results]);
  }),
  "results in reverse": onHistory((list) => {
    const results = list.filter(isResult).reverse();
    return (
      results.length > 1 &&
      set(
        list,
        list.map((message) => (isResult(message) ? results.shift() : message)),
      )
    );
  }),
  "merge results": onHistory((list, dice) => {
    const at = list.findIndex((message, index) => isResult(message) && isResult(list[index + 1]));
    if (at < 0) return false;
    const [one, other] = [list[at] as Fields, list[at + 1] as Fields];
    const key = ["content", "parts", "output"].find((each) => each in one);
    if (key === undefined) return false;
    const [a, b] = [one[key], other[key]];
    const joined = Array.isArray(a) && Array.isArray(b) ? [...a, ...b] : `${a}\n${b}`;
    return set(list, list.toSpliced(at, dice.once(4) ? 1 : 2, { ...one, [key]: joined }));
  }),
  "split a message": onHistory((list, dice) => {
    const at = dice.below(list.length);
    const message = list[at];
    if (!isObject(message)) return false;
    const key = ["content", "parts", "tool_calls"].find((each) => Array.isArray(message[each]));
    if (key === undefined) return false;
    const parts = message[key] as unknown[];
    return set(list, list.toSpliced(at, 1, ...parts.map((part) => ({ ...message, [key]: [part] }))));
  }),
  "merge neighbours of one role": onHistory((list) => {
    const at = list.findIndex((message, index) => {
      const next = list[index + 1];
      return isObject(message) && isObject(next) && message["role"] === next["role"] && "content" in message;
    });
    if (at < 0) return false;
    const [one, other] = [list[at] as Fields, list[at + 1] as Fields];
    return set(
      list,
      list.toSpliced(at, 2, { ...one, ...other, content: [one["content"], other["content"]].flat() }),
    );
  }),
  "contents as parts": onHistory((list) => {
    let isChanged = false;
    for (const message of list)
      if (isObject(message) && typeof message["content"] === "string") {
        message["content"] = [{ type: "text", text: message["content"] }];
        isChanged = true;
      }
    return isChanged;
  }),
  "parts as contents": onHistory((list) => {
    let isChanged = false;
    for (const message of list)
      if (isObject(message) && Array.isArray(message["content"])) {
        const texts = message["content"].flatMap((part) => (isObject(part) ? (part["text"] ?? []) : []));
        if (texts.length !== message["content"].length) continue;
        message["content"] = texts.join("");
        isChanged = true;
      }
    return isChanged;
  }),
  "drop every second message": onHistory((list, dice) => {
    const from = dice.below(2);
    return (
      list.length > 1 &&
      set(
        list,
        list.filter((_, index) => index % 2 === from),
      )
    );
  }),
  "double the last message": onHistory((list) => set(list, [...list, plain(list.at(-1))])),
  "a user message after each one": onHistory((list) =>
    set(
      list,
      list.flatMap((message) => [message, { role: "user", content: "Please go on with this." }]),
    ),
  ),
  "a history in a history": onHistory((list, dice) => {
    list.splice(dice.below(list.length + 1), 0, {
      role: "user",
      content: JSON.stringify({ messages: plain(list) }),
    });
    return true;
  }),
  "a history as its first message": onHistory((list) =>
    set(list, [
      { role: "user", content: `The conversation so far: ${JSON.stringify(plain(list))}` },
      ...list.slice(-1),
    ]),
  ),
  "splice two conversations": onHistory((list, dice, others) => {
    for (let tries = 0; tries < 6; tries++) {
      const { lists } = historiesIn(dice.pick(others).bytes.toString("utf8"));
      if (lists.length === 0) continue;
      const other = dice.pick(lists);
      const at = dice.below(list.length + 1);
      return set(list, [...list.slice(0, at), ...other, ...(dice.once(2) ? list.slice(at) : [])]);
    }
    return false;
  }),
  "another case of an id": onHistory((list, dice) => {
    const ids = idsIn(list);
    if (ids.length === 0) return false;
    const { holder, key } = dice.pick(ids);
    holder[key] = change(holder[key] as string);
    return true;
  }),
  "another case of all ids of results": onHistory((list) => {
    const ids = idsIn(list.filter(isResult));
    for (const { holder, key } of ids) holder[key] = change(holder[key] as string);
    return ids.length > 0;
  }),
  "empty arguments": onHistory((list, dice) => {
    const places = argumentsIn(list);
    if (places.length === 0) return false;
    const { holder, key } = dice.pick(places);
    holder[key] = dice.pick<unknown>(["", "{}", {}, null, "null", " "]);
    return true;
  }),
  "double-encode all arguments": onHistory((list) => {
    const places = argumentsIn(list);
    for (const { holder, key } of places) {
      const value = holder[key];
      const text =
        value instanceof Embedded
          ? value.text
          : typeof value === "string"
            ? value
            : JSON.stringify(plain(value));
      holder[key] = JSON.stringify(text);
    }
    return places.length > 0;
  }),
  "arguments in a list": onHistory((list, dice) => {
    const places = argumentsIn(list);
    if (places.length === 0) return false;
    const { holder, key } = dice.pick(places);
    holder[key] = new Raw(`[${JSON.stringify(plain(holder[key]))}]`);
    return true;
  }),
  "another log behind it": (text, { dice, others }) =>
    `${text.trimEnd()}\n${dice.pick(others).bytes.toString("utf8")}`,
  "another log before it": (text, { dice, others }) =>
    `${dice.pick(others).bytes.toString("utf8").trimEnd()}\n${text}`,
  "the parent of another record": onLines((records, dice) => {
    const linked = records.filter((record) => Object.keys(record).some((key) => parentKey.test(key)));
    if (linked.length < 2) return undefined;
    const [one, other] = [dice.pick(linked), dice.pick(linked)];
    const key = Object.keys(one).find((each) => parentKey.test(each)) as string;
    one[key] = other[key];
    return records;
  }),
  "a fork of a record": onLines((records, dice) => {
    const linked = records.filter((record) => Object.keys(record).some((key) => parentKey.test(key)));
    if (linked.length < 2) return undefined;
    const copy = structuredClone(dice.pick(linked));
    for (const [key, id] of Object.entries(copy))
      if (/^(?:uuid|id)$/.test(key) && typeof id === "string") copy[key] = `${id}-fork`;
    return records.toSpliced(dice.below(records.length) + 1, 0, copy);
  }),
  "a session that begins again": onLines((records, dice) => [
    ...records,
    ...records.slice(0, dice.between(1, records.length)),
  ]),
  "a round of another file": onLines((records, dice) => {
    const from = dice.below(records.length);
    return records.toSpliced(
      dice.below(records.length),
      0,
      ...records.slice(from, from + dice.between(1, 3)),
    );
  }),
  "a record moves": onLines((records, dice) => {
    const at = dice.below(records.length);
    const record = records[at] as Fields;
    return records.toSpliced(at, 1).toSpliced(dice.below(records.length), 0, record);
  }),
});

/** A value without the marks of what stood in strings. */
function plain(value: unknown): unknown {
  if (value instanceof Embedded) return value.text;
  if (Array.isArray(value)) return value.map(plain);
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
  return typeof value === "object" && value !== null ? String((value as { text?: unknown }).text) : value;
}
