import type { Dice } from "../dice.ts";
import { isObject, nodesOf, print, printed, slicesOf } from "../document.ts";
import { type Operator, onText } from "./operator.ts";

/** What the serializers of other languages and careless clients do to each request in the same way. */

type Fields = Record<string, unknown>;
type Text = (text: string, victim: { readonly dice: Dice }) => string | undefined;

/** Changes all objects of a log, inner ones first. */
const onObjects =
  (change: (fields: Fields) => Fields): Text =>
  (text) => {
    const slices = slicesOf(text);
    for (const { root } of slices)
      for (const { value } of [...nodesOf(root.value)].reverse())
        if (isObject(value)) {
          const changed = change(value);
          for (const key of Object.keys(value)) delete value[key];
          Object.assign(value, changed);
        }
    return printed(text, slices);
  };

const renaming = (rename: (key: string) => string): Text =>
  onObjects((fields) =>
    Object.fromEntries(Object.entries(fields).map(([key, value]) => [rename(key), value])),
  );

const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (typeof value === "object" && ["{}", "[]"].includes(print(value, "")));

const historyKey = /^(?:messages|input|contents|history)$/;

/** Changes the history of each request from one of them on. */
const onHistories =
  (change: (list: unknown[], dice: Dice, index: number) => unknown[] | undefined): Text =>
  (text, { dice }) => {
    const slices = slicesOf(text);
    const found: { owner: Fields; key: string; list: unknown[] }[] = [];
    for (const { root } of slices)
      for (const { value } of nodesOf(root.value))
        if (isObject(value))
          for (const [key, list] of Object.entries(value))
            if (historyKey.test(key) && Array.isArray(list) && list.some(isObject))
              found.push({ owner: value, key, list });
    if (found.length === 0) return undefined;
    let isChanged = false;
    for (const [index, { owner, key, list }] of found.slice(dice.below(found.length)).entries()) {
      const changed = change(list, dice, index);
      if (changed) {
        owner[key] = changed;
        isChanged = true;
      }
    }
    return isChanged ? printed(text, slices) : undefined;
  };

const idKey = /^(?:id|(?:tool_)?call_id|tool_use_id)$/;

/** Changes the ids of calls and results in a history. */
function withIds(list: unknown[], change: (id: string, message: number) => unknown): unknown[] | undefined {
  let isChanged = false;
  for (const [message, each] of list.entries())
    for (const { value } of nodesOf(each))
      if (isObject(value))
        for (const [key, id] of Object.entries(value))
          if (idKey.test(key) && typeof id === "string") {
            value[key] = change(id, message);
            isChanged = true;
          }
  return isChanged ? list : undefined;
}

/** The place of the text of a result, in any protocol's form. */
function resultsIn(list: unknown[]): { readonly holder: Fields; readonly key: string }[] {
  return [...nodesOf(list)].flatMap(({ value }) => {
    if (!isObject(value)) return [];
    const isResult = value["role"] === "tool" || /_output$|^tool_result$/.test(String(value["type"]));
    const key = ["content", "output"].find((each) => each in value);
    return isResult && key !== undefined ? [{ holder: value, key }] : [];
  });
}

const roleOf = (message: unknown): unknown => (isObject(message) ? message["role"] : undefined);

export const clientOperators: readonly Operator[] = onText("clients", {
  "keys in Pascal case": renaming((key) =>
    key.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()),
  ),
  "keys in lower case": renaming((key) => key.toLowerCase()),
  "keys in camel case": renaming((key) => key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())),
  "keys sorted": onObjects((fields) =>
    Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))),
  ),
  "empty members left out": onObjects((fields) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value))),
  ),
  "all members of all messages": onHistories((list) => {
    const keys = new Set(list.flatMap((message) => (isObject(message) ? Object.keys(message) : [])));
    return list.map((message) =>
      isObject(message)
        ? { ...Object.fromEntries([...keys].map((key) => [key, null])), ...message }
        : message,
    );
  }),
  "new ids for each request": onHistories((list, _, index) => withIds(list, (id) => `${id}_${index}`)),
  "ids cut at a length": onHistories((list) => withIds(list, (id) => id.slice(0, 5))),
  "ids of the place": onHistories((list) => withIds(list, (_, message) => `call_${message}`)),
  "numbers for ids": onHistories((list) => {
    const known: string[] = [];
    return withIds(list, (id) => {
      if (!known.includes(id)) known.push(id);
      return known.indexOf(id);
    });
  }),
  "one result for all calls": onHistories((list) => {
    const results = resultsIn(list);
    for (const { holder, key } of results) holder[key] = results[0]?.holder[results[0].key];
    return results.length > 1 ? list : undefined;
  }),
  "results in a list within the list": onHistories((list) => {
    const results = resultsIn(list);
    for (const { holder, key } of results) holder[key] = [holder[key]].flat().map((each) => [each]);
    return results.length > 0 ? list : undefined;
  }),
  "results as numbers": onHistories((list, dice) => {
    const results = resultsIn(list);
    for (const { holder, key } of results) holder[key] = dice.pick<unknown>([0, 42, true, null, 1.5]);
    return results.length > 0 ? list : undefined;
  }),
  "results as strings in strings": onHistories((list) => {
    const results = resultsIn(list);
    for (const { holder, key } of results) holder[key] = JSON.stringify(print(holder[key], ""));
    return results.length > 0 ? list : undefined;
  }),
  "results removed, calls kept": onHistories((list) => {
    const left = list.filter((message) => resultsIn([message]).length === 0);
    return left.length < list.length ? left : undefined;
  }),
  "calls removed, results kept": onHistories((list) => {
    const left = list.filter((message) => !/assistant|model/.test(String(roleOf(message))));
    return left.length < list.length ? left : undefined;
  }),
  "the first and the last messages": onHistories((list, dice) => {
    const size = dice.between(1, 3);
    return list.length > size + 1 ? [...list.slice(0, 1), ...list.slice(-size)] : undefined;
  }),
  "the last message left out": onHistories((list) => (list.length > 1 ? list.slice(0, -1) : undefined)),
  "the newest message first": onHistories((list) =>
    list.length > 1 ? [...list.slice(-1), ...list.slice(0, -1)] : undefined,
  ),
  "system messages at the end": onHistories((list) => {
    const system = list.filter((message) => /system|developer/.test(String(roleOf(message))));
    return system.length > 0
      ? [...list.filter((message) => !system.includes(message)), ...system]
      : undefined;
  }),
  "an empty message after each": onHistories((list) =>
    list.flatMap((message) => [message, { role: roleOf(message) ?? "user", content: "" }]),
  ),
  "each message in a list": onHistories((list) => list.map((message) => [message])),
  "each message as JSON": onHistories((list) => list.map((message) => print(message, ""))),
});
