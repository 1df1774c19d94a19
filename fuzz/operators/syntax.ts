import type { Dice } from "../dice.ts";
import { Embedded, nodesOf, print, printed, Raw, Stream, slicesOf } from "../document.ts";
import { bodyFaults, fileFaults, valueFaults } from "../faults.ts";
import { type Operator, onText } from "./operator.ts";

/** What hands and careless programs write that is no JSON, beside the faults that the tests also know. */
const slips: Readonly<Record<string, (json: string, dice: Dice) => string | undefined>> = {
  "a doubled comma": (json, dice) => replaced(json, /,/g, ",,", dice),
  "a trailing comma": (json, dice) => replaced(json, /[}\]]/g, (close) => `,${close}`, dice),
  "a leading comma": (json, dice) => replaced(json, /[{[](?=["{[])/g, (open) => `${open},`, dice),
  "a doubled colon": (json, dice) => replaced(json, /:/g, "::", dice),
  "an equals sign": (json, dice) => replaced(json, /:/g, "=", dice),
  undefined: (json, dice) => replaced(json, /:(?:null|true|false|-?\d[\d.]*)(?=[,}])/g, ":undefined", dice),
  None: (json, dice) => replaced(json, /:(?:null|true|false|-?\d[\d.]*)(?=[,}])/g, ":None", dice),
  NaN: (json, dice) => replaced(json, /:(?:null|true|false|-?\d[\d.]*)(?=[,}])/g, ":NaN", dice),
  "a leading zero": (json, dice) => replaced(json, /:(?=\d)/g, ":0", dice),
  "a word": (json, dice) => replaced(json, /,/g, dice.pick([",oops,", ",…,", ",<nil>,", ",[Object],"]), dice),
  "a comment": (json, dice) =>
    replaced(json, /,/g, dice.pick([", // note\n", ", /* note */ ", ", # note\n"]), dice),
  "a quote in a string": (json, dice) => inString(json, dice, (text) => `"${'"'}${text.slice(1)}`),
  "no quotes": (json, dice) => inString(json, dice, (text) => text.slice(1, -1)),
  "curly quotes": (json, dice) => inString(json, dice, (text) => `“${text.slice(1, -1)}”`),
  "a bad escape": (json, dice) => inString(json, dice, (text) => `"\\x41${text.slice(1)}`),
  "a cut escape": (json, dice) => inString(json, dice, (text) => `${text.slice(0, -1)}\\u12"`),
  "a tab in a string": (json, dice) => inString(json, dice, (text) => `"\t${text.slice(1)}`),
  "a line feed in a string": (json, dice) => inString(json, dice, (text) => `"\n${text.slice(1)}`),
  "a NUL in a string": (json, dice) => inString(json, dice, (text) => `"\0${text.slice(1)}`),
};

/** A place outside strings that fits the pattern, changed. */
function replaced(
  json: string,
  pattern: RegExp,
  by: string | ((found: string) => string),
  dice: Dice,
): string | undefined {
  const blank = json.replace(/"(?:[^"\\]|\\.)*"/g, (text) => `"${"_".repeat(text.length - 2)}"`);
  const places = [...blank.matchAll(pattern)];
  if (places.length === 0) return undefined;
  const place = dice.pick(places);
  const end = place.index + place[0].length;
  return json.slice(0, place.index) + (typeof by === "string" ? by : by(place[0])) + json.slice(end);
}

function inString(json: string, dice: Dice, change: (text: string) => string): string | undefined {
  const places = [...json.matchAll(/"(?:[^"\\]|\\.)+"/g)];
  if (places.length === 0) return undefined;
  const place = dice.pick(places);
  return json.slice(0, place.index) + change(place[0]) + json.slice(place.index + place[0].length);
}

/** Puts a fault into one of the log's bodies: at any level, as often in one that a string holds as in the outermost. */
function broken(
  text: string,
  dice: Dice,
  fault: (json: string, dice: Dice) => string | undefined,
): string | undefined {
  const slices = slicesOf(text);
  if (slices.length === 0) return undefined;
  const slice = dice.pick(slices);
  const inside: { set: (value: unknown) => void; held: Embedded }[] = [];
  for (const { value } of nodesOf(slice.root.value))
    for (const [key, each] of Object.entries(value)) {
      if (each instanceof Embedded)
        inside.push({ held: each, set: (text) => Object.assign(value, { [key]: text }) });
      else if (each instanceof Stream)
        for (const event of each.events) {
          const held = event.value;
          if (held) inside.push({ held, set: (text) => (held.value = new Raw(String(text))) });
        }
    }
  const victim = dice.once(2) && inside.length > 0 ? dice.pick(inside) : undefined;
  const damaged = fault(victim ? victim.held.text : print(slice.root.value, slice.indent), dice);
  if (damaged === undefined) return undefined;
  if (victim) victim.set(damaged);
  else slice.root.value = new Raw(damaged);
  return printed(text, slices);
}

/** What they take out of a log, nobody can miss. */
const takesOut = /cut|first bytes|left out|overwritten|zeroed|logger|in its place|bad byte/;

/** The faults that the tests also know; their texts are bytes as latin1. */
const known = [...bodyFaults, ...valueFaults].map(
  ({ name, apply }): Operator => ({
    name: `faults/${name}`,
    ...(takesOut.test(name) ? {} : { breaksOnly: true }),
    apply: ({ log, dice }) => {
      const roll = (sides: number): number => dice.below(sides);
      const fault = (json: string): string | undefined =>
        decoded(apply(Buffer.from(json).toString("latin1"), roll));
      const text = broken(log.toString("utf8"), dice, fault);
      return text === undefined ? undefined : encoded(text);
    },
  }),
);

/** Bytes that are no UTF-8 go through texts as characters of a private area. */
function decoded(latin1: string | undefined): string | undefined {
  if (latin1 === undefined) return undefined;
  const text = Buffer.from(latin1, "latin1").toString("utf8");
  return text.includes("\ufffd") ? latin1.replace(/[\x80-\xff]/g, (byte) => privately(byte)) : text;
}

const privately = (byte: string): string => String.fromCharCode(0xf700 + byte.charCodeAt(0));

function encoded(text: string): Buffer {
  const parts = text.split(/([\uf780-\uf7ff])/);
  return Buffer.concat(
    parts.map((part, index) =>
      index % 2 === 1 ? Buffer.from([part.charCodeAt(0) - 0xf700]) : Buffer.from(part),
    ),
  );
}

const files = fileFaults.map(
  ({ name, apply }): Operator => ({
    name: `faults/${name}`,
    apply: ({ log, dice }) => {
      const text = apply(log.toString("latin1"), (sides) => dice.below(sides));
      return text === undefined ? undefined : Buffer.from(text, "latin1");
    },
  }),
);

export const syntaxOperators: readonly Operator[] = [
  ...onText(
    "syntax",
    Object.fromEntries(
      Object.entries(slips).map(([name, slip]) => [
        name,
        (text: string, { dice }: { dice: Dice }) => broken(text, dice, slip),
      ]),
    ),
    { breaksOnly: true },
  ),
  ...known,
  ...files,
];
