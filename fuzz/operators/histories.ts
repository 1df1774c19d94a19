import type { Dice } from "../dice.ts";
import { isObject, nodesOf, printed, slicesOf } from "../document.ts";
import { type Operator, onText } from "./operator.ts";

/** What bad clients and bad loggers do to whole histories and exchanges, where single messages stay as they are. */

type Fields = Record<string, unknown>;

const historyKey = /^(?:messages|input|contents)$/;

/** A history with its owner; operators replace it. */
interface History {
  readonly owner: Fields;
  readonly key: string;
  readonly list: readonly unknown[];
}

/** Changes the histories of a log, in its order. */
const onHistories =
  (change: (histories: readonly History[], dice: Dice) => boolean) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const slices = slicesOf(text);
    const histories: History[] = [];
    for (const { root } of slices)
      for (const { value } of nodesOf(root.value))
        if (isObject(value))
          for (const [key, list] of Object.entries(value))
            if (historyKey.test(key) && Array.isArray(list) && list.length > 0 && list.some(isObject))
              histories.push({ owner: value, key, list });
    return histories.length > 0 && change(histories, dice) ? printed(text, slices) : undefined;
  };

const put = ({ owner, key }: History, list: readonly unknown[]): void => {
  owner[key] = list;
};

/** Changes the lines of a log as whole records. */
const onRecords =
  (change: (lines: string[], dice: Dice) => readonly string[]) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    return lines.length > 1 && lines.every((line) => /^\s*[{[]/.test(line))
      ? change(lines, dice).join("")
      : undefined;
  };

const idKey = /^(?:id|(?:tool_)?call_id|tool_use_id)$/;

/** The ids of calls and results in a value, each as its holder and key. */
function idsIn(value: unknown): { readonly holder: Fields; readonly key: string }[] {
  return [...nodesOf(value)].flatMap(({ value: holder }) =>
    isObject(holder)
      ? Object.entries(holder)
          .filter(([key, id]) => idKey.test(key) && typeof id === "string")
          .map(([key]) => ({ holder, key }))
      : [],
  );
}

/** Which of other providers' words says the same in a message. */
const otherForms: Readonly<Record<string, unknown>> = {
  anthropic: {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "call_1", content: "a brass lamp" }],
  },
  chat: { role: "tool", tool_call_id: "call_1", content: "a brass lamp" },
  responses: { type: "function_call_output", call_id: "call_1", output: "a brass lamp" },
  gemini: {
    role: "user",
    parts: [{ functionResponse: { name: "look_up", response: { output: "a brass lamp" } } }],
  },
  "anthropic call": {
    role: "assistant",
    content: [{ type: "tool_use", id: "call_1", name: "look_up", input: { order: 17 } }],
  },
  "chat call": {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "look_up", arguments: '{"order":17}' } },
    ],
  },
  "responses call": { type: "function_call", call_id: "call_1", name: "look_up", arguments: '{"order":17}' },
};

export const historyOperators: readonly Operator[] = onText("protocol", {
  "double an exchange": onRecords((lines, dice) => {
    const at = dice.below(lines.length);
    return lines.toSpliced(dice.between(at, lines.length), 0, lines[at] as string);
  }),
  "exchange two exchanges": onRecords((lines, dice) => {
    const [one, other] = [dice.below(lines.length), dice.below(lines.length)];
    return lines.with(one, lines[other] as string).with(other, lines[one] as string);
  }),
  "swap the ids of two calls in one history": onHistories((histories, dice) => {
    const ids = idsIn(dice.pick(histories).list);
    const names = [...new Set(ids.map(({ holder, key }) => holder[key] as string))];
    if (names.length < 2) return false;
    const [one, other] = dice.shuffled(names);
    for (const { holder, key } of ids) {
      if (holder[key] === one) holder[key] = other;
      else if (holder[key] === other && dice.once(2)) holder[key] = one;
    }
    return true;
  }),
  "new ids in one history": onHistories((histories, dice) => {
    const renamed = new Map<unknown, string>();
    for (const { holder, key } of idsIn(dice.pick(histories).list)) {
      const name = renamed.get(holder[key]) ?? `call_new_${renamed.size}`;
      renamed.set(holder[key], name);
      holder[key] = name;
    }
    return renamed.size > 0;
  }),
  "rename the roles of one history": onHistories((histories, dice) => {
    const from = dice.pick(["assistant", "user", "tool", "model", "system"]);
    const to = dice.pick([
      "ai",
      "human",
      "assistant",
      "user",
      "tool",
      "function",
      "developer",
      "model",
      "bot",
    ]);
    let isChanged = false;
    for (const message of dice.pick(histories).list)
      if (isObject(message) && message["role"] === from) {
        message["role"] = to;
        isChanged = true;
      }
    return isChanged;
  }),
  "compact a beginning": onHistories((histories, dice) => {
    const from = dice.below(histories.length);
    const [first] = histories[from]?.list ?? [];
    const cut = dice.between(1, 3);
    const summary =
      isObject(first) && "parts" in first
        ? { role: "user", parts: [{ text: "Summary of the conversation so far: a brass lamp was bought." }] }
        : { role: "user", content: "Summary of the conversation so far: a brass lamp was bought." };
    for (const history of histories.slice(from)) put(history, [summary, ...history.list.slice(cut)]);
    return true;
  }),
  "move a message into another request": onHistories((histories, dice) => {
    const [from, to] = [dice.pick(histories), dice.pick(histories)];
    const at = dice.below(from.list.length);
    const message = from.list[at];
    if (from === to) return false;
    put(from, from.list.toSpliced(at, 1));
    put(to, to.list.toSpliced(dice.below(to.list.length + 1), 0, message));
    return true;
  }),
  "a message of another protocol": onHistories((histories, dice) => {
    const history = dice.pick(histories);
    const message = structuredClone(dice.pick(Object.values(otherForms)));
    put(history, history.list.toSpliced(dice.below(history.list.length + 1), 0, message));
    return true;
  }),
  "the history of another request": onHistories((histories, dice) => {
    const [one, other] = [dice.pick(histories), dice.pick(histories)];
    if (one === other) return false;
    const own = one.list;
    put(one, other.list);
    put(other, own);
    return true;
  }),
  "a window at the end of all histories": onHistories((histories, dice) => {
    const size = dice.between(1, 3);
    for (const history of histories) put(history, history.list.slice(-size));
    return true;
  }),
  "double all messages": onHistories((histories) => {
    for (const history of histories)
      put(
        history,
        history.list.flatMap((each) => [each, each]),
      );
    return true;
  }),
});
