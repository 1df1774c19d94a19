import type { Dice } from "../dice.ts";
import { Embedded, isObject, nodesOf, print, printed, Raw, Stream, slicesOf } from "../document.ts";
import { type Operator, onText } from "./operator.ts";

/** What programs of other languages and versions write for the same values: other types, names, levels and places. */

type Fields = Record<string, unknown>;

/** A member of an object, wherever it stands. */
interface Member {
  readonly fields: Fields;
  readonly key: string;
  readonly parent: Fields | undefined;
}

type Fit = (value: unknown, key: string) => boolean;

const membersOf = (root: unknown, fits: Fit): Member[] =>
  [...nodesOf(root)].flatMap(({ value, parent }) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, each]) =>
          fits(each, key)
            ? [{ fields: value, key, parent: isObject(parent?.value) ? parent.value : undefined }]
            : [],
        )
      : [],
  );

/** Changes one member that fits, with the others at hand. */
const onOne =
  (fits: Fit, change: (member: Member, dice: Dice, all: readonly Member[]) => void) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const slices = slicesOf(text);
    const all = slices.flatMap(({ root }) => membersOf(root.value, fits));
    if (all.length === 0) return undefined;
    change(dice.pick(all), dice, all);
    return printed(text, slices);
  };

/** Changes all members of the same name as one that fits, as a program does that writes them so. */
const onName =
  (fits: Fit, change: (member: Member) => void) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const slices = slicesOf(text);
    const all = slices.flatMap(({ root }) => membersOf(root.value, fits));
    if (all.length === 0) return undefined;
    const { key } = dice.pick(all);
    for (const member of all) if (member.key === key) change(member);
    return printed(text, slices);
  };

/** Changes one list of objects. */
const onList =
  (change: (list: unknown[], dice: Dice, lists: readonly unknown[][]) => boolean) =>
  (text: string, { dice }: { readonly dice: Dice }): string | undefined => {
    const slices = slicesOf(text);
    const lists = slices.flatMap(({ root }) =>
      [...nodesOf(root.value)].flatMap(({ value }) =>
        Array.isArray(value) && value.some(isObject) ? [value] : [],
      ),
    );
    return lists.length > 0 && change(dice.pick(lists), dice, lists) ? printed(text, slices) : undefined;
  };

const any: Fit = () => true;
const isText: Fit = (value) => typeof value === "string";
const isId: Fit = (value, key) => typeof value === "string" && /(?:^|_|[a-z])id$/i.test(key);
const isHeld: Fit = (value) => value instanceof Embedded;
const isMember = ({ fields, key }: Member): unknown => fields[key];

const rename = ({ fields, key }: Member, name: string): void => {
  const entries = Object.entries(fields).map(([each, value]) => [each === key ? name : each, value] as const);
  for (const each of Object.keys(fields)) delete fields[each];
  Object.assign(fields, Object.fromEntries(entries));
};

const camel = (key: string): string => key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const valueOperators: readonly Operator[] = onText("values", {
  "a string for each value of a name": onName(
    (value) => typeof value === "number" || typeof value === "boolean",
    (member) => (member.fields[member.key] = String(isMember(member))),
  ),
  "a list for each value of a name": onName(
    any,
    (member) => (member.fields[member.key] = [isMember(member)]),
  ),
  "an object for each text of a name": onName(
    isText,
    (member) => (member.fields[member.key] = { text: isMember(member) }),
  ),
  "null for each value of a name": onName(any, (member) => (member.fields[member.key] = null)),
  "the JSON of each value of a name": onName(
    any,
    (member) => (member.fields[member.key] = print(isMember(member), "")),
  ),
  "the value of each JSON of a name": onName(isHeld, (member) => {
    const held = isMember(member);
    if (held instanceof Embedded) member.fields[member.key] = held.value;
  }),
  "a name in camel case": onName(
    (_, key) => camel(key) !== key,
    (member) => rename(member, camel(member.key)),
  ),
  "a name in snake case": onName(
    (_, key) => snake(key) !== key,
    (member) => rename(member, snake(member.key)),
  ),
  "a name with a dash": onName(
    (_, key) => key.includes("_"),
    (member) => rename(member, member.key.replaceAll("_", "-")),
  ),
  "another name everywhere": onName(any, (member) => rename(member, `${member.key}_v2`)),
  "names of two members change places": onOne(any, ({ fields, key }, dice) => {
    const other = dice.pick(Object.keys(fields));
    const [own, theirs] = [fields[key], fields[other]];
    [fields[key], fields[other]] = [theirs, own];
  }),
  "a member one level up": onOne(any, ({ fields, key, parent }) => {
    if (!parent || key in parent) return;
    parent[key] = fields[key];
    delete fields[key];
  }),
  "a member one level down": onOne(any, ({ fields, key }, dice) => {
    fields[key] = { [dice.pick(["value", "data", "text", "content", "message", key])]: fields[key] };
  }),
  "members in an object of their own": onOne(isObject, ({ fields, key }, dice) => {
    fields[key] = { [dice.pick(["data", "payload", "body", "inner"])]: fields[key] };
  }),
  "pairs for an object": onOne(isObject, ({ fields, key }) => {
    fields[key] = Object.entries(fields[key] as Fields).map(([name, value]) => ({ name, value }));
  }),
  "a number for an id": onOne(isId, ({ fields, key }, dice) => {
    fields[key] = dice.pick<unknown>([0, 7, new Raw("9007199254740993"), new Raw("1e400")]);
  }),
  "null for an id": onOne(isId, ({ fields, key }) => (fields[key] = null)),
  "null for the ids of a name": onName(isId, ({ fields, key }) => (fields[key] = null)),
  "one id for a name": onName(isId, ({ fields, key }) => (fields[key] = "msg_1")),
  "the id of another record": onOne(isId, ({ fields, key }, dice, all) => {
    fields[key] = isMember(dice.pick(all.filter((other) => other.key === key)));
  }),
  "a text of another place": onOne(
    isText,
    ({ fields, key }, dice, all) => (fields[key] = isMember(dice.pick(all))),
  ),
  "a text in quotes of its own": onOne(
    isText,
    ({ fields, key }) => (fields[key] = JSON.stringify(fields[key])),
  ),
  "a text cut in half": onOne(isText, ({ fields, key }, dice) => {
    const text = String(fields[key]);
    fields[key] = text.slice(0, dice.below(text.length + 1));
  }),
  "a text cut within an escape": onOne(
    (value) => typeof value === "string" && /["\\\n]/.test(value),
    ({ fields, key }, dice) => {
      const json = JSON.stringify(fields[key]);
      const escapes = [...json.matchAll(/\\./g)];
      fields[key] = new Raw(`${json.slice(0, dice.pick(escapes).index + 1)}"`);
    },
  ),
  "a text as a list of its lines": onOne(
    isText,
    ({ fields, key }) => (fields[key] = String(fields[key]).split(/(?<=\n| )/)),
  ),
  "a text with NULs": onOne(isText, ({ fields, key }) => (fields[key] = [...String(fields[key])].join("\0"))),
  "two elements in one": onList((list, dice) => {
    const at = dice.below(list.length - 1);
    const [one, two] = [list[at], list[at + 1]];
    if (!isObject(one) || !isObject(two)) return false;
    list.splice(at, 2, dice.once(2) ? { ...one, ...two } : { ...two, ...one });
    return true;
  }),
  "one element in two": onList((list, dice) => {
    const at = dice.below(list.length);
    const one = list[at];
    if (!isObject(one)) return false;
    const entries = Object.entries(one);
    const cut = dice.below(entries.length + 1);
    list.splice(at, 1, Object.fromEntries(entries.slice(0, cut)), Object.fromEntries(entries.slice(cut)));
    return true;
  }),
  "an element in another list": onList((list, dice, lists) => {
    const other = dice.pick(lists);
    const at = dice.below(list.length);
    const [element] = list.slice(at, at + 1);
    // A list within the element would hold itself.
    if ([...nodesOf(element)].some(({ value }) => value === other)) return false;
    list.splice(at, 1);
    other.splice(dice.below(other.length + 1), 0, element);
    return true;
  }),
  "lists change places": onList((list, dice, lists) => {
    const other = dice.pick(lists);
    const nests = (outer: unknown[], inner: unknown[]): boolean =>
      [...nodesOf(outer)].some(({ value }) => value === inner);
    if (nests(list, other) || nests(other, list)) return false;
    const own = list.splice(0, list.length, ...other);
    other.splice(0, other.length, ...own);
    return true;
  }),
  "a list within its list": onList((list, dice) => {
    const [from, to] = [dice.below(list.length), dice.between(1, list.length)];
    list.splice(from, to - from, list.slice(from, to));
    return true;
  }),
  "null among the elements": onList((list, dice) => {
    list.splice(dice.below(list.length + 1), 0, dice.pick<unknown>([null, "", {}, [], 0, "…"]));
    return true;
  }),
  "a stream's events as a list": onOne(
    (value) => value instanceof Stream,
    ({ fields, key }) => {
      const held = fields[key];
      if (held instanceof Stream)
        fields[key] = held.events.flatMap(({ value }) => (value ? [value.value] : []));
    },
  ),
});
